// The one random stream of the core: SplitMix64 (Steele, Lea, Flood 2014).
//
// Chosen because it is three lines in C++ and in the Python reference alike, passes the usual
// batteries, and any 64-bit seed is a good seed.
#pragma once

#include <cstdint>

namespace tengen {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    // Uniform in [0, bound), up to a bias below bound / 2^64; bound > 0.
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
    }

    // Uniform in (0, 1), never one of the ends.
    double unit() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }

private:
    std::uint64_t state_;
};

}  // namespace tengen

// What a network said about positions, bounded: a newer position takes the place of an older one.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tengen {

class EvaluationCache {
public:
    // Room for as many positions as fit `bytes`; none at all for 0.
    EvaluationCache(std::size_t bytes, std::size_t moves) : moves_(moves) {
        const std::size_t entry = sizeof(std::uint64_t) + sizeof(float) * (moves + 1);
        if (bytes < entry) return;
        const std::size_t size = std::bit_floor(bytes / entry);
        keys_.assign(size, 0);
        values_.resize(size * (moves + 1));
    }

    struct Evaluated {
        std::span<const float> logits;
        float value;
    };

    // False when the position is not known. `out` is valid until the next store().
    bool find(std::uint64_t key, Evaluated& out) {
        if (keys_.empty()) return false;
        ++asked_;
        const std::size_t slot = key & (keys_.size() - 1);
        if (keys_[slot] != key || key == 0) return false;
        ++hits_;
        const float* at = values_.data() + slot * (moves_ + 1);
        out = {{at, moves_}, at[moves_]};
        return true;
    }
    void store(std::uint64_t key, std::span<const float> logits, float value) {
        if (keys_.empty()) return;
        const std::size_t slot = key & (keys_.size() - 1);
        keys_[slot] = key;
        float* at = values_.data() + slot * (moves_ + 1);
        std::copy(logits.begin(), logits.end(), at);
        at[moves_] = value;
    }

    // May be asked by any thread.
    std::uint64_t asked() const { return asked_; }
    std::uint64_t hits() const { return hits_; }

private:
    std::size_t moves_;
    std::vector<std::uint64_t> keys_;
    std::vector<float> values_;  // logits, then the value
    std::atomic<std::uint64_t> asked_ = 0;
    std::atomic<std::uint64_t> hits_ = 0;
};

}  // namespace tengen

// The transposition table: proven bounds of positions, under their full keys.
//
// A bucket is one cache line of entries. The key is stored whole, so an answer is never another
// position's. The table begins as a few kilobytes and quadruples whenever it fills up: a search of
// ten microseconds stays in the first-level cache, and clear() costs next to nothing however large
// the table may grow. The bucket is given by the leading bits of the hash, so bucket i spreads over
// the buckets 4i .. 4i+3 when the table grows, and that can be done in place from the end.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "isa.hpp"
#include "solve/drop_layout.hpp"

TENGEN_BEGIN

// What is proven about a position, for its mover.
struct Known {
    std::int8_t low;
    std::int8_t high;
    std::uint8_t work;  // log2 of the nodes it took: cheap entries are replaced first
};

template <class Word>
class BoundTable {
public:
    static constexpr bool kIsShared = false;

    explicit BoundTable(std::size_t bytes) {
        max_bits_ =
            std::max(kMinBits, static_cast<int>(std::bit_width(bytes / sizeof(Bucket))) - 1);
        const std::size_t size = sizeof(Bucket) << max_bits_;
        buckets_.reset(static_cast<Bucket*>(std::aligned_alloc(kAlign, std::max(size, kAlign))));
        if (!buckets_) throw std::bad_alloc();
#ifdef __linux__
        // Pages of 2 MB: a random access then hardly ever misses the address cache. Only advice.
        if (size >= 8 * kAlign) madvise(buckets_.get(), size, MADV_HUGEPAGE);
#endif
        clear();
    }

    void clear() {
        bits_ = kMinBits;
        filled_ = 0;
        std::memset(static_cast<void*>(buckets_.get()), 0, sizeof(Bucket) << bits_);
    }

    std::size_t bytes() const { return sizeof(Bucket) << max_bits_; }

    static std::uint64_t hash(std::uint64_t key) {
        key ^= key >> 32;
        return key * 0x9E3779B97F4A7C15u;
    }
    static std::uint64_t hash(Word128 key) {
        return hash(static_cast<std::uint64_t>(key) ^
                    static_cast<std::uint64_t>(key >> 64) * 0xD6E8FEB86659FD93u);
    }

    void prefetch(Word key) const { __builtin_prefetch(&bucket(key)); }

    // The entry of a position, or null. Valid until the next store().
    const Known* find(Word key) const {
        const Bucket& b = bucket(key);
        for (std::size_t i = 0; i < kWays; ++i) {
            if (b.keys[i] == key) return &b.known[i];
        }
        return nullptr;
    }

    void store(Word key, Known known) {
        if (filled_ >= (std::size_t{kWays} << bits_) / 2 && bits_ < max_bits_) grow();
        put(key, known);
    }

private:
    static constexpr std::size_t kWays = 64 / (sizeof(Word) + sizeof(Known));
    static constexpr std::size_t kAlign = std::size_t{1} << 21;
    static constexpr int kMinBits = 6;
    static constexpr int kGrowBits = 2;

    // A key is never 0, so 0 marks a free entry.
    struct alignas(64) Bucket {
        std::array<Word, kWays> keys;
        std::array<Known, kWays> known;
    };
    struct Free {
        void operator()(Bucket* p) const { std::free(p); }
    };

    Bucket& bucket(Word key) { return buckets_.get()[hash(key) >> (64 - bits_)]; }
    const Bucket& bucket(Word key) const { return buckets_.get()[hash(key) >> (64 - bits_)]; }

    void put(Word key, Known known) {
        Bucket& b = bucket(key);
        std::size_t victim = 0;
        for (std::size_t i = 0; i < kWays; ++i) {
            if (b.keys[i] == key) {
                known.low = std::max(known.low, b.known[i].low);
                known.high = std::min(known.high, b.known[i].high);
                b.known[i] = known;
                return;
            }
            if (b.keys[i] == 0) {
                ++filled_;
                victim = i;
                break;
            }
            if (b.known[i].work < b.known[victim].work) victim = i;
        }
        b.keys[victim] = key;
        b.known[victim] = known;
    }

    void grow() {
        const std::size_t before = std::size_t{1} << bits_;
        bits_ = std::min(bits_ + kGrowBits, max_bits_);
        const std::size_t spread = (std::size_t{1} << bits_) / before;
        filled_ = 0;
        for (std::size_t i = before; i-- > 0;) {
            const Bucket old = buckets_.get()[i];
            std::memset(static_cast<void*>(buckets_.get() + i * spread), 0,
                        sizeof(Bucket) * spread);
            for (std::size_t j = 0; j < kWays && old.keys[j] != 0; ++j) {
                put(old.keys[j], old.known[j]);
            }
        }
    }

    std::unique_ptr<Bucket[], Free> buckets_;
    int bits_ = 0;
    int max_bits_ = 0;
    std::size_t filled_ = 0;
};

TENGEN_END

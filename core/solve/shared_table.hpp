// The table of proven bounds that several threads use at once, without locks.
//
// A bucket is one cache line, as in bound_table.hpp, with a version in front:
//
//     version | known known known known known | key key key key key
//
// A writer makes the version odd, writes, and makes it even again; a writer that finds it odd goes
// away, for an entry that is lost only costs time. A reader takes nothing for true unless the
// version was even before and is the same afterwards. So bounds never get under another position's
// key, which no check of the key alone could promise. (A "sequence lock"; what is read in between
// is atomic, and acquiring loads keep the second look at the version behind it.)
//
// It begins small and is made larger while nobody searches. clear() only begins another epoch.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "isa.hpp"
#include "solve/bound_table.hpp"

TENGEN_BEGIN

// A handle: copies share one table.
template <class Word>
class SharedTable {
public:
    static constexpr bool kIsShared = true;

    explicit SharedTable(std::size_t bytes) : memory_(std::make_shared<Memory>(bytes)) {}

    // Nobody may be searching during these.
    void clear() {
        Memory& m = *memory_;
        m.bits = kMinBits;
        if (++m.epoch < kEpochs) return;
        std::memset(static_cast<void*>(m.buckets), 0, m.size());
        m.epoch = 1;
    }
    bool can_grow() const { return memory_->bits < memory_->max_bits; }
    // Bucket i spreads over those from i * spread on, in place from the end as in bound_table.hpp.
    // Buckets that were not in use have no entries of this epoch.
    void grow() {
        Memory& m = *memory_;
        const std::size_t before = std::size_t{1} << m.bits;
        m.bits = std::min(m.bits + kGrowBits, m.max_bits);
        for (std::size_t i = before; i-- > 0;) {
            Bucket old = m.buckets[i];
            m.buckets[i].known = {};
            for (std::size_t j = 0; j < kWays; ++j) {
                if (!is_current(old.known[j])) break;
                const Word key = key_at(old, j);
                put(bucket(key), key, unpacked(old.known[j]));
            }
        }
    }

    // How many entries it has room for as it is.
    std::size_t capacity() const { return kWays << memory_->bits; }

    void prefetch(Word key) const { __builtin_prefetch(&bucket(key)); }

    std::optional<Known> find(Word key) const {
        Bucket& b = bucket(key);
        const std::uint32_t version = load(b.version);
        for (std::size_t i = 0; i < kWays; ++i) {
            if (key_at(b, i) != key) continue;
            const std::uint32_t entry = load(b.known[i]);
            const bool is_whole = version % 2 == 0 && load(b.version) == version;
            if (!is_whole || !is_current(entry)) return std::nullopt;
            return unpacked(entry);
        }
        return std::nullopt;
    }

    void store(Word key, Known known) {
        Bucket& b = bucket(key);
        std::uint32_t version = load(b.version);
        if (version % 2 != 0 || !std::atomic_ref(b.version).compare_exchange_strong(
                                    version, version + 1, std::memory_order_acquire)) {
            return;
        }
        put(b, key, known);
        store(b.version, version + 2);
    }

    // A claim tells the other threads that this one is searching a position, so that they may look
    // at another first. It is advice: lost or mistaken ones only cost time.
    void claim(Word key) {
        memory_->claims[claim_slot(key)].store(hash(key), std::memory_order_relaxed);
    }
    void disclaim(Word key) {
        memory_->claims[claim_slot(key)].store(0, std::memory_order_relaxed);
    }
    bool is_claimed(Word key) const {
        return memory_->claims[claim_slot(key)].load(std::memory_order_relaxed) == hash(key);
    }

private:
    static constexpr std::size_t kWays = 60 / (sizeof(Word) + sizeof(std::uint32_t));
    static constexpr std::size_t kParts = sizeof(Word) / sizeof(std::uint64_t);
    static constexpr std::size_t kAlign = std::size_t{1} << 21;
    static constexpr int kMinBits = 12;  // a quarter of a megabyte
    static constexpr int kGrowBits = 4;
    static constexpr int kClaimBits = 12;
    static constexpr std::uint32_t kEpochs = 256;

    // An entry of `known` is low, high, work and epoch, a byte each. Epoch 0 is no entry.
    struct alignas(64) Bucket {
        std::uint32_t version;
        std::array<std::uint32_t, kWays> known;
        std::array<std::uint64_t, kWays * kParts> keys;
    };
    static_assert(sizeof(Bucket) == 64);

    struct Free {
        void operator()(void* p) const { std::free(p); }
    };
    struct Memory {
        explicit Memory(std::size_t bytes)
            : max_bits(
                  std::max(kMinBits, static_cast<int>(std::bit_width(bytes / sizeof(Bucket))) - 1)),
              storage(std::calloc(1, size() + kAlign)) {
            if (!storage) throw std::bad_alloc();
            void* start = storage.get();
            std::size_t space = size() + kAlign;
            buckets = static_cast<Bucket*>(std::align(kAlign, size(), start, space));
#ifdef __linux__
            // As in bound_table.hpp. Only advice.
            if (size() >= 8 * kAlign) madvise(buckets, size(), MADV_HUGEPAGE);
#endif
        }
        std::size_t size() const { return sizeof(Bucket) << max_bits; }

        int max_bits;
        int bits = kMinBits;                  // of the hash that tell the bucket
        std::unique_ptr<void, Free> storage;  // zeros, which are no entries
        Bucket* buckets;
        std::uint32_t epoch = 1;
        // Apart from the above, which every access reads.
        alignas(64) std::array<std::atomic<std::uint64_t>, std::size_t{1} << kClaimBits> claims{};
    };

    static std::uint64_t hash(Word key) { return BoundTable<Word>::hash(key); }
    Bucket& bucket(Word key) const { return memory_->buckets[hash(key) >> (64 - memory_->bits)]; }
    static std::size_t claim_slot(Word key) { return hash(key) >> (64 - kClaimBits); }

    template <class T>
    static T load(T& from) {
        return std::atomic_ref(from).load(std::memory_order_acquire);
    }
    template <class T>
    static void store(T& to, T value) {
        std::atomic_ref(to).store(value, std::memory_order_release);
    }
    static Word key_at(Bucket& b, std::size_t i) {
        Word key = 0;
        for (std::size_t part = 0; part < kParts; ++part) {
            key |= Word{load(b.keys[kParts * i + part])} << (64 * part);
        }
        return key;
    }
    static void set_key(Bucket& b, std::size_t i, Word key) {
        for (std::size_t part = 0; part < kParts; ++part) {
            store(b.keys[kParts * i + part], static_cast<std::uint64_t>(key >> (64 * part)));
        }
    }

    bool is_current(std::uint32_t entry) const { return entry >> 24 == memory_->epoch; }
    std::uint32_t packed(Known known) const {
        return static_cast<std::uint8_t>(known.low) |
               std::uint32_t{static_cast<std::uint8_t>(known.high)} << 8 |
               std::uint32_t{known.work} << 16 | memory_->epoch << 24;
    }
    static Known unpacked(std::uint32_t entry) {
        return {static_cast<std::int8_t>(entry & 0xFF),
                static_cast<std::int8_t>((entry >> 8) & 0xFF),
                static_cast<std::uint8_t>((entry >> 16) & 0xFF)};
    }

    // The bucket is this thread's own until the version is even again.
    void put(Bucket& b, Word key, Known known) {
        std::size_t victim = 0;
        int least_work = kEpochs;
        for (std::size_t i = 0; i < kWays; ++i) {
            const std::uint32_t entry = load(b.known[i]);
            if (!is_current(entry)) {
                victim = i;
                break;
            }
            const Known old = unpacked(entry);
            if (key_at(b, i) == key) {
                known.low = std::max(known.low, old.low);
                known.high = std::min(known.high, old.high);
                victim = i;
                break;
            }
            if (old.work < least_work) {
                least_work = old.work;
                victim = i;
            }
        }
        set_key(b, victim, key);
        store(b.known[victim], packed(known));
    }

    std::shared_ptr<Memory> memory_;
};

TENGEN_END

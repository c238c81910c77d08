// The memory of a search tree: blocks of siblings in one flat buffer.
//
// A node is a slot in the block of its parent's children, and knows its own children by the
// offset of their block. It stores what the search needs to choose among siblings and nothing
// about the board: 26 bytes. A block with capacity c:
//
//     count  capacity  best  flags | total  visits  mean  spread  link  label   x c
//     2      2         2     2     | 8      4       4     4       4     2      bytes
//
// Arrays instead of records, so that the scores of eight siblings are one vector operation. Blocks
// grow one slot at a time up to eight, then by an eighth; the old block goes to a list of free
// blocks of its size, where the next node that grows finds it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "isa.hpp"
#include "rules/rules.hpp"
#include "search/tree_memory.hpp"
#include "search/uct_config.hpp"

TENGEN_BEGIN

inline constexpr std::size_t kUnitBytes = 8;  // every block starts at a multiple of this
using Link = std::uint32_t;                   // the offset of a block, in units
inline constexpr Link kNoLink = 0;

// A block's arrays. Valid until the tree allocates.
struct Block {
    struct Header {
        std::uint16_t count;
        std::uint16_t capacity;
        std::uint16_t best;     // the sibling to descend to next, once there are all
        std::uint8_t is_full;   // every legal move has a slot
        std::uint8_t has_draw;  // one of the moves is a proven draw
    };
    Header* header;
    double* total;  // sum of rewards, for the player who makes the move
    std::uint32_t* visits;
    float* mean;
    float* spread;
    Link* link;
    std::uint16_t* label;  // move, and what is proven of it

    // What one node takes.
    static constexpr std::size_t kSlotBytes = sizeof(double) + sizeof(std::uint32_t) +
                                              2 * sizeof(float) + sizeof(Link) +
                                              sizeof(std::uint16_t);
    static constexpr std::size_t bytes(std::size_t capacity) {
        const std::size_t exact = sizeof(Header) + kSlotBytes * capacity;
        return (exact + kUnitBytes - 1) / kUnitBytes * kUnitBytes;
    }
    Block(std::byte* at, std::size_t capacity) {
        header = reinterpret_cast<Header*>(at);
        total = reinterpret_cast<double*>(at + sizeof(Header));
        visits = reinterpret_cast<std::uint32_t*>(total + capacity);
        mean = reinterpret_cast<float*>(visits + capacity);
        spread = mean + capacity;
        link = reinterpret_cast<Link*>(spread + capacity);
        label = reinterpret_cast<std::uint16_t*>(link + capacity);
    }

    std::size_t count() const { return header->count; }
    Move move(std::size_t i) const { return label[i] & kMoveMask; }
    Proof proof(std::size_t i) const { return static_cast<Proof>(label[i] >> kProofShift); }

    // A move whose worth is known is not searched again.
    void set_proof(std::size_t i, Proof proof, double worth) {
        label[i] = label_of(move(i), proof);
        total[i] = worth * visits[i];
        mean[i] = -std::numeric_limits<float>::infinity();
        spread[i] = 0;
        if (proof == Proof::draw) header->has_draw = 1;
    }
    static std::uint16_t label_of(Move move, Proof proof) {
        return static_cast<std::uint16_t>(move | (static_cast<unsigned>(proof) << kProofShift));
    }

private:
    static constexpr std::uint16_t kProofShift = 10;
    static constexpr std::uint16_t kMoveMask = (1u << kProofShift) - 1;
    static_assert(kMaxCells <= (1 << kProofShift));
};

class Tree {
public:
    explicit Tree(std::size_t cap_bytes) : memory_(cap_bytes) {}

    Block block(Link link) const {
        return Block(at(link), reinterpret_cast<Block::Header*>(at(link))->capacity);
    }
    // Begins to load a block that will be read soon: its parts arrive at once instead of one after
    // the other.
    void prefetch(Link link) const {
        for (std::size_t line = 0; line < kPrefetchBytes; line += kLineBytes) {
            __builtin_prefetch(at(link) + line, 1);
        }
    }
    std::size_t bytes() const { return used_; }
    std::size_t nodes() const { return nodes_; }

    // Whether there is memory for one more child in the block `link`.
    bool has_room(Link link) const {
        const std::size_t count = link == kNoLink ? 0 : block(link).count();
        if (count > 0 && count < block(link).header->capacity) return true;
        const std::size_t capacity = capacity_after(count);
        if (free_[capacity] != kNoLink) return true;
        return used_ + Block::bytes(capacity) <= memory_.size();
    }

    // Appends an unvisited child to the block `link` (or to a new one) and returns where the block
    // is now. Requires that has_room(link) said yes.
    Link append(Link link, Move move, Proof proof) {
        const std::size_t count = link == kNoLink ? 0 : block(link).count();
        if (link == kNoLink || count == block(link).header->capacity) link = grow(link, count);
        Block to = block(link);
        to.total[count] = 0;
        to.visits[count] = 0;
        to.mean[count] = 0;
        to.spread[count] = 0;
        to.link[count] = kNoLink;
        to.label[count] = Block::label_of(move, proof);
        ++to.header->count;
        ++nodes_;
        return link;
    }

    // Gives back the subtree under `link`, but for the part under `kept`.
    void release(Link link, Link kept) {
        if (link == kNoLink || link == kept) return;
        const Block gone = block(link);
        for (std::size_t i = 0; i < gone.count(); ++i) release(gone.link[i], kept);
        nodes_ -= gone.count();
        give_back(link);
    }

private:
    static constexpr std::size_t kLineBytes = 64;
    static constexpr std::size_t kPrefetchBytes = 4 * kLineBytes;

    static constexpr std::size_t capacity_after(std::size_t count) {
        return count + 1 + (count >= 8 ? count / 8 : 0);
    }

    Link grow(Link link, std::size_t count) {
        const Link to = allocate(capacity_after(count));
        if (link == kNoLink) return to;
        copy_slots(block(link), block(to));
        give_back(link);
        return to;
    }

    // Free blocks of a size are a list: each begins with the link of the next.
    void give_back(Link link) {
        Link& first_free = free_[block(link).header->capacity];
        std::memcpy(at(link), &first_free, sizeof first_free);
        first_free = link;
    }
    std::byte* at(Link link) const { return memory_.data() + std::size_t{link} * kUnitBytes; }

    static void copy_slots(const Block& from, const Block& to) {
        const std::size_t n = from.count();
        const std::uint16_t capacity = to.header->capacity;
        *to.header = *from.header;
        to.header->capacity = capacity;
        std::copy_n(from.total, n, to.total);
        std::copy_n(from.visits, n, to.visits);
        std::copy_n(from.mean, n, to.mean);
        std::copy_n(from.spread, n, to.spread);
        std::copy_n(from.link, n, to.link);
        std::copy_n(from.label, n, to.label);
    }

    Link allocate(std::size_t capacity) {
        Link link = free_[capacity];
        if (link != kNoLink) {
            std::memcpy(&free_[capacity], at(link), sizeof(Link));
        } else {
            link = static_cast<Link>(used_ / kUnitBytes);
            used_ += Block::bytes(capacity);
        }
        auto* header = reinterpret_cast<Block::Header*>(at(link));
        *header = {0, static_cast<std::uint16_t>(capacity), 0, 0, 0};
        return link;
    }

    TreeMemory memory_;
    std::size_t used_ = kUnitBytes;  // offset 0 is kNoLink
    std::size_t nodes_ = 0;
    std::array<Link, kMaxCells + kMaxCells / 8 + 2> free_{};  // per capacity
};

TENGEN_END

// Bit layout and masks of a gravity board, for one word of 64 or 128 bits per player.
//
//     5 12 19 26 33 40 47      column by column from the bottom; every column has one bit more
//     4 11 18 25 32 39 46      than rows (a "lid", here 6, 13, ..). It stays 0 in the players'
//     3 10 17 24 31 38 45      words, so that no run wraps into the next column, and it takes
//     2  9 16 23 30 37 44      the carry of a full column.
//     1  8 15 22 29 36 43
//     0  7 14 21 28 35 42
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "isa.hpp"

TENGEN_BEGIN

using Word128 = unsigned __int128;

inline int count_bits(std::uint64_t x) { return std::popcount(x); }
inline int count_bits(Word128 x) {
    return std::popcount(static_cast<std::uint64_t>(x)) +
           std::popcount(static_cast<std::uint64_t>(x >> 64));
}
// The index of the lowest set bit; x is not 0.
inline int lowest_bit(std::uint64_t x) { return std::countr_zero(x); }
inline int lowest_bit(Word128 x) {
    const auto low = static_cast<std::uint64_t>(x);
    return low != 0 ? std::countr_zero(low)
                    : 64 + std::countr_zero(static_cast<std::uint64_t>(x >> 64));
}

template <class Word>
struct DropLayout {
    static constexpr int kBits = 8 * static_cast<int>(sizeof(Word));

    int rows = 0;
    int cols = 0;
    int k = 0;
    int stride = 0;        // rows + 1
    int cells = 0;         // playable ones
    bool mirrors = false;  // the blocked cells are symmetric: a position equals its mirror image
    Word blocked = 0;
    Word board = 0;         // every playable cell
    Word bottoms = 0;       // the lowest bit of each column, blocked or not
    Word first_column = 0;  // all bits of column 0, lid included
    // Cells of each column counted from its top, blocked ones left out:
    Word highs = 0;  // the 1st, 3rd, 5th ..: the upper cell of a pair
    Word lows = 0;   // the 2nd, 4th, ..: the lower cell of a pair
    // by_rest[s]: the cells t for which a stone on t, after which only the cells above t in this
    // column are empty, scores s or more: a win there at the very last moment is worth that much.
    std::array<Word, kBits / 2 + 2> by_rest{};
    std::array<std::int8_t, kBits> lines_through{};  // per bit, how many lines of k hold it

    static bool fits(int rows, int cols) { return (rows + 1) * cols <= kBits; }

    // `is_blocked` per cell, row by row from the top; empty when there are none.
    DropLayout(int rows_, int cols_, int k_, std::span<const bool> is_blocked)
        : rows(rows_), cols(cols_), k(k_), stride(rows_ + 1) {
        for (int bit = 0; bit < stride; ++bit) first_column |= Word{1} << bit;
        for (int col = 0; col < cols; ++col) {
            bottoms |= Word{1} << (col * stride);
            int from_top = 0;
            for (int row = rows - 1; row >= 0; --row) {
                const Word cell = at(col, row);
                const auto index = static_cast<std::size_t>((rows - 1 - row) * cols + col);
                if (!is_blocked.empty() && is_blocked[index]) {
                    blocked |= cell;
                    continue;
                }
                ++cells;
                ++from_top;
                board |= cell;
                (from_top % 2 == 1 ? highs : lows) |= cell;
                for (int s = 0; s <= (from_top + 1) / 2; ++s) {
                    by_rest[static_cast<std::size_t>(s)] |= cell;
                }
            }
        }
        mirrors = mirror(blocked) == blocked;
        count_lines();
    }

    // row 0 is the bottom here.
    Word at(int col, int row) const { return Word{1} << (col * stride + row); }
    Word column(int col) const { return first_column << (col * stride); }
    int column_of(int bit) const { return bit / stride; }

    // The cells under `cells` in their columns, blocked ones skipped: who plays there hands over
    // the cell above.
    Word below(Word cells) const {
        Word under = cells >> 1;
        if (blocked == 0) return under;
        for (Word in = under & blocked; in != 0; in = under & blocked) {
            under = (under & ~in) | (in >> 1);
        }
        return under;
    }

    Word mirror(Word x) const {
        Word out = 0;
        for (int col = 0; col < cols; ++col) {
            out |= ((x >> (col * stride)) & first_column) << ((cols - 1 - col) * stride);
        }
        return out;
    }

private:
    bool is_playable(int col, int row) const {
        return col >= 0 && col < cols && row >= 0 && row < rows && (at(col, row) & board) != 0;
    }
    void count_lines() {
        constexpr int kSteps[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
        for (int col = 0; col < cols; ++col) {
            for (int row = 0; row < rows; ++row) {
                for (const auto& step : kSteps) {
                    int length = 0;
                    while (length < k &&
                           is_playable(col + length * step[0], row + length * step[1])) {
                        ++length;
                    }
                    if (length < k) continue;
                    for (int i = 0; i < k; ++i) {
                        auto& count = lines_through[static_cast<std::size_t>(
                            (col + i * step[0]) * stride + row + i * step[1])];
                        count = static_cast<std::int8_t>(std::min(count + 1, 100));
                    }
                }
            }
        }
    }
};

TENGEN_END

// Tables derived once from Rules and shared by everything that plays on them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "rules/rules.hpp"

namespace tengen {

inline constexpr int kDirections = 4;
// Rows, columns and both kinds of diagonals of the largest board.
inline constexpr int kMaxLines = 2 * kMaxSide + 2 * (2 * kMaxSide - 1);

// Where a cell lies in each of its four lines. Lines are numbered over all directions.
struct CellLines {
    std::array<std::uint8_t, kDirections> line;
    std::array<std::uint8_t, kDirections> bit;
};

// The layout of a board that fits one 64-bit word. With gravity column by column, as Connect Four
// solvers lay it out; without gravity row by row, so that bits and moves have the same order:
//
//     5 12 19 26 33 40 47         0  1  2      every stride has one extra bit that stays 0, so
//     4 11 18 25 32 39 46         4  5  6      that no run wraps into the next one and a full
//     3 10 17 24 31 38 45         8  9 10      column's carry has somewhere to go
//     2  9 16 23 30 37 44
//     1  8 15 22 29 36 43
//     0  7 14 21 28 35 42
struct SmallLayout {
    int stride = 0;  // rows + 1 with gravity, else cols + 1
    std::uint64_t blocked = 0;
    std::uint64_t playable = 0;                // every cell that can hold a stone
    std::uint64_t bottoms = 0;                 // the lowest bit of each column (gravity)
    std::vector<std::uint64_t> bottom;         // per column, its lowest bit (gravity)
    std::vector<std::uint64_t> cells_of_move;  // per move, the playable cells it can fill
    std::vector<std::uint8_t> bit_of_cell;
    std::array<Move, 64> move_of_bit{};
    std::array<Cell, 64> cell_of_bit{};
};

struct Geometry {
    Rules rules;
    std::vector<CellLines> lines_of_cell;
    int line_count = 0;
    std::array<std::array<Cell, kMaxSide>, kMaxLines> cell_on_line{};  // [line][bit], else kNone
    std::vector<std::uint32_t> open_line;  // per line, the bits of its playable cells
    std::vector<bool> is_blocked;          // per cell
    std::vector<Cell> above;               // per cell, the next playable cell over it, else kNone
    std::vector<Cell> lowest;              // per column, its lowest playable cell, else kNone
    std::vector<std::vector<Cell>> neighbours;  // per cell, the up to 8 playable ones around it
    std::vector<Cell> centre;                   // the playable cells nearest to the middle
    bool fits_small = false;                    // whether `small` describes the board
    SmallLayout small;

    static std::shared_ptr<const Geometry> of(const Rules& rules);

    int row(Cell cell) const { return cell / rules.cols; }
    int col(Cell cell) const { return cell % rules.cols; }
    // The lowest row has height 1. Without gravity there are no heights.
    bool has_odd_height(Cell cell) const { return rules.gravity && (rules.rows - row(cell)) % 2; }
    Move move_of(Cell cell) const {
        return rules.gravity ? static_cast<Move>(col(cell)) : static_cast<Move>(cell);
    }
};

}  // namespace tengen

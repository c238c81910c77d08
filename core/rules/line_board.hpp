// A position on any board up to 25x25: one word per line, player and direction.
//
// Every cell lies on four lines (row, column, two diagonals), and each line is a word in which
// neighbouring cells are neighbouring bits. A stone sets four bits, and whether it won is a
// question about four words only, however large the board is.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "isa.hpp"
#include "rules/geometry.hpp"
#include "rules/random.hpp"
#include "rules/runs.hpp"

TENGEN_BEGIN

// K is the length of a line when known at compile time, or 0 to read it from the rules.
template <int K>
class LineBoard {
public:
    using Line = std::uint32_t;
    using Spot = Cell;  // where a stone comes to stand, in this board's own terms
    static constexpr Spot kNoSpot = kNone;

    explicit LineBoard(const Geometry& geometry) : g_(&geometry) {
        for (auto& player : lines_) player.fill(0);
        std::copy(geometry.lowest.begin(), geometry.lowest.end(), landing_.begin());
    }
    // Copies only the lines that this board has: they are most of the object.
    LineBoard(const LineBoard& other) { *this = other; }
    LineBoard& operator=(const LineBoard& other) {
        g_ = other.g_;
        stones_ = other.stones_;
        const auto used = static_cast<std::size_t>(g_->line_count) * sizeof(Line);
        for (std::size_t p = 0; p < 2; ++p) {
            std::memcpy(lines_[p].data(), other.lines_[p].data(), used);
        }
        landing_ = other.landing_;
        return *this;
    }

    // `stones` holds 0 empty, 1 first, 2 second per cell; the counts must be those of a game.
    static LineBoard from_cells(const Geometry& geometry, std::span<const std::uint8_t> stones) {
        LineBoard board(geometry);
        for (std::size_t cell = 0; cell < stones.size(); ++cell) {
            if (stones[cell] == 0) continue;
            board.set_bits(stones[cell] - 1u, static_cast<Cell>(cell));
            ++board.stones_;
        }
        for (std::size_t col = 0; col < geometry.lowest.size(); ++col) {
            Cell& landing = board.landing_[col];
            while (landing != kNone && !board.is_empty(landing)) landing = geometry.above[landing];
        }
        return board;
    }

    const Geometry& geometry() const { return *g_; }
    int stones() const { return stones_; }
    bool is_full() const { return stones_ == g_->rules.playable_cells(); }
    int k() const { return K > 0 ? K : g_->rules.k; }
    std::size_t mover() const { return static_cast<std::size_t>(stones_ & 1); }

    Line line(std::size_t player, std::size_t index) const { return lines_[player][index]; }

    bool has_stone(std::size_t player, Cell cell) const {
        const CellLines& at = g_->lines_of_cell[cell];
        return ((lines_[player][at.line[0]] >> at.bit[0]) & 1u) != 0;
    }
    bool is_empty(Cell cell) const {
        return !g_->is_blocked[cell] && !has_stone(0, cell) && !has_stone(1, cell);
    }
    Cell cell_of(Spot spot) const { return spot; }
    Spot spot_of(Cell cell) const { return cell; }
    // Where the mover's stone would come to stand, or kNone when the move is not legal.
    Cell landing_cell(Move move) const {
        if (g_->rules.gravity) return landing_[move];
        return is_empty(static_cast<Cell>(move)) ? static_cast<Cell>(move) : kNone;
    }

    // Equal for equal stones: the rows are the first of the lines.
    std::uint64_t hash() const {
        std::uint64_t mixed = 0;
        for (std::size_t row = 0; row < static_cast<std::size_t>(g_->rules.rows); ++row) {
            const std::uint64_t both = std::uint64_t{lines_[0][row]} << 32 | lines_[1][row];
            mixed = Random(mixed ^ both).next();
        }
        return mixed;
    }
    bool mover_has(Cell cell) const { return has_stone(mover(), cell); }
    bool opponent_has(Cell cell) const { return has_stone(1 - mover(), cell); }

    // Calls visit(move, cell) for every legal move, in ascending order.
    template <class Visit>
    void for_each_legal(Visit visit) const {
        const int moves = g_->rules.moves();
        for (int index = 0; index < moves; ++index) {
            const auto move = static_cast<Move>(index);
            const Cell cell = landing_cell(move);
            if (cell != kNone) visit(move, cell);
        }
    }

    int legal_count() const {
        if (!g_->rules.gravity) return g_->rules.playable_cells() - stones_;
        const auto end = landing_.begin() + g_->rules.cols;
        return g_->rules.cols - static_cast<int>(std::count(landing_.begin(), end, kNone));
    }

    // The n-th legal move, in ascending order, that is not among `tried`.
    template <class Moves>
    Move nth_untried(const Moves& tried, std::uint32_t n) const {
        std::array<bool, kMaxCells> is_tried{};
        for (const Move move : tried) is_tried[move] = true;
        for (Move move = 0;; ++move) {
            if (!is_tried[move] && landing_cell(move) != kNone && n-- == 0) return move;
        }
    }

    // Requires a legal move.
    void play(Move move) { place(landing_cell(move)); }
    void place(Spot cell) {
        set_bits(mover(), cell);
        if (g_->rules.gravity) landing_[static_cast<std::size_t>(g_->col(cell))] = g_->above[cell];
        ++stones_;
    }

    // Whether the stone just placed on `cell` won for its owner.
    bool stone_won(Spot cell) const {
        const std::size_t owner = 1 - mover();
        const CellLines& at = g_->lines_of_cell[cell];
        const auto& own = lines_[owner];
        // Two lines to a word: a line has at most 25 of its 32 bits, so runs stay apart.
        const auto pair = [](Line low, Line high) {
            return std::uint64_t{low} | (std::uint64_t{high} << 32);
        };
        const std::uint64_t straight = pair(own[at.line[0]], own[at.line[1]]);
        const std::uint64_t diagonal = pair(own[at.line[2]], own[at.line[3]]);
        if ((run_starts(straight, k(), 1) | run_starts(diagonal, k(), 1)) == 0) return false;
        if (g_->rules.line == LineRule::free) return true;
        const auto& enemy = lines_[1 - owner];
        Line winning = 0;
        for (const std::uint8_t i : at.line) {
            winning |= winning_starts(own[i], enemy[i], g_->rules.line, k(), 1);
        }
        return winning != 0;
    }
    // Whether `player`, placing a stone on `cell` now, would win.
    bool would_win(std::size_t player, Cell cell) const {
        const CellLines& at = g_->lines_of_cell[cell];
        for (std::size_t d = 0; d < kDirections; ++d) {
            const std::size_t i = at.line[d];
            const Line own = lines_[player][i] | (Line{1} << at.bit[d]);
            if (winning_starts(own, lines_[1 - player][i], g_->rules.line, k(), 1) != 0)
                return true;
        }
        return false;
    }
    // The playable empty cells of a line where one more stone of `player` makes a run of n.
    Line completing_on(std::size_t player, std::size_t line, int n) const {
        const Line own = lines_[player][line];
        if (std::popcount(own) < n - 1) return 0;
        return completing(own, n, 1) & g_->open_line[line] & ~own & ~lines_[1 - player][line];
    }
    // Calls visit(cell) for every empty cell, within reach or not, where a stone of the mover's, or
    // else of the opponent's, would win; more than once where it would make several lines.
    template <class Visit>
    void for_each_completing(bool of_mover, Visit visit) const {
        const std::size_t player = of_mover ? mover() : 1 - mover();
        for (std::size_t line = 0; line < static_cast<std::size_t>(g_->line_count); ++line) {
            for (Line bits = completing_on(player, line, k()); bits != 0; bits &= bits - 1) {
                const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
                const Cell cell = g_->cell_on_line[line][bit];
                if (would_win(player, cell)) visit(cell);
            }
        }
    }
    bool mover_wins_at_once() const {
        bool wins = false;
        for_each_completing(true, [&](Cell cell) { wins = wins || lands(cell); });
        return wins;
    }
    // Whether an empty cell can be filled by the next stone.
    bool lands(Cell cell) const {
        return !g_->rules.gravity || landing_[static_cast<std::size_t>(g_->col(cell))] == cell;
    }

private:
    void set_bits(std::size_t player, Cell cell) {
        const CellLines& at = g_->lines_of_cell[cell];
        auto& own = lines_[player];
        for (std::size_t d = 0; d < kDirections; ++d) own[at.line[d]] |= Line{1} << at.bit[d];
    }

    const Geometry* g_;
    int stones_ = 0;
    std::array<std::array<Line, kMaxLines>, 2> lines_;
    std::array<Cell, kMaxSide> landing_{};
};

TENGEN_END

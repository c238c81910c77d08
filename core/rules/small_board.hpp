// A position on one 64-bit word per player, for boards that fit (see SmallLayout).
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "isa.hpp"
#include "rules/geometry.hpp"
#include "rules/random.hpp"
#include "rules/runs.hpp"

TENGEN_BEGIN

// The position of the n-th set bit of `bits`, counted from 0; n < popcount(bits).
inline int nth_bit(std::uint64_t bits, std::uint32_t n) {
#ifdef __BMI2__
    return std::countr_zero(_pdep_u64(std::uint64_t{1} << n, bits));
#else
    for (; n > 0; --n) bits &= bits - 1;
    return std::countr_zero(bits);
#endif
}

// Whether `k` or more stones stand in a row in any direction on a board of this stride.
inline bool has_run(std::uint64_t stones, int k, int stride) {
#ifdef __AVX2__
    // run_starts() for all four directions at once.
    const __m256i step = _mm256_setr_epi64x(1, stride, stride + 1, stride - 1);
    __m256i runs = _mm256_set1_epi64x(static_cast<long long>(stones));
    int length = 1;
    while (2 * length < k) {
        const __m256i shift = _mm256_mul_epu32(step, _mm256_set1_epi64x(length));
        runs = _mm256_and_si256(runs, _mm256_srlv_epi64(runs, shift));
        length *= 2;
    }
    const __m256i shift = _mm256_mul_epu32(step, _mm256_set1_epi64x(k - length));
    return !_mm256_testz_si256(runs, _mm256_srlv_epi64(runs, shift));
#else
    return (run_starts(stones, k, 1) | run_starts(stones, k, stride) |
            run_starts(stones, k, stride + 1) | run_starts(stones, k, stride - 1)) != 0;
#endif
}

// K is the length of a line when known at compile time, or 0 to read it from the rules.
template <int K>
class SmallBoard {
public:
    using Spot = std::uint64_t;  // where a stone comes to stand, in this board's own terms
    static constexpr Spot kNoSpot = 0;

    explicit SmallBoard(const Geometry& geometry) : g_(&geometry) {}

    // `stones` holds 0 empty, 1 first, 2 second per cell; the counts must be those of a game.
    static SmallBoard from_cells(const Geometry& geometry, std::span<const std::uint8_t> stones) {
        SmallBoard board(geometry);
        std::uint64_t of_player[2] = {0, 0};
        for (std::size_t cell = 0; cell < stones.size(); ++cell) {
            if (stones[cell] == 0) continue;
            of_player[stones[cell] - 1] |= std::uint64_t{1} << geometry.small.bit_of_cell[cell];
            ++board.stones_;
        }
        const int mover = board.stones_ & 1;
        board.own_ = of_player[mover];
        board.enemy_ = of_player[1 - mover];
        return board;
    }

    const Geometry& geometry() const { return *g_; }
    int stones() const { return stones_; }
    bool is_full() const { return stones_ == g_->rules.playable_cells(); }
    int k() const { return K > 0 ? K : g_->rules.k; }

    std::uint64_t own() const { return own_; }      // the mover's stones
    std::uint64_t enemy() const { return enemy_; }  // the opponent's
    std::uint64_t occupied() const { return own_ | enemy_ | g_->small.blocked; }

    // The cells where the mover's stone can come to stand, one per legal move, in move order.
    std::uint64_t landing_cells() const {
        const std::uint64_t occupied = this->occupied();
        if (!g_->rules.gravity) return g_->small.playable & ~occupied;
        return (occupied + g_->small.bottoms) & ~occupied & g_->small.playable;
    }
    // 0 when the move is not legal.
    Spot landing_cell(Move move) const {
        const std::uint64_t occupied = this->occupied();
        const std::uint64_t cells = g_->small.cells_of_move[move] & ~occupied;
        return g_->rules.gravity ? (occupied + g_->small.bottom[move]) & cells : cells;
    }

    Cell cell_of(Spot spot) const {
        return g_->small.cell_of_bit[static_cast<std::size_t>(std::countr_zero(spot))];
    }
    Spot spot_of(Cell cell) const { return std::uint64_t{1} << g_->small.bit_of_cell[cell]; }
    bool is_empty(Cell cell) const {
        return ((occupied() >> g_->small.bit_of_cell[cell]) & 1u) == 0;
    }

    // Equal for equal stones.
    std::uint64_t hash() const { return Random(Random(own_).next() ^ enemy_).next(); }
    bool mover_has(Cell cell) const { return ((own_ >> g_->small.bit_of_cell[cell]) & 1u) != 0; }
    bool opponent_has(Cell cell) const {
        return ((enemy_ >> g_->small.bit_of_cell[cell]) & 1u) != 0;
    }

    // Calls visit(move, spot) for every legal move, in ascending order.
    template <class Visit>
    void for_each_legal(Visit visit) const {
        for (std::uint64_t cells = landing_cells(); cells != 0; cells &= cells - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(cells));
            visit(g_->small.move_of_bit[bit], std::uint64_t{1} << bit);
        }
    }

    int legal_count() const { return std::popcount(landing_cells()); }

    // The n-th legal move, in ascending order, that is not among `tried`.
    template <class Moves>
    Move nth_untried(const Moves& tried, std::uint32_t n) const {
        std::uint64_t cells = landing_cells();
        for (const Move move : tried) cells &= ~g_->small.cells_of_move[move];
        return g_->small.move_of_bit[static_cast<std::size_t>(nth_bit(cells, n))];
    }

    // Requires a legal move.
    void play(Move move) { place(landing_cell(move)); }
    void place(Spot cell) {
        own_ |= cell;
        std::swap(own_, enemy_);
        ++stones_;
    }

    // Whether the stone just placed won: any line there is must be a new one of its owner's.
    bool stone_won(Spot) const { return has_line(enemy_, own_); }

    bool has_line(std::uint64_t own, std::uint64_t enemy) const {
        const int h = g_->small.stride;
        const int k = this->k();
        if (!has_run(own, k, h)) return false;
        const LineRule line = g_->rules.line;
        if (line == LineRule::free) return true;
        return (winning_starts(own, enemy, line, k, 1) | winning_starts(own, enemy, line, k, h) |
                winning_starts(own, enemy, line, k, h + 1) |
                winning_starts(own, enemy, line, k, h - 1)) != 0;
    }

    // The cells, taken or not, where one more stone would give `own` a run of at least n.
    std::uint64_t completing_cells(std::uint64_t own, int n) const {
        const int h = g_->small.stride;
        return completing(own, n, 1) | completing(own, n, h) | completing(own, n, h + 1) |
               completing(own, n, h - 1);
    }
    // The cells among `candidates`, all empty, where a stone would win for `own`.
    std::uint64_t winning_cells(std::uint64_t own, std::uint64_t enemy,
                                std::uint64_t candidates) const {
        std::uint64_t cells = completing_cells(own, k()) & candidates;
        if (g_->rules.line == LineRule::free) return cells;
        std::uint64_t winning = 0;
        for (; cells != 0; cells &= cells - 1) {
            const std::uint64_t cell = cells & (~cells + 1);
            if (has_line(own | cell, enemy)) winning |= cell;
        }
        return winning;
    }
    // Calls visit(cell) for every empty cell, within reach or not, where a stone of the mover's, or
    // else of the opponent's, would win.
    template <class Visit>
    void for_each_completing(bool of_mover, Visit visit) const {
        const std::uint64_t empty = g_->small.playable & ~occupied();
        std::uint64_t cells =
            of_mover ? winning_cells(own_, enemy_, empty) : winning_cells(enemy_, own_, empty);
        for (; cells != 0; cells &= cells - 1) {
            visit(g_->small.cell_of_bit[static_cast<std::size_t>(std::countr_zero(cells))]);
        }
    }
    bool mover_wins_at_once() const { return winning_cells(own_, enemy_, landing_cells()) != 0; }

private:
    const Geometry* g_;
    std::uint64_t own_ = 0;
    std::uint64_t enemy_ = 0;
    int stones_ = 0;
};

TENGEN_END

// Playing a position to its end, fast.
#pragma once

#include <array>
#include <cstdint>

#include "isa.hpp"
#include "playout/choice.hpp"
#include "playout/tactics.hpp"
#include "rules/line_board.hpp"
#include "rules/random.hpp"
#include "rules/small_board.hpp"

TENGEN_BEGIN

struct PlayoutEnd {
    Outcome outcome;
    int plies;
};

// The empty cells of a board without gravity, drawn without replacement. Cells filled by other
// means are passed over when they are drawn.
template <class Board>
class EmptyCells {
public:
    EmptyCells(const Board& board, const Choice& choice) : choice_(choice) {
        board.for_each_legal([&](Move, typename Board::Spot spot) { spots_[size_++] = spot; });
    }
    typename Board::Spot draw(const Board& board, Random& random) {
        for (;;) {
            const std::uint32_t i = random.below(size_);
            const typename Board::Spot spot = spots_[i];
            const Cell cell = board.cell_of(spot);
            const bool is_empty = board.is_empty(cell);
            if (is_empty && !choice_.is_uniform() &&
                random.below(choice_.heaviest) >= choice_.weight[cell]) {
                continue;
            }
            spots_[i] = spots_[--size_];
            if (is_empty) return spot;
        }
    }
    // The same where every cell that is left is known to be empty, and all weigh the same.
    typename Board::Spot draw_uniform(Random& random) {
        const std::uint32_t i = random.below(size_);
        const typename Board::Spot spot = spots_[i];
        spots_[i] = spots_[--size_];
        return spot;
    }

private:
    const Choice& choice_;
    std::uint32_t size_ = 0;
    std::array<typename Board::Spot, kMaxCells> spots_;
};

// Columns of a gravity board, drawn by ticket until an open one comes.
template <class Board>
class OpenColumns {
public:
    OpenColumns(const Board&, const Choice& choice)
        : tickets_(choice.tickets.data()),
          count_(static_cast<std::uint32_t>(choice.tickets.size())) {}
    typename Board::Spot draw(const Board& board, Random& random) {
        for (;;) {
            const auto spot = board.landing_cell(tickets_[random.below(count_)]);
            if (spot != Board::kNoSpot) return spot;
        }
    }

private:
    const Move* tickets_;
    std::uint32_t count_;
};

// Plays on from an unfinished board; next(board) says where each stone goes. Flattened: a call per
// ply would cost a third of a random playout.
template <class Board, class Next>
[[gnu::flatten]] PlayoutEnd play_out(Board board, Next next) {
    const int start = board.stones();
    for (;;) {
        const typename Board::Spot spot = next(board);
        board.place(spot);
        const int plies = board.stones() - start;
        if (board.stone_won(spot)) {
            return {board.stones() % 2 == 1 ? Outcome::first_wins : Outcome::second_wins, plies};
        }
        if (board.is_full()) return {Outcome::draw, plies};
    }
}

template <class Board, class Draw>
PlayoutEnd rollout_with(const Board& board, Rollout kind, Draw draw, Random& random) {
    using Spot = typename Board::Spot;
    if (kind == Rollout::random) {
        return play_out(board, [&](const Board& at) { return draw(at, random); });
    }
    Tactics<Board> tactics(board);
    Spot last = Board::kNoSpot;
    return play_out(board, [&](const Board& at) {
        if (last != Board::kNoSpot) tactics.after(at, last);
        last = kind == Rollout::reflex ? tactics.reflex(at, random) : tactics.forced(at);
        if (last == Board::kNoSpot) last = draw(at, random);
        return last;
    });
}

// Requires an unfinished board.
template <class Board>
PlayoutEnd rollout(const Board& board, Rollout kind, const Choice& choice, Random& random) {
    if (board.geometry().rules.gravity) {
        OpenColumns<Board> columns(board, choice);
        return rollout_with(
            board, kind, [&](const Board& at, Random& r) { return columns.draw(at, r); }, random);
    }
    EmptyCells<Board> cells(board, choice);
    if (kind == Rollout::random && choice.is_uniform()) {
        return play_out(board, [&](const Board&) { return cells.draw_uniform(random); });
    }
    return rollout_with(
        board, kind, [&](const Board& at, Random& r) { return cells.draw(at, r); }, random);
}

// What a rollout ends with for the player to move: 1, -1, or what a draw is worth.
template <class Board>
double rollout_value(const Board& board, Rollout kind, const Choice& choice, Random& random,
                     double draw) {
    const Outcome end = rollout(board, kind, choice, random).outcome;
    if (end == Outcome::draw) return draw;
    return (end == Outcome::first_wins) == (board.stones() % 2 == 0) ? 1.0 : -1.0;
}

TENGEN_END

// Exact bounds by parity, without search: who must finally play where it hurts?
//
// Count each column's cells from its top and pair them up: h over l.
//
//     h h h h      Let "last" be the player who would fill the board's last cell (an even number
//     l l l l      of cells is empty when the other one, "first", is to move). Last can answer
//     h h h x      every stone in the same column and so gets every h over an empty l. Where an h
//     x o x o      is the lowest empty cell it has no partner; there are as many such columns as
//                  parity wants, and last answers a stone on one of them on another one.
//
// Held: if first's stones with all empty l and all unpaired h hold no line, first never wins; and
// if last has a winning cell on an h, last wins, at the latest when all else is full.
//
// Squeezed: first has a winning cell on an l (an "odd threat"): G in the drawing. Last must not
// play on the brink B under it. Without B and what is over it the parity of the rest is turned
// round: now first can answer in the same column, until last has nothing left but B.
//
//     .  .  h      If last's stones with the cells it gets this way hold no line, first wins, at
//     G  .  l      the latest when all else is full. Under B the roles of h and l are swapped.
//     B  .  h
//     x  o  x
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "isa.hpp"
#include "solve/drop_layout.hpp"
#include "solve/drop_lines.hpp"

TENGEN_BEGIN

template <class Word, int K, int Stride>
class DropParity {
public:
    // Both must outlive it.
    DropParity(const DropLayout<Word>& layout, const DropLines<Word, K, Stride>& lines)
        : layout_(layout), lines_(lines) {}

    // A bound that answers whether the mover's score is over alpha, if parity knows one.
    std::optional<int> bound(const DropNode<Word>& node, Word occupied, Word playable,
                             int alpha) const {
        const bool mover_is_last = node.empties % 2 == 1;
        const Word first = mover_is_last ? node.enemy : node.own;
        const Word last = mover_is_last ? node.own : node.enemy;
        const Word later = ~occupied & ~playable;  // empty, but not to be had yet
        const Word first_wins = later & (mover_is_last ? node.enemy_wins : node.own_wins);
        const Word last_wins = later & (mover_is_last ? node.own_wins : node.enemy_wins);

        // Last wants `goal` or more, first more than -goal: one of the two is true.
        const int goal = mover_is_last ? alpha + 1 : -alpha;
        if (goal <= 0 || (last_wins & layout_.highs & by_rest(goal)) != 0) {
            if (is_held(first, last_wins, occupied, playable)) {
                const int score = std::max(goal, 0);
                return mover_is_last ? score : -score;
            }
        }
        const int first_goal = std::max(1, 1 - goal);
        Word odd = first_wins & layout_.lows & by_rest(first_goal);
        for (; odd != 0; odd &= odd - 1) {
            if (is_squeezed(last, first_wins, occupied, playable, odd & (~odd + 1))) {
                return mover_is_last ? -first_goal : first_goal;
            }
        }
        return std::nullopt;
    }

private:
    Word by_rest(int score) const { return layout_.by_rest[static_cast<std::size_t>(score)]; }

    // Nothing over an h on which last would win is ever reached: first would have to play under
    // it. The same holds for first's winning cells below.
    bool is_held(Word first, Word last_wins, Word occupied, Word playable) const {
        const Word dead = from_here_up(last_wins & layout_.highs);
        return !lines_.has_line(first | (layout_.lows & ~occupied & ~dead) |
                                (layout_.highs & playable));
    }

    bool is_squeezed(Word last, Word first_wins, Word occupied, Word playable, Word goal) const {
        const Word brink = layout_.below(goal);
        const Word column = layout_.column(layout_.column_of(lowest_bit(goal)));
        const Word under = column & (brink - 1);
        const Word of_first = (layout_.highs & ~column) | (layout_.lows & under);
        const Word of_last = (layout_.lows & ~column) | (layout_.highs & under);
        const Word dead = from_here_up(first_wins & of_first);
        return !lines_.has_line(last | brink | (of_last & ~occupied & ~dead) |
                                (of_first & playable));
    }

    // These cells and all over them in their columns, up to a blocked one.
    Word from_here_up(Word cells) const {
        for (Word more = cells; more != 0; cells |= more) {
            more = (cells << 1) & layout_.board & ~cells;
        }
        return cells;
    }

    const DropLayout<Word>& layout_;
    const DropLines<Word, K, Stride>& lines_;
};

TENGEN_END

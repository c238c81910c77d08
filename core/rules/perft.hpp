// Counting games, the classic check of move generation.
#pragma once

#include <cstdint>

#include "isa.hpp"
#include "rules/rules.hpp"

namespace tengen {

struct PerftCount {
    std::uint64_t sequences = 0;  // of exactly the given number of plies
    std::uint64_t finished = 0;   // games that end within that number of plies
};

}  // namespace tengen

TENGEN_BEGIN

// Requires an unfinished position.
template <class Board>
void perft(const Board& board, int depth, PerftCount& count) {
    if (depth == 0) {
        ++count.sequences;
        return;
    }
    board.for_each_legal([&](Move, typename Board::Spot spot) {
        Board child = board;
        child.place(spot);
        if (child.stone_won(spot) || child.is_full()) {
            ++count.finished;
            if (depth == 1) ++count.sequences;
        } else {
            perft(child, depth - 1, count);
        }
    });
}

TENGEN_END

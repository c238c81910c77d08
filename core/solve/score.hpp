// The exact result of a position, as one number for the mover.
//
// 0 is a draw. A win with the stone that is placed when n stones are on the board scores
// (playable cells + 1 - n) / 2, rounded down: the sooner the higher. On 7x6:
//
//     the winning stone is the winner's    4th   5th  ...  21st
//     score                                +18   +17  ...    +1
//
// Losses are mirrored. This is the convention of the public Connect Four solvers.
#pragma once

#include <algorithm>

namespace tengen {

// What a win at once is worth with `stones` on the board.
constexpr int win_score(int playable, int stones) { return (playable + 1 - stones) / 2; }

// Everything a position with `stones` on the board can score, when the mover has no win at once.
constexpr int highest_score(int playable, int stones) {
    return std::max(0, win_score(playable, stones + 2));
}
constexpr int lowest_score(int playable, int stones) {
    return std::min(0, -win_score(playable, stones + 1));
}

// What is proven of a score; exact when both ends are the same.
struct ScoreBounds {
    int low = 0;
    int high = 0;
    bool is_exact() const { return low == high; }
    // Takes in the answer to "is it over alpha?": then it is at least `found`, else at most that.
    void learn(int alpha, int found) { (found > alpha ? low : high) = found; }
};

}  // namespace tengen

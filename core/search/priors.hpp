// From a network's logits to the probabilities of the legal moves.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "isa.hpp"
#include "rules/rules.hpp"

TENGEN_BEGIN

// Fills `out` with the legal moves, ascending, and their probabilities: the softmax of their
// logits. Of more than `top` moves only the most likely are kept, with the probabilities they have,
// and if so asked those that win at once.
template <class Board, class Logit>
void legal_priors(const Board& board, Logit logit, int top, bool keeps_wins,
                  std::vector<std::pair<double, Move>>& out) {
    out.clear();
    double highest = -std::numeric_limits<double>::infinity();
    board.for_each_legal([&](Move move, typename Board::Spot) {
        out.emplace_back(logit(move), move);
        highest = std::max(highest, out.back().first);
    });
    double sum = 0;
    for (auto& [weight, move] : out) sum += weight = std::exp(weight - highest);
    for (auto& [weight, move] : out) weight /= sum;
    const auto most = static_cast<std::size_t>(top);
    if (out.size() <= most) return;
    const auto wins = [&](const std::pair<double, Move>& choice) {
        Board after = board;
        const auto spot = after.landing_cell(choice.second);
        after.place(spot);
        return after.stone_won(spot);
    };
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    const auto rest = out.begin() + static_cast<std::ptrdiff_t>(most);
    const auto end = keeps_wins ? std::stable_partition(rest, out.end(), wins) : rest;
    out.erase(end, out.end());
    std::sort(out.begin(), out.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
}

TENGEN_END

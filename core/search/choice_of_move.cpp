#include "search/choice_of_move.hpp"

#include <limits>

namespace tengen {
namespace {

double mean_of(const MoveStats& move) {
    return move.visits == 0 ? 0 : move.total / static_cast<double>(move.visits);
}

double merit(const MoveStats& move, const UctConfig& config, std::uint64_t parent_visits) {
    const auto visits = static_cast<double>(move.visits);
    switch (config.choose) {
        case Choose::visits: return visits;
        case Choose::winrate: return mean_of(move);
        case Choose::ucb:
            if (move.visits == 0) return std::numeric_limits<double>::infinity();
            return mean_of(move) + ucb_exploration(config.c, parent_visits) / std::sqrt(visits);
    }
    return visits;
}

}  // namespace

MoveStats choose_move(const std::vector<MoveStats>& moves, const UctConfig& config,
                      std::uint64_t parent_visits) {
    const MoveStats* best = nullptr;
    const MoveStats* draw = nullptr;
    for (const MoveStats& move : moves) {
        if (move.proof == Proof::win) return move;
        if (move.proof == Proof::draw && draw == nullptr) draw = &move;
        if (move.proof == Proof::loss) continue;
        if (best == nullptr ||
            merit(move, config, parent_visits) > merit(*best, config, parent_visits)) {
            best = &move;
        }
    }
    if (best != nullptr && draw != nullptr && mean_of(*best) < config.reward.draw) best = draw;
    if (best != nullptr) return *best;
    // All are lost: the one that took the longest to refute.
    best = &moves.front();
    for (const MoveStats& move : moves) {
        if (move.visits > best->visits) best = &move;
    }
    return *best;
}

}  // namespace tengen

// What a UCT search is told, and what it tells.
#pragma once

#include <cstddef>
#include <cstdint>

#include "playout/choice.hpp"
#include "rules/rules.hpp"
#include "search/formulas.hpp"

namespace tengen {

// What is proven of a move, for the player who makes it.
enum class Proof : std::uint8_t { open, win, draw, loss };

enum class Total : std::uint8_t { parent, tree };
enum class Choose : std::uint8_t { visits, winrate, ucb };

struct UctConfig {
    double c = 1;
    Total total = Total::parent;
    Rollout rollout = Rollout::random;
    Weights weights = Weights::uniform;
    Reward reward;
    Decay decay;
    Choose choose = Choose::visits;
    bool proof = true;
    std::size_t memory_bytes = std::size_t{1} << 30;
};

// A move at the root.
struct MoveStats {
    Move move = 0;
    std::uint64_t visits = 0;
    double total = 0;  // of rewards, for the player who searches
    Proof proof = Proof::open;
};

}  // namespace tengen

// What a search guided by a network is told, and what it tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rules/rules.hpp"
#include "search/uct_config.hpp"

namespace tengen {

// How a move is picked on the way down.
enum class Selection : std::uint8_t { puct, gumbel, hybrid };

// Where priors and values come from: a network in batches; or all moves are alike, and nobody is
// ahead or as a rollout ends.
enum class Evaluation : std::uint8_t { batched, uniform, rollouts };

struct NeuralConfig {
    Selection selection = Selection::puct;
    Evaluation evaluation = Evaluation::batched;
    double c = 1.5;                   // exploration of PUCT
    double visits_offset = 0;         // added to the sum of visits under the root of PUCT
    double first_play = 0;            // the value of a move without visits ...
    bool first_play_is_drop = false;  // ... or how much lower than its parent's value it is
    double virtual_loss = 1;          // what a descent under way is taken to have lost
    double draw_value = 0;            // of a drawn game, to the player who would be to move
    double haste = 0;                 // how much less a win with the last stone is worth
    bool proof = true;                // carry proven results towards the root
    bool vcf = false;                 // with proof, look for wins by continuous fours
    bool share = false;               // equal positions share their statistics
    int considered = 16;              // Gumbel: moves looked at, at most
    double c_visit = 50;              // Gumbel: how values of [-1, 1] weigh against logits
    double c_scale = 0.5;
    int top = 5;  // hybrid: moves kept, by the policy
    std::size_t memory_bytes = std::size_t{1} << 30;

    bool rolls_out() const {
        return selection == Selection::hybrid || evaluation == Evaluation::rollouts;
    }
    Rollout rollout_kind(bool gravity) const {
        return gravity && selection != Selection::hybrid ? Rollout::tactical : Rollout::reflex;
    }
};

// Chance at the root; all zero, there is none. Only self-play asks for it.
struct RootNoise {
    double epsilon = 0;   // the share of Dirichlet noise in the priors
    double alpha = 0;     // its concentration, divided by the number of moves
    double forced = 0;    // visits that a move gets for sure: sqrt(forced * prior * visits)
    bool gumbel = false;  // Gumbel noise rather than none
};

// A move at the root of such a search, for the player to move.
struct NeuralMove {
    Move move = 0;
    std::uint32_t visits = 0;
    double total = 0;
    double prior = 0;
    Proof proof = Proof::open;
};

struct NeuralReport {
    std::vector<NeuralMove> moves;
    std::vector<double> policy;  // what a network should learn from this search
    std::vector<Move> pv;        // starts with the move to play
    double value = 0;
    bool is_proven = false;
    std::uint64_t visits = 0;
    std::size_t nodes = 0;
};

}  // namespace tengen

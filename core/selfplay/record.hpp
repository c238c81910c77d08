// A finished game of self-play, and what it is told.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rules/rules.hpp"
#include "search/neural_config.hpp"

namespace tengen {

// From `ply` on moves are drawn from the search's visits to the power of 1 / tau; 0: the best.
struct Temperature {
    int ply = 0;
    double tau = 0;
};

struct SelfPlayConfig {
    NeuralConfig search;
    std::uint64_t sims = 32;
    std::uint64_t fast_sims = 0;  // of the quick searches; 0: there are none
    double full_share = 1;        // how many searches are not quick (playout-cap randomisation)
    RootNoise noise;              // of full searches
    std::vector<Temperature> temperatures;
    double opening_share = 0;   // of games that begin with random moves
    int opening_plies = 0;      // how many at most
    double known_share = 1;     // of openings kept though their first search proves the result
    double stray_share = 0;     // of moves that are drawn at random instead
    bool reuse = false;         // keep the subtree of the move played
    double resign_below = -2;   // a mover with a lower value gives up; -2: never
    double resign_check = 0.1;  // the share of such games that is played on all the same
    std::size_t cache_bytes = 0;
};

// What a search said about one position.
struct RecordedPly {
    std::vector<std::pair<Move, float>> target;  // moves with a share in the policy to learn
    float value = 0;                             // of the root, for the mover
    Proof proof = Proof::open;                   // of the root, for the mover
    bool is_full = true;                         // rather than a quick search, which teaches little
    std::uint32_t sims = 0;
    bool is_stray = false;  // whether the move played was drawn at random
    float surprise = 0;     // how far the target is from the network's policy: their KL divergence
};

struct GameRecord {
    std::uint64_t index = 0;  // which game of the run
    int opening = 0;          // how many of the moves were drawn, not searched
    std::vector<Move> moves;
    std::vector<RecordedPly> plies;  // one per move after the opening
    Outcome outcome = Outcome::ongoing;
    int resigned_at = -1;      // the ply at which the mover gave up, or would have
    bool is_resigned = false;  // whether it did
};

}  // namespace tengen

// The move to play, once a search has stopped.
#pragma once

#include <cstdint>
#include <vector>

#include "search/uct_config.hpp"

namespace tengen {

// A proven win first, a proven loss only when all moves are; otherwise the highest by
// config.choose, the first of equals. A proven draw stands in for anything that promises less.
// `moves` must not be empty; rewards are those of the player who chooses.
MoveStats choose_move(const std::vector<MoveStats>& moves, const UctConfig& config,
                      std::uint64_t parent_visits);

}  // namespace tengen

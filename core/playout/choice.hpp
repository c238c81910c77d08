// How a random move is drawn: every column, or every cell, with a weight.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/geometry.hpp"

namespace tengen {

enum class Rollout : std::uint8_t { random, tactical, reflex };

enum class Weights : std::uint8_t {
    uniform,  // 1, 1, 1, ...
    linear,   // 1, 2, 3, ..., 3, 2, 1; the middle repeats on even sizes
    odd,      // 1, 3, 5, ..., 5, 3, 1; likewise
};

// The weight of place `index` on an axis of `size` places.
int axis_weight(Weights weights, int index, int size);

// Moves drawn with a weight. On a gravity board a ticket names a column, and columns hold as many
// tickets as their weight: drawing until the column is open draws among the open ones in
// proportion. Without gravity a cell is drawn uniformly and kept with probability weight /
// heaviest.
struct Choice {
    Weights weights = Weights::uniform;
    std::vector<Move> tickets;          // gravity
    std::vector<std::uint32_t> weight;  // per cell, without gravity
    std::uint32_t heaviest = 1;

    Choice(const Geometry& geometry, Weights weights);
    bool is_uniform() const { return weights == Weights::uniform; }
};

}  // namespace tengen

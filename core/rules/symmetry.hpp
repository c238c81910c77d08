// The ways to turn or mirror a board that leave the game the same.
#pragma once

#include <vector>

#include "rules/geometry.hpp"

namespace tengen {

// Permutations of the cells, the identity first: `to = symmetry[cell]`. Eight on a square board,
// four on a rectangle, the mirror only with gravity, and of these the ones that map blocked cells
// to blocked cells.
std::vector<std::vector<Cell>> cell_symmetries(const Geometry& geometry);

// The same for moves, in the same order.
std::vector<std::vector<Move>> move_symmetries(const Geometry& geometry);

}  // namespace tengen

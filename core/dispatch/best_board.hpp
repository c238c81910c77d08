// From a position to the board that suits its rules best.
#pragma once

#include <cstdint>
#include <vector>

#include "isa.hpp"
#include "rules/line_board.hpp"
#include "rules/position.hpp"
#include "rules/small_board.hpp"

TENGEN_BEGIN

// Calls use(board) with the position on the board that suits its rules best. Lines of 3, 4 and 5
// are compiled in, because the games people play most have them.
template <class Use>
auto on_best_board(const Position& position, Use use) {
    const Geometry& g = position.geometry();
    const std::vector<std::uint8_t> cells = position.cells();
    if (g.fits_small) {
        switch (g.rules.k) {
            case 3: return use(SmallBoard<3>::from_cells(g, cells));
            case 4: return use(SmallBoard<4>::from_cells(g, cells));
            default: return use(SmallBoard<0>::from_cells(g, cells));
        }
    }
    if (g.rules.k == 5) return use(LineBoard<5>::from_cells(g, cells));
    return use(LineBoard<0>::from_cells(g, cells));
}

TENGEN_END

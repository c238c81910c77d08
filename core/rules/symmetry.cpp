#include "rules/symmetry.hpp"

#include <algorithm>
#include <utility>

namespace tengen {

std::vector<std::vector<Cell>> cell_symmetries(const Geometry& g) {
    const int rows = g.rules.rows;
    const int cols = g.rules.cols;
    std::vector<std::vector<Cell>> found;
    // Bit 0 mirrors left and right, bit 1 top and bottom, bit 2 swaps rows and columns first.
    for (int kind = 0; kind < 8; ++kind) {
        const bool mirrors = (kind & 1) != 0;
        const bool flips = (kind & 2) != 0;
        const bool transposes = (kind & 4) != 0;
        if ((flips || transposes) && g.rules.gravity) continue;
        if (transposes && rows != cols) continue;
        std::vector<Cell> to(static_cast<std::size_t>(g.rules.cells()));
        bool keeps_blocked = true;
        for (int cell = 0; cell < g.rules.cells(); ++cell) {
            int row = cell / cols;
            int col = cell % cols;
            if (transposes) std::swap(row, col);
            if (mirrors) col = cols - 1 - col;
            if (flips) row = rows - 1 - row;
            const auto image = static_cast<std::size_t>(row * cols + col);
            to[static_cast<std::size_t>(cell)] = static_cast<Cell>(image);
            if (g.is_blocked[static_cast<std::size_t>(cell)] != g.is_blocked[image]) {
                keeps_blocked = false;
            }
        }
        // On a board one cell wide some of these are the same permutation.
        const bool is_new = std::find(found.begin(), found.end(), to) == found.end();
        if (keeps_blocked && is_new) found.push_back(std::move(to));
    }
    return found;
}

std::vector<std::vector<Move>> move_symmetries(const Geometry& g) {
    std::vector<std::vector<Move>> found;
    for (const auto& cells : cell_symmetries(g)) {
        if (!g.rules.gravity) {
            found.emplace_back(cells.begin(), cells.end());
            continue;
        }
        std::vector<Move> to;
        for (int col = 0; col < g.rules.cols; ++col) {
            to.push_back(static_cast<Move>(g.col(cells[static_cast<std::size_t>(col)])));
        }
        found.push_back(std::move(to));
    }
    return found;
}

}  // namespace tengen

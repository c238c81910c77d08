#include "rules/geometry.hpp"

#include <algorithm>

namespace tengen {
namespace {

void number_lines(Geometry& g) {
    const int rows = g.rules.rows;
    const int cols = g.rules.cols;
    for (auto& line : g.cell_on_line) line.fill(kNone);
    const int diagonals = rows + cols - 1;
    g.line_count = rows + cols + 2 * diagonals;
    g.lines_of_cell.resize(static_cast<std::size_t>(g.rules.cells()));
    g.open_line.assign(static_cast<std::size_t>(g.line_count), 0);
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            const int falling = rows + cols + (row - col + cols - 1);
            const int rising = rows + cols + diagonals + (row + col);
            const std::array<int, kDirections> line{row, rows + col, falling, rising};
            // A diagonal's bits count from where it enters the board, so they stay below 25.
            const std::array<int, kDirections> bit{col, row, std::min(row, col),
                                                   std::min(row, cols - 1 - col)};
            const auto cell = static_cast<std::size_t>(row * cols + col);
            for (std::size_t d = 0; d < kDirections; ++d) {
                g.lines_of_cell[cell].line[d] = static_cast<std::uint8_t>(line[d]);
                g.lines_of_cell[cell].bit[d] = static_cast<std::uint8_t>(bit[d]);
                g.cell_on_line[static_cast<std::size_t>(line[d])]
                              [static_cast<std::size_t>(bit[d])] = static_cast<Cell>(cell);
                if (!g.is_blocked[cell]) {
                    g.open_line[static_cast<std::size_t>(line[d])] |= std::uint32_t{1} << bit[d];
                }
            }
        }
    }
}

void find_drops(Geometry& g) {
    const int rows = g.rules.rows;
    const int cols = g.rules.cols;
    g.above.assign(static_cast<std::size_t>(g.rules.cells()), kNone);
    g.lowest.assign(static_cast<std::size_t>(cols), kNone);
    for (int col = 0; col < cols; ++col) {
        Cell next = kNone;
        for (int row = 0; row < rows; ++row) {  // from the top down
            const auto cell = static_cast<Cell>(row * cols + col);
            g.above[cell] = next;
            if (!g.is_blocked[cell]) next = cell;
        }
        g.lowest[static_cast<std::size_t>(col)] = next;
    }
}

void find_neighbours(Geometry& g) {
    const int rows = g.rules.rows;
    const int cols = g.rules.cols;
    g.neighbours.resize(static_cast<std::size_t>(g.rules.cells()));
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            auto& around = g.neighbours[static_cast<std::size_t>(row * cols + col)];
            for (int r = std::max(0, row - 1); r <= std::min(rows - 1, row + 1); ++r) {
                for (int c = std::max(0, col - 1); c <= std::min(cols - 1, col + 1); ++c) {
                    const auto cell = static_cast<Cell>(r * cols + c);
                    if ((r != row || c != col) && !g.is_blocked[cell]) around.push_back(cell);
                }
            }
        }
    }
}

// On a gravity board the middle of the cells where a first stone can land.
void find_centre(Geometry& g) {
    int best = -1;
    for (int cell = 0; cell < g.rules.cells(); ++cell) {
        const auto c = static_cast<Cell>(cell);
        if (g.is_blocked[c]) continue;
        if (g.rules.gravity && g.lowest[static_cast<std::size_t>(g.col(c))] != c) continue;
        // Twice the distance from the middle, so that even sides need no fractions.
        const int across = std::abs(2 * g.col(c) - (g.rules.cols - 1));
        const int down = g.rules.gravity ? 0 : std::abs(2 * g.row(c) - (g.rules.rows - 1));
        const int distance = across * across + down * down;
        if (best >= 0 && distance > best) continue;
        if (distance != best) g.centre.clear();
        best = distance;
        g.centre.push_back(c);
    }
}

void lay_out_small(Geometry& g) {
    const Rules& rules = g.rules;
    const int stride = (rules.gravity ? rules.rows : rules.cols) + 1;
    const int strides = rules.gravity ? rules.cols : rules.rows;
    // With k within both sides every direction holds a line, and no shift reaches the word's width.
    g.fits_small = stride * strides <= 64 && rules.k <= std::min(rules.rows, rules.cols);
    if (!g.fits_small) return;
    SmallLayout& small = g.small;
    small.stride = stride;
    small.bit_of_cell.resize(static_cast<std::size_t>(rules.cells()));
    small.cells_of_move.resize(static_cast<std::size_t>(rules.moves()));
    for (int index = 0; index < rules.cells(); ++index) {
        const auto cell = static_cast<Cell>(index);
        const int bit = rules.gravity ? g.col(cell) * stride + (rules.rows - 1 - g.row(cell))
                                      : g.row(cell) * stride + g.col(cell);
        const std::uint64_t mask = std::uint64_t{1} << bit;
        small.bit_of_cell[cell] = static_cast<std::uint8_t>(bit);
        small.cell_of_bit[static_cast<std::size_t>(bit)] = cell;
        small.move_of_bit[static_cast<std::size_t>(bit)] = g.move_of(cell);
        if (g.is_blocked[cell]) {
            small.blocked |= mask;
        } else {
            small.playable |= mask;
            small.cells_of_move[g.move_of(cell)] |= mask;
        }
    }
    if (!rules.gravity) return;
    for (int col = 0; col < rules.cols; ++col) {
        small.bottom.push_back(std::uint64_t{1} << (col * stride));
        small.bottoms |= small.bottom.back();
    }
}

}  // namespace

std::shared_ptr<const Geometry> Geometry::of(const Rules& rules) {
    auto g = std::make_shared<Geometry>();
    g->rules = rules;
    g->is_blocked.assign(static_cast<std::size_t>(rules.cells()), false);
    for (const Cell cell : rules.blocked) g->is_blocked[cell] = true;
    number_lines(*g);
    find_drops(*g);
    find_neighbours(*g);
    find_centre(*g);
    lay_out_small(*g);
    return g;
}

}  // namespace tengen

#include "playout/choice.hpp"

#include <algorithm>

namespace tengen {

int axis_weight(Weights weights, int index, int size) {
    const int from_edge = std::min(index, size - 1 - index);
    switch (weights) {
        case Weights::uniform: return 1;
        case Weights::linear: return from_edge + 1;
        case Weights::odd: return 2 * from_edge + 1;
    }
    return 1;
}

Choice::Choice(const Geometry& g, Weights chosen) : weights(chosen) {
    if (g.rules.gravity) {
        for (int col = 0; col < g.rules.cols; ++col) {
            const int count = axis_weight(weights, col, g.rules.cols);
            tickets.insert(tickets.end(), static_cast<std::size_t>(count), static_cast<Move>(col));
        }
        return;
    }
    for (int cell = 0; cell < g.rules.cells(); ++cell) {
        const auto c = static_cast<Cell>(cell);
        weight.push_back(static_cast<std::uint32_t>(axis_weight(weights, g.row(c), g.rules.rows) *
                                                    axis_weight(weights, g.col(c), g.rules.cols)));
        heaviest = std::max(heaviest, weight.back());
    }
}

}  // namespace tengen

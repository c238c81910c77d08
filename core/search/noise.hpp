// Chance for the root of a self-play search.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "rules/random.hpp"

namespace tengen {

inline double draw_gumbel(Random& random) { return -std::log(-std::log(random.unit())); }

inline double draw_normal(Random& random) {  // Box, Muller 1958
    const double radius = std::sqrt(-2.0 * std::log(random.unit()));
    return radius * std::cos(2.0 * std::numbers::pi * random.unit());
}

// Marsaglia, Tsang 2000; below shape 1 by way of shape + 1.
inline double draw_gamma(double shape, Random& random) {
    if (shape < 1.0) {
        const double boost = std::pow(random.unit(), 1.0 / shape);
        return draw_gamma(shape + 1.0, random) * boost;
    }
    const double d = shape - 1.0 / 3.0;
    const double c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
        const double x = draw_normal(random);
        const double v = std::pow(1.0 + c * x, 3.0);
        if (v > 0.0 && std::log(random.unit()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
            return d * v;
        }
    }
}

// A point of the Dirichlet distribution with `size` equal parameters.
inline std::vector<double> draw_dirichlet(double alpha, std::size_t size, Random& random) {
    std::vector<double> shares(size);
    double sum = 0;
    for (double& share : shares) sum += share = draw_gamma(alpha, random);
    for (double& share : shares) {
        share = sum > 0 ? share / sum : 1.0 / static_cast<double>(size);
    }
    return shares;
}

}  // namespace tengen

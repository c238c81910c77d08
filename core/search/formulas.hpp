// The formulas of the tree searches, each a pure function. The Python reference has the same ones
// in search/formulas.py, with the same rounding, so that both searches build the same tree.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tengen {

// What a finished game is worth to the player who searches; the opponent gets the negative.
struct Reward {
    double win = 1;
    double draw = 0;
    double loss = -1;
};

// A playout's reward shrinks by `factor` for every `plies` plies it took.
struct Decay {
    double factor = 1;
    int plies = 1;
};

inline double decay_of(const Decay& decay, int playout_plies) {
    double product = 1;
    for (int n = playout_plies / decay.plies; n > 0; --n) product *= decay.factor;
    return product;
}

// sqrt(2 ln n); looked up for most nodes, since the logarithm would cost a quarter of a search.
inline double root_of_log(std::uint64_t n) {
    static const auto table = [] {
        std::vector<double> roots(std::size_t{1} << 17);
        for (std::size_t i = 1; i < roots.size(); ++i) {
            roots[i] = std::sqrt(2.0 * std::log(static_cast<double>(i)));
        }
        return roots;
    }();
    return n < table.size() ? table[n] : std::sqrt(2.0 * std::log(static_cast<double>(n)));
}

// UCB1 (Auer, Cesa-Bianchi, Fischer 2002): W/n + c * sqrt(2 ln(N) / n), with n the visits of a move
// and N those of its parent or of the whole tree. It is split in three, because the first part
// changes once per node and the other two once per visit, while their sum is needed for every
// sibling at every descent. Single precision: eight siblings fit one AVX register.
inline float ucb_exploration(double c, std::uint64_t parent_visits) {
    return static_cast<float>(c * root_of_log(parent_visits));
}
inline float ucb_spread(std::uint32_t visits) {
    return 1.0f / std::sqrt(static_cast<float>(visits));
}
inline float ucb_mean(double total_reward, std::uint32_t visits) {
    return static_cast<float>(total_reward / static_cast<double>(visits));
}
inline float ucb_score(float mean, float exploration, float spread) {
    return mean + exploration * spread;
}

// A mean reward as a value in [-1, 1]: a sure loss is -1, a sure win 1.
inline double value_of(double mean_reward, const Reward& reward) {
    return 2.0 * (mean_reward - reward.loss) / (reward.win - reward.loss) - 1.0;
}

}  // namespace tengen

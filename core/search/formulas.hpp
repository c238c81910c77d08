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

// What a win is worth that comes with the last of so many stones: the sooner the more. A loss is
// its negative.
inline double win_worth(double haste, int stones, int cells) {
    return 1.0 - haste * static_cast<double>(stones) / static_cast<double>(cells);
}

// PUCT (Rosin 2011; Silver et al. 2017): Q + c * P * sqrt(sum of N) / (1 + N). The root of the sum
// is the same for all siblings; connectx adds 1e-8 under it.
inline double puct_root(std::uint32_t parent_visits, double offset) {
    return std::sqrt(static_cast<double>(parent_visits) + offset);
}
inline double puct_score(double mean, double c, double prior, double root, std::uint32_t visits) {
    return mean + c * prior * root / (1.0 + static_cast<double>(visits));
}
// KataGo (Wu 2019): so many visits a move of this prior gets in self-play whatever its value.
inline double forced_visits(double forced, double prior, std::uint32_t parent_visits) {
    return std::sqrt(forced * prior * static_cast<double>(parent_visits));
}

// The hybrid design: R / max(1, C) + (2 + 2p) / sqrt(1 + C), with R the sum of rewards, C the
// visits and p the policy's probability.
inline double hybrid_score(double total, double prior, std::uint32_t visits) {
    const auto n = static_cast<double>(visits);
    return total / (visits > 0 ? n : 1.0) + (2.0 + 2.0 * prior) / std::sqrt(1.0 + n);
}

// Gumbel AlphaZero (Danihelka et al. 2022): a value as a change of the logit, the heavier the more
// visits stand behind the values.
inline double gumbel_sigma(double value, std::uint32_t most_visits, double c_visit,
                           double c_scale) {
    return (c_visit + static_cast<double>(most_visits)) * c_scale * value;
}
// The value lent to moves without visits: the network's own, mixed with what the visited ones
// (of this sum of priors and of prior times mean) have shown.
inline double gumbel_mixed_value(double network_value, std::uint32_t visits, double visited_prior,
                                 double weighted_means) {
    if (visits == 0 || visited_prior <= 0) return network_value;
    const auto n = static_cast<double>(visits);
    return (network_value + n * weighted_means / visited_prior) / (1.0 + n);
}

}  // namespace tengen

// What is special about the root of a guided search: chance, forced visits, and Gumbel's plan.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "isa.hpp"
#include "rules/random.hpp"
#include "search/formulas.hpp"
#include "search/gumbel.hpp"
#include "search/neural_config.hpp"
#include "search/neural_tree.hpp"
#include "search/noise.hpp"

TENGEN_BEGIN

class RootPlan {
public:
    static constexpr double kLast = -1e9;  // the score of what is not to be picked

    explicit RootPlan(const NeuralConfig& config) : config_(config) {}

    // For a search of `sims` simulations from a root that has its moves.
    void make(std::span<const Edge> edges, std::uint64_t sims, const RootNoise& noise,
              Random& random) {
        noise_ = noise;
        sims_ = sims;
        priors_.clear();
        for (const Edge& edge : edges) priors_.push_back(static_cast<double>(edge.prior));
        if (noise.epsilon > 0 && edges.size() > 1) {
            const auto size = static_cast<double>(edges.size());
            const auto shares = draw_dirichlet(noise.alpha / size, edges.size(), random);
            for (std::size_t i = 0; i < edges.size(); ++i) {
                priors_[i] = (1.0 - noise.epsilon) * priors_[i] + noise.epsilon * shares[i];
            }
        }
        if (config_.selection != Selection::gumbel) return;
        gumbel_.assign(edges.size(), 0.0);
        if (noise.gumbel) {
            for (double& g : gumbel_) g = draw_gumbel(random);
        }
        schedule_.clear();
        planned_ = 0;
        extend(edges);
    }
    void clear() {
        priors_.clear();
        noise_ = {};
    }
    bool is_made() const { return !priors_.empty(); }

    double prior(std::size_t i) const { return priors_[i]; }
    bool is_forced(const Edge& edge, std::size_t i, std::uint32_t root_visits) const {
        return noise_.forced > 0 && edge.all_visits() > 0 &&
               static_cast<double>(edge.all_visits()) <
                   forced_visits(noise_.forced, priors_[i], root_visits);
    }

    // Gumbel's scores of the moves with as many visits of the plan as the next one should have; the
    // others are last. Where no move that is still open has as many, those count that have fewest.
    std::vector<double> scores_to_visit(const NeuralTree& tree, std::uint64_t started) {
        const auto edges = tree.edges(tree.node(0));
        const std::uint32_t wanted = wanted_visits(edges, started);
        std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
        bool is_there = false;
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (tree.is_closed(edges[i])) continue;
            const std::uint32_t visits = added(edges[i].all_visits(), i);
            fewest = std::min(fewest, visits);
            is_there = is_there || visits == wanted;
        }
        const std::uint32_t visits = is_there ? wanted : fewest;
        return scores(tree, [&](const Edge& edge, std::size_t i) {
            return added(edge.all_visits(), i) == visits;
        });
    }
    // Likewise of those that have most, and of those that needed no more.
    std::vector<double> scores_to_play(const NeuralTree& tree) const {
        const auto edges = tree.edges(tree.node(0));
        std::uint32_t most = 0;
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (!tree.is_closed(edges[i])) most = std::max(most, added(edges[i].visits, i));
        }
        return scores(tree, [&](const Edge& edge, std::size_t i) {
            return tree.is_closed(edge) || added(edge.visits, i) == most;
        });
    }

    // The share of every root move in the visits. What is known to lose has none while something
    // else has; a root that is proven wants the best of the moves that prove it, whatever their
    // visits.
    std::vector<double> visit_shares(const NeuralTree& tree) const {
        const Node& root = tree.node(0);
        const auto edges = tree.edges(root);
        const bool is_known =
            tree.is_settled(root) && (root.proof != Proof::loss || config_.haste > 0);
        const auto known = static_cast<double>(root.known);
        std::vector<double> shares;
        double sum = 0;
        for (const Edge& edge : edges) {
            const bool proves = tree.proof_of(edge) == root.proof && tree.mean_of(edge, 0) == known;
            const bool counts = is_known ? proves : !tree.is_lost(edge);
            const double weight = is_known ? 1.0 : static_cast<double>(edge.visits);
            shares.push_back(counts ? weight : 0.0);
            sum += shares.back();
        }
        if (noise_.forced > 0 && sum > 0 && !is_known) sum = prune(shares, tree);
        if (sum > 0) {
            for (double& share : shares) share /= sum;
            return shares;
        }
        return open_priors(tree);
    }

private:
    template <class Counts>
    std::vector<double> scores(const NeuralTree& tree, Counts counts) const {
        std::vector<double> scores = tree.improved_logits(tree.node(0));
        const auto edges = tree.edges(tree.node(0));
        for (std::size_t i = 0; i < edges.size(); ++i) {
            scores[i] = counts(edges[i], i) ? gumbel_[i] + scores[i] : kLast;
        }
        return scores;
    }
    // How many visits of this plan the next move to visit should have.
    std::uint32_t wanted_visits(std::span<const Edge> edges, std::uint64_t started) {
        if (started - planned_ >= schedule_.size()) extend(edges);
        return schedule_[started - planned_];
    }
    // Visits that a move got under this plan.
    std::uint32_t added(std::uint32_t visits, std::size_t i) const {
        return visits - base_visits_[i];
    }
    // The priors of the moves that are not known to lose; of all when all are.
    static std::vector<double> open_priors(const NeuralTree& tree) {
        const auto edges = tree.edges(tree.node(0));
        std::vector<double> shares;
        double sum = 0;
        for (const Edge& edge : edges) {
            shares.push_back(tree.is_lost(edge) ? 0.0 : static_cast<double>(edge.prior));
            sum += shares.back();
        }
        for (std::size_t i = 0; i < edges.size(); ++i) {
            shares[i] = sum > 0 ? shares[i] / sum : static_cast<double>(edges[i].prior);
        }
        return shares;
    }
    // Takes back forced visits that a move's value does not warrant; returns the sum of what is
    // left of `visits`.
    double prune(std::vector<double>& visits, const NeuralTree& tree) const {
        const auto edges = tree.edges(tree.node(0));
        const std::uint32_t total = tree.node(0).visits;
        const auto best = static_cast<std::size_t>(std::max_element(visits.begin(), visits.end()) -
                                                   visits.begin());
        const double root = puct_root(total, config_.visits_offset);
        const double goal = puct_score(tree.mean_of(edges[best], 0), config_.c, priors_[best], root,
                                       edges[best].visits);
        double sum = 0;
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (i != best && visits[i] > 0) {
                const double mean = tree.mean_of(edges[i], 0);
                const double most = std::floor(forced_visits(noise_.forced, priors_[i], total));
                std::uint32_t left = edges[i].visits;
                for (double taken = 0; taken < most && left > 0; ++taken, --left) {
                    if (puct_score(mean, config_.c, priors_[i], root, left - 1) >= goal) break;
                }
                visits[i] = left <= 1 ? 0.0 : static_cast<double>(left);
            }
            sum += visits[i];
        }
        return sum;
    }

    static constexpr std::uint64_t kLongestPlan = 1 << 16;
    static constexpr std::uint64_t kFirstPlan = 64;

    // A search without a set number of simulations gets one plan after the other, each as long as
    // all before it.
    void extend(std::span<const Edge> edges) {
        const std::size_t considered =
            std::min(edges.size(), static_cast<std::size_t>(config_.considered));
        planned_ += schedule_.size();
        const std::uint64_t left = sims_ > planned_ ? sims_ - planned_ : 1;
        const auto next = std::clamp<std::uint64_t>(planned_, kFirstPlan, kLongestPlan);
        schedule_ = halving_schedule(considered, left <= kLongestPlan ? left : next);
        base_visits_.clear();
        for (const Edge& edge : edges) base_visits_.push_back(edge.all_visits());
    }

    NeuralConfig config_;
    RootNoise noise_;
    std::uint64_t sims_ = 0;
    std::vector<double> priors_;  // with noise; empty before the plan is made
    std::vector<double> gumbel_;
    std::vector<std::uint32_t> base_visits_;
    std::vector<std::uint32_t> schedule_;  // of the plan under way
    std::uint64_t planned_ = 0;            // simulations of the plans before it
};

TENGEN_END

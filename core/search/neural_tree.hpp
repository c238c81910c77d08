// The tree of a search guided by a network: nodes, and an edge per legal move of an expanded node.
//
// Statistics stand on the edges, for the player who moves. A node may have several parents when
// equal positions share one (NeuralConfig::share); it knows none of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa.hpp"
#include "rules/rules.hpp"
#include "search/formulas.hpp"
#include "search/neural_config.hpp"

TENGEN_BEGIN

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();

struct Edge {
    double total = 0;  // sum of values
    float prior = 0;
    std::uint32_t visits = 0;   // finished ones
    std::uint32_t pending = 0;  // descents under way
    NodeId child = kNoNode;
    Move move = 0;

    std::uint32_t all_visits() const { return visits + pending; }
    double mean() const { return total / static_cast<double>(visits); }
};

struct Node {
    std::uint64_t key = 0;  // of the position; only where positions are shared
    std::uint32_t first_edge = 0;
    std::uint32_t edge_count = 0;  // 0 until it is expanded
    std::uint32_t visits = 0;      // of its edges, those under way included
    float value = 0;               // the evaluator's, for the mover
    float known = 0;               // likewise, once there is a proof
    float hope = 1;                // likewise, of the soonest win that is not at once
    Proof proof = Proof::open;     // for the mover; known from the start when the game is over
    bool is_over = false;
    bool is_waiting = false;  // for its evaluation
};

// A move on the way from the root.
struct Step {
    NodeId node;
    std::uint32_t edge;
};

class NeuralTree {
public:
    explicit NeuralTree(const NeuralConfig& config) : config_(config) { clear(); }

    // An empty tree: node 0 is the root, not yet expanded.
    void clear() {
        nodes_.assign(1, Node{});
        edges_.clear();
        by_key_.clear();
    }

    Node& node(NodeId id) { return nodes_[id]; }
    const Node& node(NodeId id) const { return nodes_[id]; }
    std::span<Edge> edges(const Node& node) {
        return {edges_.data() + node.first_edge, node.edge_count};
    }
    std::span<const Edge> edges(const Node& node) const {
        return {edges_.data() + node.first_edge, node.edge_count};
    }
    Edge& edge(NodeId id, std::size_t index) { return edges_[nodes_[id].first_edge + index]; }
    const Edge& edge(NodeId id, std::size_t index) const {
        return edges_[nodes_[id].first_edge + index];
    }
    std::size_t size() const { return nodes_.size(); }
    std::size_t bytes() const {
        return nodes_.size() * sizeof(Node) + edges_.size() * sizeof(Edge);
    }

    // The node of a position: a new one, or where positions are shared the one it has already.
    struct Added {
        NodeId id;
        bool is_new;
    };
    Added add(std::uint64_t key) {
        const auto id = static_cast<NodeId>(nodes_.size());
        if (config_.share) {
            const auto [at, is_new] = by_key_.try_emplace(key, id);
            if (!is_new) return {at->second, false};
        }
        nodes_.push_back(Node{});
        nodes_.back().key = key;
        return {id, true};
    }

    // Gives a node its edges, to be filled by the caller. Valid until the next call.
    std::span<Edge> open(NodeId id, std::size_t count) {
        nodes_[id].first_edge = static_cast<std::uint32_t>(edges_.size());
        nodes_[id].edge_count = static_cast<std::uint32_t>(count);
        edges_.resize(edges_.size() + count);
        return edges(nodes_[id]);
    }

    // Makes a node the root and forgets what cannot be reached from it.
    void keep_below(NodeId root) {
        NeuralTree kept(config_);
        std::vector<NodeId> moved(nodes_.size(), kNoNode);
        std::vector<NodeId> order{root};
        moved[root] = 0;
        kept.nodes_.assign(1, nodes_[root]);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const std::span<const Edge> from = edges(nodes_[order[i]]);
            kept.nodes_[i].first_edge = static_cast<std::uint32_t>(kept.edges_.size());
            for (Edge edge : from) {
                if (edge.child != kNoNode) {
                    if (moved[edge.child] == kNoNode) {
                        moved[edge.child] = static_cast<NodeId>(order.size());
                        order.push_back(edge.child);
                        kept.nodes_.push_back(nodes_[edge.child]);
                    }
                    edge.child = moved[edge.child];
                }
                kept.edges_.push_back(edge);
            }
        }
        if (config_.share) {
            for (NodeId id = 0; id < kept.nodes_.size(); ++id) {
                kept.by_key_.emplace(kept.nodes_[id].key, id);
            }
        }
        *this = std::move(kept);
    }

    bool is_settled(const Node& node) const {
        return node.is_over || (config_.proof && node.proof != Proof::open);
    }
    // For the player who makes the move.
    Proof proof_of(const Edge& edge) const {
        if (edge.child == kNoNode || !is_settled(nodes_[edge.child])) return Proof::open;
        switch (nodes_[edge.child].proof) {
            case Proof::win: return Proof::loss;
            case Proof::loss: return Proof::win;
            default: return Proof::draw;
        }
    }
    bool is_lost(const Edge& edge) const { return config_.proof && proof_of(edge) == Proof::loss; }
    // Whether a visit could tell nothing new. What is known to lose needs none; under Gumbel
    // nothing that is known does, since its values count by its policy and not by visits.
    bool is_closed(const Edge& edge) const {
        const bool is_gumbel = config_.selection == Selection::gumbel;
        return config_.proof && (is_gumbel ? proof_of(edge) != Proof::open : is_lost(edge));
    }
    // What is known of a move, else its mean, else `unvisited`.
    double mean_of(const Edge& edge, double unvisited) const {
        if (edge.child != kNoNode && is_settled(nodes_[edge.child])) {
            return -static_cast<double>(nodes_[edge.child].known);
        }
        return edge.visits == 0 ? unvisited : edge.mean();
    }
    // The mean over a node's moves; the evaluator's value while none has been visited.
    double mean_value(const Node& node) const {
        double total = 0;
        std::uint32_t visits = 0;
        for (const Edge& edge : edges(node)) {
            total += edge.total;
            visits += edge.visits;
        }
        return visits == 0 ? static_cast<double>(node.value) : total / static_cast<double>(visits);
    }
    // What is proven of a node now that something may be of one of its moves (MCTS-Solver, Winands
    // et al. 2008, with draws). A win is enough when none can be sooner; else all moves must be
    // known. The hybrid does not see all moves, so it can only prove wins.
    Proof proof_from(const Node& node, const Edge& newest) const {
        const Proof first = proof_of(newest);
        if (first == Proof::open) return Proof::open;
        if (first == Proof::win && mean_of(newest, 0) >= static_cast<double>(node.hope)) {
            return Proof::win;
        }
        if (config_.selection == Selection::hybrid) return Proof::open;
        Proof best = Proof::loss;
        for (const Edge& edge : edges(node)) {
            const Proof proof = proof_of(edge);
            if (proof == Proof::open) return Proof::open;
            if (proof == Proof::win || (proof == Proof::draw && best == Proof::loss)) best = proof;
        }
        return best;
    }

    // The result of a node is known, and what it is worth to the mover.
    static void settle(Node& node, Proof proof, double known) {
        node.proof = proof;
        node.known = static_cast<float>(known);
    }
    // The move that proves a node, the best if there are several; of equals, what took longest.
    std::size_t proving_edge(const Node& node) const {
        const auto all = edges(node);
        const auto better = [&](const Edge& a, const Edge& b) {
            const bool a_proves = proof_of(a) == node.proof;
            const bool b_proves = proof_of(b) == node.proof;
            if (a_proves != b_proves) return b_proves;
            const double a_known = mean_of(a, 0);
            const double b_known = mean_of(b, 0);
            return a_known != b_known ? a_known < b_known : a.visits < b.visits;
        };
        return static_cast<std::size_t>(std::max_element(all.begin(), all.end(), better) -
                                        all.begin());
    }
    // Of the moves that prove a node, the value of the best.
    double best_known(const Node& node, Proof proof) const {
        double best = -std::numeric_limits<double>::infinity();
        for (const Edge& edge : edges(node)) {
            if (proof_of(edge) == proof) best = std::max(best, mean_of(edge, 0));
        }
        return best;
    }
    // What the mover has for sure, whatever the other moves come to; else minus infinity.
    double sure_of(const Node& node) const {
        double best = -std::numeric_limits<double>::infinity();
        for (const Edge& edge : edges(node)) {
            if (is_closed(edge)) best = std::max(best, mean_of(edge, 0));
        }
        return best;
    }
    // Carries the value of the last step's position, for its mover, towards the root. Here, and
    // nowhere else, a value changes sides.
    void back_up(std::span<const Step> path, double value) {
        for (std::size_t depth = path.size(); depth-- > 0;) {
            Node& node = nodes_[path[depth].node];
            Edge& edge = this->edge(path[depth].node, path[depth].edge);
            value = -value;
            edge.total += value;
            ++edge.visits;
            --edge.pending;
            if (!config_.proof) continue;
            if (node.proof == Proof::open) {
                const Proof proof = proof_from(node, edge);
                if (proof != Proof::open) settle(node, proof, best_known(node, proof));
            }
            if (node.proof != Proof::open) {
                value = static_cast<double>(node.known);
            } else if (config_.selection == Selection::gumbel) {
                value = std::max(value, sure_of(node));
            }
        }
    }
    void undo(std::span<const Step> path) {
        for (const Step& step : path) {
            --node(step.node).visits;
            --edge(step.node, step.edge).pending;
        }
    }

    // Gumbel: logit plus weighted value of every move of a node, those without visits filled in.
    std::vector<double> improved_logits(const Node& node) const {
        const std::span<const Edge> all = edges(node);
        double visited_prior = 0;
        double weighted = 0;
        std::uint32_t visits = 0;
        std::uint32_t most = 0;
        for (const Edge& edge : all) {
            if (edge.visits == 0) continue;
            visits += edge.visits;
            most = std::max(most, edge.visits);
            visited_prior += static_cast<double>(edge.prior);
            weighted += static_cast<double>(edge.prior) * mean_of(edge, 0);
        }
        const double unvisited =
            gumbel_mixed_value(static_cast<double>(node.value), visits, visited_prior, weighted);
        std::vector<double> logits(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            const double prior = std::max(static_cast<double>(all[i].prior), kLeastPrior);
            logits[i] = std::log(prior) + gumbel_sigma(mean_of(all[i], unvisited), most,
                                                       config_.c_visit, config_.c_scale);
        }
        return logits;
    }
    std::vector<double> improved_policy(const Node& node) const {
        std::vector<double> weights = improved_logits(node);
        const double highest = *std::max_element(weights.begin(), weights.end());
        double sum = 0;
        for (double& weight : weights) sum += weight = std::exp(weight - highest);
        for (double& weight : weights) weight /= sum;
        return weights;
    }
    // The mean over the moves seen so far as that policy would play them. Halving also visits moves
    // that nobody would play; the mean over visits would count them.
    double improved_value(const Node& node) const {
        const std::vector<double> policy = improved_policy(node);
        const std::span<const Edge> all = edges(node);
        double total = 0;
        double seen = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].visits == 0) continue;
            total += policy[i] * mean_of(all[i], 0);
            seen += policy[i];
        }
        return seen > 0 ? total / seen : static_cast<double>(node.value);
    }

private:
    static constexpr double kLeastPrior = 1e-30;

    NeuralConfig config_;
    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
    std::unordered_map<std::uint64_t, NodeId> by_key_;
};

TENGEN_END

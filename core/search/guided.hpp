// Tree search guided by a network: one tree, one thread, many leaves under way at once.
//
//     begin()                     what to spend, and how much chance there is at the root
//     select() -> a leaf          the network's turn
//     expand(leaf, logits, value) its answer, carried back to the root
//
// A descent that ends where the result is known needs no network and is settled at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "isa.hpp"
#include "playout/playout.hpp"
#include "rules/random.hpp"
#include "search/formulas.hpp"
#include "search/neural_config.hpp"
#include "search/neural_tree.hpp"
#include "search/planes.hpp"
#include "search/priors.hpp"
#include "search/root_plan.hpp"
#include "solve/fours.hpp"

TENGEN_BEGIN

template <class Board>
class GuidedSearch {
public:
    // Where a descent ended, and how it got there.
    struct Leaf {
        explicit Leaf(const Board& at) : board(at) {}
        Board board;
        NodeId node = 0;
        std::vector<Step> path;
        std::vector<Cell> filled;  // by the moves so far, as far back as asked for
        std::uint64_t key = 0;     // equal keys, equal planes
    };
    enum class Found { leaf, settled, busy };

    // `history`: how many of the last moves the evaluation depends on.
    GuidedSearch(const Board& root, std::span<const Cell> filled, const NeuralConfig& config,
                 int history, std::uint64_t seed)
        : config_(config),
          history_(static_cast<std::size_t>(history)),
          choice_(root.geometry(), Weights::uniform),
          random_(seed),
          tree_(config),
          plan_(config),
          fours_(root.geometry(), config.vcf && config.proof),
          root_(root) {
        reset(root, filled);
    }

    void reset(const Board& root, std::span<const Cell> filled) {
        tree_.clear();
        place(root, filled);
    }
    // Makes the position after `moves` the root, with what is known of it, or with nothing.
    void advance(const Board& root, std::span<const Cell> filled, std::span<const Move> moves) {
        NodeId id = 0;
        for (const Move move : moves) {
            const auto edges = tree_.edges(tree_.node(id));
            const auto at = std::find_if(edges.begin(), edges.end(),
                                         [&](const Edge& edge) { return edge.move == move; });
            id = at == edges.end() ? kNoNode : at->child;
            if (id == kNoNode) return reset(root, filled);
        }
        // A win found ahead has no move that shows it.
        if (tree_.node(id).edge_count == 0) return reset(root, filled);
        tree_.keep_below(id);
        place(root, filled);
    }

    // Starts a search of `sims` simulations more.
    void begin(std::uint64_t sims, const RootNoise& noise) {
        sims_ = sims;
        started_ = 0;
        noise_ = noise;
        if (root_node().edge_count > 0) make_plan();
    }
    // Whether there is nothing left to start.
    bool is_done() const {
        return started_ >= sims_ || is_proven() || tree_.bytes() >= config_.memory_bytes;
    }
    bool is_proven() const { return config_.proof && root_node().proof != Proof::open; }
    // For the player to move.
    Proof root_proof() const { return is_proven() ? root_node().proof : Proof::open; }
    std::uint64_t started() const { return started_; }
    const Board& root() const { return root_; }

    // One descent. Busy: it met a leaf that is still under way, and nothing has changed.
    // Requires an unfinished root and, but for the very first leaf, that it is not done.
    Found select(Leaf& leaf) {
        leaf.board = root_;
        leaf.path.clear();
        leaf.filled.assign(root_filled_.begin(), root_filled_.end());
        NodeId id = 0;
        for (;;) {
            const Node& node = tree_.node(id);
            if (id != 0 && tree_.is_settled(node)) {
                ++started_;
                tree_.back_up(leaf.path, static_cast<double>(node.known));
                return Found::settled;
            }
            if (node.edge_count == 0) {
                if (node.is_waiting) {
                    tree_.undo(leaf.path);
                    return Found::busy;
                }
                tree_.node(id).is_waiting = true;
                leaf.node = id;
                leaf.key = planes_key(leaf.board, leaf.filled, history_);
                if (!leaf.path.empty()) ++started_;
                return Found::leaf;
            }
            const auto i = static_cast<std::uint32_t>(pick(id));
            leaf.path.push_back({id, i});
            ++tree_.node(id).visits;
            ++tree_.edge(id, i).pending;
            const auto spot = leaf.board.landing_cell(tree_.edge(id, i).move);
            leaf.board.place(spot);
            if (history_ > 0) leaf.filled.push_back(leaf.board.cell_of(spot));
            if (tree_.edge(id, i).child == kNoNode) {
                const NodeId child = add_node(leaf.board, spot);
                tree_.edge(id, i).child = child;
            }
            id = tree_.edge(id, i).child;
        }
    }

    // The evaluator's answer: a logit per move of the policy, and the value for the leaf's mover.
    void expand(const Leaf& leaf, std::span<const float> logits, float value) {
        open(leaf, [&](Move move) { return static_cast<double>(logits[move]); });
        finish(leaf, value);
    }
    // Without a network.
    void expand_alone(const Leaf& leaf) {
        open(leaf, [](Move) { return 0.0; });
        finish(leaf, 0.0f);
    }

    // What is known now. The root must be expanded.
    NeuralReport report() const {
        NeuralReport report;
        for (const Edge& edge : root_edges()) {
            report.moves.push_back({edge.move, edge.visits, edge.total,
                                    static_cast<double>(edge.prior), tree_.proof_of(edge)});
            report.visits += edge.visits;
        }
        report.policy = policy();
        report.is_proven = is_proven();
        report.value = value();
        report.nodes = tree_.size();
        NodeId id = 0;
        while (id != kNoNode && tree_.node(id).edge_count > 0 && report.pv.size() < kLongestLine) {
            const std::size_t best = best_edge(id);
            if (!report.pv.empty() && tree_.edge(id, best).visits == 0) break;
            report.pv.push_back(tree_.edge(id, best).move);
            id = tree_.edge(id, best).child;
        }
        return report;
    }

    // The root's value for the mover.
    double value() const {
        if (is_proven()) return static_cast<double>(root_node().known);
        const bool is_gumbel = config_.selection == Selection::gumbel;
        return is_gumbel ? tree_.improved_value(root_node()) : tree_.mean_value(root_node());
    }

    // The move to play without chance, as an index of the root's moves.
    std::size_t best_root_edge() const { return best_edge(0); }
    std::span<const Edge> root_edges() const { return tree_.edges(root_node()); }

    // What a network should learn: the share of visits, or Gumbel's improved policy.
    std::vector<double> policy() const {
        if (config_.selection == Selection::gumbel) return tree_.improved_policy(root_node());
        return plan_.visit_shares(tree_);
    }

private:
    static constexpr std::size_t kLongestLine = 12;

    const Node& root_node() const { return tree_.node(0); }

    void place(const Board& root, std::span<const Cell> filled) {
        root_ = root;
        const std::size_t kept = std::min(history_, filled.size());
        root_filled_.assign(filled.end() - static_cast<std::ptrdiff_t>(kept), filled.end());
        set_hope(tree_.node(0), root_);
        sims_ = started_ = 0;
        noise_ = {};
        plan_.clear();
    }
    void make_plan() { plan_.make(tree_.edges(root_node()), sims_, noise_, random_); }

    // What a win for the mover is worth after so many more stones.
    double win_after(const Board& board, int more) const {
        return win_worth(config_.haste, board.stones() + more, board.geometry().rules.cells());
    }
    void set_hope(Node& node, const Board& board) const {
        node.hope = static_cast<float>(win_after(board, 3));
    }

    NodeId add_node(const Board& board, typename Board::Spot spot) {
        const auto [id, is_new] = tree_.add(config_.share ? board.hash() : 0);
        if (!is_new) return id;
        Node& node = tree_.node(id);
        set_hope(node, board);
        if (board.stone_won(spot)) {
            tree_.settle(node, Proof::loss, -win_after(board, 0));
            node.is_over = true;
        } else if (board.is_full()) {
            tree_.settle(node, Proof::draw, config_.draw_value);
            node.is_over = true;
        } else if (config_.proof && board.mover_wins_at_once()) {
            tree_.settle(node, Proof::win, win_after(board, 1));
        } else if (fours_.first(board, kFoursInTree) != kNone) {
            tree_.settle(node, Proof::win, 1.0);
        }
        return id;
    }

    template <class Logit>
    void open(const Leaf& leaf, Logit logit) {
        const bool is_hybrid = config_.selection == Selection::hybrid;
        // Only the root can have a win at once and still be opened.
        const bool keeps_wins = config_.proof && leaf.path.empty();
        legal_priors(leaf.board, logit, is_hybrid ? config_.top : kMaxCells, keeps_wins, priors_);
        const std::span<Edge> edges = tree_.open(leaf.node, priors_.size());
        for (std::size_t i = 0; i < edges.size(); ++i) {
            edges[i].prior = static_cast<float>(priors_[i].first);
            edges[i].move = priors_[i].second;
        }
    }

    void finish(const Leaf& leaf, float value) {
        Node& node = tree_.node(leaf.node);
        node.is_waiting = false;
        node.value = config_.rolls_out() ? roll_out(leaf.board) : value;
        if (leaf.path.empty()) {
            if (config_.proof) find_wins(leaf.board);
            make_plan();
        } else {
            tree_.back_up(leaf.path, static_cast<double>(node.value));
        }
    }
    // Below the root, positions with a win at once are known from the start; the root itself needs
    // a move to show for it.
    void find_wins(const Board& board) {
        const Cell four = fours_.first(board, kFoursAtRoot);
        for (std::size_t i = 0; i < root_node().edge_count; ++i) {
            Board after = board;
            const auto spot = after.landing_cell(tree_.edge(0, i).move);
            after.place(spot);
            if (!after.stone_won(spot) && after.cell_of(spot) != four) continue;
            const NodeId child = add_node(after, spot);
            tree_.edge(0, i).child = child;
            tree_.settle(tree_.node(child), Proof::loss, -win_after(board, 1));
            tree_.settle(tree_.node(0), Proof::win, win_after(board, 1));
        }
    }
    float roll_out(const Board& board) {
        const Rollout kind = config_.rollout_kind(board.geometry().rules.gravity);
        return static_cast<float>(rollout_value(board, kind, choice_, random_, config_.draw_value));
    }

    std::size_t pick(NodeId id) {
        switch (config_.selection) {
            case Selection::gumbel: return id == 0 ? pick_halving() : pick_improved(id);
            case Selection::hybrid:
                return to_visit(id, [](const Edge& edge, std::size_t) {
                    return hybrid_score(edge.total - edge.pending, static_cast<double>(edge.prior),
                                        edge.all_visits());
                });
            default: return pick_puct(id);
        }
    }
    // The move with the highest score, of equals the one with the highest prior, then the first.
    // Moves passed over come last.
    template <class Score, class PassedOver>
    std::size_t highest(NodeId id, Score score, PassedOver passed_over) const {
        const auto edges = tree_.edges(tree_.node(id));
        std::size_t best = 0;
        double best_score = -std::numeric_limits<double>::infinity();
        double best_prior = -1;
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (passed_over(edges[i])) continue;
            const double s = score(edges[i], i);
            const double prior = prior_of(id, edges[i], i);
            if (s > best_score || (s == best_score && prior > best_prior)) {
                best = i;
                best_score = s;
                best_prior = prior;
            }
        }
        return best;
    }
    template <class Score>
    std::size_t to_visit(NodeId id, Score score) const {
        return highest(id, score, [&](const Edge& edge) { return tree_.is_closed(edge); });
    }
    template <class Score>
    std::size_t to_play(NodeId id, Score score) const {
        return highest(id, score, [&](const Edge& edge) { return tree_.is_lost(edge); });
    }
    double prior_of(NodeId id, const Edge& edge, std::size_t i) const {
        return id == 0 && plan_.is_made() ? plan_.prior(i) : static_cast<double>(edge.prior);
    }

    std::size_t pick_puct(NodeId id) const {
        const Node& node = tree_.node(id);
        const double root = puct_root(node.visits, config_.visits_offset);
        const double unvisited = config_.first_play_is_drop
                                     ? static_cast<double>(node.value) - config_.first_play
                                     : config_.first_play;
        return to_visit(id, [&](const Edge& edge, std::size_t i) {
            if (id == 0 && plan_.is_forced(edge, i, node.visits)) return kFirst;
            const std::uint32_t visits = edge.all_visits();
            double mean = unvisited;
            if (tree_.proof_of(edge) != Proof::open) {
                mean = tree_.mean_of(edge, 0);
            } else if (visits > 0) {
                const double lost = config_.virtual_loss * static_cast<double>(edge.pending);
                mean = (edge.total - lost) / static_cast<double>(visits);
            }
            return puct_score(mean, config_.c, prior_of(id, edge, i), root, visits);
        });
    }
    // Gumbel, below the root: what the improved policy wants most and has least of.
    std::size_t pick_improved(NodeId id) const {
        const Node& node = tree_.node(id);
        const std::vector<double> wanted = tree_.improved_policy(node);
        return to_visit(id, [&](const Edge& edge, std::size_t i) {
            return wanted[i] - static_cast<double>(edge.all_visits()) /
                                   (1.0 + static_cast<double>(node.visits));
        });
    }
    std::size_t pick_halving() {
        const std::vector<double> scores = plan_.scores_to_visit(tree_, started_);
        return to_visit(0, [&](const Edge&, std::size_t i) { return scores[i]; });
    }
    static constexpr double kFirst = 1e9;
    static constexpr double kLast = RootPlan::kLast;

    // The move to play in a node, and the next of the expected line.
    std::size_t best_edge(NodeId id) const {
        const Node& node = tree_.node(id);
        if (config_.proof && node.proof != Proof::open) return tree_.proving_edge(node);
        if (config_.selection == Selection::hybrid) {
            return to_play(id, [](const Edge& edge, std::size_t) {
                return edge.visits == 0 ? kLast : edge.mean();
            });
        }
        if (config_.selection == Selection::gumbel) {
            const bool is_planned = id == 0 && plan_.is_made();
            const std::vector<double> scores =
                is_planned ? plan_.scores_to_play(tree_) : tree_.improved_logits(node);
            return to_play(id, [&](const Edge& edge, std::size_t i) {
                return edge.visits == 0 && !is_planned ? kLast : scores[i];
            });
        }
        return to_play(
            id, [](const Edge& edge, std::size_t) { return static_cast<double>(edge.visits); });
    }

    NeuralConfig config_;
    std::size_t history_;
    Choice choice_;
    Random random_;
    NeuralTree tree_;
    RootPlan plan_;
    FourProbe<Board> fours_;
    Board root_;
    std::vector<Cell> root_filled_;
    RootNoise noise_;
    std::uint64_t sims_ = 0;
    std::uint64_t started_ = 0;
    std::vector<std::pair<double, Move>> priors_;
};

TENGEN_END

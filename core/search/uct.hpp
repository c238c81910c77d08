// UCT (Kocsis, Szepesvari 2006): tree search with rollouts, one tree on one thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "isa.hpp"
#include "playout/choice.hpp"
#include "playout/playout.hpp"
#include "rules/random.hpp"
#include "search/formulas.hpp"
#include "search/tree.hpp"
#include "search/uct_config.hpp"

TENGEN_BEGIN

// The index of the highest score among `count` siblings, the first of equals.
inline std::size_t best_sibling(const Block& block, float exploration) {
    const std::size_t count = block.count();
    std::size_t best = 0;
#ifdef __AVX2__
    const __m256 explore = _mm256_set1_ps(exploration);
    const __m256 lowest = _mm256_set1_ps(-std::numeric_limits<float>::infinity());
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    float best_score = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < count; i += 8) {
        const __m256i used =
            _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count - i)), lane);
        const __m256 mean = _mm256_maskload_ps(block.mean + i, used);
        const __m256 spread = _mm256_maskload_ps(block.spread + i, used);
        const __m256 sum = _mm256_add_ps(mean, _mm256_mul_ps(explore, spread));
        const __m256 score = _mm256_blendv_ps(lowest, sum, _mm256_castsi256_ps(used));
        __m256 top = _mm256_max_ps(score, _mm256_permute2f128_ps(score, score, 1));
        top = _mm256_max_ps(top, _mm256_permute_ps(top, 0b01001110));
        top = _mm256_max_ps(top, _mm256_permute_ps(top, 0b10110001));
        const float top_score = _mm256_cvtss_f32(top);
        if (top_score > best_score) {
            best_score = top_score;
            const auto equal =
                static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(score, top, _CMP_EQ_OQ)));
            best = i + static_cast<std::size_t>(std::countr_zero(equal));
        }
    }
#else
    float best_score = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < count; ++i) {
        const float score = ucb_score(block.mean[i], exploration, block.spread[i]);
        if (score > best_score) {
            best_score = score;
            best = i;
        }
    }
#endif
    return best;
}

template <class Board>
class UctTree {
public:
    UctTree(const Board& root, const UctConfig& config, std::uint64_t seed)
        : config_(config),
          choice_(root.geometry(), config.weights),
          random_(seed),
          tree_(config.memory_bytes),
          root_(root) {}

    // Makes the position after `moves` the root, with what is known of it, or with nothing.
    void advance(const Board& root, std::span<const Move> moves) {
        Link link = root_link_;
        std::uint32_t visits = root_visits_;
        Proof proof = Proof::open;
        for (const Move move : moves) {
            const std::optional<std::size_t> at = find(link, move);
            if (!at) {
                reset(root);
                return;
            }
            const Block block = tree_.block(link);
            visits = block.visits[*at];
            proof = block.proof(*at);
            link = block.link[*at];
        }
        if (!moves.empty()) {
            Tree kept(config_.memory_bytes);
            root_link_ = kept.copy(tree_, link);
            tree_ = std::move(kept);
            root_visits_ = visits;
            // A win found by looking one ply ahead has no child that shows it: search it again.
            root_proof_ = root_link_ == kNoLink ? Proof::open : proof;
            if (visits > 0) tree_exploration_ = ucb_exploration(config_.c, visits);
        }
        root_ = root;
    }
    void reset(const Board& root) {
        tree_ = Tree(config_.memory_bytes);
        root_ = root;
        root_link_ = kNoLink;
        root_visits_ = 0;
        root_proof_ = Proof::open;
    }

    // One descent, one new node, one playout. Requires an unfinished root that is not proven.
    void simulate() {
        Board board = root_;
        depth_ = 0;
        Link link = root_link_;
        double reward = 0;
        for (;;) {
            const auto legal = static_cast<std::size_t>(board.legal_count());
            const std::size_t count = link == kNoLink ? 0 : tree_.block(link).count();
            if (count < legal) {
                reward = tree_.can_append(count) ? expand(board, link, count, legal)
                                                 : playout_reward(board);
                break;
            }
            const Block block = tree_.block(link);
            const std::size_t i =
                best_sibling(block, config_.total == Total::tree ? tree_exploration_
                                                                 : block.header->exploration);
            const bool settles =
                block.header->has_draw && block.mean[i] <= worth(Proof::draw, depth_);
            path_[depth_++] = {link, static_cast<std::uint16_t>(i),
                               static_cast<std::uint16_t>(legal), settles};
            if (block.proof(i) != Proof::open) {
                reward = sign(depth_ - 1) * worth(block.proof(i), depth_ - 1);
                break;
            }
            board.play(block.move(i));
            link = block.link[i];
        }
        back_up(reward);
    }

    bool is_proven() const { return root_proof_ != Proof::open; }
    // For the player to move at the root.
    Proof root_result() const {
        switch (root_proof_) {  // proven for the one who moved before
            case Proof::win: return Proof::loss;
            case Proof::loss: return Proof::win;
            default: return root_proof_;
        }
    }
    std::uint64_t visits() const { return root_visits_; }
    std::size_t nodes() const { return tree_.nodes(); }
    std::size_t bytes() const { return tree_.bytes(); }

    // The statistics of the moves after `line`, from the root; empty where nothing is known.
    std::vector<MoveStats> children(std::span<const Move> line) const {
        Link link = root_link_;
        for (const Move move : line) {
            const std::optional<std::size_t> at = find(link, move);
            if (!at) return {};
            link = tree_.block(link).link[*at];
        }
        std::vector<MoveStats> stats;
        if (link == kNoLink) return stats;
        const Block block = tree_.block(link);
        for (std::size_t i = 0; i < block.count(); ++i) {
            stats.push_back({block.move(i), block.visits[i], block.total[i], block.proof(i)});
        }
        return stats;
    }

private:
    struct Step {
        Link link;
        std::uint16_t index;
        std::uint16_t legal;  // how many moves the node has that this step leaves
        bool settles;         // there a proven draw is better than what this step promises
    };

    // The one place where a reward changes sides: +1 where the searching player chose, else -1.
    static double sign(std::size_t depth) { return depth % 2 == 0 ? 1.0 : -1.0; }

    // What a proven move at `depth` is worth to the player who makes it.
    double worth(Proof proof, std::size_t depth) const {
        const bool is_own = depth % 2 == 0;
        switch (proof) {
            case Proof::win: return is_own ? config_.reward.win : -config_.reward.loss;
            case Proof::loss: return is_own ? config_.reward.loss : -config_.reward.win;
            default: return is_own ? config_.reward.draw : -config_.reward.draw;
        }
    }

    std::optional<std::size_t> find(Link link, Move move) const {
        if (link == kNoLink) return std::nullopt;
        const Block block = tree_.block(link);
        for (std::size_t i = 0; i < block.count(); ++i) {
            if (block.move(i) == move) return i;
        }
        return std::nullopt;
    }

    // Adds a random untried move to the node `link` and says what it is worth to the searcher.
    double expand(Board& board, Link link, std::size_t count, std::size_t legal) {
        const std::uint32_t n = random_.below(static_cast<std::uint32_t>(legal - count));
        const Move move = untried(board, link, count, n);
        const auto spot = board.landing_cell(move);
        board.place(spot);
        Proof proof = Proof::open;
        if (board.stone_won(spot)) {
            proof = Proof::win;
        } else if (board.is_full()) {
            proof = Proof::draw;
        } else if (config_.proof && board.mover_wins_at_once()) {
            proof = Proof::loss;
        }
        const Link moved = tree_.append(link, move, proof);
        if (moved != link) {
            if (depth_ == 0) {
                root_link_ = moved;
            } else {
                tree_.block(path_[depth_ - 1].link).link[path_[depth_ - 1].index] = moved;
            }
        }
        path_[depth_++] = {moved, static_cast<std::uint16_t>(count),
                           static_cast<std::uint16_t>(legal), false};
        if (proof != Proof::open) return sign(depth_ - 1) * worth(proof, depth_ - 1);
        return playout_reward(board);
    }

    Move untried(const Board& board, Link link, std::size_t count, std::uint32_t n) const {
        std::array<Move, kMaxCells> tried;
        if (count > 0) {
            const Block block = tree_.block(link);
            for (std::size_t i = 0; i < count; ++i) tried[i] = block.move(i);
        }
        return board.nth_untried(std::span<const Move>(tried.data(), count), n);
    }

    // For the player who searches.
    double playout_reward(const Board& board) {
        const PlayoutEnd end = rollout(board, config_.rollout, choice_, random_);
        const double shrink = decay_of(config_.decay, end.plies);
        if (end.outcome == Outcome::draw) return config_.reward.draw * shrink;
        const bool first_searches = root_.stones() % 2 == 0;
        const bool wins = (end.outcome == Outcome::first_wins) == first_searches;
        return (wins ? config_.reward.win : config_.reward.loss) * shrink;
    }

    // Adds the reward to every step, the last first. Where a player would rather take a proven
    // draw than what was searched, all before that step hear of the draw.
    void back_up(double reward) {
        for (std::size_t depth = depth_; depth-- > 0;) {
            const Step& step = path_[depth];
            const Block block = tree_.block(step.link);
            const std::uint32_t visits = ++block.visits[step.index];
            block.total[step.index] += sign(depth) * reward;
            block.mean[step.index] = ucb_mean(block.total[step.index], visits);
            block.spread[step.index] = ucb_spread(visits);
            if (config_.total == Total::parent) set_exploration(block.link[step.index], visits);
            if (step.settles) reward = config_.reward.draw;
        }
        ++root_visits_;
        if (config_.total == Total::tree) {
            tree_exploration_ = ucb_exploration(config_.c, root_visits_);
        } else {
            set_exploration(root_link_, root_visits_);
        }
        if (config_.proof && depth_ > 0) back_up_proof();
    }
    void set_exploration(Link link, std::uint32_t visits) {
        if (link != kNoLink) {
            tree_.block(link).header->exploration = ucb_exploration(config_.c, visits);
        }
    }

    // Carries what is proven of the last step towards the root (MCTS-Solver, Winands et al. 2008,
    // with draws): a node is lost for who moved there as soon as one answer wins, and otherwise
    // decided once all its moves are.
    void back_up_proof() {
        for (std::size_t depth = depth_; depth-- > 0;) {
            const Step& step = path_[depth];
            Block block = tree_.block(step.link);
            const Proof proof = block.proof(step.index);
            if (proof == Proof::open) return;
            block.set_proof(step.index, proof, worth(proof, depth));
            const Proof above = proof_above(block, proof, step.legal);
            if (above == Proof::open) return;
            if (depth == 0) {
                root_proof_ = above;
            } else {
                const Step& before = path_[depth - 1];
                tree_.block(before.link).set_proof(before.index, above, worth(above, depth - 1));
            }
        }
    }
    static Proof proof_above(const Block& block, Proof newest, std::size_t legal) {
        if (newest == Proof::win) return Proof::loss;
        if (block.count() < legal) return Proof::open;
        Proof above = Proof::win;
        for (std::size_t i = 0; i < legal; ++i) {
            if (block.proof(i) == Proof::open) return Proof::open;
            if (block.proof(i) == Proof::draw) above = Proof::draw;
        }
        return above;
    }

    UctConfig config_;
    Choice choice_;
    Random random_;
    Tree tree_;
    Board root_;
    Link root_link_ = kNoLink;
    std::uint32_t root_visits_ = 0;
    Proof root_proof_ = Proof::open;  // for the player who moved before the root
    float tree_exploration_ = 0;
    std::size_t depth_ = 0;
    std::array<Step, kMaxCells + 1> path_;
};

TENGEN_END

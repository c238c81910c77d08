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

// What a visit changes about a sibling.
struct Visited {
    std::size_t index;
    float mean;
    float spread;
};

#ifdef __AVX2__
// The scores of the eight siblings from `first` on, the lowest there is where there are fewer. The
// new numbers go into the registers rather than being read back: a wide load right after a narrow
// store would have to wait for it.
inline __m256 scores_of_eight(const Block& block, std::size_t first, const Visited& visited,
                              float exploration) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i used =
        _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(block.count() - first)), lane);
    const __m256 is_new = _mm256_castsi256_ps(_mm256_cmpeq_epi32(
        lane, _mm256_set1_epi32(static_cast<int>(visited.index) - static_cast<int>(first))));
    const __m256 mean = _mm256_blendv_ps(_mm256_maskload_ps(block.mean + first, used),
                                         _mm256_set1_ps(visited.mean), is_new);
    const __m256 spread = _mm256_blendv_ps(_mm256_maskload_ps(block.spread + first, used),
                                           _mm256_set1_ps(visited.spread), is_new);
    const __m256 score = _mm256_add_ps(mean, _mm256_mul_ps(_mm256_set1_ps(exploration), spread));
    const __m256 lowest = _mm256_set1_ps(-std::numeric_limits<float>::infinity());
    return _mm256_blendv_ps(lowest, score, _mm256_castsi256_ps(used));
}

// The highest of eight, in every lane.
inline __m256 highest_of_eight(__m256 scores) {
    __m256 top = _mm256_max_ps(scores, _mm256_permute2f128_ps(scores, scores, 1));
    top = _mm256_max_ps(top, _mm256_permute_ps(top, 0b01001110));
    return _mm256_max_ps(top, _mm256_permute_ps(top, 0b10110001));
}

inline std::size_t first_lane_equal(__m256 scores, __m256 top) {
    const int equal = _mm256_movemask_ps(_mm256_cmp_ps(scores, top, _CMP_EQ_OQ));
    return static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(equal)));
}

inline std::size_t best_sibling(const Block& block, const Visited& visited, float exploration) {
    const __m256 scores = scores_of_eight(block, 0, visited, exploration);
    const __m256 top = highest_of_eight(scores);
    std::size_t best = first_lane_equal(scores, top);
    float best_score = _mm256_cvtss_f32(top);
    for (std::size_t first = 8; first < block.count(); first += 8) {
        const __m256 others = scores_of_eight(block, first, visited, exploration);
        const __m256 other_top = highest_of_eight(others);
        if (_mm256_cvtss_f32(other_top) > best_score) {
            best_score = _mm256_cvtss_f32(other_top);
            best = first + first_lane_equal(others, other_top);
        }
    }
    return best;
}
#else
inline std::size_t best_sibling(const Block& block, const Visited& visited, float exploration) {
    float best_score = -std::numeric_limits<float>::infinity();
    std::size_t best = 0;
    for (std::size_t i = 0; i < block.count(); ++i) {
        const bool is_new = i == visited.index;
        const float score = ucb_score(is_new ? visited.mean : block.mean[i], exploration,
                                      is_new ? visited.spread : block.spread[i]);
        if (score > best_score) {
            best_score = score;
            best = i;
        }
    }
    return best;
}
#endif

// Stores what a visit changed and returns the sibling with the highest score from now on, the
// first of equals.
inline std::size_t store_and_rank(const Block& block, const Visited& visited, float exploration) {
    const std::size_t best = best_sibling(block, visited, exploration);
    block.mean[visited.index] = visited.mean;
    block.spread[visited.index] = visited.spread;
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
        Proof proof = root_proof_;
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
        tree_.release(root_link_, link);
        root_ = root;
        root_link_ = link;
        root_visits_ = visits;
        // A win found by looking one ply ahead has no child that shows it: search it again.
        root_proof_ = link == kNoLink ? Proof::open : proof;
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
        settled_ = 0;
        if (config_.total == Total::tree) rank_now(root_link_);
        Link link = root_link_;
        double reward = 0;
        for (;;) {
            const bool is_full = link != kNoLink && tree_.block(link).header->is_full;
            if (!is_full && tree_.has_room(link)) {
                reward = grow(board, link);
                break;
            }
            if (link == kNoLink) {  // no memory for a first child
                reward = playout_reward(board);
                break;
            }
            if (!is_full) rank_now(link);
            const Block block = tree_.block(link);
            const std::size_t i = block.header->best;
            if (block.header->has_draw && block.mean[i] <= worth(Proof::draw, depth_)) {
                settled_ = depth_;
            }
            path_[depth_++] = {link, static_cast<std::uint16_t>(i)};
            if (block.proof(i) != Proof::open) {
                reward = sign(depth_ - 1) * worth(block.proof(i), depth_ - 1);
                break;
            }
            link = block.link[i];
            tree_.prefetch(link);
            board.play(block.move(i));
            if (config_.total == Total::tree) rank_now(link);
        }
        back_up(reward);
    }

    bool is_proven() const { return root_proof_ != Proof::open; }
    // Whether the counters are at their end: another visit would overflow them.
    bool is_spent() const { return root_visits_ == std::numeric_limits<std::uint32_t>::max(); }
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

    // Adds a random untried move to the node `link`, for which there must be room, and says what
    // the position is worth to the searcher.
    double grow(Board& board, Link link) {
        const auto legal = static_cast<std::size_t>(board.legal_count());
        const std::size_t count = link == kNoLink ? 0 : tree_.block(link).count();
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
        tree_.block(moved).header->is_full = count + 1 == legal;
        path_[depth_++] = {moved, static_cast<std::uint16_t>(count)};
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

    // Adds the reward to every step, the first step first: its numbers are needed soonest. Before
    // the last step where a player would rather have taken a proven draw, everybody hears of that.
    void back_up(double reward) {
        std::uint32_t parent_visits = ++root_visits_;
        for (std::size_t depth = 0; depth < depth_; ++depth) {
            const auto [link, i] = path_[depth];
            const Block block = tree_.block(link);
            const std::uint32_t visits = ++block.visits[i];
            block.total[i] += sign(depth) * (depth < settled_ ? config_.reward.draw : reward);
            const Visited visited{i, ucb_mean(block.total[i], visits), ucb_spread(visits)};
            if (block.header->is_full) {
                rank(block, visited, parent_visits);
            } else {
                block.mean[i] = visited.mean;
                block.spread[i] = visited.spread;
            }
            parent_visits = visits;
        }
        if (config_.proof && depth_ > 0) back_up_proof();
    }
    // Which sibling comes next is settled now, for all steps at once, rather than step by step in
    // the next descent, where each would have to wait for the one before.
    void rank(const Block& block, const Visited& visited, std::uint32_t parent_visits) {
        const float exploration = ucb_exploration(config_.c, parent_visits);
        block.header->best =
            static_cast<std::uint16_t>(store_and_rank(block, visited, exploration));
    }
    // On the way down, where the order is not up to date: when N is the whole tree's visits, every
    // visit changes it everywhere, and siblings that memory keeps from being complete have none.
    void rank_now(Link link) {
        if (link == kNoLink) return;
        rank_again(tree_.block(link), depth_);
    }
    // `depth` is that of the siblings: their parent is the step before.
    void rank_again(const Block& block, std::size_t depth) {
        std::uint32_t parent_visits = root_visits_;
        if (depth > 0 && config_.total == Total::parent) {
            const auto [link, i] = path_[depth - 1];
            parent_visits = tree_.block(link).visits[i];
        }
        rank(block, {0, block.mean[0], block.spread[0]}, parent_visits);
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
            rank_again(block, depth);
            const Proof above = proof_above(block, proof);
            if (above == Proof::open) return;
            if (depth == 0) {
                root_proof_ = above;
            } else {
                const Step& before = path_[depth - 1];
                tree_.block(before.link).set_proof(before.index, above, worth(above, depth - 1));
            }
        }
    }
    static Proof proof_above(const Block& block, Proof newest) {
        if (newest == Proof::win) return Proof::loss;
        if (!block.header->is_full) return Proof::open;
        Proof above = Proof::win;
        for (std::size_t i = 0; i < block.count(); ++i) {
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
    std::size_t depth_ = 0;           // how many steps of path_ are in use
    std::size_t settled_ = 0;         // the last step at which a proven draw was better
    std::array<Step, kMaxCells + 1> path_;
};

TENGEN_END

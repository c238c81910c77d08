// Many games of self-play at once, one leaf of each in every batch.
//
// A game's chance comes from the seed and the number of the game alone: which games there are does
// not depend on how many are played at once, nor by how many threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "isa.hpp"
#include "rules/random.hpp"
#include "search/evaluation_cache.hpp"
#include "search/guided.hpp"
#include "search/planes.hpp"
#include "selfplay/record.hpp"

TENGEN_BEGIN

template <class Board>
class SelfPlay {
public:
    // `next_game` hands out the numbers of games to play, or nothing when there are no more.
    SelfPlay(const Geometry& geometry, const SelfPlayConfig& config, std::vector<Plane> planes,
             std::size_t games, std::uint64_t seed,
             std::function<std::optional<std::uint64_t>()> next_game)
        : geometry_(&geometry),
          config_(config),
          planes_(std::move(planes)),
          history_(history_of(planes_)),
          seed_(seed),
          next_game_(std::move(next_game)),
          cache_(config.cache_bytes, static_cast<std::size_t>(geometry.rules.moves())) {
        for (std::size_t i = 0; i < games; ++i) {
            slots_.emplace_back(Board(geometry), config_.search, history_);
        }
    }

    // Plays on until every game waits for the network or is over, and writes the planes of the
    // positions they wait with, at most one per game. Returns how many; 0 does not mean the end:
    // without a network every game plays on for a while.
    std::size_t gather(float* out) {
        waiting_.clear();
        const std::size_t size =
            planes_.size() * static_cast<std::size_t>(geometry_->rules.cells());
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (!play_on(slots_[i])) continue;
            const auto& leaf = slots_[i].leaf;
            write_planes(leaf.board, leaf.filled, planes_, out + waiting_.size() * size);
            waiting_.push_back(i);
        }
        return waiting_.size();
    }
    // The answers to the last gather(), in its order: a logit per move of the policy, and a value.
    void expand(const float* logits, const float* values) {
        const auto moves = static_cast<std::size_t>(geometry_->rules.moves());
        for (std::size_t row = 0; row < waiting_.size(); ++row) {
            Slot& slot = slots_[waiting_[row]];
            const std::span<const float> of_row(logits + row * moves, moves);
            cache_.store(slot.leaf.key, of_row, values[row]);
            slot.search.expand(slot.leaf, of_row, values[row]);
            slot.is_waiting = false;
        }
        evaluations_ += waiting_.size();
        waiting_.clear();
    }
    // Whether all games have been played.
    bool is_over() const {
        return has_no_more_ && std::none_of(slots_.begin(), slots_.end(),
                                            [](const Slot& slot) { return slot.is_playing; });
    }
    std::vector<GameRecord> take_finished() { return std::exchange(finished_, {}); }

    std::size_t waiting() const { return waiting_.size(); }
    std::uint64_t sims() const { return sims_; }
    std::uint64_t evaluations() const { return evaluations_; }
    const EvaluationCache& cache() const { return cache_; }

private:
    using Search = GuidedSearch<Board>;
    struct Slot {
        Slot(const Board& empty, const NeuralConfig& config, int history)
            : board(empty), random(0), search(empty, {}, config, history, 0), leaf(empty) {}
        Board board;
        Random random;
        Search search;
        typename Search::Leaf leaf;
        GameRecord record;
        std::vector<Cell> filled;
        bool is_playing = false;
        bool is_searching = false;
        bool is_full = true;
        bool is_waiting = false;
        int redrawn = 0;        // openings given up
        bool plays_on = false;  // although it would resign: to see whether that is right
    };

    // False when there is nothing to ask a network now.
    bool play_on(Slot& slot) {
        if (!slot.is_playing && !start_game(slot)) return false;
        int alone = 0;  // leaves that asked nobody
        while (!slot.is_waiting) {
            if (!slot.is_searching) start_search(slot);
            if (slot.search.is_done() && !slot.search.root_edges().empty()) {
                finish_move(slot);
                if (!slot.is_playing) return false;
                continue;
            }
            const auto found = slot.search.select(slot.leaf);
            if (found != Search::Found::leaf) continue;
            if (config_.search.evaluation != Evaluation::batched) {
                slot.search.expand_alone(slot.leaf);
                if (++alone == kMostAlone) return false;  // the others' turn
                continue;
            }
            EvaluationCache::Evaluated known;
            if (cache_.find(slot.leaf.key, known)) {
                slot.search.expand(slot.leaf, known.logits, known.value);
                continue;
            }
            slot.is_waiting = true;
        }
        return true;
    }

    bool start_game(Slot& slot) {
        const std::optional<std::uint64_t> index = has_no_more_ ? std::nullopt : next_game_();
        has_no_more_ = !index;
        if (!index) return false;
        slot.random = Random(Random(seed_).next() ^ *index);
        slot.record = {};
        slot.record.index = *index;
        slot.plays_on = slot.random.unit() < config_.resign_check;
        slot.redrawn = 0;
        slot.is_playing = true;
        open_game(slot);
        return true;
    }
    void open_game(Slot& slot) {
        std::uint32_t plies = 0;
        if (config_.opening_plies > 0 && slot.random.unit() < config_.opening_share) {
            plies = 1 + slot.random.below(static_cast<std::uint32_t>(config_.opening_plies));
        }
        // An opening that ends the game is drawn anew; one that cannot but do so gets shorter.
        play_opening(slot, plies);
        for (int tries = 1; slot.record.outcome != Outcome::ongoing; ++tries) {
            if (tries % kOpeningTries == 0) --plies;
            play_opening(slot, plies);
        }
        slot.record.opening = static_cast<int>(slot.record.moves.size());
        slot.search = Search(slot.board, slot.filled, config_.search, history_, slot.random.next());
        slot.is_searching = false;
    }
    void play_opening(Slot& slot, std::uint32_t plies) {
        slot.board = Board(*geometry_);
        slot.filled.clear();
        slot.record.moves.clear();
        slot.record.outcome = Outcome::ongoing;
        for (std::uint32_t i = 0; i < plies && slot.record.outcome == Outcome::ongoing; ++i) {
            const auto legal = static_cast<std::uint32_t>(slot.board.legal_count());
            play(slot, slot.board.nth_untried(std::span<const Move>(), slot.random.below(legal)));
        }
    }
    void play(Slot& slot, Move move) {
        const auto spot = slot.board.landing_cell(move);
        slot.board.place(spot);
        slot.filled.push_back(slot.board.cell_of(spot));
        slot.record.moves.push_back(move);
        if (slot.board.stone_won(spot)) {
            slot.record.outcome =
                slot.board.stones() % 2 == 1 ? Outcome::first_wins : Outcome::second_wins;
        } else if (slot.board.is_full()) {
            slot.record.outcome = Outcome::draw;
        }
    }

    void start_search(Slot& slot) {
        slot.is_full = config_.fast_sims == 0 || slot.random.unit() < config_.full_share;
        slot.search.begin(slot.is_full ? config_.sims : config_.fast_sims,
                          slot.is_full ? config_.noise : RootNoise{});
        slot.is_searching = true;
    }

    void finish_move(Slot& slot) {
        sims_ += slot.search.started();
        slot.is_searching = false;
        if (is_known(slot)) return open_game(slot);
        record_ply(slot);
        if (resigns(slot)) {
            const bool first_moves = slot.board.stones() % 2 == 0;
            slot.record.outcome = first_moves ? Outcome::second_wins : Outcome::first_wins;
            slot.record.is_resigned = true;
            slot.record.plies.pop_back();
        } else {
            const Move move = slot.search.root_edges()[chosen_edge(slot)].move;
            play(slot, move);
            if (slot.record.outcome == Outcome::ongoing) {
                if (config_.reuse) {
                    const Move played[] = {move};
                    slot.search.advance(slot.board, slot.filled, played);
                } else {
                    slot.search.reset(slot.board, slot.filled);
                }
                return;
            }
        }
        finished_.push_back(std::move(slot.record));
        slot.is_playing = false;
    }
    // Whether the opening has decided the game already, and another is wanted.
    bool is_known(Slot& slot) {
        if (config_.known_share >= 1 || !slot.record.plies.empty() || slot.record.opening == 0) {
            return false;
        }
        return slot.search.is_proven() && slot.random.unit() >= config_.known_share &&
               ++slot.redrawn < kOpenings;
    }
    void record_ply(Slot& slot) {
        RecordedPly ply;
        const std::vector<double> policy = slot.search.policy();
        double surprise = 0;
        const auto edges = slot.search.root_edges();
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (policy[i] >= kLeastShare) {
                ply.target.emplace_back(edges[i].move, static_cast<float>(policy[i]));
                const auto prior = static_cast<double>(edges[i].prior);
                surprise += policy[i] * std::log(policy[i] / std::max(prior, kLeastShare));
            }
        }
        ply.value = static_cast<float>(slot.search.value());
        ply.proof = slot.search.root_proof();
        ply.is_full = slot.is_full;
        ply.sims = static_cast<std::uint32_t>(slot.search.started());
        ply.surprise = static_cast<float>(std::max(0.0, surprise));
        slot.record.plies.push_back(std::move(ply));
    }
    // Whether the mover gives up; games chosen for the check are played on.
    bool resigns(Slot& slot) {
        if (slot.record.resigned_at < 0 && slot.search.value() < config_.resign_below) {
            slot.record.resigned_at = static_cast<int>(slot.record.moves.size());
        }
        return slot.record.resigned_at >= 0 && !slot.plays_on;
    }

    std::size_t chosen_edge(Slot& slot) {
        if (config_.stray_share > 0 && slot.random.unit() < config_.stray_share) {
            slot.record.plies.back().is_stray = true;
            const auto moves = static_cast<std::uint32_t>(slot.search.root_edges().size());
            return slot.random.below(moves);
        }
        double tau = 0;
        for (const Temperature& step : config_.temperatures) {
            if (slot.board.stones() >= step.ply) tau = step.tau;
        }
        if (tau <= 0 || slot.search.is_proven()) return slot.search.best_root_edge();
        std::vector<double> weights = slot.search.policy();
        double sum = 0;
        for (double& weight : weights) sum += weight = std::pow(weight, 1.0 / tau);
        double drawn = slot.random.unit() * sum;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            drawn -= weights[i];
            if (drawn < 0) return i;
        }
        return slot.search.best_root_edge();
    }

    // Leaves of a game in one gather(), without a network: Python is slow to come back.
    static constexpr int kMostAlone = 512;
    static constexpr int kOpeningTries = 4;
    static constexpr int kOpenings = 20;         // of a game, at most
    static constexpr double kLeastShare = 1e-4;  // of a move in the target, to be worth keeping

    const Geometry* geometry_;
    SelfPlayConfig config_;
    std::vector<Plane> planes_;
    int history_;
    std::uint64_t seed_;
    std::function<std::optional<std::uint64_t>()> next_game_;
    EvaluationCache cache_;
    std::vector<Slot> slots_;
    std::vector<std::size_t> waiting_;  // the slots of the batch under way
    std::vector<GameRecord> finished_;
    bool has_no_more_ = false;
    std::atomic<std::uint64_t> sims_ = 0;  // counters that any thread may read
    std::atomic<std::uint64_t> evaluations_ = 0;
};

TENGEN_END

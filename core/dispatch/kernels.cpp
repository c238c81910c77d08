// Compiled once per instruction set, see isa.hpp.
#include "dispatch/kernels.hpp"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <utility>

#include "dispatch/best_board.hpp"
#include "dispatch/solvers.hpp"
#include "playout/playout.hpp"
#include "rules/line_board.hpp"
#include "rules/small_board.hpp"
#include "search/choice_of_move.hpp"
#include "search/uct.hpp"
#include "solve/threads.hpp"

TENGEN_BEGIN

template <class Board>
class ThreadedUct final : public UctSearch {
public:
    ThreadedUct(const Position& position, const Board& root, const UctConfig& config, int threads,
                std::uint64_t seed)
        : geometry_(position.shared_geometry()), config_(config) {
        UctConfig each = config;
        each.memory_bytes =
            std::max(config.memory_bytes / static_cast<std::size_t>(threads), kLeastTreeBytes);
        Random seeds(seed);
        for (int i = 0; i < threads; ++i) trees_.emplace_back(root, each, seeds.next());
    }

    void advance(const Position& position, std::span<const Move> moves) override {
        const Board root = Board::from_cells(*geometry_, position.cells());
        for (auto& tree : trees_) tree.advance(root, moves);
    }
    void reset(const Position& position) override {
        const Board root = Board::from_cells(*geometry_, position.cells());
        for (auto& tree : trees_) tree.reset(root);
    }

    std::uint64_t run(std::uint64_t sims, double seconds, const std::atomic<bool>& stop,
                      const std::function<bool()>& interrupted) override {
        const auto deadline = std::chrono::steady_clock::now() +
                              std::chrono::duration<double>(std::min(seconds, kForever));
        std::atomic<bool> is_over = false;
        const auto time_is_up = [&] {
            return stop.load(std::memory_order_relaxed) ||
                   is_over.load(std::memory_order_relaxed) ||
                   std::chrono::steady_clock::now() >= deadline;
        };
        std::uint64_t done = 0;
        std::uint64_t chunk = 0;
        std::vector<std::uint64_t> share(trees_.size(), 0);
        std::vector<std::uint64_t> did(trees_.size(), 0);
        // Between two chunks, while all threads wait: adds up, and deals out the next chunk. So a
        // search of a given number of simulations does not depend on how the threads were timed.
        // Chunks grow with the search: the fewer there are, the less the threads wait.
        const auto deal = [&]() noexcept {
            for (std::uint64_t& n : did) done += std::exchange(n, 0);
            chunk = std::min(sims - done, std::clamp(done / 8, kSlice * trees_.size(),
                                                     kLongestChunk * trees_.size()));
            if (chunk == 0 || is_proven() || is_spent() || time_is_up()) is_over = true;
            for (std::size_t i = 0; i < share.size(); ++i) {
                share[i] = chunk / share.size() + (i < chunk % share.size() ? 1 : 0);
            }
        };
        const auto do_share = [&](std::size_t i) {
            while (did[i] < share[i]) {
                const std::uint64_t slice = std::min(share[i] - did[i], kSlice);
                const std::uint64_t done_now = simulate(trees_[i], slice, time_is_up);
                did[i] += done_now;
                if (i == 0 && interrupted()) is_over = true;
                if (done_now < slice || is_over) break;
            }
        };
        deal();
        if (trees_.size() == 1) {
            for (; !is_over; deal()) do_share(0);
            return done;
        }
        std::barrier barrier(static_cast<std::ptrdiff_t>(trees_.size()), deal);
        const auto work = [&](std::size_t i) {
            while (!is_over) {
                do_share(i);
                barrier.arrive_and_wait();
            }
        };
        run_threads(trees_.size(), work, [&] { is_over = true; });
        return done;
    }

    bool is_proven() const override {
        return std::any_of(trees_.begin(), trees_.end(),
                           [](const auto& t) { return t.is_proven(); });
    }

    UctReport report() const override {
        UctReport report;
        for (const auto& tree : trees_) {
            report.visits += tree.visits();
            report.nodes += tree.nodes();
            report.bytes += tree.bytes();
        }
        report.moves = merged(report.pv);
        if (report.moves.empty()) return report;
        const MoveStats best = choose_move(report.moves, config_, report.visits);
        report.value = best.visits == 0 ? 0
                                        : value_of(best.total / static_cast<double>(best.visits),
                                                   config_.reward);
        for (const auto& tree : trees_) {
            if (tree.is_proven()) {
                report.is_proven = true;
                report.value = exact_value(tree.root_result());
            }
        }
        // Deeper in the line what counts is what was looked at most.
        UctConfig by_visits = config_;
        by_visits.choose = Choose::visits;
        std::vector<MoveStats> moves = report.moves;
        Move next = best.move;
        while (report.pv.size() < kLongestLine) {
            report.pv.push_back(next);
            moves = merged(report.pv);
            if (moves.empty()) break;
            by_visits.reward = opposite(by_visits.reward);
            next = choose_move(moves, by_visits, report.visits).move;
        }
        return report;
    }

private:
    static constexpr double kForever = 1e9;
    static constexpr std::size_t kLeastTreeBytes = std::size_t{1} << 20;
    static constexpr std::uint64_t kSlice = 8192;  // between two looks at `interrupted`
    static constexpr std::uint64_t kLongestChunk = 16 * kSlice;
    static constexpr std::uint64_t kSimsPerClock = 16;
    static constexpr std::size_t kLongestLine = 12;

    bool is_spent() const {
        return std::any_of(trees_.begin(), trees_.end(),
                           [](const auto& t) { return t.is_spent(); });
    }

    template <class TimeIsUp>
    static std::uint64_t simulate(UctTree<Board>& tree, std::uint64_t sims, TimeIsUp time_is_up) {
        std::uint64_t done = 0;
        while (done < sims && !tree.is_proven() && !tree.is_spent()) {
            tree.simulate();
            if (++done % kSimsPerClock == 0 && time_is_up()) break;
        }
        return done;
    }

    static double exact_value(Proof proof) {
        return proof == Proof::win ? 1.0 : proof == Proof::loss ? -1.0 : 0.0;
    }
    static Reward opposite(const Reward& r) { return {-r.loss, -r.draw, -r.win}; }

    std::vector<MoveStats> merged(std::span<const Move> line) const {
        std::vector<MoveStats> all;
        for (const auto& tree : trees_) {
            for (const MoveStats& stats : tree.children(line)) {
                const auto at =
                    std::lower_bound(all.begin(), all.end(), stats.move,
                                     [](const MoveStats& a, Move move) { return a.move < move; });
                if (at == all.end() || at->move != stats.move) {
                    all.insert(at, stats);
                    continue;
                }
                at->visits += stats.visits;
                at->total += stats.total;
                if (stats.proof != Proof::open) at->proof = stats.proof;
            }
        }
        return all;
    }

    std::shared_ptr<const Geometry> geometry_;  // the boards point into it
    UctConfig config_;
    std::vector<UctTree<Board>> trees_;
};

static std::unique_ptr<UctSearch> make_uct(const Position& position, const UctConfig& config,
                                           int threads, std::uint64_t seed) {
    return on_best_board(position, [&](const auto& board) -> std::unique_ptr<UctSearch> {
        using Board = std::decay_t<decltype(board)>;
        return std::make_unique<ThreadedUct<Board>>(position, board, config, threads, seed);
    });
}

static PlayoutCounts count_playouts(const Position& position, Rollout kind, Weights weights,
                                    std::uint64_t games, std::uint64_t seed) {
    const Choice choice(position.geometry(), weights);
    return on_best_board(position, [&](const auto& board) {
        Random random(seed);
        PlayoutCounts counts;
        for (std::uint64_t i = 0; i < games; ++i) {
            const PlayoutEnd end = rollout(board, kind, choice, random);
            counts.plies += static_cast<std::uint64_t>(end.plies);
            counts.first_wins += end.outcome == Outcome::first_wins;
            counts.second_wins += end.outcome == Outcome::second_wins;
            counts.draws += end.outcome == Outcome::draw;
        }
        return counts;
    });
}

static PerftCount count_games(const Position& position, int depth) {
    return on_best_board(position, [&](const auto& board) {
        PerftCount count;
        perft(board, depth, count);
        return count;
    });
}

static Move choose_reflex(const Position& position, std::uint64_t seed) {
    return on_best_board(position, [&](const auto& board) {
        using Board = std::decay_t<decltype(board)>;
        Random random(seed);
        const auto spot = Tactics<Board>(board).reflex(board, random);
        return position.geometry().move_of(board.cell_of(spot));
    });
}

TENGEN_END

#define TENGEN_TEXT_OF(x) #x
#define TENGEN_TEXT(x) TENGEN_TEXT_OF(x)

namespace tengen {

extern const Kernels TENGEN_KERNELS;
const Kernels TENGEN_KERNELS{TENGEN_TEXT(TENGEN_ISA), make_uct,   count_playouts, count_games,
                             choose_reflex,           make_solver};

}  // namespace tengen

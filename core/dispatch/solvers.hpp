// The solvers behind their common interface; included by kernels.cpp alone.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "isa.hpp"
#include "rules/line_board.hpp"
#include "rules/small_board.hpp"
#include "solve/bound_table.hpp"
#include "solve/crew.hpp"
#include "solve/drop_solver.hpp"
#include "solve/exact_solver.hpp"
#include "solve/general_search.hpp"
#include "solve/shared_table.hpp"
#include "solve/solo.hpp"

TENGEN_BEGIN

// Gravity boards with lines of k or more: the fast solver on one or two words.
template <class Word, class Threads>
class DropSolverOf final : public ExactSolver {
public:
    DropSolverOf(std::shared_ptr<const Geometry> geometry, std::size_t table_bytes, int threads)
        : geometry_(std::move(geometry)), solver_(layout_of(*geometry_), table_bytes, threads) {}

    ScoreBounds score(const Position& position, SolveLimit& limit) override {
        const auto [own, enemy] = stones_of(position);
        return solver_.score(own, enemy, limit);
    }
    std::vector<std::pair<Move, ScoreBounds>> move_scores(const Position& position,
                                                          SolveLimit& limit) override {
        const auto [own, enemy] = stones_of(position);
        const auto scores = solver_.move_scores(own, enemy, limit);
        std::vector<std::pair<Move, ScoreBounds>> found;
        for (std::size_t col = 0; col < scores.size(); ++col) {
            if (scores[col]) found.emplace_back(static_cast<Move>(col), *scores[col]);
        }
        return found;
    }
    void set_book(std::shared_ptr<const OpeningBook> book) override { solver_.set_book(book); }
    void clear() override { solver_.clear(); }
    std::uint64_t nodes() const override { return solver_.nodes(); }

private:
    static DropLayout<Word> layout_of(const Geometry& g) {
        const auto cells = static_cast<std::size_t>(g.rules.cells());
        const auto is_blocked = std::make_unique<bool[]>(cells);
        for (std::size_t cell = 0; cell < cells; ++cell) is_blocked[cell] = g.is_blocked[cell];
        return DropLayout<Word>(g.rules.rows, g.rules.cols, g.rules.k, {is_blocked.get(), cells});
    }
    std::pair<Word, Word> stones_of(const Position& position) const {
        Word of_player[2] = {0, 0};
        const std::vector<std::uint8_t> cells = position.cells();
        const DropLayout<Word>& layout = solver_.layout();
        for (std::size_t cell = 0; cell < cells.size(); ++cell) {
            if (cells[cell] == 0) continue;
            const int row = geometry_->rules.rows - 1 - geometry_->row(static_cast<Cell>(cell));
            of_player[cells[cell] - 1] |= layout.at(geometry_->col(static_cast<Cell>(cell)), row);
        }
        return {of_player[position.mover()], of_player[1 - position.mover()]};
    }

    std::shared_ptr<const Geometry> geometry_;
    DropSolver<Word, Threads> solver_;
};

// Everything else that is small.
template <class Board, class Threads>
class GeneralSolverOf final : public ExactSolver {
public:
    GeneralSolverOf(std::shared_ptr<const Geometry> geometry, std::size_t table_bytes, int threads)
        : geometry_(std::move(geometry)), threads_(threads, table_bytes, *geometry_) {}

    ScoreBounds score(const Position& position, SolveLimit& limit) override {
        Asked<Node> asked = about(position);
        threads_.narrow(asked.node, {&asked, 1}, limit);
        return asked.bounds;
    }
    std::vector<std::pair<Move, ScoreBounds>> move_scores(const Position& position,
                                                          SolveLimit& limit) override {
        std::vector<std::pair<Move, ScoreBounds>> found;
        std::vector<Asked<Node>> replies;
        std::vector<std::size_t> places;  // of the replies, in `found`
        for (const Move move : position.legal_moves()) {
            const Position child = position.play(move);
            ScoreBounds bounds;
            if (child.outcome() == Outcome::ongoing) {
                replies.push_back(about(child));
                places.push_back(found.size());
            } else if (child.outcome() != Outcome::draw) {
                const int win = win_score(geometry_->rules.playable_cells(), position.stones());
                bounds = {win, win};
            }
            found.emplace_back(move, bounds);
        }
        threads_.narrow(about(position).node, replies, limit);
        for (std::size_t i = 0; i < replies.size(); ++i) {
            found[places[i]].second = {-replies[i].bounds.high, -replies[i].bounds.low};
        }
        return found;
    }
    void set_book(std::shared_ptr<const OpeningBook>) override {
        throw UserError("there is no opening book for this board");
    }
    void clear() override { threads_.clear(); }
    std::uint64_t nodes() const override { return threads_.nodes(); }

private:
    using Node = GeneralNode<Board>;

    // What is known without a search.
    Asked<Node> about(const Position& position) const {
        Cells of_player[2] = {0, 0};
        const std::vector<std::uint8_t> cells = position.cells();
        for (std::size_t cell = 0; cell < cells.size(); ++cell) {
            if (cells[cell] != 0) of_player[cells[cell] - 1] |= Cells{1} << cell;
        }
        const Node node{Board::from_cells(*geometry_, cells), of_player[position.mover()],
                        of_player[1 - position.mover()]};
        const int playable = geometry_->rules.playable_cells();
        const int stones = position.stones();
        if (winning_cells(node.board, true) != 0) {
            const int win = win_score(playable, stones);
            return {node, {win, win}};
        }
        return {node, {lowest_score(playable, stones), highest_score(playable, stones)}};
    }

    std::shared_ptr<const Geometry> geometry_;
    Threads threads_;
};

template <class Word, int K, int Stride>
std::unique_ptr<ExactSolver> make_drop_solver_of(std::shared_ptr<const Geometry> g,
                                                 std::size_t table_bytes, int threads) {
    using One = Solo<DropSearch<Word, K, Stride, BoundTable<Word>>>;
    using Several = Crew<DropSearch<Word, K, Stride, SharedTable<Word>>>;
    if (threads == 1) return std::make_unique<DropSolverOf<Word, One>>(g, table_bytes, threads);
    return std::make_unique<DropSolverOf<Word, Several>>(g, table_bytes, threads);
}

template <class Word>
std::unique_ptr<ExactSolver> make_drop_solver(std::shared_ptr<const Geometry> g,
                                              std::size_t table_bytes, int threads) {
    const Rules& rules = g->rules;
    // The standard board's columns are compiled in; it is what nearly everybody solves.
    constexpr int kStandardStride = 7;
    const bool has_all_directions = rules.k <= rules.rows && rules.k <= rules.cols;
    if (rules.k == 4 && rules.rows + 1 == kStandardStride && has_all_directions) {
        return make_drop_solver_of<Word, 4, kStandardStride>(g, table_bytes, threads);
    }
    if (rules.k == 4) return make_drop_solver_of<Word, 4, 0>(g, table_bytes, threads);
    return make_drop_solver_of<Word, 0, 0>(g, table_bytes, threads);
}

template <class Board>
std::unique_ptr<ExactSolver> make_general_solver(std::shared_ptr<const Geometry> g,
                                                 std::size_t table_bytes, int threads) {
    using One = Solo<GeneralSearch<Board, BoundTable<std::uint64_t>>>;
    using Several = Crew<GeneralSearch<Board, SharedTable<std::uint64_t>>>;
    if (threads == 1) return std::make_unique<GeneralSolverOf<Board, One>>(g, table_bytes, threads);
    return std::make_unique<GeneralSolverOf<Board, Several>>(g, table_bytes, threads);
}

inline std::unique_ptr<ExactSolver> make_solver(std::shared_ptr<const Geometry> g,
                                                std::size_t table_bytes, int threads,
                                                SolveMethod method) {
    const Rules& rules = g->rules;
    if (rules.gravity && rules.line == LineRule::free && method != SolveMethod::general) {
        if (method == SolveMethod::best &&
            DropLayout<std::uint64_t>::fits(rules.rows, rules.cols)) {
            return make_drop_solver<std::uint64_t>(g, table_bytes, threads);
        }
        if (DropLayout<Word128>::fits(rules.rows, rules.cols)) {
            return make_drop_solver<Word128>(g, table_bytes, threads);
        }
        throw UserError("a board of " + std::to_string(rules.rows) + "x" +
                        std::to_string(rules.cols) +
                        " is too large; with gravity boards of up to (rows + 1) * cols = " +
                        std::to_string(DropLayout<Word128>::kBits) + " can be solved");
    }
    if (rules.cells() > kMostGeneralCells) {
        throw UserError("a board of " + std::to_string(rules.rows) + "x" +
                        std::to_string(rules.cols) + " is too large; without gravity, or with " +
                        "another line rule than free, boards of up to " +
                        std::to_string(kMostGeneralCells) + " cells can be solved");
    }
    if (!g->fits_small) return make_general_solver<LineBoard<0>>(g, table_bytes, threads);
    if (rules.k == 3) return make_general_solver<SmallBoard<3>>(g, table_bytes, threads);
    if (rules.k == 4) return make_general_solver<SmallBoard<4>>(g, table_bytes, threads);
    return make_general_solver<SmallBoard<0>>(g, table_bytes, threads);
}

TENGEN_END

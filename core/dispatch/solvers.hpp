// The solvers behind their common interface; included by kernels.cpp alone.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "isa.hpp"
#include "rules/line_board.hpp"
#include "rules/small_board.hpp"
#include "solve/drop_solver.hpp"
#include "solve/exact_solver.hpp"
#include "solve/general_solver.hpp"

TENGEN_BEGIN

// Gravity boards with lines of k or more: the fast solver on one or two words.
template <class Word, int K, int Stride>
class DropSolverOf final : public ExactSolver {
public:
    DropSolverOf(std::shared_ptr<const Geometry> geometry, std::size_t table_bytes)
        : geometry_(std::move(geometry)), solver_(layout_of(*geometry_), table_bytes) {}

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
    DropSolver<Word, K, Stride> solver_;
};

// Everything else that is small.
template <class Board>
class GeneralSolverOf final : public ExactSolver {
public:
    GeneralSolverOf(std::shared_ptr<const Geometry> geometry, std::size_t table_bytes)
        : geometry_(std::move(geometry)), solver_(*geometry_, table_bytes) {}

    ScoreBounds score(const Position& position, SolveLimit& limit) override {
        const auto [own, enemy] = stones_of(position);
        const Board board = Board::from_cells(*geometry_, position.cells());
        return solver_.score(board, own, enemy, limit);
    }
    std::vector<std::pair<Move, ScoreBounds>> move_scores(const Position& position,
                                                          SolveLimit& limit) override {
        std::vector<std::pair<Move, ScoreBounds>> found;
        for (const Move move : position.legal_moves()) {
            const Position child = position.play(move);
            ScoreBounds bounds;
            if (child.outcome() == Outcome::ongoing) {
                const ScoreBounds reply = score(child, limit);
                bounds = {-reply.high, -reply.low};
            } else if (child.outcome() != Outcome::draw) {
                const int win = win_score(geometry_->rules.playable_cells(), position.stones());
                bounds = {win, win};
            }
            found.emplace_back(move, bounds);
        }
        return found;
    }
    void set_book(std::shared_ptr<const OpeningBook>) override {
        throw UserError("there is no opening book for this board");
    }
    void clear() override { solver_.clear(); }
    std::uint64_t nodes() const override { return solver_.nodes(); }

private:
    std::pair<Cells, Cells> stones_of(const Position& position) const {
        Cells of_player[2] = {0, 0};
        const std::vector<std::uint8_t> cells = position.cells();
        for (std::size_t cell = 0; cell < cells.size(); ++cell) {
            if (cells[cell] != 0) of_player[cells[cell] - 1] |= Cells{1} << cell;
        }
        return {of_player[position.mover()], of_player[1 - position.mover()]};
    }

    std::shared_ptr<const Geometry> geometry_;
    GeneralSolver<Board> solver_;
};

template <class Word>
std::unique_ptr<ExactSolver> make_drop_solver(std::shared_ptr<const Geometry> g,
                                              std::size_t table_bytes) {
    const Rules& rules = g->rules;
    // The standard board's columns are compiled in; it is what nearly everybody solves.
    constexpr int kStandardStride = 7;
    const bool has_all_directions = rules.k <= rules.rows && rules.k <= rules.cols;
    if (rules.k == 4 && rules.rows + 1 == kStandardStride && has_all_directions) {
        return std::make_unique<DropSolverOf<Word, 4, kStandardStride>>(g, table_bytes);
    }
    if (rules.k == 4) return std::make_unique<DropSolverOf<Word, 4, 0>>(g, table_bytes);
    return std::make_unique<DropSolverOf<Word, 0, 0>>(g, table_bytes);
}

inline std::unique_ptr<ExactSolver> make_solver(std::shared_ptr<const Geometry> g,
                                                std::size_t table_bytes, SolveMethod method) {
    const Rules& rules = g->rules;
    if (rules.gravity && rules.line == LineRule::free && method != SolveMethod::general) {
        if (method == SolveMethod::best &&
            DropLayout<std::uint64_t>::fits(rules.rows, rules.cols)) {
            return make_drop_solver<std::uint64_t>(g, table_bytes);
        }
        if (DropLayout<Word128>::fits(rules.rows, rules.cols)) {
            return make_drop_solver<Word128>(g, table_bytes);
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
    if (!g->fits_small) return std::make_unique<GeneralSolverOf<LineBoard<0>>>(g, table_bytes);
    if (rules.k == 3) return std::make_unique<GeneralSolverOf<SmallBoard<3>>>(g, table_bytes);
    if (rules.k == 4) return std::make_unique<GeneralSolverOf<SmallBoard<4>>>(g, table_bytes);
    return std::make_unique<GeneralSolverOf<SmallBoard<0>>>(g, table_bytes);
}

TENGEN_END

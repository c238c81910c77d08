// What every exact solver offers, whatever board it was made for.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "rules/position.hpp"
#include "solve/book.hpp"
#include "solve/limit.hpp"
#include "solve/score.hpp"

namespace tengen {

// Which solver: the fastest for the board, or, so that they can be compared, another that also
// fits.
enum class SolveMethod : std::uint8_t { best, two_words, general };

class ExactSolver {
public:
    virtual ~ExactSolver() = default;
    // Both require an unfinished position of the solver's game. When the limit is reached, what is
    // proven by then is the answer.
    virtual ScoreBounds score(const Position& position, SolveLimit& limit) = 0;
    virtual std::vector<std::pair<Move, ScoreBounds>> move_scores(const Position& position,
                                                                  SolveLimit& limit) = 0;
    virtual void set_book(std::shared_ptr<const OpeningBook> book) = 0;
    // Forgets everything learnt; the book stays.
    virtual void clear() = 0;
    virtual std::uint64_t nodes() const = 0;
};

}  // namespace tengen

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <limits>
#include <tuple>

#include "bindings/bindings.hpp"
#include "bindings/in_use.hpp"
#include "bindings/signals.hpp"
#include "dispatch/kernels.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig>;
using Scores = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig>;

// A solver that other Python threads can stop, and that a pending signal (Ctrl-C) ends.
class Solver {
    template <class Work>
    auto limited(double seconds, std::uint64_t nodes, Work work) {
        const InUse guard(in_use_, "the solver");
        stop_ = false;
        SignalWatch watch;
        SolveLimit limit(solver_->nodes(), nodes, seconds,
                         [&] { return stop_.load(std::memory_order_relaxed) || watch(); });
        auto result = [&] {
            nb::gil_scoped_release release;
            return work(limit);
        }();
        watch.rethrow();
        return result;
    }

public:
    Solver(std::shared_ptr<const Geometry> geometry, std::size_t table_bytes, int threads,
           SolveMethod method)
        : solver_(kernels().solver(std::move(geometry), table_bytes, checked_threads(threads),
                                   method)) {}

    void set_book(const Codes& codes, const Scores& scores, int stones) {
        solver_->set_book(
            std::make_shared<const OpeningBook>(stones, std::span(codes.data(), codes.size()),
                                                std::span(scores.data(), scores.size())));
    }
    void clear() {
        const InUse guard(in_use_, "the solver");
        solver_->clear();
    }
    void stop() { stop_ = true; }
    std::uint64_t nodes() const { return solver_->nodes(); }

    int score(const Position& position) {
        return bounds(position, kUnlimitedSeconds, kUnlimitedNodes).first;
    }
    std::pair<int, int> bounds(const Position& position, double seconds, std::uint64_t nodes) {
        require_ongoing(position);
        const ScoreBounds bounds = limited(
            seconds, nodes, [&](SolveLimit& limit) { return solver_->score(position, limit); });
        return {bounds.low, bounds.high};
    }
    std::vector<std::tuple<Move, int, int>> move_scores(const Position& position, double seconds,
                                                        std::uint64_t nodes) {
        require_ongoing(position);
        const auto scores = limited(seconds, nodes, [&](SolveLimit& limit) {
            return solver_->move_scores(position, limit);
        });
        std::vector<std::tuple<Move, int, int>> found;
        for (const auto& [move, bounds] : scores) found.emplace_back(move, bounds.low, bounds.high);
        return found;
    }

private:
    static constexpr double kUnlimitedSeconds = std::numeric_limits<double>::infinity();
    static constexpr std::uint64_t kUnlimitedNodes = std::uint64_t{1} << 62;

    static int checked_threads(int threads) {
        if (threads >= 1) return threads;
        throw UserError("threads is " + std::to_string(threads) + "; at least 1");
    }
    static void require_ongoing(const Position& position) {
        if (position.outcome() != Outcome::ongoing) {
            throw IllegalMove("the game is over; there is nothing to solve");
        }
    }

    std::unique_ptr<ExactSolver> solver_;
    std::atomic<bool> stop_ = false;
    std::atomic_flag in_use_;
};

}  // namespace

void bind_solve(nb::module_& module) {
    nb::enum_<SolveMethod>(module, "SolveMethod", "Which solver; all that fit give one answer.")
        .value("best", SolveMethod::best)
        .value("two_words", SolveMethod::two_words)
        .value("general", SolveMethod::general);
    nb::class_<Solver>(module, "Solver", "An exact solver; its table stays until it is cleared.")
        .def(nb::init<std::shared_ptr<const Geometry>, std::size_t, int, SolveMethod>(),
             "geometry"_a, "table_bytes"_a, nb::kw_only(), "threads"_a = 1,
             "method"_a = SolveMethod::best)
        .def("set_book", &Solver::set_book, "codes"_a, "scores"_a, "stones"_a)
        .def("score", &Solver::score, "position"_a)
        .def("bounds", &Solver::bounds, "position"_a, "seconds"_a, "nodes"_a)
        .def("move_scores", &Solver::move_scores, "position"_a, "seconds"_a, "nodes"_a)
        .def("clear", &Solver::clear)
        .def("stop", &Solver::stop)
        .def_prop_ro("nodes", &Solver::nodes);
}

}  // namespace tengen

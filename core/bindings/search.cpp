#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "bindings/in_use.hpp"
#include "bindings/signals.hpp"
#include "dispatch/kernels.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

const Position& ongoing(const Position& position) {
    if (position.outcome() != Outcome::ongoing) throw UserError("the game is over");
    return position;
}

// A search that other Python threads can stop, and that a pending signal (Ctrl-C) ends.
class Uct {
public:
    Uct(const Position& position, const UctConfig& config, int threads, std::uint64_t seed)
        : geometry_(position.shared_geometry()) {
        if (threads < 1) throw UserError("threads is " + std::to_string(threads) + "; at least 1");
        search_ = kernels().uct(checked(position), config, threads, seed);
    }

    void advance(const Position& position, const std::vector<Move>& moves) {
        const InUse guard(in_use_, "the search");
        checked(position);
        nb::gil_scoped_release release;
        search_->advance(position, moves);
    }
    void reset(const Position& position) {
        const InUse guard(in_use_, "the search");
        checked(position);
        nb::gil_scoped_release release;
        search_->reset(position);
    }
    // Ends the run under way, or the next one, until resume() is called.
    void stop() { stop_ = true; }
    void resume() { stop_ = false; }
    UctReport report() const {
        const InUse guard(in_use_, "the search");
        return search_->report();
    }
    std::uint64_t run(std::uint64_t sims, double seconds) {
        const InUse guard(in_use_, "the search");
        SignalWatch watch;
        std::uint64_t done = 0;
        {
            nb::gil_scoped_release release;
            done = search_->run(sims, seconds, stop_, [&] { return watch(); });
        }
        watch.rethrow();
        return done;
    }

private:
    const Position& checked(const Position& position) const {
        if (position.geometry().rules != geometry_->rules) {
            throw UserError("the position is of another game than the search");
        }
        return ongoing(position);
    }

    std::shared_ptr<const Geometry> geometry_;
    std::unique_ptr<UctSearch> search_;
    std::atomic<bool> stop_ = false;
    mutable std::atomic_flag in_use_;
};

void bind_config(nb::module_& module) {
    nb::enum_<Rollout>(module, "Rollout", "How a playout chooses its moves.")
        .value("random", Rollout::random)
        .value("tactical", Rollout::tactical)
        .value("reflex", Rollout::reflex);
    nb::enum_<Weights>(module, "Weights", "How likely a random move is, by its place.")
        .value("uniform", Weights::uniform)
        .value("linear", Weights::linear)
        .value("odd", Weights::odd);
    nb::enum_<Total>(module, "Total", "Whose visits are N in UCB1.")
        .value("parent", Total::parent)
        .value("tree", Total::tree);
    nb::enum_<Choose>(module, "Choose", "What the final choice goes by.")
        .value("visits", Choose::visits)
        .value("winrate", Choose::winrate)
        .value("ucb", Choose::ucb);
    nb::enum_<Proof>(module, "Proof", "What is proven of a move, for the player who makes it.")
        .value("open", Proof::open)
        .value("win", Proof::win)
        .value("draw", Proof::draw)
        .value("loss", Proof::loss);
    nb::class_<Reward>(module, "Reward", "What a finished game is worth to the searching player.")
        .def(nb::init<double, double, double>(), "win"_a, "draw"_a, "loss"_a);
    nb::class_<Decay>(module, "Decay", "How rewards shrink with the length of a playout.")
        .def(
            "__init__",
            [](Decay* decay, double factor, int plies) {
                if (plies < 1)
                    throw UserError("plies is " + std::to_string(plies) + "; at least 1");
                new (decay) Decay{factor, plies};
            },
            "factor"_a, "plies"_a);
    nb::class_<UctConfig>(module, "UctConfig", "The settings of a UCT search.")
        .def(
            "__init__",
            [](UctConfig* config, double c, Total total, Rollout rollout, Weights weights,
               Reward reward, Decay decay, Choose choose, bool proof, std::size_t memory_bytes) {
                new (config) UctConfig{c,     total,  rollout, weights,     reward,
                                       decay, choose, proof,   memory_bytes};
            },
            nb::kw_only(), "c"_a, "total"_a, "rollout"_a, "weights"_a, "reward"_a, "decay"_a,
            "choose"_a, "proof"_a, "memory_bytes"_a);
}

}  // namespace

void bind_search(nb::module_& module) {
    bind_config(module);
    nb::class_<MoveStats>(module, "MoveStats", "A move at the root.")
        .def_ro("move", &MoveStats::move)
        .def_ro("visits", &MoveStats::visits)
        .def_ro("total", &MoveStats::total)
        .def_ro("proof", &MoveStats::proof);
    nb::class_<UctReport>(module, "UctReport", "What a search knows, for the player to move.")
        .def_ro("moves", &UctReport::moves)
        .def_ro("pv", &UctReport::pv)
        .def_ro("value", &UctReport::value)
        .def_ro("is_proven", &UctReport::is_proven)
        .def_ro("visits", &UctReport::visits)
        .def_ro("nodes", &UctReport::nodes)
        .def_ro("bytes", &UctReport::bytes);
    nb::class_<Uct>(module, "Uct", "A UCT search; its trees stay until it is reset.")
        .def(nb::init<const Position&, const UctConfig&, int, std::uint64_t>(), "position"_a,
             "config"_a, nb::kw_only(), "threads"_a, "seed"_a)
        .def("advance", &Uct::advance, "position"_a, "moves"_a)
        .def("reset", &Uct::reset, "position"_a)
        .def("run", &Uct::run, "sims"_a, "seconds"_a)
        .def("stop", &Uct::stop)
        .def("resume", &Uct::resume)
        .def("report", &Uct::report);
    nb::class_<PlayoutCounts>(module, "PlayoutCounts", "How many playouts ended how.")
        .def_ro("first_wins", &PlayoutCounts::first_wins)
        .def_ro("second_wins", &PlayoutCounts::second_wins)
        .def_ro("draws", &PlayoutCounts::draws)
        .def_ro("plies", &PlayoutCounts::plies);
    module.def(
        "playouts",
        [](const Position& position, Rollout rollout, Weights weights, std::uint64_t games,
           std::uint64_t seed) {
            nb::gil_scoped_release release;
            return kernels().playouts(ongoing(position), rollout, weights, games, seed);
        },
        "position"_a, nb::kw_only(), "rollout"_a, "weights"_a, "games"_a, "seed"_a,
        "Plays an unfinished position to its end many times.");
    module.def(
        "reflex",
        [](const Position& position, std::uint64_t seed) {
            return kernels().reflex(ongoing(position), seed);
        },
        "position"_a, nb::kw_only(), "seed"_a, "The rule-based move of an unfinished position.");
    module.def(
        "isa", [] { return std::string(kernels().name); }, "The instruction set the kernels use.");
}

}  // namespace tengen

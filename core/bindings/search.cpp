#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>

#include "bindings/bindings.hpp"
#include "dispatch/kernels.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

// A search that other Python threads can stop, and that a pending signal (Ctrl-C) ends.
class Uct {
public:
    Uct(const Position& position, const UctConfig& config, int threads, std::uint64_t seed)
        : search_(kernels().uct(position, config, threads, seed)) {}

    void advance(const Position& position, const std::vector<Move>& moves) {
        search_->advance(position, moves);
    }
    void reset(const Position& position) { search_->reset(position); }
    // Ends the run under way, or the next one, until resume() is called.
    void stop() { stop_ = true; }
    void resume() { stop_ = false; }
    bool is_proven() const { return search_->is_proven(); }
    UctReport report() const { return search_->report(); }

    std::uint64_t run(std::uint64_t sims, double seconds) {
        bool has_signal = false;
        auto last_asked = std::chrono::steady_clock::now();
        const auto interrupted = [&] {
            const auto now = std::chrono::steady_clock::now();
            if (now - last_asked < std::chrono::milliseconds(50)) return false;
            last_asked = now;
            nb::gil_scoped_acquire acquire;
            has_signal = PyErr_CheckSignals() != 0;
            return has_signal;
        };
        std::uint64_t done = 0;
        {
            nb::gil_scoped_release release;
            done = search_->run(sims, seconds, stop_, interrupted);
        }
        if (has_signal) throw nb::python_error();
        return done;
    }

private:
    std::unique_ptr<UctSearch> search_;
    std::atomic<bool> stop_ = false;
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
        .def(nb::init<double, int>(), "factor"_a, "plies"_a);
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
        .def_prop_ro("is_proven", &Uct::is_proven)
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
            return kernels().playouts(position, rollout, weights, games, seed);
        },
        "position"_a, nb::kw_only(), "rollout"_a, "weights"_a, "games"_a, "seed"_a,
        "Plays an unfinished position to its end many times.");
    module.def(
        "reflex",
        [](const Position& position, std::uint64_t seed) {
            return kernels().reflex(position, seed);
        },
        "position"_a, nb::kw_only(), "seed"_a, "The rule-based move of an unfinished position.");
    module.def(
        "isa", [] { return std::string(kernels().name); }, "The instruction set the kernels use.");
    module.def("isas", &kernel_names, "The instruction sets this machine can use.");
}

}  // namespace tengen

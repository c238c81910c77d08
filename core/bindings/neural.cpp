#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "bindings/bindings.hpp"
#include "bindings/in_use.hpp"
#include "dispatch/neural.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

using PlaneKinds = std::vector<std::pair<PlaneKind, int>>;
using Batch = nb::ndarray<float, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using Logits = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<Plane> planes_from(const PlaneKinds& kinds) {
    std::vector<Plane> planes;
    for (const auto& [kind, age] : kinds) {
        if (kind == PlaneKind::last && age < 1) throw UserError("a last move's age is at least 1");
        planes.push_back({kind, age});
    }
    return planes;
}

// The shapes of what goes to a network and comes back.
class Shapes {
public:
    Shapes(const Rules& rules, std::size_t planes)
        : planes_(planes),
          rows_(static_cast<std::size_t>(rules.rows)),
          cols_(static_cast<std::size_t>(rules.cols)),
          moves_(static_cast<std::size_t>(rules.moves())) {}

    nb::tuple of_batch(std::size_t size) const {
        return nb::make_tuple(size, planes_, rows_, cols_);
    }
    void check(const Batch& batch, std::size_t least) const {
        if (batch.shape(0) < least || batch.shape(1) != planes_ || batch.shape(2) != rows_ ||
            batch.shape(3) != cols_) {
            throw UserError("the batch has another shape than the network's input");
        }
    }
    // An answer that is no number would spoil the whole tree without a word.
    void check(const Logits& logits, const Values& values, std::size_t waiting) const {
        if (logits.shape(0) != waiting || logits.shape(1) != moves_ || values.shape(0) != waiting) {
            throw UserError("the evaluation has another shape than the batch asked for");
        }
        const auto is_number = [](float x) { return std::isfinite(x); };
        if (!std::all_of(logits.data(), logits.data() + logits.size(), is_number) ||
            !std::all_of(values.data(), values.data() + values.size(), is_number)) {
            throw UserError("the network's answer is not a number");
        }
    }

private:
    std::size_t planes_;
    std::size_t rows_;
    std::size_t cols_;
    std::size_t moves_;
};

class Search {
public:
    Search(const Position& position, const NeuralConfig& config, const PlaneKinds& planes,
           std::size_t cache_bytes, std::uint64_t seed)
        : rules_(position.geometry().rules),
          shapes_(rules_, planes.size()),
          search_(make_neural_search(checked(position), config, planes_from(planes), cache_bytes,
                                     seed)) {}

    void advance(const Position& position, const std::vector<Move>& moves) {
        const InUse guard(in_use_, "the search");
        search_->advance(checked(position), moves);
    }
    void reset(const Position& position) {
        const InUse guard(in_use_, "the search");
        search_->reset(checked(position));
    }
    void begin(std::uint64_t sims, const RootNoise& noise) {
        const InUse guard(in_use_, "the search");
        if (search_->waiting() > 0) throw UserError("a batch is still waiting for its evaluation");
        search_->begin(sims, noise);
    }
    std::size_t gather(const Batch& batch) {
        const InUse guard(in_use_, "the search");
        shapes_.check(batch, 1);
        if (search_->waiting() > 0) throw UserError("a batch is still waiting for its evaluation");
        nb::gil_scoped_release release;
        return search_->gather(batch.data(), batch.shape(0));
    }
    void expand(const Logits& logits, const Values& values) {
        const InUse guard(in_use_, "the search");
        shapes_.check(logits, values, search_->waiting());
        nb::gil_scoped_release release;
        search_->expand(logits.data(), values.data());
    }
    NeuralReport report() const {
        const InUse guard(in_use_, "the search");
        return search_->is_expanded() ? search_->report() : NeuralReport{};
    }
    bool is_done() const {
        const InUse guard(in_use_, "the search");
        return search_->is_done();
    }
    std::uint64_t started() const {
        const InUse guard(in_use_, "the search");
        return search_->started();
    }
    CacheCounts cache() const {
        const InUse guard(in_use_, "the search");
        return search_->cache();
    }

private:
    const Position& checked(const Position& position) const {
        if (position.geometry().rules != rules_) {
            throw UserError("the position is of another game than the search");
        }
        if (position.outcome() != Outcome::ongoing) throw UserError("the game is over");
        return position;
    }

    Rules rules_;
    Shapes shapes_;
    std::unique_ptr<NeuralSearch> search_;
    mutable std::atomic_flag in_use_;
};

// Numbers of games, handed out once each, also to several threads.
class GameNumbers {
public:
    explicit GameNumbers(std::vector<std::uint64_t> numbers) : numbers_(std::move(numbers)) {}
    std::optional<std::uint64_t> take() {
        const std::size_t i = next_.fetch_add(1);
        if (i < numbers_.size()) return numbers_[i];
        return std::nullopt;
    }

private:
    std::vector<std::uint64_t> numbers_;
    std::atomic<std::size_t> next_ = 0;
};

class Games {
public:
    Games(const std::shared_ptr<const Geometry>& geometry, const SelfPlayConfig& config,
          const PlaneKinds& planes, std::size_t games, std::uint64_t seed,
          std::shared_ptr<GameNumbers> numbers)
        : games_(games),
          shapes_(geometry->rules, planes.size()),
          mill_(make_game_mill(geometry, config, planes_from(planes), games, seed,
                               [numbers = std::move(numbers)] { return numbers->take(); })) {}

    std::size_t gather(const Batch& batch) {
        const InUse guard(in_use_, "self-play");
        shapes_.check(batch, games_);
        if (mill_->waiting() > 0) throw UserError("a batch is still waiting for its evaluation");
        nb::gil_scoped_release release;
        return mill_->gather(batch.data());
    }
    void expand(const Logits& logits, const Values& values) {
        const InUse guard(in_use_, "self-play");
        shapes_.check(logits, values, mill_->waiting());
        nb::gil_scoped_release release;
        mill_->expand(logits.data(), values.data());
    }
    std::vector<GameRecord> take_finished() {
        const InUse guard(in_use_, "self-play");
        return mill_->take_finished();
    }
    // What gather() wants to be given.
    nb::tuple batch_shape() const { return shapes_.of_batch(games_); }
    bool is_over() const { return mill_->is_over(); }
    std::uint64_t sims() const { return mill_->sims(); }
    std::uint64_t evaluations() const { return mill_->evaluations(); }
    CacheCounts cache() const { return mill_->cache(); }

private:
    std::size_t games_;
    Shapes shapes_;
    std::unique_ptr<GameMill> mill_;
    std::atomic_flag in_use_;
};

void bind_config(nb::module_& module) {
    nb::enum_<Selection>(module, "Selection", "How a guided search picks moves on its way down.")
        .value("puct", Selection::puct)
        .value("gumbel", Selection::gumbel)
        .value("hybrid", Selection::hybrid);
    module.def(
        "win_by_fours",
        [](const Position& position, std::uint64_t nodes) {
            if (position.outcome() != Outcome::ongoing) throw IllegalMove("the game is over");
            return win_by_fours(position, nodes);
        },
        "position"_a, "nodes"_a, "The moves up to a win by continuous fours, or none.");
    nb::enum_<Evaluation>(module, "Evaluation", "Where priors and values come from.")
        .value("batched", Evaluation::batched)
        .value("uniform", Evaluation::uniform)
        .value("rollouts", Evaluation::rollouts);
    const NeuralConfig defaults;
    nb::class_<NeuralConfig>(module, "NeuralConfig", "The settings of a guided search.")
        .def(
            "__init__",
            [](NeuralConfig* config, Selection selection, Evaluation evaluation, double c,
               double visits_offset, double first_play, bool first_play_is_drop,
               double virtual_loss, double draw_value, double haste, bool proof, bool vcf,
               bool share, int considered, double c_visit, double c_scale, int top,
               std::size_t memory_bytes) {
                if (considered < 1 || top < 1) throw UserError("considered and top are at least 1");
                new (config) NeuralConfig{selection,     evaluation,  c,
                                          visits_offset, first_play,  first_play_is_drop,
                                          virtual_loss,  draw_value,  haste,
                                          proof,         vcf,         share,
                                          considered,    c_visit,     c_scale,
                                          top,           memory_bytes};
            },
            nb::kw_only(), "selection"_a = Selection::puct, "evaluation"_a = Evaluation::batched,
            "c"_a = defaults.c, "visits_offset"_a = defaults.visits_offset,
            "first_play"_a = defaults.first_play,
            "first_play_is_drop"_a = defaults.first_play_is_drop,
            "virtual_loss"_a = defaults.virtual_loss, "draw_value"_a = defaults.draw_value,
            "haste"_a = defaults.haste, "proof"_a = defaults.proof, "vcf"_a = defaults.vcf,
            "share"_a = defaults.share, "considered"_a = defaults.considered,
            "c_visit"_a = defaults.c_visit, "c_scale"_a = defaults.c_scale, "top"_a = defaults.top,
            "memory_bytes"_a = defaults.memory_bytes);
    nb::class_<RootNoise>(module, "RootNoise", "Chance at the root of a self-play search.")
        .def(
            "__init__",
            [](RootNoise* noise, double epsilon, double alpha, double forced, bool gumbel) {
                new (noise) RootNoise{epsilon, alpha, forced, gumbel};
            },
            nb::kw_only(), "epsilon"_a = 0.0, "alpha"_a = 0.0, "forced"_a = 0.0,
            "gumbel"_a = false);
    nb::class_<SelfPlayConfig>(module, "SelfPlayConfig", "The settings of self-play.")
        .def(
            "__init__",
            [](SelfPlayConfig* config, const NeuralConfig& search, std::uint64_t sims,
               std::uint64_t fast_sims, double full_share, const RootNoise& noise,
               const std::vector<std::pair<int, double>>& temperatures, double opening_share,
               int opening_plies, double known_share, double stray_share, bool reuse,
               double resign_below, double resign_check, std::size_t cache_bytes) {
                std::vector<Temperature> steps;
                for (const auto& [ply, tau] : temperatures) steps.push_back({ply, tau});
                new (config)
                    SelfPlayConfig{search, sims,          fast_sims,     full_share,  noise,
                                   steps,  opening_share, opening_plies, known_share, stray_share,
                                   reuse,  resign_below,  resign_check,  cache_bytes};
            },
            nb::kw_only(), "search"_a, "sims"_a, "fast_sims"_a, "full_share"_a, "noise"_a,
            "temperatures"_a, "opening_share"_a, "opening_plies"_a, "known_share"_a,
            "stray_share"_a, "reuse"_a, "resign_below"_a, "resign_check"_a, "cache_bytes"_a);
}

void bind_reports(nb::module_& module) {
    nb::class_<NeuralMove>(module, "NeuralMove", "A move at the root of a guided search.")
        .def_ro("move", &NeuralMove::move)
        .def_ro("visits", &NeuralMove::visits)
        .def_ro("total", &NeuralMove::total)
        .def_ro("prior", &NeuralMove::prior)
        .def_ro("proof", &NeuralMove::proof);
    nb::class_<NeuralReport>(module, "NeuralReport", "What a guided search knows.")
        .def_ro("moves", &NeuralReport::moves)
        .def_ro("policy", &NeuralReport::policy)
        .def_ro("pv", &NeuralReport::pv)
        .def_ro("value", &NeuralReport::value)
        .def_ro("is_proven", &NeuralReport::is_proven)
        .def_ro("visits", &NeuralReport::visits)
        .def_ro("nodes", &NeuralReport::nodes);
    nb::class_<CacheCounts>(module, "CacheCounts", "How often a cache was asked, and knew.")
        .def_ro("asked", &CacheCounts::asked)
        .def_ro("hits", &CacheCounts::hits);
    nb::class_<RecordedPly>(module, "RecordedPly", "What a search said about one position.")
        .def_ro("target", &RecordedPly::target)
        .def_ro("value", &RecordedPly::value)
        .def_ro("proof", &RecordedPly::proof)
        .def_ro("is_full", &RecordedPly::is_full)
        .def_ro("sims", &RecordedPly::sims)
        .def_ro("is_stray", &RecordedPly::is_stray)
        .def_ro("surprise", &RecordedPly::surprise);
    nb::class_<GameRecord>(module, "GameRecord", "A finished game of self-play.")
        .def_ro("index", &GameRecord::index)
        .def_ro("opening", &GameRecord::opening)
        .def_ro("moves", &GameRecord::moves)
        .def_ro("plies", &GameRecord::plies)
        .def_ro("outcome", &GameRecord::outcome)
        .def_ro("resigned_at", &GameRecord::resigned_at)
        .def_ro("is_resigned", &GameRecord::is_resigned);
}

}  // namespace

void bind_neural(nb::module_& module) {
    bind_config(module);
    bind_reports(module);
    nb::class_<Search>(module, "NeuralSearch", "A search that hands out batches of leaves.")
        .def(nb::init<const Position&, const NeuralConfig&, const PlaneKinds&, std::size_t,
                      std::uint64_t>(),
             "position"_a, "config"_a, nb::kw_only(), "planes"_a, "cache_bytes"_a, "seed"_a)
        .def("advance", &Search::advance, "position"_a, "moves"_a)
        .def("reset", &Search::reset, "position"_a)
        .def("begin", &Search::begin, "sims"_a, "noise"_a)
        .def("gather", &Search::gather, "batch"_a)
        .def("expand", &Search::expand, "logits"_a, "values"_a)
        .def("report", &Search::report)
        .def_prop_ro("is_done", &Search::is_done)
        .def_prop_ro("started", &Search::started)
        .def_prop_ro("cache", &Search::cache);
    nb::class_<GameNumbers>(module, "GameNumbers", "Numbers of games, handed out once each.")
        .def(nb::init<std::vector<std::uint64_t>>(), "numbers"_a);
    nb::class_<Games>(module, "SelfPlay", "Many games at once, one leaf of each in a batch.")
        .def(
            nb::init<const std::shared_ptr<const Geometry>&, const SelfPlayConfig&,
                     const PlaneKinds&, std::size_t, std::uint64_t, std::shared_ptr<GameNumbers>>(),
            "geometry"_a, "config"_a, nb::kw_only(), "planes"_a, "games"_a, "seed"_a, "numbers"_a)
        .def("gather", &Games::gather, "batch"_a)
        .def("expand", &Games::expand, "logits"_a, "values"_a)
        .def("take_finished", &Games::take_finished)
        .def_prop_ro("batch_shape", &Games::batch_shape,
                     nb::sig("def batch_shape(self) -> tuple[int, int, int, int]"))
        .def_prop_ro("is_over", &Games::is_over)
        .def_prop_ro("sims", &Games::sims)
        .def_prop_ro("evaluations", &Games::evaluations)
        .def_prop_ro("cache", &Games::cache);
}

}  // namespace tengen

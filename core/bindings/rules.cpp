#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"
#include "dispatch/kernels.hpp"
#include "rules/position.hpp"
#include "rules/symmetry.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

using Planes = nb::ndarray<nb::numpy, float, nb::ndim<3>>;

Planes planes_of(const Position& position, const std::vector<std::pair<PlaneKind, int>>& kinds) {
    const Rules& rules = position.geometry().rules;
    std::vector<Plane> planes;
    for (const auto& [kind, age] : kinds) {
        if (kind == PlaneKind::last && age < 1) {
            throw UserError("the age of a last move is " + std::to_string(age) + "; at least 1");
        }
        planes.push_back({kind, age});
    }
    const std::size_t size = planes.size() * static_cast<std::size_t>(rules.cells());
    auto values = std::make_unique<float[]>(size);
    position.write_planes(planes, {values.get(), size});
    float* data = values.release();
    const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<float*>(p); });
    return Planes(
        data,
        {planes.size(), static_cast<std::size_t>(rules.rows), static_cast<std::size_t>(rules.cols)},
        owner);
}

// Everything a position is made of, for pickling: rules, the board it was set up from, moves.
using PositionParts = std::tuple<int, int, int, bool, int, std::vector<Cell>,
                                 std::vector<std::uint8_t>, std::vector<Move>>;

PositionParts parts_of(const Position& position) {
    const Rules& rules = position.geometry().rules;
    std::vector<std::uint8_t> start = position.cells();
    for (const Cell cell : position.filled()) start[cell] = 0;
    return {rules.rows,    rules.cols, rules.k,         rules.gravity, static_cast<int>(rules.line),
            rules.blocked, start,      position.moves()};
}

Position position_of(const PositionParts& parts) {
    const auto& [rows, cols, k, gravity, line, blocked, start, moves] = parts;
    const auto geometry =
        Geometry::of(Rules::checked(rows, cols, k, gravity, static_cast<LineRule>(line), blocked));
    Position position = Position::from_stones(geometry, start);
    for (const Move move : moves) position = position.play(move);
    return position;
}

}  // namespace

void bind_rules(nb::module_& module) {
    nb::enum_<Outcome>(module, "Outcome", "How a game stands.")
        .value("ongoing", Outcome::ongoing)
        .value("first_wins", Outcome::first_wins)
        .value("second_wins", Outcome::second_wins)
        .value("draw", Outcome::draw);
    nb::enum_<LineRule>(module, "LineRule", "Which runs of stones win.")
        .value("free", LineRule::free)
        .value("exact", LineRule::exact)
        .value("blocked", LineRule::blocked)
        .value("blocked_free", LineRule::blocked_free);
    nb::enum_<PlaneKind>(module, "PlaneKind", "What a feature plane shows.")
        .value("mover", PlaneKind::mover)
        .value("opponent", PlaneKind::opponent)
        .value("empty", PlaneKind::empty)
        .value("playable", PlaneKind::playable)
        .value("last", PlaneKind::last)
        .value("colour", PlaneKind::colour)
        .value("odd", PlaneKind::odd)
        .value("wins", PlaneKind::wins)
        .value("threats", PlaneKind::threats);

    module.attr("MAX_SIDE") = kMaxSide;

    nb::class_<Geometry>(module, "Geometry", "The tables of one set of rules.")
        .def_static(
            "of",
            [](int rows, int cols, int k, bool gravity, LineRule line, std::vector<Cell> blocked) {
                return Geometry::of(
                    Rules::checked(rows, cols, k, gravity, line, std::move(blocked)));
            },
            "rows"_a, "cols"_a, "k"_a, nb::kw_only(), "gravity"_a, "line"_a, "blocked"_a)
        .def_prop_ro("cell_symmetries", &cell_symmetries)
        .def_prop_ro("move_symmetries", &move_symmetries);

    nb::class_<Position>(module, "Position", "An immutable position.")
        .def(nb::init<std::shared_ptr<const Geometry>>(), "geometry"_a)
        .def_static(
            "from_stones",
            [](std::shared_ptr<const Geometry> geometry, const std::vector<std::uint8_t>& stones) {
                return Position::from_stones(std::move(geometry), stones);
            },
            "geometry"_a, "stones"_a)
        .def("play", &Position::play, "move"_a)
        .def_prop_ro("stones", &Position::stones)
        .def_prop_ro("mover", &Position::mover)
        .def_prop_ro("outcome", &Position::outcome)
        .def_prop_ro("hash", &Position::hash)
        .def_prop_ro("moves", &Position::moves)
        .def_prop_ro("filled", &Position::filled)
        .def("legal_moves", &Position::legal_moves)
        .def("winning_line", &Position::winning_line)
        .def("cells", &Position::cells)
        .def("planes", &planes_of, "kinds"_a)
        .def("__eq__", [](const Position& a, const Position& b) { return a == b; })
        .def("__eq__", [](const Position&, const nb::object&) { return false; })
        .def("__hash__", &Position::hash)
        .def("__getstate__", &parts_of)
        .def("__setstate__", [](Position& position, const PositionParts& parts) {
            new (&position) Position(position_of(parts));
        });

    module.def(
        "perft",
        [](const Position& position, int depth) {
            if (depth < 0) throw UserError("depth is " + std::to_string(depth) + "; at least 0");
            nb::gil_scoped_release release;
            if (position.outcome() != Outcome::ongoing)
                return std::pair<std::uint64_t, std::uint64_t>{};
            const PerftCount count = kernels().perft(position, depth);
            return std::pair{count.sequences, count.finished};
        },
        "position"_a, "depth"_a,
        "Sequences of exactly `depth` moves, and games that end within them.");
}

}  // namespace tengen

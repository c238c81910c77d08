// The input of a network: feature planes of a board.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "isa.hpp"
#include "rules/position.hpp"
#include "rules/random.hpp"

TENGEN_BEGIN

// How many of the last moves the planes show.
inline int history_of(std::span<const Plane> planes) {
    int history = 0;
    for (const Plane& plane : planes) {
        if (plane.kind == PlaneKind::last) history = std::max(history, plane.age);
    }
    return history;
}

// Equal keys mean equal planes, when these show the last `history` moves.
template <class Board>
std::uint64_t planes_key(const Board& board, std::span<const Cell> filled, std::size_t history) {
    std::uint64_t key = board.hash();
    for (const Cell cell : filled.last(std::min(history, filled.size()))) {
        key = Random(key ^ (cell + 1u)).next();
    }
    return key;
}

// Writes planes.size() * cells values of 0 or 1, as Position::write_planes does. `filled` are the
// cells of the moves so far, the newest last.
template <class Board>
void write_planes(const Board& board, std::span<const Cell> filled, std::span<const Plane> planes,
                  float* out) {
    const auto cells = static_cast<std::size_t>(board.geometry().rules.cells());
    std::fill_n(out, planes.size() * cells, 0.0f);
    const auto mark = [&](float* plane, auto is_set) {
        for (std::size_t i = 0; i < cells; ++i) {
            if (is_set(static_cast<Cell>(i))) plane[i] = 1.0f;
        }
    };
    for (const Plane& plane : planes) {
        const auto age = static_cast<std::size_t>(plane.age);
        switch (plane.kind) {
            case PlaneKind::mover: mark(out, [&](Cell c) { return board.mover_has(c); }); break;
            case PlaneKind::opponent:
                mark(out, [&](Cell c) { return board.opponent_has(c); });
                break;
            case PlaneKind::empty: mark(out, [&](Cell c) { return board.is_empty(c); }); break;
            case PlaneKind::playable:
                board.for_each_legal(
                    [&](Move, typename Board::Spot spot) { out[board.cell_of(spot)] = 1.0f; });
                break;
            case PlaneKind::colour:
                if (board.stones() % 2 == 0) std::fill_n(out, cells, 1.0f);
                break;
            case PlaneKind::odd:
                mark(out, [&](Cell c) { return board.geometry().has_odd_height(c); });
                break;
            case PlaneKind::wins:
                board.for_each_completing(true, [&](Cell c) { out[c] = 1.0f; });
                break;
            case PlaneKind::threats:
                board.for_each_completing(false, [&](Cell c) { out[c] = 1.0f; });
                break;
            case PlaneKind::last:
                if (age <= filled.size()) out[filled[filled.size() - age]] = 1.0f;
                break;
        }
        out += cells;
    }
}

TENGEN_END

// A position as the outside sees it: stones, moves so far, outcome, hash and planes.
//
// Immutable: play() gives a new one. Not meant for hot loops; those run on the boards underneath.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rules/geometry.hpp"

namespace tengen {

enum class PlaneKind : std::uint8_t {
    mover,
    opponent,
    empty,
    playable,
    last,
    colour,
    odd,
    wins,     // where the mover's stone would win, could it be placed there
    threats,  // where the opponent's would
};

// One feature plane of a network's input; `age` counts back from 1 for PlaneKind::last.
struct Plane {
    PlaneKind kind;
    int age = 0;
};

class Position {
public:
    // The empty board.
    explicit Position(std::shared_ptr<const Geometry> geometry);
    // `stones` holds 0 empty, 1 first, 2 second per cell. Throws ImpossiblePosition.
    static Position from_stones(std::shared_ptr<const Geometry> geometry,
                                std::span<const std::uint8_t> stones);

    // Throws IllegalMove.
    Position play(Move move) const;

    // The same rules and stones; the order in which they came does not count.
    bool operator==(const Position& other) const;

    const Geometry& geometry() const;
    std::shared_ptr<const Geometry> shared_geometry() const;
    int stones() const;
    // 0 when the first player is to move, 1 when the second is.
    int mover() const { return stones() % 2; }
    Outcome outcome() const;
    std::uint64_t hash() const;
    std::vector<Move> legal_moves() const;
    // The cells of the lines that won, ascending; empty unless somebody has.
    std::vector<Cell> winning_line() const;
    // 0 empty, 1 first, 2 second, per cell.
    std::vector<std::uint8_t> cells() const;
    // Moves since the board the position was set up from, and the cells they filled.
    const std::vector<Move>& moves() const;
    const std::vector<Cell>& filled() const;

    // Writes planes.size() * cells values of 0 or 1, each plane row by row from the top.
    void write_planes(std::span<const Plane> planes, std::span<float> out) const;

private:
    struct Body;
    explicit Position(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
    std::string why_illegal(Move move) const;

    std::shared_ptr<const Body> body_;  // shared by copies: nobody changes it
};

}  // namespace tengen

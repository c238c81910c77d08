// What a k-in-a-row game is: the board, the length of a line, and which lines win.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tengen {

inline constexpr int kMaxSide = 25;
inline constexpr int kMaxCells = kMaxSide * kMaxSide;
inline constexpr int kMinLine = 3;

// Row 0 is the top row; a cell is row * cols + col.
using Cell = std::uint16_t;
// An index into the policy: a column on a gravity board, otherwise a cell.
using Move = std::uint16_t;
inline constexpr std::uint16_t kNone = 0xFFFF;

enum class Outcome : std::uint8_t { ongoing, first_wins, second_wins, draw };

// Which runs of own stones win. The edge of the board is never a block.
enum class LineRule : std::uint8_t {
    free,          // k or more
    exact,         // exactly k
    blocked,       // exactly k, unless an enemy stone stands at each end
    blocked_free,  // k or more, unless an enemy stone stands at each end
};

// A caller's mistake: the message says what was given and what is allowed.
struct UserError : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};
// A move that the position does not allow.
struct IllegalMove : UserError {
    using UserError::UserError;
};
// Stones that no game could have led to.
struct ImpossiblePosition : UserError {
    using UserError::UserError;
};

struct Rules {
    int rows = 0;
    int cols = 0;
    int k = 0;
    bool gravity = false;
    LineRule line = LineRule::free;
    std::vector<Cell> blocked;  // ascending, without repeats

    // Throws UserError unless every field is within what the engine plays.
    static Rules checked(int rows, int cols, int k, bool gravity, LineRule line,
                         std::vector<Cell> blocked);

    int cells() const { return rows * cols; }
    int playable_cells() const { return cells() - static_cast<int>(blocked.size()); }
    // The size of the policy.
    int moves() const { return gravity ? cols : cells(); }
    bool operator==(const Rules&) const = default;
};

}  // namespace tengen

#include "rules/position.hpp"

#include <algorithm>
#include <array>

#include "rules/line_board.hpp"
#include "rules/random.hpp"

namespace tengen {
namespace {

// Zobrist's key of a stone; computed rather than stored, since positions are not in hot loops.
std::uint64_t stone_key(std::size_t player, Cell cell) {
    return Random(2 * std::uint64_t{cell} + player).next();
}

// "h8": a letter for the column and a number for the row, counted from the bottom.
std::string name(const Geometry& g, std::size_t cell) {
    const auto c = static_cast<Cell>(cell);
    return static_cast<char>('a' + g.col(c)) + std::to_string(g.rules.rows - g.row(c));
}

// Bits of `own` that belong to a winning run through any of `line`'s words.
std::uint32_t winning_stones(const LineBoard<0>& board, std::size_t player, std::size_t line) {
    const Rules& rules = board.geometry().rules;
    const std::uint32_t own = board.line(player, line);
    const std::uint32_t starts =
        winning_starts(own, board.line(1 - player, line), rules.line, rules.k, 1);
    return starts == 0 ? 0 : flood_up(starts, own, 1);
}

std::vector<Cell> winning_cells(const LineBoard<0>& board, std::size_t player) {
    std::vector<Cell> cells;
    const Geometry& g = board.geometry();
    for (std::size_t line = 0; line < static_cast<std::size_t>(g.line_count); ++line) {
        const std::uint32_t stones = winning_stones(board, player, line);
        for (std::size_t bit = 0; bit < kMaxSide; ++bit) {
            if ((stones >> bit) & 1u) cells.push_back(g.cell_on_line[line][bit]);
        }
    }
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    return cells;
}

void check_stones(const Geometry& g, std::span<const std::uint8_t> stones) {
    const auto expected = static_cast<std::size_t>(g.rules.cells());
    if (stones.size() != expected) {
        throw ImpossiblePosition("the board has " + std::to_string(stones.size()) +
                                 " cells; this game has " + std::to_string(expected));
    }
    std::array<int, 3> count{};
    for (std::size_t cell = 0; cell < expected; ++cell) {
        if (stones[cell] > 2) {
            throw ImpossiblePosition(name(g, cell) + " holds " + std::to_string(stones[cell]) +
                                     "; it must be 0 (empty), 1 (first) or 2 (second)");
        }
        if (stones[cell] != 0 && g.is_blocked[cell]) {
            throw ImpossiblePosition(name(g, cell) + " is blocked and cannot hold a stone");
        }
        ++count[stones[cell]];
    }
    if (count[1] != count[2] && count[1] != count[2] + 1) {
        throw ImpossiblePosition("the board has " + std::to_string(count[1]) +
                                 " stones of the first player and " + std::to_string(count[2]) +
                                 " of the second; the first must have as many or one more");
    }
    if (!g.rules.gravity) return;
    for (std::size_t cell = 0; cell < expected; ++cell) {
        const Cell above = g.above[cell];
        if (stones[cell] == 0 && !g.is_blocked[cell] && above != kNone && stones[above] != 0) {
            throw ImpossiblePosition("column " + std::to_string(g.col(above) + 1) +
                                     " has a stone above an empty cell");
        }
    }
}

}  // namespace

struct Position::Body {
    explicit Body(std::shared_ptr<const Geometry> g) : geometry(std::move(g)), board(*geometry) {}

    void settle_outcome(bool last_stone_won) {
        if (last_stone_won) {
            outcome = board.mover() == 1 ? Outcome::first_wins : Outcome::second_wins;
        } else if (board.is_full()) {
            outcome = Outcome::draw;
        }
    }

    std::shared_ptr<const Geometry> geometry;
    LineBoard<0> board;
    Outcome outcome = Outcome::ongoing;
    std::uint64_t hash = 0;
    std::vector<Move> moves;
    std::vector<Cell> filled;
};

Position::Position(std::shared_ptr<const Geometry> geometry)
    : body_(std::make_shared<const Body>(std::move(geometry))) {}

Position Position::from_stones(std::shared_ptr<const Geometry> geometry,
                               std::span<const std::uint8_t> stones) {
    check_stones(*geometry, stones);
    auto body = std::make_shared<Body>(std::move(geometry));
    body->board = LineBoard<0>::from_cells(*body->geometry, stones);
    for (std::size_t cell = 0; cell < stones.size(); ++cell) {
        if (stones[cell] != 0) body->hash ^= stone_key(stones[cell] - 1u, static_cast<Cell>(cell));
    }
    const std::size_t mover = body->board.mover();
    if (!winning_cells(body->board, mover).empty()) {
        throw ImpossiblePosition("the player to move has a winning line already");
    }
    body->settle_outcome(!winning_cells(body->board, 1 - mover).empty());
    return Position(std::move(body));
}

Position Position::play(Move move) const {
    const bool on_board = move < geometry().rules.moves();
    const Cell cell = on_board ? body_->board.landing_cell(move) : kNone;
    if (outcome() != Outcome::ongoing || cell == kNone) throw IllegalMove(why_illegal(move));
    auto next = std::make_shared<Body>(*body_);
    next->board.place(cell);
    next->hash ^= stone_key(body_->board.mover(), cell);
    next->moves.push_back(move);
    next->filled.push_back(cell);
    next->settle_outcome(next->board.stone_won(cell));
    return Position(std::move(next));
}

bool Position::operator==(const Position& other) const {
    return hash() == other.hash() && geometry().rules == other.geometry().rules &&
           cells() == other.cells();
}

const Geometry& Position::geometry() const { return *body_->geometry; }
std::shared_ptr<const Geometry> Position::shared_geometry() const { return body_->geometry; }
int Position::stones() const { return body_->board.stones(); }
Outcome Position::outcome() const { return body_->outcome; }
std::uint64_t Position::hash() const { return body_->hash; }
const std::vector<Move>& Position::moves() const { return body_->moves; }
const std::vector<Cell>& Position::filled() const { return body_->filled; }

std::string Position::why_illegal(Move move) const {
    const Rules& rules = geometry().rules;
    if (outcome() != Outcome::ongoing) return "the game is over";
    if (move >= rules.moves()) {
        return (rules.gravity ? "column " + std::to_string(move + 1)
                              : "cell " + std::to_string(move)) +
               " is not on the board of " + std::to_string(rules.rows) + "x" +
               std::to_string(rules.cols);
    }
    if (rules.gravity) return "column " + std::to_string(move + 1) + " is full";
    return name(geometry(), move) + (geometry().is_blocked[move] ? " is blocked" : " is taken");
}

std::vector<Move> Position::legal_moves() const {
    std::vector<Move> moves;
    const auto& board = body_->board;
    if (outcome() != Outcome::ongoing) return moves;
    board.for_each_legal([&](Move move, Cell) { moves.push_back(move); });
    return moves;
}

std::vector<Cell> Position::winning_line() const {
    if (outcome() == Outcome::ongoing || outcome() == Outcome::draw) return {};
    return winning_cells(body_->board, outcome() == Outcome::first_wins ? 0 : 1);
}

std::vector<std::uint8_t> Position::cells() const {
    const auto& board = body_->board;
    std::vector<std::uint8_t> stones(static_cast<std::size_t>(geometry().rules.cells()));
    for (std::size_t cell = 0; cell < stones.size(); ++cell) {
        for (std::size_t player = 0; player < 2; ++player) {
            if (board.has_stone(player, static_cast<Cell>(cell))) {
                stones[cell] = static_cast<std::uint8_t>(player + 1);
            }
        }
    }
    return stones;
}

void Position::write_planes(std::span<const Plane> planes, std::span<float> out) const {
    const auto& board = body_->board;
    const auto cells = static_cast<std::size_t>(geometry().rules.cells());
    std::fill(out.begin(), out.end(), 0.0f);
    std::vector<bool> lands(cells, false);
    if (outcome() == Outcome::ongoing) {
        board.for_each_legal([&](Move, Cell cell) { lands[cell] = true; });
    }
    for (std::size_t p = 0; p < planes.size(); ++p) {
        const std::span<float> plane = out.subspan(p * cells, cells);
        const auto age = static_cast<std::size_t>(planes[p].age);
        if (planes[p].kind == PlaneKind::last) {
            if (age <= filled().size()) plane[filled()[filled().size() - age]] = 1.0f;
            continue;
        }
        for (std::size_t i = 0; i < cells; ++i) {
            const auto cell = static_cast<Cell>(i);
            bool set = false;
            switch (planes[p].kind) {
                case PlaneKind::mover: set = board.has_stone(board.mover(), cell); break;
                case PlaneKind::opponent: set = board.has_stone(1 - board.mover(), cell); break;
                case PlaneKind::empty: set = board.is_empty(cell); break;
                case PlaneKind::playable: set = lands[i]; break;
                case PlaneKind::colour: set = board.mover() == 0; break;
                case PlaneKind::odd: set = board.geometry().has_odd_height(cell); break;
                case PlaneKind::wins:
                    set = board.is_empty(cell) && board.would_win(board.mover(), cell);
                    break;
                case PlaneKind::threats:
                    set = board.is_empty(cell) && board.would_win(1 - board.mover(), cell);
                    break;
                case PlaneKind::last: break;
            }
            if (set) plane[i] = 1.0f;
        }
    }
}

}  // namespace tengen

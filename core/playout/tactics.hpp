// What a rule-based move looks at: wins and blocks in one, extensions, neighbours.
//
// Tactics<Board> follows one game: it is made from the board, told every stone by after(), and
// asked where to play. On a SmallBoard it recomputes everything from the words each time; on a
// LineBoard it keeps sets of cells up to date around each new stone.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "isa.hpp"
#include "rules/line_board.hpp"
#include "rules/random.hpp"
#include "rules/small_board.hpp"

TENGEN_BEGIN

template <class Board>
class Tactics;

// Where the reflex opens: one of the cells nearest to the middle.
template <class Board>
typename Board::Spot central_spot(const Board& board, Random& random) {
    const std::vector<Cell>& centre = board.geometry().centre;
    return board.spot_of(centre[random.below(static_cast<std::uint32_t>(centre.size()))]);
}

template <int K>
class Tactics<SmallBoard<K>> {
public:
    using Board = SmallBoard<K>;
    using Spot = typename Board::Spot;

    explicit Tactics(const Board&) {}
    void after(const Board&, Spot) {}

    // The first spot where the mover wins at once, else where the opponent would; 0 when neither.
    Spot forced(const Board& board) const {
        const std::uint64_t landing = board.landing_cells();
        std::uint64_t cells = board.winning_cells(board.own(), board.enemy(), landing);
        if (cells == 0) cells = board.winning_cells(board.enemy(), board.own(), landing);
        return cells & (~cells + 1);
    }

    // A spot of the first group that is not empty: wins, blocks, extensions of k-2 of either side,
    // neighbours of stones, anything; the centre of an empty board.
    Spot reflex(const Board& board, Random& random) const {
        if (board.stones() == 0) return central_spot(board, random);
        const std::uint64_t landing = board.landing_cells();
        std::uint64_t group = board.winning_cells(board.own(), board.enemy(), landing);
        if (group == 0) group = board.winning_cells(board.enemy(), board.own(), landing);
        if (group == 0) {
            const int n = board.k() - 1;
            group = (board.completing_cells(board.own(), n) |
                     board.completing_cells(board.enemy(), n)) &
                    landing;
        }
        if (group == 0) group = neighbours(board) & landing;
        if (group == 0) group = landing;
        const auto size = static_cast<std::uint32_t>(std::popcount(group));
        return std::uint64_t{1} << nth_bit(group, random.below(size));
    }

private:
    static std::uint64_t neighbours(const Board& board) {
        const int h = board.geometry().small.stride;
        const std::uint64_t x = board.own() | board.enemy();
        return (x << 1) | (x >> 1) | (x << h) | (x >> h) | (x << (h + 1)) | (x >> (h + 1)) |
               (x << (h - 1)) | (x >> (h - 1));
    }
};

// A set of cells with constant-time insert, erase and choice.
class CellSet {
public:
    CellSet() { where_.fill(kNone); }
    int size() const { return size_; }
    bool contains(Cell cell) const { return where_[cell] != kNone; }
    Cell operator[](std::size_t i) const { return items_[i]; }
    const Cell* begin() const { return items_.data(); }
    const Cell* end() const { return items_.data() + size_; }
    void insert(Cell cell) {
        if (contains(cell)) return;
        where_[cell] = static_cast<std::uint16_t>(size_);
        items_[static_cast<std::size_t>(size_++)] = cell;
    }
    void erase(Cell cell) {
        if (!contains(cell)) return;
        const Cell moved = items_[static_cast<std::size_t>(--size_)];
        items_[where_[cell]] = moved;
        where_[moved] = where_[cell];
        where_[cell] = kNone;
    }

private:
    int size_ = 0;
    std::array<Cell, kMaxCells> items_;
    std::array<std::uint16_t, kMaxCells> where_;
};

template <int K>
class Tactics<LineBoard<K>> {
public:
    using Board = LineBoard<K>;
    using Spot = typename Board::Spot;

    explicit Tactics(const Board& board) {
        const Geometry& g = board.geometry();
        for (std::size_t line = 0; line < static_cast<std::size_t>(g.line_count); ++line) {
            for (std::size_t player = 0; player < 2; ++player) scan(board, player, line);
        }
        for (int index = 0; index < g.rules.cells(); ++index) {
            const auto cell = static_cast<Cell>(index);
            if (board.has_stone(0, cell) || board.has_stone(1, cell)) touch(board, cell);
        }
    }

    void after(const Board& board, Spot cell) {
        for (auto& of_player : completing_) {
            for (CellSet& cells : of_player) cells.erase(cell);
        }
        near_.erase(cell);
        const std::size_t owner = 1 - board.mover();
        for (const std::uint8_t line : board.geometry().lines_of_cell[cell].line) {
            scan(board, owner, line);
        }
        touch(board, cell);
    }

    // The first cell where the mover wins at once, else where the opponent would; or kNone.
    Spot forced(const Board& board) const {
        for (const std::size_t player : {board.mover(), 1 - board.mover()}) {
            Cell first = kNone;
            for (const Cell cell : completing_[player][kLine]) {
                if (cell < first && board.lands(cell) && board.would_win(player, cell))
                    first = cell;
            }
            if (first != kNone && board.geometry().rules.gravity) {
                first = leftmost_win(board, player);
            }
            if (first != kNone) return first;
        }
        return kNone;
    }

    // As Tactics<SmallBoard>::reflex.
    Spot reflex(const Board& board, Random& random) const {
        if (board.stones() == 0) return central_spot(board, random);
        std::array<Cell, 2 * kMaxCells> group;
        std::size_t size = 0;
        const auto add = [&](const CellSet& cells, auto keep) {
            for (const Cell cell : cells) {
                if (board.lands(cell) && keep(cell)) group[size++] = cell;
            }
        };
        const std::size_t own = board.mover();
        const std::size_t enemy = 1 - own;
        add(completing_[own][kLine], [&](Cell c) { return board.would_win(own, c); });
        if (size == 0) {
            add(completing_[enemy][kLine], [&](Cell c) { return board.would_win(enemy, c); });
        }
        if (size == 0) {
            const CellSet& mine = completing_[own][kExtension];
            add(mine, [](Cell) { return true; });
            add(completing_[enemy][kExtension], [&](Cell c) { return !mine.contains(c); });
        }
        if (size == 0) add(near_, [](Cell) { return true; });
        if (size == 0) board.for_each_legal([&](Move, Cell cell) { group[size++] = cell; });
        return group[random.below(static_cast<std::uint32_t>(size))];
    }

private:
    static constexpr std::size_t kLine = 0;       // one stone makes k
    static constexpr std::size_t kExtension = 1;  // one stone makes k - 1

    // On a gravity board moves are ordered by column, not by cell.
    static Cell leftmost_win(const Board& board, std::size_t player) {
        Cell found = kNone;
        board.for_each_legal([&](Move, Cell cell) {
            if (found == kNone && board.would_win(player, cell)) found = cell;
        });
        return found;
    }
    // Inserts the empty cells of a line where one stone of `player` makes k, or k - 1.
    void scan(const Board& board, std::size_t player, std::size_t line) {
        const Geometry& g = board.geometry();
        const auto insert = [&](std::uint32_t bits, CellSet& cells) {
            for (; bits != 0; bits &= bits - 1) {
                cells.insert(
                    g.cell_on_line[line][static_cast<std::size_t>(std::countr_zero(bits))]);
            }
        };
        insert(board.completing_on(player, line, board.k() - 1), completing_[player][kExtension]);
        insert(board.completing_on(player, line, board.k()), completing_[player][kLine]);
    }
    void touch(const Board& board, Cell cell) {
        for (const Cell neighbour : board.geometry().neighbours[cell]) {
            if (board.is_empty(neighbour)) near_.insert(neighbour);
        }
    }

    std::array<std::array<CellSet, 2>, 2> completing_;  // [player][kLine or kExtension]
    CellSet near_;                                      // empty cells next to a stone
};

TENGEN_END

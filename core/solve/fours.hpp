// Victory by continuous fours: a win in which every move but the last threatens to win at once, so
// that the opponent has one answer or none.
//
//     . X X X .      a stone at either end makes a four, with a win on one side of it or both
//     X . X . X      one in either gap makes a four, with a win in the other
//
// Only for boards without gravity, and for line rules under which a win can be stopped on its last
// cell alone: free and exact.
#pragma once

#include <bit>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "isa.hpp"
#include "rules/line_board.hpp"

TENGEN_BEGIN

// Positions to look at: in a tree as many as cost less than asking a network, at its root more.
inline constexpr std::uint64_t kFoursInTree = 64;
inline constexpr std::uint64_t kFoursAtRoot = 20'000;

inline void require_fours(const Rules& rules) {
    if (rules.gravity || (rules.line != LineRule::free && rules.line != LineRule::exact)) {
        throw UserError("vcf is for boards without gravity, with line=free or line=exact");
    }
}

template <int K>
class FourSearch {
public:
    using Board = LineBoard<K>;
    using Line = typename Board::Line;

    // The moves of both sides up to the mover's win, or none when there is no such win or it was
    // not found among `nodes` positions. The rules must fit, and the game must not be over.
    const std::vector<Cell>& find(const Board& board, std::uint64_t nodes) {
        line_.clear();
        failed_.clear();
        left_ = nodes;
        attack(board);
        return line_;
    }

private:
    // A window of k cells with two empty ones, the rest the attacker's: either makes a four.
    struct Four {
        Cell move;
        Cell win;
    };

    // Whether the mover wins by fours; if so, line_ says how.
    bool attack(const Board& board) {
        if (left_ == 0) return false;
        --left_;
        const std::size_t own = board.mover();
        Cell win = kNone;
        if (count_wins(board, own, win) > 0) {
            line_.push_back(win);
            return true;
        }
        Cell threat = kNone;
        const int threats = count_wins(board, 1 - own, threat);
        if (threats > 1 || !failed_.insert(board.hash()).second) return false;
        for (const Four& four : fours(board, own)) {
            if (threats == 1 && four.move != threat) continue;
            const std::size_t before = line_.size();
            line_.push_back(four.move);
            if (wins_with(board, four.move)) return true;
            line_.resize(before);
        }
        return false;
    }
    // Whether a four leads to a win whatever the opponent does.
    bool wins_with(const Board& board, Cell move) {
        const std::size_t own = board.mover();
        Board after = board;
        after.place(move);
        Cell win = kNone;
        const int wins = count_wins(after, own, win);
        Cell answer = kNone;
        if (wins == 0 || count_wins(after, 1 - own, answer) > 0) return false;
        line_.push_back(win);  // where the opponent must answer; with two wins it does not help
        after.place(win);
        if (wins == 1) return attack(after);
        count_wins(after, own, win);
        line_.push_back(win);
        return true;
    }

    // On how many cells a player would win at once, counted up to two; and one of them.
    static int count_wins(const Board& board, std::size_t player, Cell& found) {
        const Geometry& g = board.geometry();
        int count = 0;
        for (std::size_t line = 0; line < static_cast<std::size_t>(g.line_count); ++line) {
            for (Line bits = board.completing_on(player, line, board.k()); bits != 0;
                 bits &= bits - 1) {
                const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
                const Cell cell = g.cell_on_line[line][bit];
                if (cell == found || !board.would_win(player, cell)) continue;
                found = cell;
                if (++count == 2) return count;
            }
        }
        return count;
    }

    static std::vector<Four> fours(const Board& board, std::size_t player) {
        const Geometry& g = board.geometry();
        const int k = board.k();
        const Line window = (Line{1} << k) - 1;
        std::vector<Four> found;
        for (std::size_t line = 0; line < static_cast<std::size_t>(g.line_count); ++line) {
            const Line own = board.line(player, line);
            if (std::popcount(own) < k - 2) continue;
            const Line open = g.open_line[line] & ~board.line(1 - player, line);
            for (int start = 0; start + k <= kMaxSide; ++start) {
                const Line cells = window << start;
                if ((open & cells) != cells || std::popcount(own & cells) != k - 2) continue;
                const Line empty = cells & ~own;
                const Cell low = g.cell_on_line[line][lowest(empty)];
                const Cell high = g.cell_on_line[line][lowest(empty & (empty - 1))];
                found.push_back({low, high});
                found.push_back({high, low});
            }
        }
        return found;
    }
    static std::size_t lowest(Line bits) {
        return static_cast<std::size_t>(std::countr_zero(bits));
    }

    std::vector<Cell> line_;
    std::unordered_set<std::uint64_t> failed_;
    std::uint64_t left_ = 0;
};

// The same for any board, where it is wanted; a small one is laid out in lines first.
template <class Board>
class FourProbe {
public:
    // Throws UserError where fours are wanted but do not fit.
    FourProbe(const Geometry& geometry, bool is_wanted) : is_wanted_(is_wanted) {
        if (is_wanted) require_fours(geometry.rules);
    }
    // The first cell of a win for the mover, or kNone.
    Cell first(const Board& board, std::uint64_t nodes) {
        if (!is_wanted_) return kNone;
        const std::vector<Cell>& line = search_.find(in_lines(board), nodes);
        return line.empty() ? kNone : line.front();
    }

private:
    template <int K>
    static const LineBoard<K>& in_lines(const LineBoard<K>& board) {
        return board;
    }
    template <class Other>
    static LineBoard<0> in_lines(const Other& board) {
        const Geometry& g = board.geometry();
        std::vector<std::uint8_t> cells(static_cast<std::size_t>(g.rules.cells()));
        const bool first_moves = board.stones() % 2 == 0;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto cell = static_cast<Cell>(i);
            if (board.mover_has(cell)) cells[i] = first_moves ? 1 : 2;
            if (board.opponent_has(cell)) cells[i] = first_moves ? 2 : 1;
        }
        return LineBoard<0>::from_cells(g, cells);
    }
    template <int K>
    static FourSearch<K> search_for(const LineBoard<K>&);
    template <class Other>
    static FourSearch<0> search_for(const Other&);

    bool is_wanted_;
    decltype(search_for(std::declval<const Board&>())) search_;
};

TENGEN_END

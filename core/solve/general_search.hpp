// The exact solver of small boards of any kind: with or without gravity, any line rule.
//
// Alpha-beta over null windows with a table of proven bounds. Positions that are the same up to a
// symmetry of the board share an entry.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "isa.hpp"
#include "rules/geometry.hpp"
#include "rules/line_board.hpp"
#include "rules/small_board.hpp"
#include "rules/symmetry.hpp"
#include "solve/bound_table.hpp"
#include "solve/claims.hpp"
#include "solve/limit.hpp"
#include "solve/score.hpp"

TENGEN_BEGIN

// A set of cells, one bit each; the solver's boards have at most 32.
using Cells = std::uint32_t;
inline constexpr int kMostGeneralCells = 32;

// Where `player` would win with a stone placed now.
template <int K>
Cells winning_cells(const SmallBoard<K>& board, bool is_mover) {
    const std::uint64_t own = is_mover ? board.own() : board.enemy();
    const std::uint64_t enemy = is_mover ? board.enemy() : board.own();
    Cells cells = 0;
    std::uint64_t spots = board.winning_cells(own, enemy, board.landing_cells());
    for (; spots != 0; spots &= spots - 1) {
        cells |= Cells{1} << board.cell_of(spots & (~spots + 1));
    }
    return cells;
}
template <int K>
Cells winning_cells(const LineBoard<K>& board, bool is_mover) {
    const std::size_t player = is_mover ? board.mover() : 1 - board.mover();
    Cells cells = 0;
    board.for_each_legal([&](Move, Cell cell) {
        if (board.would_win(player, cell)) cells |= Cells{1} << cell;
    });
    return cells;
}

// Every symmetry of a board as a permutation of cell sets, eight bits at a time.
class CellSymmetries {
public:
    explicit CellSymmetries(const Geometry& geometry) {
        for (const auto& to : cell_symmetries(geometry)) {
            auto& table = tables_.emplace_back();
            for (std::size_t byte = 0; byte < table.size(); ++byte) {
                for (std::size_t bits = 0; bits < 256; ++bits) {
                    Cells image = 0;
                    for (std::size_t bit = 0; bit < 8; ++bit) {
                        const std::size_t cell = 8 * byte + bit;
                        if (((bits >> bit) & 1u) && cell < to.size()) image |= Cells{1} << to[cell];
                    }
                    table[byte][bits] = image;
                }
            }
        }
    }
    // The least of the keys of all images: equal for positions that are the same.
    std::uint64_t canonical_key(Cells own, Cells enemy) const {
        std::uint64_t least = ~std::uint64_t{0};
        for (const Table& table : tables_) {
            const std::uint64_t key =
                (std::uint64_t{image(table, own)} << 32) | image(table, enemy);
            least = std::min(least, key);
        }
        return least;
    }

private:
    using Table = std::array<std::array<Cells, 256>, sizeof(Cells)>;
    static Cells image(const Table& table, Cells cells) {
        Cells result = 0;
        for (std::size_t byte = 0; byte < table.size(); ++byte) {
            result |= table[byte][(cells >> (8 * byte)) & 0xFFu];
        }
        return result;
    }
    std::vector<Table> tables_;
};

// A position as the search takes it: the mover's stones and the opponent's beside the board.
template <class Board>
struct GeneralNode {
    Board board;
    Cells own;
    Cells enemy;
};

template <class Board, class TableOf>
class GeneralSearch {
public:
    using Table = TableOf;
    using Node = GeneralNode<Board>;

    GeneralSearch(const Geometry& geometry, Table table)
        : playable_(geometry.rules.playable_cells()),
          is_free_(geometry.rules.line == LineRule::free),
          has_gravity_(geometry.rules.gravity),
          lines_(lines_of(geometry)),
          symmetries_(geometry),
          table_(std::move(table)) {}

    std::uint64_t nodes() const { return nodes_; }
    void clear() { table_.clear(); }

    void begin(const Node&, SolveLimit& limit) {
        limit_ = &limit;
        next_check_ = limit.next_check(nodes_);
    }
    bool stopped() const { return limit_->is_reached(); }

    // The next question: is the score over alpha? First whether it is a win, a draw or a loss, then
    // by how much, halving what is left.
    static int next_alpha(ScoreBounds bounds, int) {
        const int middle = bounds.low + (bounds.high - bounds.low) / 2;
        if (middle <= 0 && bounds.low / 2 < middle) return bounds.low / 2;
        if (middle >= 0 && bounds.high / 2 > middle) return bounds.high / 2;
        return middle;
    }

    // A bound of the score: at least the result if that is over alpha, otherwise at most it.
    // The mover must not be able to win at once. Means nothing once stopped().
    int search(const Node& node, int alpha) {
        return search(node.board, node.own, node.enemy, alpha, alpha + 1);
    }

private:
    static constexpr std::int8_t kUnknownLow = -100;
    static constexpr std::int8_t kUnknownHigh = 100;

    static constexpr int kThreatMerit = 100;  // a threat comes before any number of lines
    static constexpr int kClaimFrom = 8;      // empty cells; with fewer it is not worth the trouble

    struct Candidate {
        typename Board::Spot spot;
        int merit;
    };

    // At most alpha: the score is at most that. At least beta: it is at least that. Requires that
    // the mover has no win at once and that the board is not full.
    int search(const Board& board, Cells own, Cells enemy, int alpha, int beta) {
        if (++nodes_ >= next_check_) {
            next_check_ = limit_->next_check(nodes_);
            limit_->check(nodes_);
        }
        if (limit_->is_reached()) return 0;
        const int stones = board.stones();
        if (stones + 1 == playable_) return 0;  // the last stone, and it does not win
        const Cells threats = winning_cells(board, false);
        // Other line rules have further ways to spoil a threat than to take its cell.
        if (is_free_ && std::popcount(threats) > 1) return -win_score(playable_, stones + 1);
        // With gravity our stone may be what the opponent's winning stone lands on.
        int low = threats != 0 || has_gravity_ ? lowest_score(playable_, stones)
                                               : std::min(0, -win_score(playable_, stones + 3));
        int high = highest_score(playable_, stones);
        if (!has_open_line(enemy)) high = 0;
        if (!has_open_line(own)) low = 0;
        if ((alpha = std::max(alpha, low)) >= beta) return alpha;
        if ((beta = std::min(beta, high)) <= alpha) return beta;

        const std::uint64_t key = key_of(own, enemy);
        Known known{kUnknownLow, kUnknownHigh, 0};
        if (const auto before = table_.find(key)) known = *before;
        if ((alpha = std::max<int>(alpha, known.low)) >= beta) return alpha;
        if ((beta = std::min<int>(beta, known.high)) <= alpha) return beta;

        const std::uint64_t start = nodes_;
        const int found = best_reply(board, own, enemy, is_free_ ? threats : 0, alpha, beta);
        if (limit_->is_reached()) return 0;
        if (found <= alpha) known.high = static_cast<std::int8_t>(found);
        if (found >= beta) known.low = static_cast<std::int8_t>(found);
        known.work = static_cast<std::uint8_t>(std::bit_width(nodes_ - start));
        table_.store(key, known);
        return found;
    }

    // `forced` holds the only cells worth a stone, or none when all are.
    int best_reply(const Board& board, Cells own, Cells enemy, Cells forced, int alpha, int beta) {
        std::array<Candidate, kMostGeneralCells> candidates;
        std::size_t count = 0;
        board.for_each_legal([&](Move, typename Board::Spot spot) {
            const Cells cell = Cells{1} << board.cell_of(spot);
            if (forced != 0 && (forced & cell) == 0) return;
            Board child = board;
            child.place(spot);
            const int made = std::popcount(winning_cells(child, false));
            candidates[count++] = {spot, kThreatMerit * made + open_lines(cell, own, enemy)};
        });
        std::stable_sort(candidates.begin(),
                         candidates.begin() + static_cast<std::ptrdiff_t>(count),
                         [](const Candidate& a, const Candidate& b) { return a.merit > b.merit; });
        int best = kUnknownLow;
        const auto cell_at = [&](int i) {
            return Cells{1} << board.cell_of(candidates[static_cast<std::size_t>(i)].spot);
        };
        const auto try_move = [&](int i) {
            Board child = board;
            child.place(candidates[static_cast<std::size_t>(i)].spot);
            int score = 0;
            if (winning_cells(child, true) != 0) {
                score = -win_score(playable_, child.stones());
            } else if (!child.is_full()) {
                score = -search(child, enemy, own | cell_at(i), -beta, -alpha);
            }
            best = std::max(best, score);
            alpha = std::max(alpha, score);
            return !limit_->is_reached() && alpha < beta;
        };
        const int moves = static_cast<int>(count);
        if (Table::kIsShared && playable_ - board.stones() >= kClaimFrom) {
            search_apart(table_, moves, try_move,
                         [&](int i) { return key_of(enemy, own | cell_at(i)); });
        } else {
            for (int i = 0; i < moves && try_move(i);) ++i;
        }
        return best;
    }

    // Every k playable cells in a row.
    static std::vector<Cells> lines_of(const Geometry& g) {
        std::vector<Cells> lines;
        const auto k = static_cast<std::size_t>(g.rules.k);
        for (std::size_t line = 0; line < static_cast<std::size_t>(g.line_count); ++line) {
            const auto& cells = g.cell_on_line[line];
            for (std::size_t from = 0; from + k <= cells.size(); ++from) {
                Cells mask = 0;
                for (std::size_t i = from; i < from + k; ++i) {
                    if (cells[i] != kNone && !g.is_blocked[cells[i]]) mask |= Cells{1} << cells[i];
                }
                if (std::popcount(mask) == g.rules.k) lines.push_back(mask);
            }
        }
        return lines;
    }
    // Whether some line has no stone of `blocker`, so that its opponent may still fill it.
    bool has_open_line(Cells blocker) const {
        return std::any_of(lines_.begin(), lines_.end(),
                           [&](Cells line) { return (line & blocker) == 0; });
    }

    // How much a cell matters to either side: its lines that are still open, and how full they are.
    int open_lines(Cells cell, Cells own, Cells enemy) const {
        int merit = 0;
        for (const Cells line : lines_) {
            if ((line & cell) == 0) continue;
            if ((line & enemy) == 0) merit += 1 + 2 * std::popcount(line & own);
            if ((line & own) == 0) merit += 1 + 2 * std::popcount(line & enemy);
        }
        return merit;
    }

    // Both sets of stones, exactly. Never 0: no cell is in both.
    std::uint64_t key_of(Cells own, Cells enemy) const {
        return ~symmetries_.canonical_key(own, enemy);
    }

    int playable_;
    bool is_free_;
    bool has_gravity_;
    std::vector<Cells> lines_;
    CellSymmetries symmetries_;
    Table table_;
    SolveLimit* limit_ = nullptr;
    std::uint64_t nodes_ = 0;
    std::uint64_t next_check_ = 0;
};

TENGEN_END

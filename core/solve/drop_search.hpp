// Null-window search of a gravity board: is the score over alpha, yes or no?
//
// A node only holds positions whose mover cannot win at once. In the order of their price it tries
//   1. forced answers, and moves that hand the opponent a win;
//   2. the extremes that the number of empty cells leaves;
//   3. at the horizon of the question, whether some move leaves no answer (no table, no children);
//   4. bounds by parity (drop_parity.hpp);
//   5. the table, then the children's entries in the table, then the children.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "isa.hpp"
#include "solve/book.hpp"
#include "solve/bound_table.hpp"
#include "solve/claims.hpp"
#include "solve/drop_layout.hpp"
#include "solve/drop_lines.hpp"
#include "solve/drop_parity.hpp"
#include "solve/limit.hpp"
#include "solve/score.hpp"

TENGEN_BEGIN

template <class Word, int K, int Stride, class TableOf>
class DropSearch {
public:
    using Table = TableOf;
    using Node = DropNode<Word>;

    DropSearch(const DropLayout<Word>& layout, Table table)
        : layout_(layout), lines_(layout), parity_(layout_, lines_), table_(std::move(table)) {}
    DropSearch(const DropSearch&) = delete;  // parity_ refers to its neighbours
    DropSearch& operator=(const DropSearch&) = delete;

    const DropLayout<Word>& layout() const { return layout_; }
    const DropLines<Word, K, Stride>& lines() const { return lines_; }
    std::uint64_t nodes() const { return nodes_; }
    void clear() { table_.clear(); }
    void set_book(std::shared_ptr<const OpeningBook> book) { book_ = std::move(book); }

    Word occupied(const Node& node) const { return node.own | node.enemy | layout_.blocked; }
    // The next free bit of every column: a cell, or the lid of a full one.
    Word tops(Word occupied) const { return (occupied + layout_.bottoms) & ~occupied; }

    Node node(Word own, Word enemy) const {
        return {own, enemy, lines_.completing(own), lines_.completing(enemy),
                layout_.cells - count_bits(own | enemy)};
    }
    Node child(const Node& node, Word move) const {
        return {node.enemy, node.own | move, node.enemy_wins, lines_.completing(node.own | move),
                node.empties - 1};
    }

    // Whether the mover completes a line at once.
    bool wins_at_once(const Node& node) const {
        return (node.own_wins & tops(occupied(node)) & layout_.board) != 0;
    }

    // Prepares for searches under `node`; false positives of `mirrors_` only cost time.
    void begin(const Node& node, SolveLimit& limit) {
        limit_ = &limit;
        stopped_ = false;
        next_check_ = limit_->next_check(nodes_);
        // A position below has a mirror image below too only if the stones already there allow it.
        mirrors_ = layout_.mirrors && (node.own & layout_.mirror(node.enemy)) == 0;
    }
    bool stopped() const { return stopped_; }

    // The next question: is the score over alpha? First for a short loss and a short win, which
    // is cheap to answer; then who wins at all, where parity helps most; then how long it takes,
    // beginning at the slow end.
    static int next_alpha(ScoreBounds bounds, int asked) {
        if (bounds.low < 0 && bounds.high > 0) {
            if (asked == 0 && bounds.low < -1) return bounds.low / 2;
            if (asked == 1 && bounds.high > 1) return bounds.high / 2;
            return asked % 2 == 0 ? 0 : -1;
        }
        if (bounds.low >= 0) return bounds.low + (bounds.high - bounds.low) / 3;
        return bounds.high - 1 - (bounds.high - 1 - bounds.low) / 3;
    }

    // A bound of the score: at least the result if that is over alpha, otherwise at most it.
    // The mover must not be able to win at once. Means nothing once stopped().
    int search(const Node& node, int alpha) {
        if (++nodes_ >= next_check_) check_limit();
        const Word occupied = this->occupied(node);
        const Word playable = tops(occupied) & layout_.board;
        Word moves = playable;
        if (const Word forced = node.enemy_wins & playable; forced != 0) {
            if ((forced & (forced - 1)) != 0) return -(node.empties / 2);
            moves = forced;
        }
        moves &= ~layout_.below(node.enemy_wins & layout_.board);
        if (moves == 0) return -(node.empties / 2);

        if (book_ != nullptr && layout_.cells - node.empties == book_->stones()) {
            if (const auto known = in_book(node)) return *known;
        }
        // Nobody wins within the next two stones, which leaves these extremes. They meet at 0
        // when two cells are left.
        const int high = (node.empties - 1) / 2;
        if (high <= alpha) return high;
        const int low = -((node.empties - 2) / 2);
        if (low > alpha) return low;
        // Only a win with the next but one stone would do.
        if (high == alpha + 1) return wins_with_next(node, occupied, moves) ? high : alpha;
        if (const auto bound = parity_.bound(node, occupied, playable, alpha)) return *bound;
        if ((moves & (moves - 1)) == 0) return -search(child(node, moves), -alpha - 1);
        return search_moves(node, occupied, moves, alpha, low, high);
    }

private:
    static constexpr int kMaxMoves = 64;
    static constexpr int kTableFrom = 8;   // with fewer empty cells searching beats looking up
    static constexpr int kPeekFrom = 18;   // from here on the children are looked up first
    static constexpr int kClaimFrom = 16;  // with fewer, threads hardly meet at a child

    struct Candidate {
        Word cell;
        Word wins;
        int rank;
    };

    int search_moves(const Node& node, Word occupied, Word moves, int alpha, int low, int high) {
        const bool uses_table = node.empties >= kTableFrom;
        Word key = 0;
        if (uses_table) {
            key = key_of(node.own, occupied);
            if (const auto known = table_.find(key)) {
                low = std::max<int>(low, known->low);
                high = std::min<int>(high, known->high);
                if (low > alpha) return low;
                if (high <= alpha) return high;
            }
        }
        std::array<Candidate, kMaxMoves> candidates;
        const int count = rank_moves(node, occupied, moves, candidates);
        if (count == 0) return (node.empties - 1) / 2;

        // A child already known to be bad enough for the opponent saves searching the others.
        if (node.empties >= kPeekFrom) {
            for (int i = 0; i < count; ++i) {
                const Word cell = candidates[static_cast<std::size_t>(i)].cell;
                const auto known = table_.find(key_of(node.enemy, occupied | cell));
                if (known && -known->high > alpha) return -known->high;
            }
        }
        const std::uint64_t start = nodes_;
        int best = -layout_.cells;
        const auto try_move = [&](int i) {
            const Candidate& c = candidates[static_cast<std::size_t>(i)];
            const Node next{node.enemy, node.own | c.cell, node.enemy_wins, c.wins,
                            node.empties - 1};
            best = std::max(best, -search(next, -alpha - 1));
            return !stopped_ && best <= alpha;
        };
        if (Table::kIsShared && node.empties >= kClaimFrom) {
            search_apart(table_, count, try_move, [&](int i) {
                return key_of(node.enemy, occupied | candidates[static_cast<std::size_t>(i)].cell);
            });
        } else {
            for (int i = 0; i < count && try_move(i);) ++i;
        }
        if (stopped_) return 0;
        if (uses_table) {
            if (best > alpha)
                low = best;
            else
                high = std::min(high, best);
            table_.store(key, {static_cast<std::int8_t>(low), static_cast<std::int8_t>(high),
                               static_cast<std::uint8_t>(std::bit_width(nodes_ - start))});
        }
        return best;
    }

    // Whether a stone on one of `moves` leaves no answer that stops a win with the next.
    bool wins_with_next(const Node& node, Word occupied, Word moves) const {
        for (; moves != 0; moves &= moves - 1) {
            const Word cell = moves & (~moves + 1);
            if (leaves_no_answer(lines_.completing(node.own | cell), occupied | cell)) return true;
        }
        return false;
    }
    // The opponent of the player with these wins is to move: he faces two threats, or one with
    // another right above it, or every cell left to him has one above it.
    bool leaves_no_answer(Word wins, Word occupied) const {
        const Word playable = tops(occupied) & layout_.board;
        const Word open = wins & layout_.board;
        const Word threats = open & playable;
        if ((threats & (threats - 1)) != 0) return true;
        return ((threats != 0 ? threats : playable) & ~layout_.below(open)) == 0;
    }

    // Fills `out` with the moves, the most promising first: those that leave most winning cells.
    // Returns 0 if one of them makes two threats at once, of which only one can be stopped.
    int rank_moves(const Node& node, Word occupied, Word moves,
                   std::array<Candidate, kMaxMoves>& out) const {
        int count = 0;
        for (; moves != 0; moves &= moves - 1) {
            const Word cell = moves & (~moves + 1);
            const Word wins = lines_.completing(node.own | cell);
            const Word taken = occupied | cell;
            const Word open = wins & layout_.board & ~taken;
            const Word threats = open & tops(taken);
            if (leaves_no_answer(wins, taken)) return 0;
            // A threat that is answered at once is spent, so it counts less (measured).
            const int rank = 16 * count_bits(open) - (threats != 0 ? 6 : 0) +
                             layout_.lines_through[static_cast<std::size_t>(lowest_bit(cell))];
            // By the time a child is searched its bucket should have arrived.
            table_.prefetch(key_of(node.enemy, taken));
            int place = count++;
            for (; place > 0 && out[static_cast<std::size_t>(place - 1)].rank < rank; --place) {
                out[static_cast<std::size_t>(place)] = out[static_cast<std::size_t>(place - 1)];
            }
            out[static_cast<std::size_t>(place)] = {cell, wins, rank};
        }
        return count;
    }

    // The mover's stones and the next free bit of each column tell the whole position.
    Word key_of(Word own, Word occupied) const {
        const Word key = own | tops(occupied);
        if (!mirrors_) return key;
        return std::min(key, layout_.mirror(key));
    }

    // The first player is the mover when the number of stones is even.
    std::optional<int> in_book(const Node& node) const {
        if constexpr (sizeof(Word) == sizeof(std::uint64_t)) {
            const bool first_moves = book_->stones() % 2 == 0;
            return book_->find(layout_.stride, layout_.cols, first_moves ? node.own : node.enemy,
                               first_moves ? node.enemy : node.own);
        }
        return std::nullopt;
    }

    void check_limit() {
        next_check_ = limit_->next_check(nodes_);
        stopped_ = limit_->check(nodes_);
    }

    DropLayout<Word> layout_;
    DropLines<Word, K, Stride> lines_;
    DropParity<Word, K, Stride> parity_;
    Table table_;
    std::shared_ptr<const OpeningBook> book_;
    SolveLimit* limit_ = nullptr;
    std::uint64_t nodes_ = 0;
    std::uint64_t next_check_ = 0;
    bool stopped_ = false;
    bool mirrors_ = false;
};

TENGEN_END

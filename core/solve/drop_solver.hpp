// Exact scores of positions on a gravity board.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "isa.hpp"
#include "solve/drop_search.hpp"
#include "solve/limit.hpp"
#include "solve/score.hpp"

TENGEN_BEGIN

template <class Word, int K, int Stride>
class DropSolver {
public:
    using Search = DropSearch<Word, K, Stride>;
    using Node = DropNode<Word>;

    DropSolver(const DropLayout<Word>& layout, std::size_t table_bytes)
        : search_(layout, table_bytes) {}

    std::uint64_t nodes() const { return search_.nodes(); }
    void clear() { search_.clear(); }
    void set_book(std::shared_ptr<const OpeningBook> book) { search_.set_book(std::move(book)); }
    const DropLayout<Word>& layout() const { return search_.layout(); }

    // The score for the mover, who owns `own`; the game must not be over.
    ScoreBounds score(Word own, Word enemy, SolveLimit& limit) {
        const Node root = search_.node(own, enemy);
        search_.begin(root, limit);
        return narrow(root);
    }

    // Per column, its score for the mover, or nothing where the column is full.
    std::vector<std::optional<ScoreBounds>> move_scores(Word own, Word enemy, SolveLimit& limit) {
        const Node root = search_.node(own, enemy);
        search_.begin(root, limit);
        const DropLayout<Word>& layout = search_.layout();
        const Word playable = search_.tops(search_.occupied(root)) & layout.board;
        std::vector<std::optional<ScoreBounds>> scores(static_cast<std::size_t>(layout.cols));
        for (int col = 0; col < layout.cols; ++col) {
            const Word cell = playable & layout.column(col);
            if (cell == 0) continue;
            auto& score = scores[static_cast<std::size_t>(col)];
            if ((cell & root.own_wins) != 0) {
                score = ScoreBounds{win_now(root), win_now(root)};
            } else if (root.empties == 1) {
                score = ScoreBounds{0, 0};
            } else {
                const ScoreBounds reply = narrow(search_.child(root, cell));
                score = ScoreBounds{-reply.high, -reply.low};
            }
        }
        return scores;
    }

private:
    static int win_now(const Node& node) { return (node.empties + 1) / 2; }

    ScoreBounds narrow(const Node& node) {
        if (search_.wins_at_once(node)) return {win_now(node), win_now(node)};
        ScoreBounds bounds{-(node.empties / 2), (node.empties - 1) / 2};
        for (int asked = 0; !bounds.is_exact(); ++asked) {
            const int alpha = next_alpha(bounds, asked);
            const int result = search_.search(node, alpha);
            if (search_.stopped()) break;
            if (result > alpha)
                bounds.low = result;
            else
                bounds.high = result;
        }
        return bounds;
    }
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

    Search search_;
};

TENGEN_END

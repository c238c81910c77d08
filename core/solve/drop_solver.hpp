// Exact scores of positions on a gravity board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "isa.hpp"
#include "solve/drop_search.hpp"
#include "solve/limit.hpp"
#include "solve/score.hpp"
#include "solve/solo.hpp"

TENGEN_BEGIN

// `Threads` is Solo or Crew of a DropSearch.
template <class Word, class Threads>
class DropSolver {
public:
    using Node = DropNode<Word>;

    DropSolver(const DropLayout<Word>& layout, std::size_t table_bytes, int threads)
        : threads_(threads, table_bytes, layout) {}

    std::uint64_t nodes() const { return threads_.nodes(); }
    void clear() { threads_.clear(); }
    void set_book(std::shared_ptr<const OpeningBook> book) { threads_.set_book(book); }
    const DropLayout<Word>& layout() const { return threads_.search().layout(); }

    // The score for the mover, who owns `own`; the game must not be over.
    ScoreBounds score(Word own, Word enemy, SolveLimit& limit) {
        const Node root = threads_.search().node(own, enemy);
        Asked<Node> asked = about(root);
        threads_.narrow(root, {&asked, 1}, limit);
        return asked.bounds;
    }

    // Per column, its score for the mover, or nothing where the column is full.
    std::vector<std::optional<ScoreBounds>> move_scores(Word own, Word enemy, SolveLimit& limit) {
        const auto& search = threads_.search();
        const Node root = search.node(own, enemy);
        const Word playable = search.tops(search.occupied(root)) & layout().board;
        std::vector<std::optional<ScoreBounds>> scores(static_cast<std::size_t>(layout().cols));
        std::vector<Asked<Node>> replies;
        std::vector<std::size_t> columns;  // of the replies
        for (int col = 0; col < layout().cols; ++col) {
            const Word cell = playable & layout().column(col);
            if (cell == 0) continue;
            auto& score = scores[static_cast<std::size_t>(col)];
            if ((cell & root.own_wins) != 0) {
                score = ScoreBounds{win_now(root), win_now(root)};
            } else if (root.empties == 1) {
                score = ScoreBounds{0, 0};
            } else {
                replies.push_back(about(search.child(root, cell)));
                columns.push_back(static_cast<std::size_t>(col));
            }
        }
        threads_.narrow(root, replies, limit);
        for (std::size_t i = 0; i < replies.size(); ++i) {
            scores[columns[i]] = ScoreBounds{-replies[i].bounds.high, -replies[i].bounds.low};
        }
        return scores;
    }

private:
    static int win_now(const Node& node) { return (node.empties + 1) / 2; }

    // What is known without a search.
    Asked<Node> about(const Node& node) const {
        if (threads_.search().wins_at_once(node)) return {node, {win_now(node), win_now(node)}};
        return {node, {-(node.empties / 2), (node.empties - 1) / 2}};
    }

    Threads threads_;
};

TENGEN_END

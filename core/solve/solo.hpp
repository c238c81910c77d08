// Closing in on scores with one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "isa.hpp"
#include "solve/limit.hpp"
#include "solve/score.hpp"

TENGEN_BEGIN

// A position below the root that is asked about, and what is proven of its score.
template <class Node>
struct Asked {
    Node node;
    ScoreBounds bounds;
};

template <class Search>
class Solo {
public:
    template <class... Rules>
    Solo(int, std::size_t table_bytes, const Rules&... rules)
        : search_(rules..., typename Search::Table(table_bytes)) {}

    const Search& search() const { return search_; }
    std::uint64_t nodes() const { return search_.nodes(); }
    void clear() { search_.clear(); }
    template <class Book>
    void set_book(const Book& book) {
        search_.set_book(book);
    }

    // Narrows the bounds of all until they are exact or the limit is reached.
    void narrow(const typename Search::Node& root, std::span<Asked<typename Search::Node>> all,
                SolveLimit& limit) {
        search_.begin(root, limit);
        for (auto& [node, bounds] : all) {
            for (int asked = 0; !bounds.is_exact(); ++asked) {
                const int alpha = Search::next_alpha(bounds, asked);
                const int found = search_.search(node, alpha);
                if (search_.stopped()) break;
                bounds.learn(alpha, found);
            }
        }
    }

private:
    Search search_;
};

TENGEN_END

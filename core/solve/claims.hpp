// How threads that search the same tree keep out of each other's way.
//
// All of them ask the same question of the same position; what one proves the others find in the
// table. A thread claims the child it is searching, and the others put that child off until they
// are through with the rest, when it is most often in the table. (A simple form of ABDADA:
// Weill 1996, Kerrigan.) Only the order of the moves changes, never what is proven.
#pragma once

#include <bit>
#include <cstdint>

#include "isa.hpp"

TENGEN_BEGIN

// Calls search(i) for the moves i below `count`, at most 64, until it returns false. The first one
// is never put off: where it refutes the opponent's move, as it mostly does where any can, all the
// others would be searched for nothing.
template <class Table, class Search, class KeyOf>
void search_apart(Table& table, int count, const Search& search, const KeyOf& key_of) {
    if constexpr (Table::kIsShared) {
        std::uint64_t put_off = 0;
        for (int i = 0; i < count; ++i) {
            const auto key = key_of(i);
            if (i > 0 && table.is_claimed(key)) {
                put_off |= std::uint64_t{1} << i;
                continue;
            }
            table.claim(key);
            const bool goes_on = search(i);
            table.disclaim(key);
            if (!goes_on) return;
        }
        for (; put_off != 0; put_off &= put_off - 1) {
            if (!search(std::countr_zero(put_off))) return;
        }
    }
}

TENGEN_END

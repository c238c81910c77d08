// Runs of stones on bitboards, for any word, any k and any direction.
//
// A direction is a distance between neighbouring bits ("step"): 1 along a line word; 1, H, H+1 and
// H-1 on a SmallBoard with columns of H bits. Callers guarantee that bits off the board are 0, so
// that a run can never wrap around an edge, and that (k - 1) * step is less than the word's width.
#pragma once

#include "isa.hpp"
#include "rules/rules.hpp"

TENGEN_BEGIN

// The bits at which a run of at least `k` stones begins, reading towards higher bits. By doubling:
// after the loop bit i says that `length` stones stand from i on, then one last overlap reaches k.
template <class Word>
constexpr Word run_starts(Word stones, int k, int step) {
    int length = 1;
    while (2 * length <= k) {
        stones &= stones >> (length * step);
        length *= 2;
    }
    if (length < k) stones &= stones >> ((k - length) * step);
    return stones;
}

// All of `own` that is connected with `seeds` through own stones, going up (or down) from a seed.
template <class Word>
constexpr Word flood_up(Word seeds, Word own, int step) {
    for (Word grown = seeds; (grown = seeds | (own & (seeds << step))) != seeds;) seeds = grown;
    return seeds;
}
template <class Word>
constexpr Word flood_down(Word seeds, Word own, int step) {
    for (Word grown = seeds; (grown = seeds | (own & (seeds >> step))) != seeds;) seeds = grown;
    return seeds;
}

// The bits at which a run begins that wins for the owner of `own` under `line`.
template <class Word>
constexpr Word winning_starts(Word own, Word enemy, LineRule line, int k, int step) {
    Word starts = run_starts(own, k, step);
    if (line == LineRule::free || starts == 0) return starts;
    if (line == LineRule::exact || line == LineRule::blocked) {
        // A run of L >= k stones has L - k + 1 neighbouring starts: exactly k has a lone one.
        starts &= static_cast<Word>(~(starts << step) & ~(starts >> step));
    }
    if (line == LineRule::blocked || line == LineRule::blocked_free) {
        const Word low = flood_up<Word>(own & (enemy << step), own, step);
        const Word high = flood_down<Word>(own & (enemy >> step), own, step);
        starts &= static_cast<Word>(~(low & high));
    }
    return starts;
}

// The bits, taken or not, where one more own stone would make a run of at least `n`.
//
//   below[i]: the i bits under this one are all own;  above[j]: the j bits over it are all own;
//   the stone here completes a run when i + j = n - 1 for some split.
template <class Word>
constexpr Word completing(Word own, int n, int step) {
    Word above[kMaxSide];
    above[0] = static_cast<Word>(~Word{0});
    for (int j = 1; j < n; ++j) above[j] = above[j - 1] & static_cast<Word>(own >> (j * step));
    Word found = above[n - 1];
    Word below = static_cast<Word>(~Word{0});
    for (int i = 1; i < n; ++i) {
        below &= static_cast<Word>(own << (i * step));
        found |= below & above[n - 1 - i];
    }
    return found;
}

TENGEN_END

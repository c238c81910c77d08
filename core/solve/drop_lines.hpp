// Lines on a gravity board: who has one, and which cells would complete one.
#pragma once

#include "isa.hpp"
#include "solve/drop_layout.hpp"

TENGEN_BEGIN

// A position as the search sees it. The wins are the cells, empty or not, that would complete a
// line; they are handed down, so that each is computed once, when its owner's stones change.
template <class Word>
struct DropNode {
    Word own = 0;
    Word enemy = 0;
    Word own_wins = 0;
    Word enemy_wins = 0;
    int empties = 0;
};

// K and Stride are the length of a line and the bits per column where known at compile time, or 0
// to read them from the layout. With a Stride every direction must have room for a line.
template <class Word, int K, int Stride>
class DropLines {
public:
    explicit DropLines(const DropLayout<Word>& layout)
        : k_(layout.k),
          stride_(layout.stride),
          has_vertical_(layout.k <= layout.rows),
          has_horizontal_(layout.k <= layout.cols) {}

    bool has_line(Word own) const {
        Word found = 0;
        if (has_vertical()) found |= starts(own, 1);
        if (has_horizontal()) found |= starts(own, stride());
        if (has_vertical() && has_horizontal()) {
            found |= starts(own, stride() + 1) | starts(own, stride() - 1);
        }
        return found != 0;
    }

    // The cells, empty or not, on the board or not, where one more stone of `own` makes a line.
    Word completing(Word own) const {
        Word found = 0;
        if (has_vertical()) found |= on_top(own);
        if (has_horizontal()) found |= gaps(own, stride());
        if (has_vertical() && has_horizontal()) {
            found |= gaps(own, stride() + 1) | gaps(own, stride() - 1);
        }
        return found;
    }

private:
    int k() const { return K > 0 ? K : k_; }
    int stride() const { return Stride > 0 ? Stride : stride_; }
    bool has_vertical() const { return Stride > 0 || has_vertical_; }
    bool has_horizontal() const { return Stride > 0 || has_horizontal_; }

    // Where a run of k begins: after the loop a bit says that `length` stones stand from it on.
    Word starts(Word own, int step) const {
        int length = 1;
        while (2 * length <= k()) {
            own &= own >> (length * step);
            length *= 2;
        }
        if (length < k()) own &= own >> ((k() - length) * step);
        return own;
    }

    // In a column only the cell over k - 1 stones can complete a line: nothing floats.
    Word on_top(Word own) const {
        Word found = own << 1;
        for (int i = 2; i < k(); ++i) found &= own << i;
        return found;
    }

    // The cell may be any of the k: i own stones before it and k - 1 - i behind it.
    Word gaps(Word own, int step) const {
        if constexpr (K == 4) {
            const Word before = own << step, behind = own >> step;
            const Word before2 = before & (own << (2 * step));
            const Word behind2 = behind & (own >> (2 * step));
            return (before2 & ((own << (3 * step)) | behind)) |
                   (behind2 & ((own >> (3 * step)) | before));
        } else {
            Word found = 0;
            Word before = ~Word{0};
            for (int i = 0; i < k(); ++i) {
                if (i > 0) before &= own << (i * step);
                Word both = before;
                for (int j = 1; j < k() - i; ++j) both &= own >> (j * step);
                found |= both;
            }
            return found;
        }
    }

    int k_;
    int stride_;
    bool has_vertical_;
    bool has_horizontal_;
};

TENGEN_END

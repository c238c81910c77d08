// An opening book: every position of some number of stones, with its score.
//
// A position's code lists the columns from the left, each from the bottom: 10 a stone of the first
// player, 11 of the second, 0 the end of the column; one more 0 fills the 32nd bit. Of a position
// and its mirror image only one is in the book.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tengen {

class OpeningBook {
public:
    // `codes` ascending as signed numbers, `scores` for the mover in the same order.
    OpeningBook(int stones, std::span<const std::int32_t> codes,
                std::span<const std::int8_t> scores)
        : stones_(stones),
          codes_(codes.begin(), codes.end()),
          scores_(scores.begin(), scores.end()) {}

    int stones() const { return stones_; }

    // The score for the mover, if the position is in the book. `first` and `second` are the
    // players' stones, column by column from the bottom, `stride` bits to a column.
    std::optional<int> find(int stride, int cols, std::uint64_t first, std::uint64_t second) const {
        for (const bool is_mirrored : {false, true}) {
            const std::int32_t code = code_of(stride, cols, first, second, is_mirrored);
            const auto at = std::lower_bound(codes_.begin(), codes_.end(), code);
            if (at != codes_.end() && *at == code) {
                return scores_[static_cast<std::size_t>(at - codes_.begin())];
            }
        }
        return std::nullopt;
    }

private:
    static std::int32_t code_of(int stride, int cols, std::uint64_t first, std::uint64_t second,
                                bool is_mirrored) {
        std::uint32_t code = 0;
        for (int i = 0; i < cols; ++i) {
            const int col = is_mirrored ? cols - 1 - i : i;
            std::uint64_t cell = std::uint64_t{1} << (col * stride);
            for (; ((first | second) & cell) != 0; cell <<= 1) {
                code = (code << 2) | ((first & cell) != 0 ? 0b10u : 0b11u);
            }
            code <<= 1;
        }
        return static_cast<std::int32_t>(code << 1);
    }

    int stones_;
    std::vector<std::int32_t> codes_;
    std::vector<std::int8_t> scores_;
};

}  // namespace tengen

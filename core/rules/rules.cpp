#include "rules/rules.hpp"

#include <algorithm>

namespace tengen {

Rules Rules::checked(int rows, int cols, int k, bool gravity, LineRule line,
                     std::vector<Cell> blocked) {
    const auto side = [](const char* name, int value) {
        if (value < 1 || value > kMaxSide) {
            throw UserError(std::string(name) + " is " + std::to_string(value) +
                            "; it must be from 1 to " + std::to_string(kMaxSide));
        }
    };
    side("rows", rows);
    side("cols", cols);
    const int longest = std::max(rows, cols);
    if (longest < kMinLine) {
        throw UserError("a board of " + std::to_string(rows) + "x" + std::to_string(cols) +
                        " is too small; its longer side must be at least " +
                        std::to_string(kMinLine));
    }
    if (k < kMinLine || k > longest) {
        throw UserError("k is " + std::to_string(k) + "; on a board of " + std::to_string(rows) +
                        "x" + std::to_string(cols) + " it must be from " +
                        std::to_string(kMinLine) + " to " + std::to_string(longest));
    }
    std::sort(blocked.begin(), blocked.end());
    blocked.erase(std::unique(blocked.begin(), blocked.end()), blocked.end());
    if (!blocked.empty() && blocked.back() >= rows * cols) {
        throw UserError("blocked cell " + std::to_string(blocked.back()) +
                        " is not on the board of " + std::to_string(rows) + "x" +
                        std::to_string(cols));
    }
    if (static_cast<int>(blocked.size()) == rows * cols) {
        throw UserError("every cell is blocked; at least one must be playable");
    }
    return Rules{rows, cols, k, gravity, line, std::move(blocked)};
}

}  // namespace tengen

// When a solver has to give up: a number of nodes, a point in time, or somebody's word.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace tengen {

class SolveLimit {
public:
    static constexpr std::uint64_t kNodesPerCheck = 4096;

    // Counts from `nodes_so_far`; `interrupted` is asked now and then by the searching thread.
    SolveLimit(std::uint64_t nodes_so_far, std::uint64_t nodes, double seconds,
               std::function<bool()> interrupted, std::uint64_t nodes_per_check = kNodesPerCheck)
        : last_node_(nodes_so_far + nodes),
          nodes_per_check_(nodes_per_check),
          has_deadline_(seconds < kForever),
          deadline_(std::chrono::steady_clock::now()),
          interrupted_(std::move(interrupted)) {
        if (has_deadline_) {
            deadline_ += std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                std::chrono::duration<double>(seconds));
        }
    }

    // How many nodes there may be before check() is due again.
    std::uint64_t next_check(std::uint64_t nodes) const {
        return std::min(nodes + nodes_per_check_, last_node_);
    }
    std::uint64_t nodes_left(std::uint64_t nodes) const {
        return last_node_ - std::min(nodes, last_node_);
    }
    // Whether to give up after so many nodes in all.
    bool check(std::uint64_t nodes) {
        is_reached_ = is_reached_ || nodes >= last_node_ || interrupted_() ||
                      (has_deadline_ && std::chrono::steady_clock::now() >= deadline_);
        return is_reached_;
    }
    bool is_reached() const { return is_reached_; }

private:
    static constexpr double kForever = 1e9;

    std::uint64_t last_node_;
    std::uint64_t nodes_per_check_;
    bool has_deadline_;
    std::chrono::steady_clock::time_point deadline_;
    std::function<bool()> interrupted_;
    bool is_reached_ = false;
};

}  // namespace tengen

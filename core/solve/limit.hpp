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
    // Counts from `nodes_so_far`; `interrupted` is asked now and then by the searching thread.
    SolveLimit(std::uint64_t nodes_so_far, std::uint64_t nodes, double seconds,
               std::function<bool()> interrupted)
        : last_node_(nodes_so_far + nodes),
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
        return std::min(nodes + kNodesPerCheck, last_node_);
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
    static constexpr std::uint64_t kNodesPerCheck = 4096;

    std::uint64_t last_node_;
    bool has_deadline_;
    std::chrono::steady_clock::time_point deadline_;
    std::function<bool()> interrupted_;
    bool is_reached_ = false;
};

}  // namespace tengen

// Closing in on scores with several threads and one table.
//
// A thread takes the position that the fewest others are at, asks the next question about it and
// enters the answer. Those that asked the same give up when it is there. So threads begin with
// different moves of the root, and when only the hardest is left, all of them search that one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "isa.hpp"
#include "solve/limit.hpp"
#include "solve/score.hpp"
#include "solve/solo.hpp"
#include "solve/threads.hpp"

TENGEN_BEGIN

template <class Search>
class Crew {
public:
    using Node = typename Search::Node;

    template <class... Rules>
    Crew(int threads, std::size_t table_bytes, const Rules&... rules) : table_(table_bytes) {
        for (int i = 0; i < threads; ++i) {
            members_.push_back(std::make_unique<Member>(rules..., table_));
        }
    }

    const Search& search() const { return members_.front()->search; }
    std::uint64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }
    void clear() {
        table_.clear();
        cleared_at_ = nodes();
    }
    template <class Book>
    void set_book(const Book& book) {
        for (auto& member : members_) member->search.set_book(book);
    }

    // As Solo::narrow. Only the calling thread asks `limit` whether somebody wants an end.
    void narrow(const Node& root, std::span<Asked<Node>> all, SolveLimit& limit) {
        std::vector<Task> tasks(all.size());
        Job job{root, all, tasks, limit,
                std::clamp<std::uint64_t>(limit.nodes_left(nodes()) / (8 * members_.size()), 1,
                                          kNodesPerCheck)};
        // Most positions are solved before the other threads would have begun.
        job.pause_at = nodes() + kNodesAlone;
        work(job, 0);
        while (!job.is_over && job.find_task() != nullptr) {
            while (nodes() >= room()) table_.grow();
            job.pause_at = room();
            run_threads(
                members_.size(), [&](std::size_t i) { work(job, i); }, [&] { job.is_over = true; });
        }
    }

private:
    static constexpr std::uint64_t kNodesPerCheck = 1024;
    static constexpr std::uint64_t kNodesAlone = 16384;
    static constexpr std::uint64_t kNodesPerEntry =
        2;  // a fifth of the nodes are stored: 40 % full
    static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

    // Far enough apart that no two threads write to one cache line, nor to neighbouring ones.
    struct alignas(128) Member {
        template <class... Rules>
        explicit Member(const Rules&... rules) : search(rules...) {}
        Search search;
        std::uint64_t counted = 0;  // of its nodes, those in nodes_
    };
    struct Task {
        std::atomic<int> asked = 0;  // questions that have an answer
        int threads = 0;             // at it now
    };
    struct Job {
        const Node& root;
        std::span<Asked<Node>> all;
        std::vector<Task>& tasks;
        SolveLimit& limit;
        std::uint64_t nodes_per_check;
        std::uint64_t pause_at = kNever;
        std::atomic<bool> is_over = false;
        std::mutex mutex{};  // for the bounds and the tasks

        Task* find_task() {
            Task* least = nullptr;
            for (std::size_t i = 0; i < tasks.size(); ++i) {
                if (all[i].bounds.is_exact()) continue;
                if (least == nullptr || tasks[i].threads < least->threads) least = &tasks[i];
            }
            return least;
        }
    };

    void work(Job& job, std::size_t number) {
        Member& member = *members_[number];
        const bool is_caller = number == 0;
        while (!job.is_over.load(std::memory_order_relaxed) && nodes() < job.pause_at) {
            std::unique_lock lock(job.mutex);
            Task* const task = job.find_task();
            if (task == nullptr) return;
            auto& [node, bounds] = job.all[static_cast<std::size_t>(task - job.tasks.data())];
            const int asked = task->asked;
            const int alpha = Search::next_alpha(bounds, asked);
            ++task->threads;
            lock.unlock();

            SolveLimit until_answered(
                member.search.nodes(), kNever / 2, std::numeric_limits<double>::infinity(),
                [&] {
                    count(job, member, is_caller);
                    return job.is_over.load(std::memory_order_relaxed) || nodes() >= job.pause_at ||
                           task->asked.load(std::memory_order_relaxed) != asked;
                },
                job.nodes_per_check);
            member.search.begin(job.root, until_answered);
            const int found = member.search.search(node, alpha);
            count(job, member, is_caller);

            lock.lock();
            --task->threads;
            if (member.search.stopped() || task->asked != asked) continue;
            bounds.learn(alpha, found);
            ++task->asked;
        }
    }

    // The number of nodes at which the table ought to grow.
    std::uint64_t room() const {
        return table_.can_grow() ? cleared_at_ + kNodesPerEntry * table_.capacity() : kNever;
    }

    void count(Job& job, Member& member, bool is_caller) {
        const std::uint64_t more = member.search.nodes() - member.counted;
        member.counted += more;
        const std::uint64_t sum = nodes_.fetch_add(more, std::memory_order_relaxed) + more;
        const bool ends = is_caller ? job.limit.check(sum) : job.limit.nodes_left(sum) == 0;
        if (ends) job.is_over.store(true, std::memory_order_relaxed);
    }

    typename Search::Table table_;
    std::vector<std::unique_ptr<Member>> members_;
    std::uint64_t cleared_at_ = 0;
    std::atomic<std::uint64_t> nodes_ = 0;
};

TENGEN_END

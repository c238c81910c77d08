// Work that several threads do together, the calling one included.
#pragma once

#include <cstddef>
#include <latch>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "rules/rules.hpp"

namespace tengen {

// Runs work(i) for every i below `count`, the first on the calling thread. Nobody begins before all
// have been started: when the system refuses one, `give_up` is called before any work begins, and
// once that has ended a UserError says so.
template <class Work, class GiveUp>
void run_threads(std::size_t count, const Work& work, const GiveUp& give_up) {
    std::latch all_started(1);
    std::vector<std::thread> threads;
    std::string failure;
    try {
        for (std::size_t i = 1; i < count; ++i) {
            threads.emplace_back([&work, &all_started, i] {
                all_started.wait();
                work(i);
            });
        }
    } catch (const std::system_error& error) {
        failure = "the system gives only " + std::to_string(threads.size() + 1) + " of " +
                  std::to_string(count) + " threads: " + error.what();
        give_up();
    }
    all_started.count_down();
    work(0);
    for (std::thread& thread : threads) thread.join();
    if (!failure.empty()) throw UserError(failure);
}

}  // namespace tengen

// Letting Ctrl-C end native work that runs without the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

namespace tengen {

// Asked now and then by the thread that Python called: whether a signal wants the work to end.
class SignalWatch {
public:
    bool operator()() {
        const auto now = std::chrono::steady_clock::now();
        if (has_signal_ || now - last_asked_ < kInterval) return has_signal_;
        last_asked_ = now;
        nanobind::gil_scoped_acquire acquire;
        has_signal_ = PyErr_CheckSignals() != 0;
        return has_signal_;
    }
    // Raises what the signal's handler raised; to be called with the lock held.
    void rethrow() const {
        if (has_signal_) throw nanobind::python_error();
    }

private:
    static constexpr std::chrono::milliseconds kInterval{50};
    std::chrono::steady_clock::time_point last_asked_ = std::chrono::steady_clock::now();
    bool has_signal_ = false;
};

}  // namespace tengen

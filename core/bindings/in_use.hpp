// One thread at a time in a native object; a second one gets an error instead of a crash.
#pragma once

#include <atomic>

#include "rules/rules.hpp"

namespace tengen {

class InUse {
public:
    InUse(std::atomic_flag& flag, const char* what) : flag_(flag) {
        if (flag_.test_and_set()) {
            throw UserError(std::string(what) + " is in use by another thread");
        }
    }
    ~InUse() { flag_.clear(); }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

private:
    std::atomic_flag& flag_;
};

}  // namespace tengen

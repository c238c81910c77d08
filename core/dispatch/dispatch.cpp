#include <cstdlib>

#include "dispatch/kernels.hpp"

namespace tengen {
namespace {

std::vector<const Kernels*> available() {
    std::vector<const Kernels*> sets;
#ifdef TENGEN_HAS_AVX2
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") &&
        __builtin_cpu_supports("popcnt")) {
        sets.push_back(&kAvx2Kernels);
    }
#endif
    sets.push_back(&kPortableKernels);
    return sets;
}

const Kernels& choose() {
    const std::vector<const Kernels*> sets = available();
    const char* wanted = std::getenv("TENGEN_ISA");
    if (wanted == nullptr || *wanted == '\0') return *sets.front();
    std::string names;
    for (const Kernels* set : sets) {
        if (std::string(wanted) == set->name) return *set;
        names += (names.empty() ? "" : ", ") + std::string(set->name);
    }
    throw UserError("TENGEN_ISA is " + std::string(wanted) + "; this machine runs: " + names);
}

}  // namespace

const Kernels& kernels() {
    static const Kernels& chosen = choose();
    return chosen;
}

}  // namespace tengen

// The hot code behind a small interface: which board it runs on and which instructions it uses is
// decided here, once, and nobody else needs to know.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "playout/choice.hpp"
#include "rules/perft.hpp"
#include "rules/position.hpp"
#include "search/uct_config.hpp"
#include "solve/exact_solver.hpp"

namespace tengen {

struct PlayoutCounts {
    std::uint64_t first_wins = 0;
    std::uint64_t second_wins = 0;
    std::uint64_t draws = 0;
    std::uint64_t plies = 0;
};

// What a search knows so far, for the player to move at the root.
struct UctReport {
    std::vector<MoveStats> moves;  // ascending by move
    std::vector<Move> pv;          // starts with the move to play
    double value = 0;              // of that move, in [-1, 1]
    bool is_proven = false;        // then the value is exact
    std::uint64_t visits = 0;      // of the root, kept ones included
    std::uint64_t nodes = 0;
    std::uint64_t bytes = 0;
};

// A UCT search of one or more threads, each with a tree of its own; reports add them up.
class UctSearch {
public:
    virtual ~UctSearch() = default;
    // Makes `position` the root: `moves` further on in the same trees, or with nothing kept.
    virtual void advance(const Position& position, std::span<const Move> moves) = 0;
    virtual void reset(const Position& position) = 0;
    // Searches until `sims` more simulations are done, `seconds` have passed, the root is proven,
    // `stop` is set, or `interrupted`, which the calling thread asks now and then, says so;
    // returns how many it did. The root must not be finished.
    virtual std::uint64_t run(std::uint64_t sims, double seconds, const std::atomic<bool>& stop,
                              const std::function<bool()>& interrupted) = 0;
    virtual bool is_proven() const = 0;
    virtual UctReport report() const = 0;
};

// One set of kernels per instruction set.
struct Kernels {
    const char* name;
    std::unique_ptr<UctSearch> (*uct)(const Position&, const UctConfig&, int threads,
                                      std::uint64_t seed);
    PlayoutCounts (*playouts)(const Position&, Rollout, Weights, std::uint64_t games,
                              std::uint64_t seed);
    PerftCount (*perft)(const Position&, int depth);
    Move (*reflex)(const Position&, std::uint64_t seed);
    // Throws UserError when the board is too large to be solved, by this method if one is named.
    std::unique_ptr<ExactSolver> (*solver)(std::shared_ptr<const Geometry>, std::size_t table_bytes,
                                           int threads, SolveMethod);
};

// The best kernels this machine runs; "portable" or "avx2" in the environment variable TENGEN_ISA
// overrides that. Throws UserError for a name that is not to be had here.
const Kernels& kernels();

extern const Kernels kPortableKernels;
#ifdef TENGEN_HAS_AVX2
extern const Kernels kAvx2Kernels;
#endif

}  // namespace tengen

// Searches guided by networks, whatever the board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rules/position.hpp"
#include "search/neural_config.hpp"
#include "selfplay/record.hpp"

namespace tengen {

// How often a cache was asked, and how often it knew.
struct CacheCounts {
    std::uint64_t asked = 0;
    std::uint64_t hits = 0;
};

// One search that hands out batches of leaves.
class NeuralSearch {
public:
    virtual ~NeuralSearch() = default;
    // Makes `position` the root: `moves` further on in the same tree, or with nothing kept.
    virtual void advance(const Position& position, std::span<const Move> moves) = 0;
    virtual void reset(const Position& position) = 0;
    // Starts a search of so many simulations more.
    virtual void begin(std::uint64_t sims, const RootNoise& noise) = 0;
    // Descends until `most` leaves wait for the evaluator, nothing more can be started before they
    // are answered, or many descents have needed no evaluator; writes their planes and returns how
    // many wait. Whether the search is done is_done() says.
    virtual std::size_t gather(float* planes, std::size_t most) = 0;
    // The answers to the last gather().
    virtual void expand(const float* logits, const float* values) = 0;
    virtual std::size_t waiting() const = 0;
    virtual bool is_done() const = 0;
    virtual std::uint64_t started() const = 0;
    // The root must have been expanded.
    virtual NeuralReport report() const = 0;
    virtual bool is_expanded() const = 0;
    virtual CacheCounts cache() const = 0;
};

// Many games at once, see selfplay/self_play.hpp.
class GameMill {
public:
    virtual ~GameMill() = default;
    virtual std::size_t gather(float* planes) = 0;
    virtual void expand(const float* logits, const float* values) = 0;
    virtual std::size_t waiting() const = 0;
    virtual bool is_over() const = 0;
    virtual std::vector<GameRecord> take_finished() = 0;
    virtual std::uint64_t sims() const = 0;
    virtual std::uint64_t evaluations() const = 0;
    virtual CacheCounts cache() const = 0;
};

// The moves of both sides up to a win of the mover by continuous fours (solve/fours.hpp), or none.
// Throws UserError where the rules do not fit.
std::vector<Cell> win_by_fours(const Position& position, std::uint64_t nodes);

std::unique_ptr<NeuralSearch> make_neural_search(const Position& position,
                                                 const NeuralConfig& config,
                                                 std::vector<Plane> planes, std::size_t cache_bytes,
                                                 std::uint64_t seed);

std::unique_ptr<GameMill> make_game_mill(std::shared_ptr<const Geometry> geometry,
                                         const SelfPlayConfig& config, std::vector<Plane> planes,
                                         std::size_t games, std::uint64_t seed,
                                         std::function<std::optional<std::uint64_t>()> next_game);

}  // namespace tengen

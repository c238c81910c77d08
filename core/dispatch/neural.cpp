// The network takes nearly all the time, so that one compilation for any machine will do.
#include "dispatch/neural.hpp"

#include "dispatch/best_board.hpp"
#include "search/evaluation_cache.hpp"
#include "search/guided.hpp"
#include "search/planes.hpp"
#include "selfplay/self_play.hpp"

TENGEN_BEGIN

template <class Board>
class NeuralSearchOf final : public NeuralSearch {
public:
    NeuralSearchOf(const Position& position, const Board& root, const NeuralConfig& config,
                   std::vector<Plane> planes, std::size_t cache_bytes, std::uint64_t seed)
        : geometry_(position.shared_geometry()),
          config_(config),
          planes_(std::move(planes)),
          cache_(cache_bytes, static_cast<std::size_t>(geometry_->rules.moves())),
          search_(root, position.filled(), config, history_of(planes_), seed) {}

    void advance(const Position& position, std::span<const Move> moves) override {
        // Leaves that were never answered have left their marks all over the tree.
        if (waiting_ > 0) return reset(position);
        search_.advance(board_of(position), position.filled(), moves);
    }
    void reset(const Position& position) override {
        search_.reset(board_of(position), position.filled());
        waiting_ = 0;
    }
    void begin(std::uint64_t sims, const RootNoise& noise) override { search_.begin(sims, noise); }

    std::size_t gather(float* planes, std::size_t most) override {
        const std::size_t size =
            planes_.size() * static_cast<std::size_t>(geometry_->rules.cells());
        for (int descents = 0; waiting_ < most && descents < kMostDescents && !is_done();
             ++descents) {
            if (waiting_ == leaves_.size()) leaves_.emplace_back(search_.root());
            auto& leaf = leaves_[waiting_];
            const auto found = search_.select(leaf);
            if (found == Search::Found::busy) break;
            if (found == Search::Found::settled) continue;
            EvaluationCache::Evaluated known;
            if (config_.evaluation != Evaluation::batched) {
                search_.expand_alone(leaf);
            } else if (cache_.find(leaf.key, known)) {
                search_.expand(leaf, known.logits, known.value);
            } else {
                write_planes(leaf.board, leaf.filled, planes_, planes + waiting_ * size);
                ++waiting_;
            }
        }
        return waiting_;
    }
    void expand(const float* logits, const float* values) override {
        const auto moves = static_cast<std::size_t>(geometry_->rules.moves());
        for (std::size_t row = 0; row < waiting_; ++row) {
            const std::span<const float> of_row(logits + row * moves, moves);
            cache_.store(leaves_[row].key, of_row, values[row]);
            search_.expand(leaves_[row], of_row, values[row]);
        }
        waiting_ = 0;
    }
    std::size_t waiting() const override { return waiting_; }
    bool is_done() const override { return is_expanded() && search_.is_done(); }
    std::uint64_t started() const override { return search_.started(); }
    NeuralReport report() const override { return search_.report(); }
    bool is_expanded() const override { return !search_.root_edges().empty(); }
    CacheCounts cache() const override { return {cache_.asked(), cache_.hits()}; }

private:
    using Search = GuidedSearch<Board>;
    // In one gather(): where all is known, nobody would get to look at the clock.
    static constexpr int kMostDescents = 4096;

    Board board_of(const Position& position) const {
        return Board::from_cells(*geometry_, position.cells());
    }

    std::shared_ptr<const Geometry> geometry_;  // the boards point into it
    NeuralConfig config_;
    std::vector<Plane> planes_;
    EvaluationCache cache_;
    Search search_;
    std::vector<typename Search::Leaf> leaves_;
    std::size_t waiting_ = 0;  // how many of them wait for the evaluator
};

template <class Board>
class GameMillOf final : public GameMill {
public:
    GameMillOf(std::shared_ptr<const Geometry> geometry, const SelfPlayConfig& config,
               std::vector<Plane> planes, std::size_t games, std::uint64_t seed,
               std::function<std::optional<std::uint64_t>()> next_game)
        : geometry_(std::move(geometry)),
          games_(*geometry_, config, std::move(planes), games, seed, std::move(next_game)) {}

    std::size_t gather(float* planes) override { return games_.gather(planes); }
    void expand(const float* logits, const float* values) override {
        games_.expand(logits, values);
    }
    std::size_t waiting() const override { return games_.waiting(); }
    bool is_over() const override { return games_.is_over(); }
    std::vector<GameRecord> take_finished() override { return games_.take_finished(); }
    std::uint64_t sims() const override { return games_.sims(); }
    std::uint64_t evaluations() const override { return games_.evaluations(); }
    CacheCounts cache() const override { return {games_.cache().asked(), games_.cache().hits()}; }

private:
    std::shared_ptr<const Geometry> geometry_;  // the boards point into it
    SelfPlay<Board> games_;
};

TENGEN_END

namespace tengen {

std::vector<Cell> win_by_fours(const Position& position, std::uint64_t nodes) {
    const Geometry& g = position.geometry();
    require_fours(g.rules);
    return FourSearch<0>().find(LineBoard<0>::from_cells(g, position.cells()), nodes);
}

std::unique_ptr<NeuralSearch> make_neural_search(const Position& position,
                                                 const NeuralConfig& config,
                                                 std::vector<Plane> planes, std::size_t cache_bytes,
                                                 std::uint64_t seed) {
    return on_best_board(position, [&](const auto& board) -> std::unique_ptr<NeuralSearch> {
        using Board = std::decay_t<decltype(board)>;
        return std::make_unique<NeuralSearchOf<Board>>(position, board, config, std::move(planes),
                                                       cache_bytes, seed);
    });
}

std::unique_ptr<GameMill> make_game_mill(std::shared_ptr<const Geometry> geometry,
                                         const SelfPlayConfig& config, std::vector<Plane> planes,
                                         std::size_t games, std::uint64_t seed,
                                         std::function<std::optional<std::uint64_t>()> next_game) {
    return on_best_board(Position(geometry), [&](const auto& board) -> std::unique_ptr<GameMill> {
        using Board = std::decay_t<decltype(board)>;
        return std::make_unique<GameMillOf<Board>>(geometry, config, std::move(planes), games, seed,
                                                   std::move(next_game));
    });
}

}  // namespace tengen

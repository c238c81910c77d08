"""Players that do not search: uniformly random, and the rule-based reflex."""

from collections.abc import Iterator

from tengen import _core
from tengen.players.player import require_ongoing
from tengen.rules import AnyGame, AnyPosition
from tengen.search import Decision
from tengen.search.random import SplitMix


class RandomPlayer:
    """Every legal move is equally likely."""

    def __init__(self, spec: str, game: AnyGame, *, seed: int) -> None:
        self.spec = spec
        self._game = game
        self._random = SplitMix(seed)

    def decide(self, position: AnyPosition) -> Decision:
        require_ongoing(position, self._game)
        legal = position.legal_moves
        move = legal[self._random.below(len(legal))]
        policy = dict.fromkeys(legal, 1 / len(legal))
        return Decision(move, policy=policy, pv=(move,))

    def analyse(self, position: AnyPosition) -> Iterator[Decision]:
        yield self.decide(position)

    def stop(self) -> None:
        pass


class ReflexPlayer:
    """Completes a line, else blocks one, else extends or blocks k-2, else plays near stones."""

    def __init__(self, spec: str, game: AnyGame, *, seed: int) -> None:
        self.spec = spec
        self._game = game
        self._random = SplitMix(seed)

    def decide(self, position: AnyPosition) -> Decision:
        require_ongoing(position, self._game)
        assert isinstance(position.state, _core.Position), "checked when the player was made"
        move = _core.reflex(position.state, seed=self._random.next())
        return Decision(move, pv=(move,))

    def analyse(self, position: AnyPosition) -> Iterator[Decision]:
        yield self.decide(position)

    def stop(self) -> None:
        pass

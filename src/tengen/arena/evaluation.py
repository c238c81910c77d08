"""How well a player plays, by positions whose every move has an exact score.

*Perfect* is a move with the highest score, *good* one that keeps the result: a win stays a win, a
draw a draw. Many positions cannot be spoilt, since all their moves are good; *decisive* are the
others, and only they tell good players from lucky ones.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from tengen.arena.labelled import LabelledPosition
from tengen.arena.workers import gathered
from tengen.players import BatchPlayer, Player
from tengen.rules import AnyPosition
from tengen.search import Decision

_Z = 1.959964  # of a 95 % interval
#: Positions that a player who can is asked about together.
_TOGETHER = 256


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of positions, with Wilson's 95 % interval (1927)."""

    hits: int
    count: int

    @property
    def rate(self) -> float | None:
        """Hits per position; None when there are none."""
        return self.hits / self.count if self.count else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Low and high end."""
        if self.count == 0:
            return None
        n, p = self.count, self.hits / self.count
        centre = p + _Z * _Z / (2 * n)
        spread = _Z * math.sqrt(p * (1 - p) / n + _Z * _Z / (4 * n * n))
        scale = 1 + _Z * _Z / n
        return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)

    def as_dict(self) -> dict[str, float | None]:
        """For JSON."""
        low, high = self.interval or (None, None)
        return {"rate": self.rate, "low": low, "high": high}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a player did in one position."""

    labelled: LabelledPosition
    decision: Decision
    #: In a batch, the mean of it.
    seconds: float

    @property
    def is_perfect(self) -> bool:
        """Whether no move is better."""
        return self.decision.move in self.labelled.perfect_moves

    @property
    def is_good(self) -> bool:
        """Whether it keeps the result."""
        return self.decision.move in self.labelled.good_moves

    @property
    def result(self) -> str:
        """What the position is for the mover: win, draw or loss."""
        score = self.labelled.score
        return "win" if score > 0 else "loss" if score < 0 else "draw"

    @property
    def cross_entropy(self) -> float | None:
        """Minus the logarithm of the policy's weight on perfect moves."""
        if not self.decision.policy:
            return None
        weight = sum(self.decision.policy.get(move, 0.0) for move in self.labelled.perfect_moves)
        # A search gives no weight at all to moves it dropped; one part in a million stands for it.
        return -math.log(max(weight, 1e-6))

    @property
    def value_error(self) -> float | None:
        """How far the value is from the result as -1, 0 or 1."""
        if self.decision.value is None:
            return None
        target = {"win": 1, "draw": 0, "loss": -1}[self.result]
        return abs(self.decision.value - target)


@dataclass(frozen=True, slots=True)
class Group:
    """The rates of some of the answers."""

    perfect: Rate
    good: Rate

    @classmethod
    def of(cls, answers: Iterable[Answer]) -> "Group":
        """Count them."""
        listed = list(answers)
        return cls(
            Rate(sum(answer.is_perfect for answer in listed), len(listed)),
            Rate(sum(answer.is_good for answer in listed), len(listed)),
        )

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "count": self.perfect.count,
            "perfect": self.perfect.as_dict(),
            "good": self.good.as_dict(),
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A player's answers to a set of positions."""

    answers: Sequence[Answer]

    @property
    def total(self) -> Group:
        """All positions."""
        return Group.of(self.answers)

    @property
    def decisive(self) -> Group:
        """Those where not every legal move is good."""
        return Group.of(answer for answer in self.answers if answer.labelled.is_decisive)

    @property
    def by_ply(self) -> dict[int, Group]:
        """By the number of stones on the board."""
        plies = sorted({answer.labelled.stones for answer in self.answers})
        return {ply: Group.of(a for a in self.answers if a.labelled.stones == ply) for ply in plies}

    @property
    def by_result(self) -> dict[str, Group]:
        """By what the position is for the mover."""
        results = ("win", "draw", "loss")
        return {name: Group.of(a for a in self.answers if a.result == name) for name in results}

    @property
    def seconds_per_move(self) -> float:
        """Mean time of an answer."""
        return sum(answer.seconds for answer in self.answers) / len(self.answers)

    @property
    def cross_entropy(self) -> float | None:
        """Mean over the answers that came with a policy."""
        return _mean([answer.cross_entropy for answer in self.answers])

    @property
    def value_error(self) -> float | None:
        """Mean over the answers that came with a value."""
        return _mean([answer.value_error for answer in self.answers])

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            **self.total.as_dict(),
            "decisive": self.decisive.as_dict(),
            "by_ply": {str(ply): group.as_dict() for ply, group in self.by_ply.items()},
            "by_result": {name: group.as_dict() for name, group in self.by_result.items()},
            "seconds_per_move": self.seconds_per_move,
            "cross_entropy": self.cross_entropy,
            "value_error": self.value_error,
        }


def evaluate(
    player: Player,
    positions: Sequence[LabelledPosition],
    *,
    twins: Sequence[Player] = (),
    on_answer: Callable[[Answer], None] = lambda _: None,
) -> Evaluation:
    """Ask a player for a move in every position; each twin of it takes a share on a thread.

    ``on_answer`` is called on the caller's thread.
    """
    players = [player, *twins]

    def ask(number: int) -> Iterator[tuple[int, Answer]]:
        mine = range(number, len(positions), len(players))
        together = _TOGETHER if isinstance(player, BatchPlayer) else 1
        for batch in (mine[i : i + together] for i in range(0, len(mine), together)):
            start = time.perf_counter()
            decisions = _decide(players[number], [positions[i].position for i in batch])
            seconds = (time.perf_counter() - start) / len(batch)
            for i, decision in zip(batch, decisions, strict=True):
                yield i, Answer(positions[i], decision, seconds)

    answers: dict[int, Answer] = {}
    with closing(gathered(ask, len(players))) as found:
        for i, answer in found:
            answers[i] = answer
            on_answer(answer)
    return Evaluation([answers[i] for i in range(len(positions))])


def _decide(player: Player, positions: Sequence[AnyPosition]) -> list[Decision]:
    if isinstance(player, BatchPlayer):
        return player.decide_all(positions)
    return [player.decide(position) for position in positions]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None

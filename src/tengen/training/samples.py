"""From records of games to what a network learns: positions, targets, weights.

Nothing here knows PyTorch; everything can be worked out by hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from tengen.config import Settings
from tengen.network.shape import ENDING_PLANES
from tengen.rules import AnyGame, Outcome
from tengen.search.formulas import win_worth
from tengen.selfplay import GameRecord, RecordedPly

#: Of a win, a draw and a loss; they sum to 1.
Chances = tuple[float, float, float]


class TargetSettings(Settings):
    """What is made of a position that was searched."""

    result_share: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="of what the game came to in the value; the rest: search",
    )
    surprise: float = Field(
        default=0, ge=0, le=1, description="share of weight that goes where the search disagreed"
    )
    fast_weight: float = Field(
        default=0, ge=0, le=1, description="of positions that were searched quickly"
    )


class WindowSettings(Settings):
    """How many of the newest positions are learnt from."""

    least: int = Field(
        default=30_000, ge=1, le=10**9, description="positions, when there are as many"
    )
    share: float = Field(default=0.4, gt=0, le=1, description="of all positions, if that is more")
    most: int = Field(
        default=500_000, ge=1, le=10**9, description="positions, however many there are"
    )

    def size(self, total: int) -> int:
        """How many of ``total`` positions."""
        return min(total, self.most, max(self.least, int(self.share * total)))


@dataclass(frozen=True, slots=True)
class Samples:
    """Positions and targets, a row each, for the mover."""

    #: What the network sees. # [n, planes, rows, cols], 0 or 1
    planes: NDArray[np.uint8]
    #: # [n, moves]
    policy: NDArray[np.float32]
    #: Win, draw and loss. # [n, 3]
    value: NDArray[np.float32]
    #: Plies to the end of the game, 0 where nobody knows. # [n]
    moves_left: NDArray[np.float32]
    #: The final board, see :func:`endings`, in 255ths; all 0 where nobody saw it.
    #: # [n, 4, rows, cols]
    ending: NDArray[np.uint8]
    #: # [n]
    weight: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.planes)

    def take(self, rows: NDArray[np.intp] | slice) -> Self:
        """Some of the rows."""
        return type(self)(
            self.planes[rows],
            self.policy[rows],
            self.value[rows],
            self.moves_left[rows],
            self.ending[rows],
            self.weight[rows],
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """All rows of all parts; at least one part is needed."""
        return cls(
            np.concatenate([part.planes for part in parts]),
            np.concatenate([part.policy for part in parts]),
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.moves_left for part in parts]),
            np.concatenate([part.ending for part in parts]),
            np.concatenate([part.weight for part in parts]),
        )


def samples_of(
    game: AnyGame,
    record: GameRecord,
    planes: tuple[str, ...],
    settings: TargetSettings,
    *,
    haste: float = 0.0,
) -> Samples:
    """The searched positions of a game; those that weigh nothing are left out."""
    seen, movers, state = [], [], game.start()
    for ply, move in enumerate(record.moves):
        if ply >= record.opening:
            seen.append(game.planes(state, planes).astype(np.uint8))
            movers.append(game.mover(state))
        state = game.play(state, move)
    weights = np.array(_weights(record, settings), np.float32)
    taught = np.flatnonzero(weights > 0)
    if len(taught) == 0:
        return _no_samples(game, len(planes))
    policies = np.zeros((len(movers), game.move_count), np.float32)
    for policy, thought in zip(policies, record.plies, strict=True):
        for target, share in thought.target:
            policy[target] = share
    policies /= policies.sum(axis=1, keepdims=True)
    worth = win_worth(haste, len(record.moves), game.rows * game.cols)
    values = [
        value_target(thought, came_to, settings)
        for thought, came_to in zip(record.plies, what_came(record, movers, worth), strict=True)
    ]
    final = endings(game, state)[movers]
    left = np.arange(len(movers), 0, -1, dtype=np.float32)
    unknown = len(movers) if record.is_resigned else record.played_out - record.opening
    final[:unknown], left[:unknown] = 0, 0
    samples = Samples(
        np.stack(seen),
        policies,
        np.array(values, np.float32),
        left,
        final,
        weights,
    )
    return samples if len(taught) == len(samples) else samples.take(taught)


def endings(game: AnyGame, state: Any) -> NDArray[np.uint8]:
    """A finished game as either player sees it. # [2, 4, rows, cols], 0 or 255.

    Their own stones, the other's, and those of either that are part of a winning line.
    """
    stones = game.planes(state, ("mover", "opponent"))
    is_line = np.zeros(game.rows * game.cols)
    is_line[list(game.winning_line(state))] = 1
    lines = stones * is_line.reshape(game.rows, game.cols)
    seen = np.stack((np.concatenate((stones, lines)), np.concatenate((stones[::-1], lines[::-1]))))
    return (255 * (seen if game.mover(state) == 0 else seen[::-1])).astype(np.uint8)


def result_of(outcome: Outcome) -> int:
    """1 where the first player has won, -1 where the second has, 0 for a draw."""
    return (outcome is Outcome.first_wins) - (outcome is Outcome.second_wins)


def what_came(record: GameRecord, movers: Sequence[int], worth: float = 1.0) -> list[Chances]:
    """What every searched position, each with its mover, led to for the mover.

    The game's result, a win being worth so much; but where a stray move came first, what the
    search said of the position in which it was made.
    """
    result = result_of(record.outcome) * worth
    # For the first player, from the last position to the first.
    later = _chances(result, is_draw=result == 0)
    found = []
    for thought, mover in zip(reversed(record.plies), reversed(movers), strict=True):
        if thought.is_stray:
            later = _seen_by(mover, _searched(thought))
        found.append(_seen_by(mover, later))
    return found[::-1]


def value_target(thought: RecordedPly, came_to: Chances, settings: TargetSettings) -> Chances:
    """What is proven; else what came of the position, mixed with the search's value of it."""
    searched = _searched(thought)
    if thought.proof != "open":
        return searched
    share = settings.result_share
    win, draw, loss = (share * a + (1 - share) * b for a, b in zip(came_to, searched, strict=True))
    return win, draw, loss


def _searched(thought: RecordedPly) -> Chances:
    """Nobody knows how much of a value between -1 and 1 is draws: none, unless it is proven."""
    return _chances(thought.value, is_draw=thought.proof == "draw")


def _chances(value: float, *, is_draw: bool) -> Chances:
    return (0.0, 1.0, 0.0) if is_draw else ((1 + value) / 2, 0.0, (1 - value) / 2)


def _seen_by(player: int, chances: Chances) -> Chances:
    """The first player's chances as a player sees them, or a player's as the first does."""
    return chances if player == 0 else chances[::-1]


def _weights(record: GameRecord, settings: TargetSettings) -> list[float]:
    """Of the searched positions; a share of it goes to those whose search surprised (KataGo)."""
    weights = [1.0 if ply.is_full else settings.fast_weight for ply in record.plies]
    surprise = sum(w * ply.surprise for w, ply in zip(weights, record.plies, strict=True))
    if settings.surprise == 0 or surprise <= 0:
        return weights
    mean = surprise / sum(weights)
    return [
        w * (1 - settings.surprise + settings.surprise * ply.surprise / mean)
        for w, ply in zip(weights, record.plies, strict=True)
    ]


def averaged(samples: Samples) -> Samples:
    """One row per different position: the mean of its targets by weight, and the highest weight."""
    if len(samples) == 0:
        return samples
    first, group = _groups(np.packbits(samples.planes.reshape(len(samples), -1), axis=1))
    # Most positions come up once; only the others cost anything.
    rows = np.flatnonzero(np.bincount(group)[group] > 1)
    shared, into = np.unique(group[rows], return_inverse=True)

    def mean(values: NDArray[Any], weight: NDArray[np.float32]) -> NDArray[Any]:
        columns = values[rows].reshape(len(rows), values[0].size).T
        total = np.maximum(np.bincount(into, weight[rows], len(shared)), 1e-9)
        sums = [np.bincount(into, column * weight[rows], len(shared)) for column in columns]
        means = (np.array(sums) / total).T.reshape(len(shared), *values.shape[1:])
        result = values[first]
        result[shared] = means.round() if values.dtype == np.uint8 else means
        return result

    saw_end = samples.moves_left > 0
    heaviest = np.zeros(len(first), np.float32)
    np.maximum.at(heaviest, group, samples.weight)
    return Samples(
        samples.planes[first],
        mean(samples.policy, samples.weight),
        mean(samples.value, samples.weight),
        mean(samples.moves_left, samples.weight * saw_end),
        mean(samples.ending, samples.weight * saw_end),
        heaviest,
    )


def _groups(keys: NDArray[np.uint8]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Of rows of bytes: where each different one comes up first, and which of these a row equals.

    Numbers are sorted much faster than rows; should two rows have the same number, rows are sorted.
    """
    _, first, group = np.unique(_numbers(keys), return_index=True, return_inverse=True)
    if not np.array_equal(keys[first][group], keys):
        _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return first, group.ravel()


def _numbers(keys: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """A number per row, by which different rows almost surely differ."""
    words = np.zeros((len(keys), -(-keys.shape[1] // 8)), np.uint64)
    words.view(np.uint8)[:, : keys.shape[1]] = keys
    words ^= words >> np.uint64(32)
    odd = np.random.default_rng(0).integers(2**63, size=words.shape[1], dtype=np.uint64) * 2 + 1
    return np.asarray((words * odd).sum(axis=1, dtype=np.uint64))


def turned(samples: Samples, game: AnyGame, symmetry: NDArray[np.intp]) -> Samples:
    """Every row under the symmetry of its number: the board and the policy turned alike."""
    cells = np.array(game.cell_symmetries)[symmetry]
    moves = np.array(game.symmetries)[symmetry]
    policy = np.empty_like(samples.policy)
    np.put_along_axis(policy, moves, samples.policy, axis=1)
    return Samples(
        _turned_boards(samples.planes, cells),
        policy,
        samples.value,
        samples.moves_left,
        _turned_boards(samples.ending, cells),
        samples.weight,
    )


def _turned_boards(boards: NDArray[np.uint8], cells: NDArray[np.intp]) -> NDArray[np.uint8]:
    flat = boards.reshape(*boards.shape[:2], -1)
    result = np.empty_like(flat)
    np.put_along_axis(result, cells[:, np.newaxis, :], flat, axis=2)
    return result.reshape(boards.shape)


def soft_policy(policy: NDArray[np.float32], power: float = 0.25) -> NDArray[np.float32]:
    """A flatter version of a policy (KataGo): every share to a power, summing to 1 again."""
    raised = np.where(policy > 0, policy, 0) ** power
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float32)


def _no_samples(game: AnyGame, planes: int) -> Samples:
    return Samples(
        np.zeros((0, planes, game.rows, game.cols), np.uint8),
        np.zeros((0, game.move_count), np.float32),
        np.zeros((0, 3), np.float32),
        np.zeros(0, np.float32),
        np.zeros((0, ENDING_PLANES, game.rows, game.cols), np.uint8),
        np.zeros(0, np.float32),
    )

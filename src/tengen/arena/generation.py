"""Making sets of labelled positions: drawn by a seed, labelled by the solver, resumable.

Half of the positions come from random play and half from semi-competent play: the reflex, with a
random move in between. Each position's draw has a random stream of its own, so that a set does not
depend on how far it had come when it was interrupted or on how many processes label it.
"""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tengen.arena.labelled import LabelledPosition, parse_position
from tengen.errors import SpecError, TengenError
from tengen.players import player
from tengen.rules import AnyPosition, GridGame, Outcome, parse_rules
from tengen.solve import Solver

#: How often semi-competent play makes a random move all the same.
_RANDOM_SHARE = 0.3
#: After so many draws without a new position the board has no more of them.
_PATIENCE = 20_000


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be made."""

    game: str
    count: int
    fewest_plies: int
    most_plies: int
    seed: int
    #: Canonical keys of positions that must not be in the set.
    avoid: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        if self.count < 1:
            raise SpecError(f"count is {self.count}; it must be at least 1")
        if not 0 <= self.fewest_plies <= self.most_plies:
            raise SpecError(
                f"plies are {self.fewest_plies}-{self.most_plies}; write them as in 8-20"
            )


def draw_positions(request: Request) -> Iterator[AnyPosition]:
    """Different positions, also up to symmetry, not over, without a win at once."""
    game = GridGame(parse_rules(request.game))
    seen: set[int] = set()
    fruitless = 0
    index = 0
    while len(seen) < request.count:
        position = _draw(game, request, index)
        index += 1
        key = None if position is None else canonical_key(game, position)
        if position is None or key is None or key in seen or key in request.avoid:
            fruitless += 1
            if fruitless > _PATIENCE:
                raise SpecError(
                    f"{game.name} has only {len(seen)} such positions that could be found; "
                    f"count is {request.count}"
                )
            continue
        fruitless = 0
        seen.add(key)
        yield position


def canonical_key(game: GridGame, position: AnyPosition) -> int:
    """The same number for positions that are the same up to a symmetry of the board."""
    cells: list[int] = position.state.cells()
    powers: list[int] = [3**cell for cell in range(len(cells))]
    return min(
        sum(powers[image] * stone for image, stone in zip(to, cells, strict=True))
        for to in game.cell_symmetries
    )


def _draw(game: GridGame, request: Request, index: int) -> AnyPosition | None:
    """The position of one stream, or None when it does not qualify."""
    chance = Random(f"{request.game} {request.seed} {index}")
    plies = chance.randint(request.fewest_plies, request.most_plies)
    is_semi_competent = chance.random() < 0.5
    reflex = player("reflex", game, seed=chance.getrandbits(64))
    position: AnyPosition = game.position()
    for _ in range(plies):
        if position.is_over:
            return None
        if is_semi_competent and chance.random() >= _RANDOM_SHARE:
            move = reflex.decide(position).move
        else:
            move = chance.choice(position.legal_moves)
        position = position.play(move)
    if position.is_over or wins_at_once(position):
        return None
    return position


def wins_at_once(position: AnyPosition) -> bool:
    """Whether the mover has a winning move."""
    wins = (Outcome.first_wins, Outcome.second_wins)[position.mover]
    return any(position.play(move).outcome is wins for move in position.legal_moves)


_worker_solver: Solver | None = None


def _start_worker(spec: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the main process's business
    global _worker_solver  # one per process: a table is too large to make anew for each position
    _worker_solver = Solver(GridGame(parse_rules(spec)))


def _label(moves: tuple[int, ...]) -> str:
    assert _worker_solver is not None, "the pool starts its workers with a solver"
    position = _worker_solver.game.position(moves)
    return LabelledPosition(position, _worker_solver.solve(position).scores).to_json()


def label_lines(request: Request, *, skip: int = 0, workers: int | None = None) -> Iterator[str]:
    """The lines of the set in order, from the one after ``skip`` on."""
    drawn = [position.moves for position in draw_positions(request)][skip:]
    processes = workers or os.cpu_count() or 1
    with ProcessPoolExecutor(
        processes, initializer=_start_worker, initargs=(request.game,)
    ) as pool:
        yield from pool.map(_label, drawn)


def unfinished(target: Path) -> Path:
    """Where a set is kept until it is complete."""
    return target.with_name(target.name + ".part")


def finished_lines(request: Request, part: Path) -> int:
    """How many whole lines an interrupted run left; whatever comes after them is cut off."""
    if not part.exists():
        return 0
    game = GridGame(parse_rules(request.game))
    text = part.read_text(errors="replace")
    whole = text[: text.rfind("\n") + 1]
    drawn = draw_positions(request)
    for number, line in enumerate(whole.splitlines(), start=1):
        expected = next(drawn, None)
        try:
            found = parse_position(game, line).position
        except TengenError as error:
            raise SpecError(f"{part}, line {number}: {error}; remove it to start anew") from None
        if expected is None or found.moves != expected.moves:
            raise SpecError(f"{part} is of another set; remove it or choose another --out")
    part.write_text(whole)
    return len(whole.splitlines())

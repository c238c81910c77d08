"""Files of labelled positions: JSON lines with a board and every move's exact score.

One position per line::

    {"board": [0, 0, …], "score": 2, "move score": [-1, 2, -99, …], "moves": "4455"}

``board`` has 0 empty, 1 first, 2 second per cell, row 0 on top; ``move score`` has one number per
move, -99 where it is not legal; ``moves`` may be missing, and so may ``board`` for a Python game.
It is the format of the public Connect Four validation set: such files can be used as they are.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from tengen.errors import SpecError, TengenError
from tengen.rules import AnyGame, AnyPosition, GridGame, Position

#: Stands in a file for a move that is not legal; never used as a score inside the program.
ILLEGAL = -99

#: Sets that come with the package, and the game each is for.
SHIPPED = {
    "connect4-select": "connect4",
    "connect4-judge": "connect4",
    "connect6x6-judge": "connect:6x6x4",
    "connect5x6-blocked-judge": "connect:5x6x4:blocked=c3",
}


@dataclass(frozen=True)
class LabelledPosition:
    """A position and the exact score of each of its legal moves, for the mover."""

    position: AnyPosition
    scores: dict[int, int]

    @property
    def score(self) -> int:
        """The position's score."""
        return max(self.scores.values())

    @cached_property
    def perfect_moves(self) -> frozenset[int]:
        """The moves with the highest score."""
        best = self.score
        return frozenset(move for move, score in self.scores.items() if score == best)

    @cached_property
    def good_moves(self) -> frozenset[int]:
        """The moves that keep the result: as won, drawn or lost as the position is."""
        best = _sign(self.score)
        return frozenset(move for move, score in self.scores.items() if _sign(score) == best)

    @cached_property
    def is_decisive(self) -> bool:
        """Whether some legal move is not good."""
        return len(self.good_moves) < len(self.scores)

    @property
    def stones(self) -> int:
        """How many stones are on the board."""
        text = self.position.to_text()
        return text.count("X") + text.count("O")

    def to_json(self) -> str:
        """One line of a file."""
        game = self.position.game
        document: dict[str, object] = {}
        if isinstance(game, GridGame):
            document["board"] = self.position.state.cells()
        document |= {
            "score": self.score,
            "move score": [self.scores.get(move, ILLEGAL) for move in range(game.move_count)],
            "moves": " ".join(game.move_text(move) for move in self.position.moves),
        }
        return json.dumps(document)


def read_positions(game: AnyGame, source: str | Path) -> list[LabelledPosition]:
    """The positions of a shipped set or a file; the error names the line that is wrong."""
    name = str(source)
    if name in SHIPPED:
        text = files("tengen.data").joinpath(f"{name}.jsonl").read_text()
    else:
        try:
            text = Path(source).read_text()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise SpecError(f"positions {name}: {reason}") from None
    return list(_parse_lines(game, text, name))


def _parse_lines(game: AnyGame, text: str, name: str) -> Iterator[LabelledPosition]:
    count = 0
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        count += 1
        try:
            yield parse_position(game, line)
        except TengenError as error:
            raise SpecError(f"{name}, line {number}: {error}") from None
    if count == 0:
        raise SpecError(f"positions {name}: there are none")


def parse_position(game: AnyGame, line: str) -> LabelledPosition:
    """One line of a file."""
    try:
        document = json.loads(line)
    except ValueError:
        raise SpecError("it is not JSON") from None
    if not isinstance(document, dict):
        raise SpecError("it is not a JSON object")
    position = _position(game, document)
    listed = _numbers(document, "move score", game.move_count)
    scores = {move: score for move, score in enumerate(listed) if score != ILLEGAL}
    if tuple(scores) != position.legal_moves:
        raise SpecError(
            f"'move score' has scores for moves {list(scores)}; legal are "
            f"{list(position.legal_moves)}"
        )
    labelled = LabelledPosition(position, scores)
    if document.get("score", labelled.score) != labelled.score:
        raise SpecError(f"'score' is {document['score']}; the best move has {labelled.score}")
    return labelled


def _position(game: AnyGame, document: dict[str, object]) -> AnyPosition:
    """By its moves where they are given, else by its board; where both are, they must agree."""
    moves = document.get("moves")
    played = game.position(moves) if isinstance(moves, str) and moves.strip() else None
    if "board" not in document or not isinstance(game, GridGame):
        if played is None:
            raise SpecError("it has neither 'board' nor 'moves' that can be used")
        return played
    board = _numbers(document, "board", game.rows * game.cols)
    position: AnyPosition = Position.from_board(game, board)
    if played is None:
        return position
    if played.to_text() != position.to_text():
        raise SpecError("'moves' do not lead to 'board'")
    return played


def _numbers(document: dict[str, object], key: str, count: int) -> list[int]:
    value = document.get(key)
    if not isinstance(value, list) or len(value) != count:
        raise SpecError(f"{key!r} must be a list of {count} whole numbers")
    if not all(isinstance(item, int) and not isinstance(item, bool) for item in value):
        raise SpecError(f"{key!r} must be a list of {count} whole numbers")
    return value


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)

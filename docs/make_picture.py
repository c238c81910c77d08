"""Draw the README's picture: a game as ``tengen play connect4`` shows it.

.venv/bin/python docs/make_picture.py
"""

import io
import re
from pathlib import Path

from rich.console import Console

import tengen
from tengen.cli.drawing import draw
from tengen.cli.table import Seat, TablePlay

OPPONENT = "net:connect4"
HUMAN_MOVES = "4 4 3 2 6"


def main() -> None:
    """Play the human's moves against the engine and save the last screen."""
    game = tengen.game("connect4")
    engine = tengen.player(OPPONENT, game, seed=1)
    table = TablePlay(
        game.position(), (Seat("human", None), Seat(OPPONENT, engine)), seed=1, quiet=True
    )
    console = Console(record=True, width=92, file=io.StringIO(), force_terminal=True)
    console.print("$ make play", style="dim")
    console.print(f"{game.name}   X human · O {OPPONENT}\n", style="bold", highlight=False)
    position, thoughts, last = table.position, "", None
    for text in HUMAN_MOVES.split():
        position = position.play(game.parse_move(text))
        decision = engine.decide(position)
        thoughts = table.describe(OPPONENT, decision)
        last = game.filled_cell(position.state, decision.move)
        position = position.play(decision.move)
    cursor = game.filled_cell(position.state, game.cols // 2)
    console.print(draw(position, cursor=cursor, last=last), highlight=False)
    console.print(thoughts, highlight=False)
    console.print("arrows + Enter, or type a move · undo · hint · resign · quit", highlight=False)
    console.print("X > ", highlight=False)
    svg = console.export_svg(title="tengen play connect4")
    # Nothing is fetched from anywhere: the reader's own monospace font will do.
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    target = Path(__file__).parent / "images" / "play.svg"
    target.write_text(re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE))


if __name__ == "__main__":
    main()

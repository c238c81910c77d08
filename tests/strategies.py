"""Random rules and games for hypothesis, and helpers that draw boards."""

from hypothesis import strategies as st

from tengen.rules import LINES, AnyPosition, GridGame, Rules


@st.composite
def rules(draw: st.DrawFn, *, largest: int = 14, longest: int = 7) -> Rules:
    """Any board up to a size: both kinds, every line rule, blocked cells, k from 3."""
    rows = draw(st.integers(1, largest))
    cols = draw(st.integers(1 if rows >= 3 else 3, largest))
    k = draw(st.integers(3, min(longest, max(rows, cols))))
    cells = st.integers(0, rows * cols - 1)
    blocked = draw(st.sets(cells, max_size=min(4, rows * cols - 2)))
    return Rules(
        rows=rows,
        cols=cols,
        k=k,
        gravity=draw(st.booleans()),
        line=draw(st.sampled_from(sorted(LINES))),
        blocked=tuple(sorted(blocked)),
    )


def random_position(game: GridGame, data: st.DataObject, *, most: int = 60) -> AnyPosition:
    """A position after some random moves, the game not over unless by the last one."""
    position: AnyPosition = game.position()
    for _ in range(data.draw(st.integers(0, most), label="plies")):
        if position.is_over:
            break
        position = position.play(data.draw(st.sampled_from(position.legal_moves), label="move"))
    return position

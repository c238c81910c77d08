"""Draw how runs of Connect Four learnt: good and perfect moves of the policy alone, by minutes.

.venv/bin/python docs/make_curves.py runs/connect4-10-1 runs/connect4-60-1 runs/shipped
"""

import argparse
import math
from html import escape
from pathlib import Path

from tengen.training.history import RunHistory, read_run

WIDTH, HEIGHT = 420, 260
LEFT, TOP = 44, 30
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#aa3377")
FIRST_MINUTE = 2.0


class Panel:
    """One figure of all runs; minutes are on a logarithmic scale."""

    def __init__(self, runs: list[RunHistory], figure: str, title: str, left: float) -> None:
        self.title, self.left = title, left
        self.curves = [_curve(run, figure) for run in runs]
        points = [point for curve in self.curves for point in curve]
        self.last_minute = max(minute for minute, _ in points)
        self.low = math.floor(min(value for _, value in points))
        self.high = math.ceil(max(value for _, value in points))

    def place(self, minute: float, value: float) -> tuple[float, float]:
        """Where a point is in the picture."""
        along = math.log(minute / FIRST_MINUTE) / math.log(self.last_minute / FIRST_MINUTE)
        up = (value - self.low) / (self.high - self.low)
        return self.left + WIDTH * along, TOP + HEIGHT * (1 - up)

    def drawn(self) -> str:
        """The panel as SVG."""
        parts = [f'<text x="{self.left}" y="{TOP - 12}" class="title">{escape(self.title)}</text>']
        for value in range(self.low, self.high + 1, max(1, (self.high - self.low) // 8)):
            x, y = self.place(FIRST_MINUTE, value)
            parts.append(f'<path d="M{x:.1f} {y:.1f}h{WIDTH}" class="grid"/>')
            parts.append(f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" class="end">{value}</text>')
        for minute in (2, 5, 10, 20, 60, 120, 240):
            if minute <= self.last_minute:
                x, y = self.place(minute, self.low)
                parts.append(f'<text x="{x:.1f}" y="{y + 18:.1f}" class="middle">{minute}</text>')
        for curve, colour in zip(self.curves, COLOURS, strict=False):
            line = " ".join("{:.1f},{:.1f}".format(*self.place(*point)) for point in curve)
            parts.append(f'<polyline points="{line}" stroke="{colour}"/>')
        return "\n".join(parts)


def _curve(run: RunHistory, figure: str) -> list[tuple[float, float]]:
    seconds = dict(run.curves["seconds"])
    return [
        (seconds[iteration] / 60, 100 * value)
        for iteration, value in run.curves[figure]
        if seconds[iteration] / 60 >= FIRST_MINUTE
    ]


def main() -> None:
    """Draw the runs next to this script's images."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path, nargs="+")
    runs = [read_run(path) for path in parser.parse_args().runs]
    second = LEFT + WIDTH + 60
    panels = [
        Panel(runs, "good_0", "good moves, %", LEFT),
        Panel(runs, "perfect_0", "perfect moves, %", second),
    ]
    below = TOP + HEIGHT + 46
    names = [
        f'<text x="{LEFT + 200 * i}" y="{below}" fill="{colour}">{escape(run.name)}</text>'
        for i, (run, colour) in enumerate(zip(runs, COLOURS, strict=False))
    ]
    body = "\n".join([*(panel.drawn() for panel in panels), *names])
    box = f"0 0 {second + WIDTH + 20} {below + 16}"
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">\n'
        "<style>text{font:13px sans-serif}.title{font-weight:bold}.end{text-anchor:end}"
        ".middle{text-anchor:middle}.grid{stroke:#ddd}polyline{fill:none;stroke-width:1.6}</style>\n"
        f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )
    (Path(__file__).parent / "images" / "curves.svg").write_text(svg)


if __name__ == "__main__":
    main()

"""The curves of a run as one page that needs nothing but a browser."""

from html import escape
from pathlib import Path
from typing import Any

from tengen.errors import SpecError
from tengen.network.files import replacing
from tengen.training.history import RunHistory

#: Charts: title, and what belongs to a figure's name for it to be drawn there.
_CHARTS = (
    ("Good and perfect moves", ("good_", "perfect_", "decisive_")),
    ("Error of the value", ("value_error_",)),
    ("Win rate", ("win_rate", "accepted", "against_")),
    ("Losses", ("loss",)),
    ("Entropies", ("target_entropy", "policy_entropy")),
    ("Games", ("game_length",)),
    ("Shares", ("first_player_share", "draws", "cache_hits", "busy")),
    ("Speed", ("games_per_second", "evaluations_per_second", "samples_per_second")),
    ("Learning rate", ("rate",)),
    ("Buffer", ("positions", "buffer_age", "steps", "sims")),
    ("Seconds", ("seconds_",)),
)


def write_page(history: RunHistory, path: Path) -> None:
    """Write the page; an older one is replaced."""
    try:
        import plotly.graph_objects as charts
        from plotly.offline import get_plotlyjs
    except ModuleNotFoundError:
        raise SpecError("curves need the package plotly: pip install 'tengen[train]'") from None
    if not history.curves:
        raise SpecError(f"run {history.name} has no figures yet")
    parts = [_chart(charts, title, names, history) for title, names in _CHARTS]
    title = escape(f"{history.name}: {history.game}")
    text = (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}</title>"
        f"<script>{get_plotlyjs()}</script></head><body style='font-family: sans-serif'>"
        f"<h1>{title}</h1><p>{history.iteration} iterations, {history.games:,} games, "
        f"{history.seconds / 60:.1f} minutes</p>{''.join(parts)}</body></html>"
    )
    try:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SpecError(f"{path}: {error.strerror}") from None


def _chart(charts: Any, title: str, names: tuple[str, ...], history: RunHistory) -> str:
    """One chart by minutes; nothing where there is nothing to draw."""
    minutes = {iteration: value / 60 for iteration, value in history.curves.get("seconds", [])}
    figure = charts.Figure()
    for name, curve in sorted(history.curves.items()):
        if not name.startswith(names) or (title != "Seconds" and name.startswith("seconds")):
            continue
        known = [(minutes[i], value) for i, value in curve if i in minutes]
        if known:
            x, y = zip(*known, strict=True)
            figure.add_trace(charts.Scatter(x=x, y=y, name=name, mode="lines+markers"))
    if not figure.data:
        return ""
    figure.update_layout(title=title, xaxis_title="minutes", height=380, template="plotly_white")
    html: str = figure.to_html(full_html=False, include_plotlyjs=False)
    return html

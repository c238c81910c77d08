"""The first stage: games of the network against itself."""

import math
import time
from contextlib import closing

from tengen.rules import Outcome
from tengen.selfplay import GameRecord, self_play_of
from tengen.training.events import Event, OnEvent
from tengen.training.run import Run

#: Games handed to the store at once, at most.
_AT_ONCE = 32


def play(run: Run, *, on_event: OnEvent) -> dict[str, float]:
    """Play the games of this iteration that are not there yet; each is kept as it ends."""
    iteration, numbers = run.state.iteration, run.numbers
    window = run.window
    # Those that were played before the run was stopped, or in another run.
    games = list(run.store.games_of(numbers))
    window.add(games)
    wanted = sorted(set(numbers) - {record.index for record in games})
    settings = run.settings.selfplay_of(iteration, numbers.start)
    self_play = self_play_of(
        run.game,
        None if run.settings.has_rollouts(iteration) else run.evaluator(),
        settings,
        seed=run.settings.seed,
        threads=run.settings.threads,
    )
    total = len(numbers)
    on_event(Event("self-play", iteration, len(games), total))
    start = time.monotonic()
    waiting: list[GameRecord] = []

    def keep() -> None:
        """For good, and for learning: decoded while other games are still being played."""
        if not waiting:
            return
        run.store.add_games(waiting, iteration=iteration)
        window.add(waiting)
        games.extend(waiting)
        waiting.clear()
        on_event(Event("self-play", iteration, len(games), total))

    try:
        with closing(self_play.play(wanted)) as ended:
            for record in ended:
                waiting.append(record)
                if len(waiting) >= _AT_ONCE or not self_play.has_more:
                    keep()
    finally:
        keep()
    seconds = max(1e-9, time.monotonic() - start)
    figures = {"games": float(total), "sims": float(settings.sims), "seconds_self_play": seconds}
    if wanted:
        counts = self_play.counts
        figures |= {
            "games_per_second": len(wanted) / seconds,
            "evaluations_per_second": counts.evaluations / seconds,
            "cache_hits": counts.cache_hits / max(1, counts.cache_asked),
        }
    # In one order, whichever ended first.
    return figures | _figures(sorted(games, key=lambda record: record.index))


def _figures(games: list[GameRecord]) -> dict[str, float]:
    """What the games were like."""
    entropies = [
        -sum(share * math.log(share) for _, share in ply.target if share > 0)
        for record in games
        for ply in record.plies
    ]
    return {
        "game_length": sum(len(record.moves) for record in games) / len(games),
        "first_player_share": sum(
            1.0 if record.outcome is Outcome.first_wins else 0.5 * (record.outcome is Outcome.draw)
            for record in games
        )
        / len(games),
        "draws": sum(record.outcome is Outcome.draw for record in games) / len(games),
        "target_entropy": sum(entropies) / max(1, len(entropies)),
    }

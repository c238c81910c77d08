"""The fourth stage: whether the newest network takes the place of the best."""

import time

from tengen.arena.match import MatchScore, play_match, random_openings
from tengen.players import Player, player
from tengen.search.neural_settings import SEARCH_OWN_KEYS
from tengen.selfplay import SelfPlaySettings
from tengen.selfplay.settings import SEARCH_KEYS
from tengen.training.events import Event, OnEvent
from tengen.training.run import Run
from tengen.training.settings import GateSettings


def is_accepted(score: MatchScore, gate: GateSettings) -> bool:
    """Whether a candidate with this score against the best takes its place."""
    return score.win_rate > gate.threshold


def as_in_selfplay(settings: SelfPlaySettings) -> str:
    """The keys of a player whose search is that of self-play; noise is not among them."""
    search = settings.search
    others = frozenset[str]().union(
        *(keys for name, keys in SEARCH_OWN_KEYS.items() if name != search.search)
    )
    # All of them: a player has other defaults. There as here a tree waits for its every leaf.
    chosen = search.model_dump(include=set(SEARCH_KEYS - others), exclude_none=True) | {"batch": 1}
    return "".join(
        f",{key}={('off', 'on')[value] if isinstance(value, bool) else value}"
        for key, value in chosen.items()
    )


def pit(run: Run, *, on_event: OnEvent) -> dict[str, float]:
    """A paired match from varied openings without noise, where a gate asks for one."""
    gate = run.settings.gate
    iteration = run.state.iteration
    is_due = (iteration + 1) % gate.every == 0 and run.learner.step > run.state.best_step
    if gate.kind == "never" or not is_due:
        return {}
    start = time.monotonic()
    openings = random_openings(
        run.game, gate.games // 2, plies=gate.opening_plies, seed=run.settings.seed + iteration
    )
    done = 0

    def count(_: MatchScore) -> None:
        nonlocal done
        done += 1
        on_event(Event("pit", iteration, done, 2 * len(openings)))

    def player_of(path: object) -> Player:
        keys = as_in_selfplay(run.settings.selfplay) if gate.sims > 0 else ""
        return player(f'net:"{path}",sims={gate.sims}{keys}', run.game, seed=run.settings.seed)

    pairs = [(player_of(run.newest), player_of(run.best)) for _ in range(run.settings.threads)]
    score = play_match(pairs, openings, on_game=count)
    accepted = is_accepted(score, gate)
    if accepted:
        run.keep_as_best(score=run.state.best_score)
    seconds = time.monotonic() - start
    return {"win_rate": score.win_rate, "accepted": float(accepted), "seconds_pit": seconds}

"""UCT on the native core."""

from tengen import _core
from tengen.errors import SpecError
from tengen.rules import AnyPosition, GridGame
from tengen.search.engine import Report, moves_between
from tengen.search.settings import UctSettings


class NativeUct:
    """The native search of a k-in-a-row game, see :class:`tengen.search.engine.TreeSearch`."""

    def __init__(self, settings: UctSettings, *, seed: int) -> None:
        self._settings = settings
        self._seed = seed
        self._native: _core.Uct | None = None
        self._root: AnyPosition | None = None
        self._stopped = False

    def place(self, position: AnyPosition) -> None:
        state = position.state
        if not (isinstance(position.game, GridGame) and isinstance(state, _core.Position)):
            raise SpecError(f"the native search plays k-in-a-row games, not {position.game.name}")
        if self._native is None or self._root is None or self._root.game != position.game:
            config = self._settings.resolved(position.game).native()
            self._native = _core.Uct(state, config, threads=self._settings.threads, seed=self._seed)
        else:
            moves = moves_between(self._root, position) if self._settings.reuse else None
            # The tree holds rewards of the player who searched.
            same_side = moves is not None and len(moves) % 2 == 0
            if moves is not None and (same_side or self._settings.is_antisymmetric):
                self._native.advance(state, moves)
            else:
                self._native.reset(state)
        self._root = position
        if self._stopped:
            self._native.stop()

    def run(self, sims: int, seconds: float) -> int:
        return self._placed().run(sims, seconds)

    def stop(self) -> None:
        self._stopped = True
        if self._native is not None:
            self._native.stop()

    def resume(self) -> None:
        self._stopped = False
        if self._native is not None:
            self._native.resume()

    def report(self) -> Report:
        report = self._placed().report()
        return Report(
            visits={stats.move: stats.visits for stats in report.moves},
            pv=tuple(report.pv),
            value=report.value,
            is_proven=report.is_proven,
            nodes=report.nodes,
        )

    def _placed(self) -> _core.Uct:
        assert self._native is not None, "place() comes first"
        return self._native

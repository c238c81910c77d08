"""The guided search in plain Python as players use it; ``reference_search`` is the search."""

import time

from tengen.errors import SpecError
from tengen.rules import AnyGame, AnyPosition
from tengen.search.engine import Report, moves_between
from tengen.search.guided import batch_size
from tengen.search.judge import Judge
from tengen.search.neural_settings import GuidedSettings, HybridSettings
from tengen.search.reference_search import ReferenceSearch


class ReferenceGuided:
    """Searches any game by the batch, see :class:`tengen.search.engine.TreeSearch`."""

    def __init__(
        self,
        game: AnyGame,
        judge: Judge,
        settings: GuidedSettings | HybridSettings,
        *,
        seed: int = 0,
    ) -> None:
        self._game = game
        self._judge = judge
        self._batch = settings.batch
        self._reuse = settings.reuse
        self._search = ReferenceSearch(game, settings, seed=seed)
        self._root: AnyPosition | None = None
        self._stopped = False
        self._endless = False  # a search without a number of simulations is under way

    def place(self, position: AnyPosition) -> None:
        if position.game != self._game:
            raise SpecError(f"this search is for {self._game.name}, not {position.game.name}")
        before, self._root = self._root, position
        moves = moves_between(before, position) if before and self._reuse else None
        if moves is None:
            self._search.reset(position.state)
        else:
            self._search.advance(position.state, moves)
        self._endless = False

    def run(self, sims: int, seconds: float) -> int:
        assert self._root is not None, "place() comes first"
        search = self._search
        deadline = time.monotonic() + seconds
        if not (self._endless and sims >= 2**62):
            search.begin(sims)
            self._endless = sims >= 2**62
        before = search.started
        while not (self._stopped or search.is_done or time.monotonic() >= deadline):
            leaves = search.gather(batch_size(self._batch, search.started))
            if leaves:
                logits, values = self._judge([leaf.node.state for leaf in leaves])
                for leaf, row, value in zip(leaves, logits.tolist(), values.tolist(), strict=True):
                    search.expand(leaf, row, value)
        return search.started - before

    def stop(self) -> None:
        self._stopped = True

    def resume(self) -> None:
        self._stopped = False

    def report(self) -> Report:
        return self._search.report()

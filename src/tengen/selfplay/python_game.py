"""One game of self-play in plain Python, as ``core/selfplay/self_play.hpp`` plays one.

All its chance comes from the seed and the number of the game, draw for draw as in the core: on a
k-in-a-row board both play the same games.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from tengen.rules import AnyGame, Outcome
from tengen.search import Leaf, ReferenceSearch, RootNoise
from tengen.search.formulas import single
from tengen.search.random import SplitMix
from tengen.selfplay.record import GameRecord, RecordedPly
from tengen.selfplay.settings import SelfPlaySettings

_OPENING_TRIES = 4
#: Of a game, at most.
_OPENINGS = 20
#: Of a move in the target, to be worth keeping.
_LEAST_SHARE = 1e-4
_LOSSES = (Outcome.second_wins, Outcome.first_wins)


class GameUnderWay:
    """A game, from its opening to its record, that waits for evaluations one leaf at a time."""

    def __init__(
        self, game: AnyGame, settings: SelfPlaySettings, *, seed: int, number: int
    ) -> None:
        self._game = game
        self._settings = settings
        self._number = number
        self._random = SplitMix(SplitMix(seed).next() ^ number)
        # Although it would resign: to see whether that is right.
        self._plays_on = self._random.unit() < settings.resign_check
        self._moves: list[int] = []
        self._plies: list[RecordedPly] = []
        self._resigned_at = -1
        self._resigner: int | None = None
        self._outcome = Outcome.ongoing
        #: Simulations of the searches that are over.
        self.sims = 0
        #: What is left of it at the end.
        self.record: GameRecord | None = None
        self._redrawn = 0
        self._open()

    def next_leaf(self) -> Leaf | None:
        """Play on until there is something to ask; None when the game is over."""
        while self.record is None:
            if self._search.is_done:
                self._finish_move()
                continue
            for leaf in self._search.gather(1):
                return leaf
        return None

    def expand(self, leaf: Leaf, logits: Sequence[float], value: float) -> None:
        """The answer to the last leaf."""
        self._search.expand(leaf, logits, value)

    def _open(self) -> None:
        self._draw_opening()
        self._opening = len(self._moves)
        self._search = ReferenceSearch(self._game, self._settings.search, seed=self._random.next())
        self._search.reset(self._state)
        self._start_search()

    def _draw_opening(self) -> None:
        """One that ends the game is drawn anew; one that cannot but do so gets shorter."""
        settings, plies = self._settings, 0
        if settings.opening_plies > 0 and self._random.unit() < settings.opening_share:
            plies = 1 + self._random.below(settings.opening_plies)
        self._play_opening(plies)
        tries = 1
        while self._outcome is not Outcome.ongoing:
            plies -= tries % _OPENING_TRIES == 0
            self._play_opening(plies)
            tries += 1

    def _play_opening(self, plies: int) -> None:
        self._state = self._game.start()
        self._moves.clear()
        self._outcome = Outcome.ongoing
        for _ in range(plies):
            if self._outcome is not Outcome.ongoing:
                return
            legal = self._game.legal_moves(self._state)
            self._play(legal[self._random.below(len(legal))])

    def _play(self, move: int) -> None:
        self._state = self._game.play(self._state, move)
        self._moves.append(move)
        self._outcome = self._game.outcome(self._state)

    def _start_search(self) -> None:
        settings = self._settings
        self._is_full = settings.fast_sims == 0 or self._random.unit() < settings.full_share
        if self._is_full:
            self._search.begin(settings.sims, settings.noise)
        else:
            self._search.begin(settings.fast_sims, RootNoise())

    def _finish_move(self) -> None:
        self.sims += self._search.started
        if self._is_known():
            self._open()
            return
        if self._resigns():
            assert self._resigner is not None, "somebody gave up"
            self._end(_LOSSES[self._resigner], is_resigned=True)
            return
        self._record_ply()
        move = self._chosen_move()
        self._play(move)
        if self._outcome is not Outcome.ongoing:
            self._end(self._outcome, is_resigned=False)
            return
        if self._settings.reuse:
            self._search.advance(self._state, [move])
        else:
            self._search.reset(self._state)
        self._start_search()

    def _is_known(self) -> bool:
        """Whether the opening has decided the game already, and another is wanted."""
        share = self._settings.known_share
        if share >= 1 or self._plies or self._opening == 0:
            return False
        if not self._search.is_proven or self._random.unit() < share:
            return False
        self._redrawn += 1
        return self._redrawn < _OPENINGS

    def _record_ply(self) -> None:
        priors = self._search.priors()
        target = {m: share for m, share in self._search.policy().items() if share >= _LEAST_SHARE}
        surprise = sum(
            share * math.log(share / max(priors[move], _LEAST_SHARE))
            for move, share in target.items()
        )
        self._plies.append(
            RecordedPly(
                target=tuple((move, single(share)) for move, share in target.items()),
                value=single(self._search.value),
                proof=self._search.proof.name.lower(),
                is_full=self._is_full,
                sims=self._search.started,
                surprise=single(max(0.0, surprise)),
            )
        )

    def _resigns(self) -> bool:
        """Whether the mover gives up; games chosen for the check are played on."""
        resign = self._settings.resign
        if self._resigner is None and resign is not None and self._search.value < resign:
            self._resigned_at = len(self._moves)
            self._resigner = self._game.mover(self._state)
        return self._resigner is not None and not self._plays_on

    def _chosen_move(self) -> int:
        stray = self._settings.stray_share
        if stray > 0 and self._random.unit() < stray:
            self._plies[-1] = replace(self._plies[-1], is_stray=True)
            moves = list(self._search.priors())
            return moves[self._random.below(len(moves))]
        tau = self._settings.temperature(len(self._moves))
        if tau <= 0 or self._search.is_proven:
            return self._search.best_move
        weights = {move: share ** (1.0 / tau) for move, share in self._search.policy().items()}
        left = self._random.unit() * sum(weights.values())
        for move, weight in weights.items():
            left -= weight
            if left < 0:
                return move
        return self._search.best_move

    def _end(self, outcome: Outcome, *, is_resigned: bool) -> None:
        self.record = GameRecord(
            game=self._game.name,
            index=self._number,
            opening=self._opening,
            moves=tuple(self._moves),
            plies=tuple(self._plies),
            outcome=outcome,
            resigned_at=self._resigned_at,
            resigner=self._resigner,
            is_resigned=is_resigned,
        )

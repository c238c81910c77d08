"""Matches in pairs: the same opening twice, with the colours swapped."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

from tengen.arena.workers import gathered
from tengen.errors import SpecError
from tengen.players import Player
from tengen.rules import AnyGame, AnyPosition, Outcome
from tengen.search.random import SplitMix

#: Openings drawn for one that is new, before it is taken that there are no more.
_TRIES = 100

#: One and the other player, who sit down at a board of their own.
Pair: TypeAlias = tuple[Player, Player]


@dataclass(frozen=True, slots=True)
class MatchScore:
    """How a match ended, for the first of the two players."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """How many were played."""
        return self.wins + self.draws + self.losses

    @property
    def win_rate(self) -> float:
        """(wins + draws / 2) / games; a half where there are none."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    def __add__(self, other: "MatchScore") -> "MatchScore":
        return MatchScore(
            self.wins + other.wins, self.draws + other.draws, self.losses + other.losses
        )

    def __str__(self) -> str:
        return f"+{self.wins} ={self.draws} -{self.losses}"


def random_openings(game: AnyGame, openings: int, *, plies: int, seed: int) -> list[AnyPosition]:
    """Unfinished positions after so many random moves, all different while there are enough."""
    random = SplitMix(seed)
    found: list[AnyPosition] = []
    for _ in range(openings):
        for tries in count():
            opening = _random_opening(game, plies, random)
            is_new = all(opening.state != other.state for other in found)
            if not opening.is_over and (is_new or tries >= _TRIES):
                break
            if tries >= 10 * _TRIES:
                raise SpecError(f"{game.name} has no openings of {plies} plies")
        found.append(opening)
    return found


def _random_opening(game: AnyGame, plies: int, random: SplitMix) -> AnyPosition:
    position = game.position()
    for _ in range(plies):
        if position.is_over:
            break
        legal = position.legal_moves
        position = position.play(legal[random.below(len(legal))])
    return position


def play_match(
    pairs: Sequence[Pair],
    openings: Sequence[AnyPosition],
    *,
    on_game: Callable[[MatchScore], None] = lambda _: None,
) -> MatchScore:
    """Two games from every opening; there is a thread for each pair of equal players.

    ``on_game`` is called on the caller's thread.
    """
    games = [(opening, swapped) for opening in openings for swapped in (False, True)]

    def play(number: int) -> Iterator[MatchScore]:
        for opening, swapped in games[number :: len(pairs)]:
            yield _play(pairs[number], opening, swapped=swapped)

    total = MatchScore()
    with closing(gathered(play, len(pairs))) as scores:
        for score in scores:
            total += score
            on_game(score)
    return total


def _play(pair: Pair, opening: AnyPosition, *, swapped: bool) -> MatchScore:
    """One game; the first of the pair is the first player unless swapped."""
    position = opening
    while not position.is_over:
        player = pair[position.mover ^ swapped]
        position = position.play(player.decide(position).move)
    if position.outcome is Outcome.draw:
        return MatchScore(draws=1)
    winner = 0 if position.outcome is Outcome.first_wins else 1
    return MatchScore(wins=1) if winner == int(swapped) else MatchScore(losses=1)

"""What can decide a move."""

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from tengen.errors import IllegalMove, SpecError
from tengen.rules import AnyGame, AnyPosition
from tengen.search import Decision


class Player(Protocol):
    """Decides moves of one game. One thread at a time may ask it; any may stop it."""

    #: As it was written, for lists and records.
    spec: str

    def decide(self, position: AnyPosition) -> Decision:
        """The move to play in an unfinished position, within the player's budget."""

    def analyse(self, position: AnyPosition) -> Iterator[Decision]:
        """Better and better answers, without a budget, until stopped or certain."""

    def stop(self) -> None:
        """End a decide or analyse under way with the best answer so far."""


@runtime_checkable
class BatchPlayer(Player, Protocol):
    """A player that answers many positions sooner together than one by one."""

    def decide_all(self, positions: Sequence[AnyPosition]) -> list[Decision]:
        """The move to play in each; its ``seconds`` are the mean."""


def require_ongoing(position: AnyPosition, game: AnyGame) -> None:
    """Raise unless there is a move to make, in the game that the player was made for."""
    if position.game != game:
        raise SpecError(f"this player is for {game.name}, not {position.game.name}")
    if position.is_over:
        raise IllegalMove("the game is over; there is no move to decide")


def about(player: Player) -> str:
    """What a player runs on, where there is a choice: ``network on CPU, fp32``; else nothing."""
    text: str = getattr(player, "about", "")
    return text

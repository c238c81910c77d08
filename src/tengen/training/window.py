"""The newest positions of a run, ready to be learnt from."""

from collections.abc import Callable, Iterable

from tengen.selfplay import GameRecord
from tengen.training.samples import Samples, averaged


class Window:
    """Games of a run, each decoded once and forgotten when it is too old.

    The window only ever moves forward, so what was forgotten is not asked for again.
    """

    def __init__(self, decode: Callable[[GameRecord], Samples]) -> None:
        self._decode = decode
        #: By the number of the game: how many positions were searched, and what they teach.
        self._games: dict[int, tuple[int, Samples]] = {}

    def add(self, records: Iterable[GameRecord]) -> None:
        """Games in any order; one that is there already stays as it is."""
        for record in records:
            if record.index not in self._games:
                self._games[record.index] = (len(record.plies), self._decode(record))

    def taught_from(self, first: int) -> int:
        """How many positions the games from a number on teach."""
        return sum(len(samples) for n, (_, samples) in self._games.items() if n >= first)

    def newest(self, size: int) -> Samples:
        """What the last games teach that hold so many positions, each position once."""
        kept: dict[int, tuple[int, Samples]] = {}
        for number in sorted(self._games, reverse=True):
            if size <= 0:
                break
            kept[number] = self._games[number]
            size -= kept[number][0]
        self._games = kept
        return averaged(Samples.joined([samples for _, samples in kept.values()]))

    @property
    def age(self) -> int:
        """How many games lie between the oldest and the newest."""
        return max(self._games) - min(self._games) if self._games else 0

"""The file of a run: every finished game and every figure, in SQLite.

A call that has returned is kept, whatever happens to the process afterwards.
"""

import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from tengen.errors import TengenError
from tengen.selfplay import GameRecord

#: Marks the file as ours: "TGRN" as a number.
_APPLICATION = 0x5447524E
_VERSION = 1
#: More than any game's number.
_NO_GAME = 2**63 - 1
_TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE games (
    number INTEGER PRIMARY KEY,      -- of the game in the run
    iteration INTEGER NOT NULL,
    positions INTEGER NOT NULL,      -- how many were searched
    record BLOB NOT NULL
) STRICT;
CREATE TABLE metrics (
    iteration INTEGER NOT NULL, name TEXT NOT NULL, value REAL NOT NULL,
    PRIMARY KEY (iteration, name)
) STRICT;
"""


class RunStore:
    """What a run has played and measured so far."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open a run's file, or begin one unless it is only to be read."""
        self._path = path
        mode = "ro" if read_only else "rwc"
        address = f"{path.absolute().as_uri()}?mode={mode}"
        try:
            self._database = sqlite3.connect(address, isolation_level=None, uri=True)
            self._open(read_only=read_only)
        except sqlite3.OperationalError as error:
            raise TengenError(f"{path} cannot be opened: {error}") from None
        except sqlite3.DatabaseError as error:
            raise TengenError(f"{path} is not a file of a run: {error}") from None

    def _open(self, *, read_only: bool) -> None:
        [application] = self._database.execute("PRAGMA application_id").fetchone()
        [tables] = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application != _APPLICATION and tables > 0:
            raise TengenError(f"{self._path} is a database, but not one of a run")
        if not read_only:
            # With a log of changes the file is whole after any kill; nothing waits for readers.
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
        if tables == 0 and not read_only:
            self._database.executescript(
                f"BEGIN; {_TABLES} PRAGMA application_id = {_APPLICATION}; "
                f"PRAGMA user_version = {_VERSION}; COMMIT;"
            )
        [version] = self._database.execute("PRAGMA user_version").fetchone()
        if version != _VERSION:
            raise TengenError(f"{self._path} has format {version}; this program knows {_VERSION}")

    def add_games(self, records: Iterable[GameRecord], *, iteration: int) -> None:
        """Keep games; one that is there already, by its number, is left as it is."""
        rows = [
            (record.index, iteration, len(record.plies), record.to_bytes()) for record in records
        ]
        self._write("INSERT OR IGNORE INTO games VALUES (?, ?, ?, ?)", rows)

    def copy_games(self, path: Path) -> None:
        """Keep the games of another run's file, under their numbers."""
        try:
            self._database.execute("ATTACH ? AS other", (f"{path.absolute().as_uri()}?mode=ro",))
            try:
                self._database.execute("INSERT OR IGNORE INTO games SELECT * FROM other.games")
            finally:
                self._database.execute("DETACH other")
        except sqlite3.DatabaseError as error:
            raise TengenError(f"the games of {path} cannot be copied: {error}") from None

    def log(self, iteration: int, figures: Mapping[str, float]) -> None:
        """Keep figures; a figure of the same name and iteration is replaced."""
        rows = [(iteration, name, value) for name, value in figures.items()]
        self._write("INSERT OR REPLACE INTO metrics VALUES (?, ?, ?)", rows)

    def note(self, values: Mapping[str, str]) -> None:
        """Keep facts about the run."""
        self._write("INSERT OR REPLACE INTO about VALUES (?, ?)", list(values.items()))

    def forget(self, note: str) -> None:
        """A fact that is not true any more."""
        self._write("DELETE FROM about WHERE key = ?", [(note,)])

    def notes(self) -> dict[str, str]:
        """The facts about the run."""
        return dict(self._rows("SELECT key, value FROM about"))

    def game_count(self) -> int:
        """How many games are kept."""
        [[count]] = self._rows("SELECT count(*) FROM games")
        return int(count)

    def position_count(self, *, before: int = _NO_GAME) -> int:
        """Searched positions in all games before a number."""
        [[count]] = self._rows(
            "SELECT coalesce(sum(positions), 0) FROM games WHERE number < ?", before
        )
        return int(count)

    def games_of(self, numbers: range) -> Generator[GameRecord]:
        """The games of these numbers that are kept, in their order."""
        rows = self._rows(
            "SELECT record FROM games WHERE number >= ? AND number < ? ORDER BY number",
            numbers.start,
            numbers.stop,
        )
        for [record] in rows:
            yield self._record(record)

    def newest_games(self, positions: int, *, before: int = _NO_GAME) -> Generator[GameRecord]:
        """The last games before a number that hold so many positions; the newest first."""
        left = positions
        rows = self._rows(
            "SELECT positions, record FROM games WHERE number < ? ORDER BY number DESC", before
        )
        for count, record in rows:
            if left <= 0:
                return
            left -= count
            yield self._record(record)

    def metrics(self) -> Iterator[tuple[int, str, float]]:
        """Iteration, name and value, in the order of the iterations."""
        yield from self._rows("SELECT iteration, name, value FROM metrics ORDER BY iteration, name")

    def close(self) -> None:
        """Nothing more is to be kept."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _record(self, data: bytes) -> GameRecord:
        try:
            return GameRecord.from_bytes(data)
        except TengenError as error:
            raise TengenError(f"{self._path} is damaged: {error}") from None

    def _rows(self, statement: str, *values: int) -> Iterator[Any]:
        try:
            # Row by row: "yield from" the cursor itself would close it if this is broken off,
            # perhaps after the file.
            yield from iter(self._database.execute(statement, values).fetchone, None)
        except sqlite3.DatabaseError as error:
            raise TengenError(f"{self._path} cannot be read: {error}") from None

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        """All rows or none."""
        try:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                self._database.executemany(statement, rows)
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise
        except sqlite3.DatabaseError as error:  # a full disk, above all
            raise TengenError(f"{self._path} cannot be written: {error}") from None

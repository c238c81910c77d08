"""Games of self-play, and the compact form in which they are kept."""

import struct
import zlib
from dataclasses import dataclass
from typing import Self

import numpy as np

from tengen import _core
from tengen.errors import TengenError
from tengen.rules import Outcome

_MAGIC = b"TGR3"
#: Magic; lengths of the game's name, of the moves, of the plies; index; opening; outcome;
#: the ply of resigning; by whom: 0 nobody, 1 the first player, 2 the second; whether it was done.
_HEAD = struct.Struct("<4sHHHQHBhBB")
#: At the end, over everything before it.
_CHECK = struct.Struct("<I")
#: Value, surprise, sims, what is proven; 1 if the search was full, plus 2 for a stray; how many
#: moves the target has.
_PLY = np.dtype(
    [("value", "<f4"), ("surprise", "<f4"), ("sims", "<u4"),
     ("proof", "u1"), ("kind", "u1"), ("n", "<u2")]
)  # fmt: skip
_TARGET = np.dtype([("move", "<u2"), ("share", "<f4")])

#: What is proven of a position, for its mover.
PROOFS = tuple(proof.name for proof in _core.Proof)


@dataclass(frozen=True, slots=True)
class RecordedPly:
    """What the search said about one position."""

    #: Moves with a share in the policy to learn, and that share.
    target: tuple[tuple[int, float], ...]
    #: The root's value for the mover.
    value: float
    #: ``open``, ``win``, ``draw`` or ``loss``.
    proof: str
    #: Not one of the quick searches, which teach little.
    is_full: bool
    sims: int
    #: How far the target is from the network's policy: their Kullback-Leibler divergence.
    surprise: float = 0.0
    #: Whether the move played was drawn at random: how the game ends says nothing about it then.
    is_stray: bool = False


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game: its moves, what was thought of each, and how it ended."""

    game: str
    #: Which game of its run.
    index: int
    #: How many of the moves were drawn at random; the searched ones follow.
    opening: int
    moves: tuple[int, ...]
    plies: tuple[RecordedPly, ...]
    outcome: Outcome
    #: The ply at which the mover gave up or would have; -1: never.
    resigned_at: int = -1
    #: Who that is: 0 or 1. Games need not have their players move in turn.
    resigner: int | None = None
    is_resigned: bool = False

    @classmethod
    def of(cls, game: str, native: _core.GameRecord) -> Self:
        """The native core's account of a game."""
        return cls(
            game=game,
            index=native.index,
            opening=native.opening,
            moves=tuple(native.moves),
            plies=tuple(
                RecordedPly(
                    target=tuple(ply.target),
                    value=ply.value,
                    proof=ply.proof.name,
                    is_full=ply.is_full,
                    sims=ply.sims,
                    surprise=ply.surprise,
                    is_stray=ply.is_stray,
                )
                for ply in native.plies
            ),
            outcome=native.outcome,
            resigned_at=native.resigned_at,
            resigner=native.resigned_at % 2 if native.resigned_at >= 0 else None,
            is_resigned=native.is_resigned,
        )

    @property
    def played_out(self) -> int:
        """The ply from which on no move was drawn at random: what it led to counts."""
        strays = [ply for ply, thought in enumerate(self.plies, self.opening) if thought.is_stray]
        return strays[-1] + 1 if strays else self.opening

    @property
    def was_resigned_wrongly(self) -> bool | None:
        """Of a game played on: whether who would have given up did not lose; else None."""
        # A stray later on may be why.
        if self.resigner is None or self.is_resigned or self.played_out > self.resigned_at:
            return None
        loses = (Outcome.second_wins, Outcome.first_wins)[self.resigner]
        return self.outcome is not loses

    def to_bytes(self) -> bytes:
        """A few bytes per ply; :meth:`from_bytes` gives the same record back."""
        name = self.game.encode()
        plies = np.zeros(len(self.plies), _PLY)
        for i, ply in enumerate(self.plies):
            plies[i] = (
                ply.value, ply.surprise, ply.sims,
                PROOFS.index(ply.proof), ply.is_full + 2 * ply.is_stray, len(ply.target),
            )  # fmt: skip
        targets = np.array([pair for ply in self.plies for pair in ply.target], _TARGET)
        head = _HEAD.pack(
            _MAGIC,
            len(name),
            len(self.moves),
            len(self.plies),
            self.index,
            self.opening,
            list(Outcome).index(self.outcome),
            self.resigned_at,
            0 if self.resigner is None else 1 + self.resigner,
            self.is_resigned,
        )
        moves = np.array(self.moves, "<u2").tobytes()
        body = b"".join((head, name, moves, plies.tobytes(), targets.tobytes()))
        return body + _CHECK.pack(zlib.crc32(body))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read a record; anything else is refused."""
        try:
            return cls._from_bytes(data)
        except (ValueError, IndexError, struct.error) as error:
            raise TengenError(f"these {len(data)} bytes are no game record") from error

    @classmethod
    def _from_bytes(cls, data: bytes) -> Self:
        (
            magic, name_size, move_count, ply_count, index, opening, outcome, at, by, resigned
        ) = _HEAD.unpack_from(data)  # fmt: skip
        [check] = _CHECK.unpack_from(data, len(data) - _CHECK.size)
        if magic != _MAGIC or check != zlib.crc32(data[: -_CHECK.size]):
            raise ValueError("another format, or damaged")
        start = _HEAD.size
        name = data[start : start + name_size].decode()
        start += name_size
        moves = np.frombuffer(data, "<u2", move_count, start)
        start += moves.nbytes
        plies = np.frombuffer(data, _PLY, ply_count, start)
        start += plies.nbytes
        targets = np.frombuffer(data, _TARGET, int(plies["n"].sum()), start)
        if start + targets.nbytes + _CHECK.size != len(data) or opening + ply_count != move_count:
            raise ValueError("another length")
        ends = np.cumsum(plies["n"]).tolist()
        pairs = targets.tolist()
        return cls(
            game=name,
            index=index,
            opening=opening,
            moves=tuple(moves.tolist()),
            plies=tuple(
                RecordedPly(
                    target=tuple(pairs[end - n : end]),
                    value=value,
                    proof=PROOFS[proof],
                    is_full=bool(kind & 1),
                    sims=sims,
                    surprise=surprise,
                    is_stray=bool(kind & 2),
                )
                for (value, surprise, sims, proof, kind, n), end in zip(
                    plies.tolist(), ends, strict=True
                )
            ),
            outcome=list(Outcome)[outcome],
            resigned_at=at,
            resigner=None if by == 0 else by - 1,
            is_resigned=bool(resigned),
        )

"""Whether a search may look for wins by continuous fours."""

from typing import TypeVar

from tengen import _core
from tengen.errors import SpecError, TengenError
from tengen.rules import AnyGame, GridGame
from tengen.search.neural_settings import GuidedSettings

_Guided = TypeVar("_Guided", bound=GuidedSettings)


def with_fours(game: AnyGame, settings: _Guided) -> _Guided:
    """The settings with ``vcf`` decided: as they say, else on where that can be done.

    Where it can be it wins games. What cannot be is refused now rather than in the first search.
    """
    if settings.vcf is None:
        return settings.model_copy(update={"vcf": _is_possible(game, settings)})
    if settings.vcf:
        _require(game, settings)
    return settings


def _is_possible(game: AnyGame, settings: GuidedSettings) -> bool:
    if not settings.proof or settings.haste:
        return False
    try:
        _require(game, settings)
    except TengenError:
        return False
    return True


def _require(game: AnyGame, settings: GuidedSettings) -> None:
    if not isinstance(game, GridGame):
        raise SpecError(f"vcf is for k-in-a-row games, not {game.name}")
    settings.native()
    _core.win_by_fours(game.start(), 1)

"""The formulas of UCT, as in ``core/search/formulas.hpp`` and with the same rounding."""

import math
from ctypes import c_float


def single(x: float) -> float:
    """Rounded to single precision."""
    return c_float(x).value


def decay_of(factor: float, plies: int, playout_plies: int) -> float:
    """What is left of a reward after a playout of that length."""
    product = 1.0
    for _ in range(playout_plies // plies):
        product *= factor
    return product


def ucb_exploration(c: float, parent_visits: int) -> float:
    """``c * sqrt(2 ln N)``."""
    return single(c * math.sqrt(2.0 * math.log(parent_visits)))


def ucb_spread(visits: int) -> float:
    """``1 / sqrt(n)``."""
    return single(1.0 / single(math.sqrt(single(visits))))


def ucb_mean(total: float, visits: int) -> float:
    """``W / n``."""
    return single(total / visits)


def ucb_score(mean: float, exploration: float, spread: float) -> float:
    """UCB1 (Auer, Cesa-Bianchi, Fischer 2002): ``W/n + c * sqrt(2 ln(N) / n)``."""
    return single(mean + single(exploration * spread))


def value_of(mean_reward: float, win: float, loss: float) -> float:
    """A mean reward as a value in [-1, 1]."""
    return 2.0 * (mean_reward - loss) / (win - loss) - 1.0

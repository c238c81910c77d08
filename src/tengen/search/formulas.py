"""The formulas of the tree searches, rounded as in ``core/search/formulas.hpp``."""

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


def win_worth(haste: float, stones: float, cells: int) -> float:
    """Of a win that comes with the last of so many stones: the sooner the more."""
    return 1.0 - haste * stones / cells


def puct_root(parent_visits: int, offset: float) -> float:
    """The root of the sum of visits; connectx adds 1e-8 under it."""
    return math.sqrt(parent_visits + offset)


def puct_score(mean: float, c: float, prior: float, root: float, visits: int) -> float:
    """PUCT (Rosin 2011; Silver et al. 2017): ``Q + c * P * sqrt(sum of N) / (1 + N)``."""
    return mean + c * prior * root / (1.0 + visits)


def forced_visits(forced: float, prior: float, parent_visits: int) -> float:
    """KataGo (Wu 2019): what a move of this prior gets in self-play whatever its value."""
    return math.sqrt(forced * prior * parent_visits)


def hybrid_score(total: float, prior: float, visits: int) -> float:
    """The hybrid design: ``R / max(1, C) + (2 + 2p) / sqrt(1 + C)``."""
    return total / max(1, visits) + (2.0 + 2.0 * prior) / math.sqrt(1.0 + visits)


def gumbel_sigma(value: float, most_visits: int, c_visit: float, c_scale: float) -> float:
    """A value as a change of the logit (Danihelka et al. 2022)."""
    return (c_visit + most_visits) * c_scale * value


def gumbel_mixed_value(
    network_value: float, visits: int, visited_prior: float, weighted_means: float
) -> float:
    """The value lent to moves without visits."""
    if visits == 0 or visited_prior <= 0:
        return network_value
    return (network_value + visits * weighted_means / visited_prior) / (1.0 + visits)


def halving_schedule(considered: int, sims: int) -> list[int]:
    """Per simulation, how many visits the root move has that is to be visited next."""
    phases = max(1, (considered - 1).bit_length())
    schedule: list[int] = []
    visits, left = 0, considered
    while len(schedule) < sims:
        for _ in range(max(1, sims // (phases * left))):
            schedule += [visits] * left
            visits += 1
        left = max(min(2, considered), left // 2)
    return schedule[:sims]

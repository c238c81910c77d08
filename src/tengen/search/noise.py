"""Chance for the root of a self-play search: as ``core/search/noise.hpp``, draw for draw."""

import math
from dataclasses import dataclass

from tengen.search.random import SplitMix


@dataclass(frozen=True, slots=True)
class RootNoise:
    """Chance at the root; as it stands there is none. Only self-play asks for it."""

    #: The share of Dirichlet noise in the priors.
    epsilon: float = 0.0
    #: Its concentration, divided by the number of moves.
    alpha: float = 0.0
    #: Visits that a move gets for sure: sqrt(forced * prior * visits).
    forced: float = 0.0
    #: Gumbel noise rather than none.
    gumbel: bool = False


def draw_gumbel(random: SplitMix) -> float:
    """A draw from the standard Gumbel distribution."""
    return -math.log(-math.log(random.unit()))


def draw_normal(random: SplitMix) -> float:
    """A draw from the standard normal distribution (Box, Muller 1958)."""
    radius = math.sqrt(-2.0 * math.log(random.unit()))
    return radius * math.cos(2.0 * math.pi * random.unit())


def draw_gamma(shape: float, random: SplitMix) -> float:
    """A draw from a Gamma distribution (Marsaglia, Tsang 2000)."""
    if shape < 1.0:
        boost = math.pow(random.unit(), 1.0 / shape)
        return draw_gamma(shape + 1.0, random) * boost
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = draw_normal(random)
        v = math.pow(1.0 + c * x, 3.0)
        if v > 0.0 and math.log(random.unit()) < 0.5 * x * x + d - d * v + d * math.log(v):
            return d * v


def draw_dirichlet(alpha: float, size: int, random: SplitMix) -> list[float]:
    """A point of the Dirichlet distribution with ``size`` equal parameters."""
    shares = [draw_gamma(alpha, random) for _ in range(size)]
    total = 0.0
    for share in shares:
        total += share
    return [share / total if total > 0 else 1.0 / size for share in shares]

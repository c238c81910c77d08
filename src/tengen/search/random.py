"""The random stream of the core, in Python: SplitMix64 (Steele, Lea, Flood 2014)."""

_MASK = (1 << 64) - 1


class SplitMix:
    """The same numbers as ``core/rules/random.hpp`` from the same seed."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def next(self) -> int:
        """64 random bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, bound: int) -> int:
        """Uniform in [0, bound)."""
        return (self.next() * bound) >> 64

    def unit(self) -> float:
        """Uniform in (0, 1), never one of the ends."""
        return ((self.next() >> 12) + 0.5) * 2.0**-52

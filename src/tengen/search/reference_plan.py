"""What is special about the root in plain Python: as ``core/search/root_plan.hpp``."""

import math
from collections.abc import Sequence

from tengen.search.formulas import forced_visits, halving_schedule, puct_root, puct_score
from tengen.search.neural_settings import GuidedSettings
from tengen.search.noise import RootNoise, draw_dirichlet, draw_gumbel
from tengen.search.random import SplitMix
from tengen.search.reference import Proof
from tengen.search.reference_tree import Edge, Node, ReferenceTree

#: The length of the first plan of a search without an end, and of the longest.
_FIRST_PLAN, _LONGEST_PLAN = 64, 1 << 16


class RootPlan:
    """Chance, forced visits, and Gumbel's plan."""

    def __init__(self, settings: GuidedSettings) -> None:
        self._settings = settings
        self._noise = RootNoise()
        self._sims = 0
        #: Of the moves, with noise; none before the plan is made.
        self.priors: list[float] = []
        #: Gumbel's part of every move's score.
        self.gumbel: list[float] = []
        self._base: list[int] = []
        self._schedule: list[int] = []  # of the plan under way
        self._planned = 0  # simulations of the plans before it

    def make(self, edges: Sequence[Edge], sims: int, *, noise: RootNoise, random: SplitMix) -> None:
        """For a search of ``sims`` simulations from a root that has its moves."""
        self._noise = noise
        self._sims = sims
        self.priors = [edge.prior for edge in edges]
        if noise.epsilon > 0 and len(edges) > 1:
            shares = draw_dirichlet(noise.alpha / len(edges), len(edges), random)
            self.priors = [
                (1.0 - noise.epsilon) * prior + noise.epsilon * share
                for prior, share in zip(self.priors, shares, strict=True)
            ]
        if self._settings.search != "gumbel":
            return
        self.gumbel = [draw_gumbel(random) if noise.gumbel else 0.0 for _ in edges]
        self._schedule, self._planned = [], 0
        self._extend(edges)

    def clear(self) -> None:
        """Forget the plan."""
        self.priors = []
        self._noise = RootNoise()

    @property
    def is_made(self) -> bool:
        """Whether there is a plan."""
        return bool(self.priors)

    def is_forced(self, edge: Edge, i: int, root_visits: int) -> bool:
        """Whether a move must be visited whatever its value."""
        if self._noise.forced == 0 or edge.all_visits == 0:
            return False
        return edge.all_visits < forced_visits(self._noise.forced, self.priors[i], root_visits)

    def wanted_visits(self, edges: Sequence[Edge], started: int) -> int:
        """How many visits of this plan the next move to visit should have."""
        if started - self._planned >= len(self._schedule):
            self._extend(edges)
        return self._schedule[started - self._planned]

    def added(self, visits: int, i: int) -> int:
        """Visits that a move got under this plan."""
        return visits - self._base[i]

    def visit_shares(self, tree: ReferenceTree, root: Node) -> list[float]:
        """The share of every root move in the visits.

        What is known to lose has none while something else has; a root that is proven wants the
        moves that prove it, whatever their visits.
        """
        proof = root.proof
        has_haste = bool(self._settings.haste)
        is_known = tree.is_settled(root) and (proof is not Proof.LOSS or has_haste)
        shares = [
            float(tree.proof_of(edge) is proof and tree.mean_of(edge, 0.0) == root.known)
            if is_known
            else float(edge.visits * (not tree.is_lost(edge)))
            for edge in root.edges
        ]
        if self._noise.forced > 0 and any(shares) and not is_known:
            shares = self._pruned(shares, tree, root)
        if not any(shares):  # the priors of the moves that are not known to lose
            shares = [edge.prior * (not tree.is_lost(edge)) for edge in root.edges]
        total = sum(shares)
        if total == 0:
            return [edge.prior for edge in root.edges]
        return [share / total for share in shares]

    def _pruned(self, visits: list[float], tree: ReferenceTree, root: Node) -> list[float]:
        """Without the forced visits that a move's value does not warrant."""
        c, edges = self._settings.c, root.edges
        best = visits.index(max(visits))
        weight = puct_root(root.visits, self._settings.offset)
        best_mean = tree.mean_of(edges[best], 0.0)
        goal = puct_score(best_mean, c, self.priors[best], weight, edges[best].visits)
        pruned = list(visits)
        for i, edge in enumerate(edges):
            if i == best or visits[i] == 0:
                continue
            mean, prior = tree.mean_of(edge, 0.0), self.priors[i]
            most = math.floor(forced_visits(self._noise.forced, prior, root.visits))
            left = edge.visits
            for _ in range(min(most, edge.visits)):
                if puct_score(mean, c, prior, weight, left - 1) >= goal:
                    break
                left -= 1
            pruned[i] = 0.0 if left <= 1 else float(left)
        return pruned

    def _extend(self, edges: Sequence[Edge]) -> None:
        """Plan what is left, or one plan after the other where there is no end to it."""
        self._planned += len(self._schedule)
        left = max(1, self._sims - self._planned)
        following = min(max(self._planned, _FIRST_PLAN), _LONGEST_PLAN)
        considered = min(self._settings.m, len(edges))
        length = left if left <= _LONGEST_PLAN else following
        self._schedule = halving_schedule(considered, length)
        self._base = [edge.all_visits for edge in edges]

"""The guided search in plain Python: for games written in Python, and the native one's oracle.

Like ``core/search/guided.hpp`` it never asks for an evaluation; it is asked for leaves and told::

    begin()                      what to spend, and how much chance there is at the root
    gather() -> leaves           the judge's turn
    expand(leaf, logits, value)  its answer, carried back to the root

With the same evaluations, seed and noise it builds the same tree as the native search.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from tengen.rules import AnyGame, Outcome
from tengen.search.engine import Report
from tengen.search.formulas import hybrid_score, puct_root, puct_score, single
from tengen.search.neural_settings import GuidedSettings, HybridSettings
from tengen.search.noise import RootNoise
from tengen.search.playout import UniformPlayout
from tengen.search.random import SplitMix
from tengen.search.reference import Proof
from tengen.search.reference_nodes import WINS, GameNodes, check_searchable
from tengen.search.reference_plan import RootPlan
from tengen.search.reference_tree import (
    Edge,
    Node,
    Path,
    ReferenceTree,
    reachable,
    settle,
    softmax,
)

_LONGEST_LINE = 12
_FIRST_OF_ALL, _LAST_OF_ALL = 1e9, -1e9
#: In one gather(): where all is known, nobody would get to look at the clock.
_MOST_DESCENTS = 4096
#: What a node and a move cost in memory, roughly: states are the author's.
_NODE_BYTES, _EDGE_BYTES = 600, 900


@dataclass(frozen=True, slots=True)
class Leaf:
    """Where a descent ended, and how it got there."""

    node: Node
    path: Path


class Found(Enum):
    """What a descent can come to other than a leaf."""

    #: Its result was known.
    SETTLED = 0
    #: It met a leaf that is still under way, and nothing has changed.
    BUSY = 1


class ReferenceSearch:
    """One tree, one thread, many leaves under way at once."""

    def __init__(
        self, game: AnyGame, settings: GuidedSettings | HybridSettings, *, seed: int
    ) -> None:
        #: Of the hybrid: how many moves a position keeps; otherwise all.
        self._top: int | None = None
        if isinstance(settings, HybridSettings):
            self._top = settings.top
            settings = GuidedSettings(proof=settings.proof)
        check_searchable(game, settings)
        self._game = game
        self._settings = settings
        self._nodes = GameNodes(game, settings)
        self._tree = ReferenceTree(settings, sees_all_moves=self._top is None)
        self._plan = RootPlan(settings)
        self._playout = UniformPlayout(game)
        self._random = SplitMix(seed)
        self.reset(game.start())

    def reset(self, state: object) -> None:
        """Make an unfinished state the root, with nothing known of it."""
        self._by_key: dict[int, Node] = {}
        self._edge_count, self._node_count = 0, 1
        self._place(self._nodes.new(state))

    def advance(self, state: object, moves: Sequence[int]) -> None:
        """Make the state after some moves the root, with what is known of it, or with nothing."""
        node: Node | None = self._root
        for move in moves:
            edges = node.edges if node is not None else []
            node = next((edge.child for edge in edges if edge.move == move), None)
        # A win found ahead has no move that shows it; leaves never answered have left marks.
        if node is None or not node.edges or self._waiting:
            self.reset(state)
            return
        kept = reachable(node)
        self._node_count = len(kept)
        self._edge_count = sum(len(below.edges) for below in kept)
        if self._settings.share:
            self._by_key = {below.key: below for below in kept}
        self._place(node)

    def _place(self, root: Node) -> None:
        self._root = root
        self._sims = 0
        #: Simulations begun since :meth:`begin`.
        self.started = 0
        self._noise = RootNoise()
        self._waiting = 0
        self._plan.clear()

    def begin(self, sims: int, noise: RootNoise | None = None) -> None:
        """Start a search of ``sims`` simulations more."""
        self._sims, self.started = sims, 0
        self._noise = noise or RootNoise()
        if self._root.edges:
            self._make_plan()

    @property
    def is_done(self) -> bool:
        """Whether there is nothing left to start."""
        return bool(self._root.edges) and (
            self.started >= self._sims or self.is_proven or self._is_full
        )

    @property
    def is_proven(self) -> bool:
        """Whether the root's value is exact."""
        return self._settings.proof and self._root.proof is not Proof.OPEN

    @property
    def _is_full(self) -> bool:
        used = self._node_count * _NODE_BYTES + self._edge_count * _EDGE_BYTES
        return used >= self._settings.memory << 20

    def gather(self, most: int) -> list[Leaf]:
        """Leaves to be judged; fewer than ``most``, or none, where no more can be started now."""
        leaves: list[Leaf] = []
        for _ in range(_MOST_DESCENTS):
            if len(leaves) == most or self.is_done:
                break
            found = self.select()
            if found is Found.BUSY:
                break
            if isinstance(found, Leaf):
                leaves.append(found)
        return leaves

    def select(self) -> Leaf | Found:
        """One descent; the search must not be done."""
        node, path = self._root, list[tuple[Node, Edge]]()
        while True:
            if path and self._tree.is_settled(node):
                self.started += 1
                self._tree.back_up(path, node.known)
                return Found.SETTLED
            if not node.edges:
                if node.is_waiting:
                    self._tree.undo(path)
                    return Found.BUSY
                node.is_waiting = True
                self._waiting += 1
                self.started += bool(path)
                return Leaf(node, path)
            edge = node.edges[self._pick(node)]
            path.append((node, edge))
            node.visits += 1
            edge.pending += 1
            node = edge.child or self._add_child(node, edge)

    def expand(self, leaf: Leaf, logits: Sequence[float], value: float) -> None:
        """The judge's answer: a logit per move of the game, and the value for the leaf's mover."""
        node = leaf.node
        legal = self._nodes.legal(node)
        priors = dict(zip(legal, softmax([logits[move] for move in legal]), strict=True))
        if self._top is not None:
            priors, value = self._best_of(priors, node), self._playout_value(node)
        node.edges = [Edge(move, single(prior)) for move, prior in priors.items()]
        node.value = single(value)
        node.is_waiting = False
        self._waiting -= 1
        self._edge_count += len(node.edges)
        if leaf.path:
            self._tree.back_up(leaf.path, node.value)
        else:
            self._find_wins()
            self._make_plan()

    def report(self) -> Report:
        """What is known now."""
        edges = self._root.edges
        if not edges:
            return Report({}, (), 0.0, is_proven=False, nodes=1)
        pv: list[int] = []
        node: Node | None = self._root
        while node is not None and node.edges and len(pv) < _LONGEST_LINE:
            best = node.edges[self._best(node)]
            if pv and best.visits == 0:
                break
            pv.append(best.move)
            node = best.child
        return Report(
            visits={edge.move: edge.visits for edge in edges},
            pv=tuple(pv),
            value=self.value,
            is_proven=self.is_proven,
            nodes=self._node_count,
            policy=self.policy(),
        )

    @property
    def value(self) -> float:
        """The root's, for the mover."""
        if self.is_proven:
            return self._root.known
        is_gumbel = self._settings.search == "gumbel"
        value_of = self._tree.improved_value if is_gumbel else self._tree.mean_value
        return value_of(self._root)

    @property
    def proof(self) -> Proof:
        """What is proven of the root, for the mover."""
        return self._root.proof if self.is_proven else Proof.OPEN

    @property
    def best_move(self) -> int:
        """The move to play without chance; the root must have been expanded."""
        return self._root.edges[self._best(self._root)].move

    def priors(self) -> dict[int, float]:
        """What the judge said of the root's moves, without noise."""
        return {edge.move: edge.prior for edge in self._root.edges}

    def policy(self) -> dict[int, float]:
        """What a network should learn: the share of visits, or Gumbel's improved policy."""
        if self._settings.search == "gumbel":
            shares = self._tree.improved_policy(self._root)
        else:
            shares = self._plan.visit_shares(self._tree, self._root)
        return dict(zip((edge.move for edge in self._root.edges), shares, strict=True))

    def _make_plan(self) -> None:
        self._plan.make(self._root.edges, self._sims, noise=self._noise, random=self._random)

    def _add_child(self, node: Node, edge: Edge) -> Node:
        state, outcome = self._nodes.after(node, edge.move)
        key = self._game.key(state) if self._settings.share else 0
        child = self._by_key.get(key) if self._settings.share else None
        if child is None:
            child = self._nodes.made(state, outcome)
            child.key = key
            self._node_count += 1
            if self._settings.share:
                self._by_key[key] = child
        edge.child, edge.turns = child, child.mover != node.mover
        return child

    def _find_wins(self) -> None:
        """At the root a win needs a move to show for it; below it is known from the start."""
        root = self._root
        for edge in root.edges if self._settings.proof else ():
            if self._nodes.wins(root, edge.move):
                self._add_child(root, edge)
                settle(root, Proof.WIN, self._nodes.win_after(root.state, 1))

    def _best_of(self, priors: dict[int, float], node: Node) -> dict[int, float]:
        """The hybrid's moves: the most probable, and with proofs those that win at once."""
        kept = set(sorted(priors, key=priors.__getitem__, reverse=True)[: self._top])
        if self._settings.proof:
            kept |= {move for move in priors if self._nodes.wins(node, move)}
        return {move: prior for move, prior in priors.items() if move in kept}

    def _playout_value(self, node: Node) -> float:
        outcome, _ = self._playout(node.state, self._random)
        if outcome is Outcome.draw:
            return self._settings.draw
        return 1.0 if outcome is WINS[node.mover] else -1.0

    def _pick(self, node: Node) -> int:
        if self._top is not None:
            scores = [hybrid_score(e.total - e.pending, e.prior, e.all_visits) for e in node.edges]
        elif self._settings.search == "puct":
            scores = self._puct_scores(node)
        elif node is self._root:
            wanted = self._plan.wanted_visits(node.edges, self.started)
            scores = self._plan_scores_to_visit(wanted)
        else:
            total = 1.0 + node.visits
            policy = self._tree.improved_policy(node)
            scores = [
                want - edge.all_visits / total
                for want, edge in zip(policy, node.edges, strict=True)
            ]
        return self._highest(node, scores, self._tree.is_closed)

    def _highest(
        self, node: Node, scores: Sequence[float], passed_over: Callable[[Edge], bool]
    ) -> int:
        """The highest score, of equals the highest prior, then the first; some moves come last."""
        is_planned = node is self._root and self._plan.is_made
        best, best_score, best_prior = 0, -math.inf, -1.0
        for i, edge in enumerate(node.edges):
            score = scores[i]
            if score < best_score or passed_over(edge):
                continue
            prior = self._plan.priors[i] if is_planned else edge.prior
            if score > best_score or prior > best_prior:
                best, best_score, best_prior = i, score, prior
        return best

    def _puct_scores(self, node: Node) -> list[float]:
        settings, tree = self._settings, self._tree
        root = puct_root(node.visits, settings.offset)
        unvisited = node.value - settings.fpu if settings.drop else settings.fpu
        is_root = node is self._root
        scores = []
        for i, edge in enumerate(node.edges):
            if is_root and self._plan.is_forced(edge, i, node.visits):
                scores.append(_FIRST_OF_ALL)
                continue
            visits, mean = edge.all_visits, unvisited
            if edge.child is not None and tree.is_settled(edge.child):
                mean = tree.mean_of(edge, 0.0)
            elif visits:
                mean = (edge.total - settings.vloss * edge.pending) / visits
            prior = self._plan.priors[i] if is_root else edge.prior
            scores.append(puct_score(mean, settings.c, prior, root, visits))
        return scores

    def _plan_scores_to_visit(self, wanted: int) -> list[float]:
        """Gumbel's scores of the root moves with so many visits of the plan; the others are last.

        Where no move that is still open has as many, those count that have fewest.
        """
        edges = self._root.edges
        added = [self._plan.added(edge.all_visits, i) for i, edge in enumerate(edges)]
        hopeful = self._open(added)
        if hopeful and wanted not in hopeful:
            wanted = min(hopeful)
        return self._plan_scores([n == wanted for n in added])

    def _plan_scores_to_play(self) -> list[float]:
        """Likewise of those that have most, and of those that needed no more."""
        edges = self._root.edges
        added = [self._plan.added(edge.visits, i) for i, edge in enumerate(edges)]
        most = max(self._open(added), default=0)
        closed = map(self._tree.is_closed, edges)
        return self._plan_scores([c or n == most for n, c in zip(added, closed, strict=True)])

    def _open(self, added: Sequence[int]) -> list[int]:
        """The visits of the root moves of which not all is known."""
        edges = self._root.edges
        return [n for n, edge in zip(added, edges, strict=True) if not self._tree.is_closed(edge)]

    def _plan_scores(self, counts: Sequence[bool]) -> list[float]:
        logits = self._tree.improved_logits(self._root)
        return [
            gumbel + logit if counted else _LAST_OF_ALL
            for gumbel, logit, counted in zip(self._plan.gumbel, logits, counts, strict=True)
        ]

    def _best(self, node: Node) -> int:
        """The move to play in a node, and the next of the expected line."""
        if self._settings.proof and node.proof is not Proof.OPEN:
            return self._tree.proving_edge(node)
        if self._top is not None:
            scores = [e.total / e.visits if e.visits else _LAST_OF_ALL for e in node.edges]
        elif self._settings.search == "puct":
            scores = [float(edge.visits) for edge in node.edges]
        elif node is self._root and self._plan.is_made:
            scores = self._plan_scores_to_play()
        else:
            logits = self._tree.improved_logits(node)
            scores = [
                logit if edge.visits else _LAST_OF_ALL
                for logit, edge in zip(logits, node.edges, strict=True)
            ]
        return self._highest(node, scores, self._tree.is_lost)

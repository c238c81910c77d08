"""The tree of the guided search in plain Python: as ``core/search/neural_tree.hpp``.

A node keeps its state and what came of its moves, so that nothing of a game in Python is asked
twice. Here players need not move in turn: a value changes sides only where the mover does.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from tengen.rules import Outcome
from tengen.search.formulas import gumbel_mixed_value, gumbel_sigma, single
from tengen.search.neural_settings import GuidedSettings
from tengen.search.reference import Proof

#: What a proof for one player is to the other.
_OPPOSITE = {
    Proof.OPEN: Proof.OPEN,
    Proof.WIN: Proof.LOSS,
    Proof.LOSS: Proof.WIN,
    Proof.DRAW: Proof.DRAW,
}
_LEAST_PRIOR = 1e-30


@dataclass(slots=True, eq=False)
class Edge:
    """A move and what came of it, for the player who makes it."""

    move: int
    prior: float
    #: Finished ones.
    visits: int = 0
    #: Descents under way.
    pending: int = 0
    total: float = 0.0
    child: "Node | None" = None
    #: Whether the other player is to move after it; known with the child.
    turns: bool = True

    @property
    def all_visits(self) -> int:
        """Those under way included."""
        return self.visits + self.pending


@dataclass(slots=True, eq=False)
class Node:
    """A position; its values and its proof are for the mover."""

    state: object
    mover: int
    edges: list[Edge] = field(default_factory=list)
    #: Of its edges, those under way included.
    visits: int = 0
    value: float = 0.0
    proof: Proof = Proof.OPEN
    #: The value for the mover, once there is a proof.
    known: float = 0.0
    #: Likewise, of the soonest win that is not at once.
    hope: float = 1.0
    is_over: bool = False
    #: For its evaluation.
    is_waiting: bool = False
    #: Tells positions apart; only where equal ones share a node.
    key: int = 0
    #: The moves allowed, once somebody has asked.
    legal: Sequence[int] | None = None
    #: What is known of the states after them.
    after: dict[int, tuple[object, Outcome]] = field(default_factory=dict)


#: The way from the root: nodes and the moves taken there.
Path = list[tuple[Node, Edge]]


class ReferenceTree:
    """What is done with nodes; which there are is the search's business."""

    def __init__(self, settings: GuidedSettings, *, sees_all_moves: bool) -> None:
        self._settings = settings
        self._proof = settings.proof
        self._sees_all_moves = sees_all_moves

    def is_settled(self, node: Node) -> bool:
        """Whether nothing is left to find out."""
        return node.is_over or (self._proof and node.proof is not Proof.OPEN)

    def proof_of(self, edge: Edge) -> Proof:
        """For the player who makes the move."""
        child = edge.child
        if child is None or not self.is_settled(child):
            return Proof.OPEN
        return _OPPOSITE[child.proof] if edge.turns else child.proof

    def is_lost(self, edge: Edge) -> bool:
        """Whether the move is known to lose."""
        return edge.child is not None and self._proof and self.proof_of(edge) is Proof.LOSS

    def is_closed(self, edge: Edge) -> bool:
        """Whether a visit could tell nothing new.

        What is known to lose needs none; under Gumbel nothing that is known does, since its values
        count by its policy and not by visits.
        """
        if self._settings.search == "gumbel":
            return self._proof and self.proof_of(edge) is not Proof.OPEN
        return self.is_lost(edge)

    def mean_of(self, edge: Edge, unvisited: float) -> float:
        """What is known of a move, else its mean, else ``unvisited``."""
        if edge.child is not None and self.is_settled(edge.child):
            return _from_above(edge, edge.child.known)
        return edge.total / edge.visits if edge.visits else unvisited

    def mean_value(self, node: Node) -> float:
        """The mean over a node's moves; the evaluator's value while none has been visited."""
        visits = sum(edge.visits for edge in node.edges)
        return sum(edge.total for edge in node.edges) / visits if visits else node.value

    def back_up(self, path: Path, value: float) -> None:
        """Carry the value of the last step's position, for its mover, towards the root."""
        for node, edge in reversed(path):
            value = _from_above(edge, value)
            edge.total += value
            edge.visits += 1
            edge.pending -= 1
            if not self._proof:
                continue
            if node.proof is Proof.OPEN:
                proof = self._proof_from(node, edge)
                if proof is not Proof.OPEN:
                    settle(node, proof, self._best_known(node, proof))
            if node.proof is not Proof.OPEN:
                value = node.known
            elif self._settings.search == "gumbel":
                value = max(value, self._sure_of(node))

    def undo(self, path: Path) -> None:
        """Take back a descent that led nowhere."""
        for node, edge in path:
            node.visits -= 1
            edge.pending -= 1

    def _proof_from(self, node: Node, newest: Edge) -> Proof:
        """What is proven of a node now that something may be of one of its moves.

        MCTS-Solver (Winands et al. 2008) with draws. A win is enough when none can be sooner; else
        all moves must be known.
        """
        first = self.proof_of(newest)
        if first is Proof.OPEN:
            return first
        if first is Proof.WIN and self.mean_of(newest, 0.0) >= node.hope:
            return first
        if not self._sees_all_moves:
            return Proof.OPEN
        proofs = {self.proof_of(edge) for edge in node.edges}
        if Proof.OPEN in proofs:
            return Proof.OPEN
        return next(proof for proof in (Proof.WIN, Proof.DRAW, Proof.LOSS) if proof in proofs)

    def _best_known(self, node: Node, proof: Proof) -> float:
        """Of the moves that prove a node, the value of the best."""
        return max(self.mean_of(edge, 0.0) for edge in node.edges if self.proof_of(edge) is proof)

    def _sure_of(self, node: Node) -> float:
        """What the mover has for sure, whatever the other moves come to; else minus infinity."""
        known = (self.mean_of(edge, 0.0) for edge in node.edges if self.is_closed(edge))
        return max(known, default=-math.inf)

    def proving_edge(self, node: Node) -> int:
        """The move that proves a node, the best if there are several; of equals the longest."""
        ranks = [
            (self.proof_of(edge) is node.proof, self.mean_of(edge, 0.0), edge.visits)
            for edge in node.edges
        ]
        return ranks.index(max(ranks))

    def improved_logits(self, node: Node) -> list[float]:
        """Gumbel: logit plus weighted value of every move, those without visits filled in."""
        visits = most = 0
        visited_prior = weighted = 0.0
        for edge in node.edges:
            if edge.visits:
                visits += edge.visits
                most = max(most, edge.visits)
                visited_prior += edge.prior
                weighted += edge.prior * self.mean_of(edge, 0.0)
        unvisited = gumbel_mixed_value(node.value, visits, visited_prior, weighted)
        c_visit, c_scale = self._settings.cvisit, self._settings.cscale
        return [
            math.log(max(edge.prior, _LEAST_PRIOR))
            + gumbel_sigma(self.mean_of(edge, unvisited), most, c_visit, c_scale)
            for edge in node.edges
        ]

    def improved_policy(self, node: Node) -> list[float]:
        """The softmax of these."""
        return softmax(self.improved_logits(node))

    def improved_value(self, node: Node) -> float:
        """The mean over the moves seen so far as that policy would play them.

        Halving also visits moves that nobody would play; the mean over visits would count them.
        """
        total = seen = 0.0
        for edge, share in zip(node.edges, self.improved_policy(node), strict=True):
            if edge.visits:
                total += share * self.mean_of(edge, 0)
                seen += share
        return total / seen if seen > 0 else node.value


def settle(node: Node, proof: Proof, known: float) -> None:
    """The result of a node is known, and what it is worth to the mover."""
    node.proof, node.known = proof, single(known)


def _from_above(edge: Edge, value: float) -> float:
    """A value of the position after a move, for who made it: here, and nowhere else, it turns."""
    return -value if edge.turns else value


def softmax(logits: Sequence[float]) -> list[float]:
    """Probabilities, summed in the order of the core."""
    highest = max(logits)
    weights = [math.exp(logit - highest) for logit in logits]
    total = 0.0
    for weight in weights:
        total += weight
    return [weight / total for weight in weights]


def reachable(root: Node) -> list[Node]:
    """The nodes of the tree under a node, itself the first; shared ones once."""
    found, seen = [root], {id(root)}
    for node in found:
        for edge in node.edges:
            if edge.child is not None and id(edge.child) not in seen:
                seen.add(id(edge.child))
                found.append(edge.child)
    return found

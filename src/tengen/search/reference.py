"""UCT in plain Python: the search of games written in Python, and the oracle of the native one.

With the same seed it draws the same random numbers in the same order as ``core/search/uct.hpp``
and so builds the same tree.
"""

import math
import time
from dataclasses import dataclass, field
from enum import Enum

from tengen.errors import SpecError, TengenError
from tengen.rules import AnyGame, AnyPosition, Outcome
from tengen.search.engine import Report, moves_between
from tengen.search.formulas import (
    decay_of,
    ucb_exploration,
    ucb_mean,
    ucb_score,
    ucb_spread,
    value_of,
)
from tengen.search.playout import playout_for
from tengen.search.random import SplitMix
from tengen.search.settings import UctSettings

#: What a node costs in memory, roughly; the cap in bytes becomes a cap in nodes.
_NODE_BYTES = 400
_LONGEST_LINE = 12


class Proof(Enum):
    """What is proven of a move, for the player who makes it."""

    OPEN, WIN, DRAW, LOSS = range(4)


@dataclass(slots=True, eq=False)
class Node:
    """A move and what came of it, for the player who makes it."""

    move: int
    proof: Proof = Proof.OPEN
    visits: int = 0
    total: float = 0.0
    children: list["Node"] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """The average reward."""
        return self.total / self.visits if self.visits else 0.0


class ReferenceUct:
    """One tree, one thread, see :class:`tengen.search.engine.TreeSearch`."""

    def __init__(self, game: AnyGame, settings: UctSettings, *, seed: int) -> None:
        if settings.threads != 1:
            raise SpecError(f"uct.threads is {settings.threads}; for {game.name} it must be 1")
        settings = settings.resolved(game)
        assert settings.c is not None, "resolved"
        assert settings.rollout is not None, "resolved"
        self._game = game
        self._settings = settings
        self._c = settings.c
        self._win, self._draw, self._loss = settings.reward
        self._playout = playout_for(game, settings.rollout, settings.weights)
        self._random = SplitMix(SplitMix(seed).next())
        self._most_nodes = (settings.memory << 20) // _NODE_BYTES
        self._position: AnyPosition | None = None
        self._root = Node(move=-1)
        self._nodes = 0
        self._stopped = False

    def place(self, position: AnyPosition) -> None:
        before, self._position = self._position, position
        moves = None
        if before is not None and self._settings.reuse:
            moves = moves_between(before, position)
        node: Node | None = None
        if moves is not None and (len(moves) % 2 == 0 or self._settings.is_antisymmetric):
            node = self._root
            for move in moves:
                node = next((c for c in node.children if c.move == move), None) if node else None
        if node is None:
            node = Node(move=-1)
        elif not node.children:
            node.proof = Proof.OPEN
        self._root = node
        self._nodes = _count(node) - 1

    def run(self, sims: int, seconds: float) -> int:
        deadline = time.monotonic() + seconds
        done = 0
        while done < sims and self._root.proof is Proof.OPEN:
            if self._stopped or time.monotonic() >= deadline:
                break
            self._simulate()
            done += 1
        return done

    def stop(self) -> None:
        self._stopped = True

    def resume(self) -> None:
        self._stopped = False

    def report(self) -> Report:
        children = sorted(self._root.children, key=lambda child: child.move)
        visits = {child.move: child.visits for child in children}
        if not children:
            return Report(visits, (), 0.0, is_proven=False, nodes=self._nodes)
        best = self._choose(self._root, self._settings.choose, is_own=True)
        value = value_of(best.mean, self._win, self._loss)
        # The root's proof is that of the move before it.
        exact = {Proof.WIN: -1.0, Proof.LOSS: 1.0, Proof.DRAW: 0.0}
        is_proven = self._root.proof is not Proof.OPEN
        pv, node = [best.move], best
        while node.children and len(pv) < _LONGEST_LINE:
            node = self._choose(node, "visits", is_own=len(pv) % 2 == 0)
            pv.append(node.move)
        return Report(
            visits,
            tuple(pv),
            exact[self._root.proof] if is_proven else value,
            is_proven=is_proven,
            nodes=self._nodes,
        )

    def _simulate(self) -> None:
        """One descent, one new node, one playout."""
        assert self._position is not None, "place() comes first"
        state, node = self._position.state, self._root
        path: list[Node] = []
        settles: list[bool] = []  # per step: there a proven draw is better than the step's promise
        legal_counts: list[int] = []
        while True:
            legal = self._game.legal_moves(state)
            legal_counts.append(len(legal))
            if len(node.children) < len(legal):
                if self._nodes >= self._most_nodes:
                    reward = self._playout_reward(state)
                    legal_counts.pop()
                    break
                child, state = self._expand(node, state, legal)
                path.append(child)
                settles.append(False)
                if child.proof is Proof.OPEN:
                    reward = self._playout_reward(state)
                else:
                    reward = _sign(len(path) - 1) * self._worth(child.proof, len(path) - 1)
                break
            child = self._select(node)
            draw = self._worth(Proof.DRAW, len(path))
            has_draw = self._settings.proof and any(c.proof is Proof.DRAW for c in node.children)
            settles.append(has_draw and ucb_mean(child.total, child.visits) <= draw)
            path.append(child)
            if child.proof is not Proof.OPEN:
                reward = _sign(len(path) - 1) * self._worth(child.proof, len(path) - 1)
                break
            state = self._game.play(state, child.move)
            node = child
        self._back_up(path, settles, reward)
        if self._settings.proof:
            self._back_up_proof(path, legal_counts)

    def _expand(self, node: Node, state: object, legal: object) -> tuple[Node, object]:
        """Add a random untried move."""
        assert isinstance(legal, (list, tuple, range))
        tried = {child.move for child in node.children}
        untried = [move for move in legal if move not in tried]
        move = untried[self._random.below(len(untried))]
        mover = self._game.mover(state)
        state = self._game.play(state, move)
        child = Node(move, self._proof_of(state, mover))
        if child.proof is Proof.OPEN and self._game.mover(state) == mover:
            raise TengenError(
                f"player uct needs players who move in turn, unlike {self._game.name}"
            )
        node.children.append(child)
        self._nodes += 1
        return child, state

    def _proof_of(self, state: object, player: int) -> Proof:
        """What a move proves by itself for the player who made it."""
        outcome = self._game.outcome(state)
        if outcome is Outcome.draw:
            return Proof.DRAW
        if outcome is not Outcome.ongoing:
            return Proof.WIN if outcome is _WINS[player] else Proof.LOSS
        if self._settings.proof:
            for move in self._game.legal_moves(state):
                if self._game.outcome(self._game.play(state, move)) is _WINS[1 - player]:
                    return Proof.LOSS
        return Proof.OPEN

    def _select(self, node: Node) -> Node:
        parent_visits = self._root.visits if self._settings.total == "tree" else node.visits
        exploration = ucb_exploration(self._c, parent_visits)
        best, best_score = node.children[0], -math.inf
        for child in node.children:
            if child.proof is not Proof.OPEN and self._settings.proof:
                continue
            mean = ucb_mean(child.total, child.visits)
            score = ucb_score(mean, exploration, ucb_spread(child.visits))
            if score > best_score:
                best, best_score = child, score
        return best

    def _playout_reward(self, state: object) -> float:
        """For the player who searches."""
        assert self._position is not None
        outcome, plies = self._playout(state, self._random)
        shrink = decay_of(*self._settings.decay, plies)
        if outcome is Outcome.draw:
            return self._draw * shrink
        return (self._win if outcome is _WINS[self._position.mover] else self._loss) * shrink

    def _worth(self, proof: Proof, depth: int) -> float:
        """What a proven move is worth to the player who makes it."""
        own = {Proof.WIN: self._win, Proof.DRAW: self._draw, Proof.LOSS: self._loss}
        if depth % 2 == 0:
            return own[proof]
        mirrored = {Proof.WIN: Proof.LOSS, Proof.LOSS: Proof.WIN, Proof.DRAW: Proof.DRAW}
        return -own[mirrored[proof]]

    def _back_up(self, path: list[Node], settles: list[bool], reward: float) -> None:
        for depth in reversed(range(len(path))):
            path[depth].visits += 1
            path[depth].total += _sign(depth) * reward
            if settles[depth]:
                reward = self._draw
        self._root.visits += 1

    def _back_up_proof(self, path: list[Node], legal_counts: list[int]) -> None:
        """MCTS-Solver (Winands et al. 2008), with draws."""
        for depth in reversed(range(len(path))):
            node = path[depth]
            if node.proof is Proof.OPEN:
                return
            node.total = self._worth(node.proof, depth) * node.visits
            parent = path[depth - 1] if depth > 0 else self._root
            proofs = {child.proof for child in parent.children}
            if node.proof is Proof.WIN:
                parent.proof = Proof.LOSS
            elif len(parent.children) == legal_counts[depth] and Proof.OPEN not in proofs:
                parent.proof = Proof.DRAW if Proof.DRAW in proofs else Proof.WIN

    def _choose(self, node: Node, by: str, *, is_own: bool) -> Node:
        """As ``core/search/choice_of_move.cpp``."""
        children = sorted(node.children, key=lambda child: child.move)
        for child in children:
            if child.proof is Proof.WIN:
                return child
        hopeful = [child for child in children if child.proof is not Proof.LOSS]
        if not hopeful:
            return max(children, key=lambda child: child.visits)

        def merit(child: Node) -> float:
            if by == "visits":
                return child.visits
            if by == "winrate":
                return child.mean
            exploration = ucb_exploration(self._c, node.visits)
            return child.mean + exploration / math.sqrt(child.visits)

        best = max(hopeful, key=merit)
        draws = [child for child in hopeful if child.proof is Proof.DRAW]
        if draws and best.mean < (self._draw if is_own else -self._draw):
            return draws[0]
        return best


_WINS = (Outcome.first_wins, Outcome.second_wins)


def _sign(depth: int) -> float:
    """The one place where a reward changes sides."""
    return 1.0 if depth % 2 == 0 else -1.0


def _count(node: Node) -> int:
    return 1 + sum(_count(child) for child in node.children)

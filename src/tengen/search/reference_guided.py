"""The guided search in plain Python: for games written in Python, and the native one's oracle.

It evaluates one leaf at a time and knows no chance; with the same evaluations it builds the same
tree as ``core/search/guided.hpp`` does with batches of one.
"""

import math
import time
from collections.abc import Callable, Sequence

from tengen.errors import SpecError
from tengen.rules import AnyGame, AnyPosition, Outcome
from tengen.rules.game import FIRST, SECOND
from tengen.search.engine import Report, moves_between
from tengen.search.formulas import (
    gumbel_mixed_value,
    gumbel_sigma,
    halving_schedule,
    hybrid_score,
    puct_root,
    puct_score,
    single,
    win_worth,
)
from tengen.search.neural_settings import GuidedSettings, HybridSettings
from tengen.search.playout import UniformPlayout
from tengen.search.random import SplitMix
from tengen.search.reference import Proof
from tengen.search.reference_tree import OPPOSITE, Edge, Node, count_nodes

#: What judges a state: a logit per move of the game, and the value for the mover.
Judge = Callable[[object], tuple[Sequence[float], float]]

_LONGEST_LINE = 12
_LEAST_PRIOR = 1e-30
_FIRST_PLAN, _LONGEST_PLAN = 64, 1 << 16
_LAST = -1e9
_WINS = (Outcome.first_wins, Outcome.second_wins)


class ReferenceGuided:
    """One tree, one thread, see :class:`tengen.search.engine.TreeSearch`."""

    def __init__(
        self,
        game: AnyGame,
        judge: Judge,
        settings: GuidedSettings | HybridSettings,
        *,
        seed: int = 0,
    ) -> None:
        #: Of the hybrid: how many moves a position keeps; otherwise all.
        self._top: int | None = None
        if isinstance(settings, HybridSettings):
            self._top = settings.top
            settings = GuidedSettings(proof=settings.proof, reuse=settings.reuse)
        if settings.threads != 1:
            raise SpecError(f"net.threads is {settings.threads}; for {game.name} it must be 1")
        self._game = game
        self._judge = judge
        self._settings = settings
        self._haste = settings.haste or 0.0
        self._playout = UniformPlayout(game)
        self._random = SplitMix(seed)
        self._position: AnyPosition | None = None
        self._root = Node()
        self._by_state: dict[object, Node] = {}
        self._sims = self._planned = 0
        self._schedule: list[int] = []
        self._base: list[int] = []
        self._stopped = False

    def place(self, position: AnyPosition) -> None:
        before, self._position = self._position, position
        moves = moves_between(before, position) if before and self._settings.reuse else None
        node: Node | None = self._root if moves is not None else None
        for move in moves or ():
            edge = next((e for e in node.edges if e.move == move), None) if node else None
            node = edge.child if edge else None
        self._root = node if node is not None and node.edges else self._new_node(position.state)
        if not self._root.edges:
            self._by_state.clear()

    def run(self, sims: int, seconds: float) -> int:
        assert self._position is not None, "place() comes first"
        deadline = time.monotonic() + seconds
        if not self._root.edges:
            self._expand(self._root, self._position.state)
            self._find_wins()
        self._sims, self._planned, self._schedule = sims, 0, []
        self._base = [edge.visits for edge in self._root.edges]
        done = 0
        while done < sims and not self._is_settled(self._root):
            if self._stopped or time.monotonic() >= deadline:
                break
            self._simulate(done)
            done += 1
        return done

    def stop(self) -> None:
        self._stopped = True

    def resume(self) -> None:
        self._stopped = False

    def report(self) -> Report:
        edges = self._root.edges
        if not edges:
            return Report({}, (), 0.0, is_proven=False, nodes=1)
        is_proven = self._is_settled(self._root)
        visits = self._root.visits
        mean = sum(edge.total for edge in edges) / visits if visits else self._root.value
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
            value=self._root.known if is_proven else mean,
            is_proven=is_proven,
            nodes=count_nodes(self._root),
            policy=dict(zip((e.move for e in edges), self.policy(), strict=True)),
        )

    def policy(self) -> list[float]:
        """What a network should learn: the share of visits, or Gumbel's improved policy."""
        if self._settings.search == "gumbel":
            return self._improved_policy(self._root)
        proof = self._root.proof
        is_known = self._is_settled(self._root) and (proof is not Proof.LOSS or self._haste > 0)
        weights = [
            float(self._proof_of(edge) is proof and self._mean_of(edge, 0.0) == self._root.known)
            if is_known
            else float(edge.visits * (not self._is_lost(edge)))
            for edge in self._root.edges
        ]
        if not any(weights):
            weights = [edge.prior * (not self._is_lost(edge)) for edge in self._root.edges]
        total = sum(weights)
        return [
            weight / total if total else edge.prior
            for weight, edge in zip(weights, self._root.edges, strict=True)
        ]

    def _simulate(self, done: int) -> None:
        assert self._position is not None, "place() comes first"
        state, node = self._position.state, self._root
        path: list[tuple[Node, Edge]] = []
        while True:
            if path and self._is_settled(node):
                value = node.known
                break
            if not node.edges:
                self._expand(node, state)
                value = node.value
                break
            edge = node.edges[self._pick(node, done)]
            path.append((node, edge))
            state = self._game.play(state, edge.move)
            if edge.child is None:
                edge.child = self._node_of(state)
            node = edge.child
        for above, edge in reversed(path):
            value = -value
            edge.total += value
            edge.visits += 1
            if not self._settings.proof:
                continue
            if above.proof is Proof.OPEN:
                above.proof = self._proof_from(above, edge)
                above.known = max(
                    (self._mean_of(e, 0.0) for e in above.edges
                     if above.proof is not Proof.OPEN and self._proof_of(e) is above.proof),
                    default=0.0,
                )  # fmt: skip
            if above.proof is not Proof.OPEN:
                value = above.known

    def _expand(self, node: Node, state: object) -> None:
        logits, value = self._judge(state)
        legal = self._game.legal_moves(state)
        highest = max(logits[move] for move in legal)
        weights = [math.exp(logits[move] - highest) for move in legal]
        total = 0.0
        for weight in weights:
            total += weight
        priors = {move: weight / total for move, weight in zip(legal, weights, strict=True)}
        if self._top is not None:
            priors, value = self._best_of(priors, state), self._playout_value(state)
        node.edges = [Edge(move, single(prior)) for move, prior in priors.items()]
        node.value = single(value)

    def _best_of(self, priors: dict[int, float], state: object) -> dict[int, float]:
        """The hybrid's moves: the most probable, and with proofs those that win at once."""
        kept = set(sorted(priors, key=priors.__getitem__, reverse=True)[: self._top])
        if self._settings.proof:
            kept |= {move for move in priors if self._wins(state, move)}
        return {move: prior for move, prior in priors.items() if move in kept}

    def _playout_value(self, state: object) -> float:
        outcome, _ = self._playout(state, self._random)
        if outcome is Outcome.draw:
            return self._settings.draw
        return 1.0 if outcome is _WINS[self._game.mover(state)] else -1.0

    def _node_of(self, state: object) -> Node:
        if self._settings.share:
            key = self._game.key(state)
            if key in self._by_state:
                return self._by_state[key]
        node = self._new_node(state)
        outcome = self._game.outcome(state)
        if outcome is Outcome.draw:
            node.proof, node.known, node.is_over = Proof.DRAW, single(self._settings.draw), True
        elif outcome is not Outcome.ongoing:
            worth = self._win_after(state, 0)
            won = outcome is _WINS[self._game.mover(state)]
            node.proof, node.known = (Proof.WIN, worth) if won else (Proof.LOSS, -worth)
            node.is_over = True
        elif self._settings.proof and self._wins_at_once(state):
            node.proof, node.known = Proof.WIN, self._win_after(state, 1)
        if self._settings.share:
            self._by_state[self._game.key(state)] = node
        return node

    def _new_node(self, state: object) -> Node:
        return Node(hope=self._win_after(state, 3))

    def _win_after(self, state: object, more: int) -> float:
        """What a win for the mover is worth after so many more stones."""
        if self._haste == 0:
            return 1.0
        stones = sum(symbol in (FIRST, SECOND) for symbol in self._game.symbols(state))
        cells = self._game.rows * self._game.cols
        return single(win_worth(self._haste, stones + more, cells))

    def _wins(self, state: object, move: int) -> bool:
        wins = _WINS[self._game.mover(state)]
        return self._game.outcome(self._game.play(state, move)) is wins

    def _wins_at_once(self, state: object) -> bool:
        return any(self._wins(state, move) for move in self._game.legal_moves(state))

    def _find_wins(self) -> None:
        assert self._position is not None, "place() comes first"
        if not self._settings.proof:
            return
        worth = self._win_after(self._position.state, 1)
        for edge in self._root.edges:
            if self._wins(self._position.state, edge.move):
                edge.child = Node(proof=Proof.LOSS, known=-worth, is_over=True)
                self._root.proof, self._root.known = Proof.WIN, worth

    def _is_settled(self, node: Node) -> bool:
        return node.is_over or (self._settings.proof and node.proof is not Proof.OPEN)

    def _proof_of(self, edge: Edge) -> Proof:
        if edge.child is None or not self._is_settled(edge.child):
            return Proof.OPEN
        return OPPOSITE[edge.child.proof]

    def _is_lost(self, edge: Edge) -> bool:
        return self._settings.proof and self._proof_of(edge) is Proof.LOSS

    def _mean_of(self, edge: Edge, unvisited: float) -> float:
        if edge.child is not None and self._is_settled(edge.child):
            return -edge.child.known
        return edge.total / edge.visits if edge.visits else unvisited

    def _proof_from(self, node: Node, newest: Edge) -> Proof:
        first = self._proof_of(newest)
        if first is Proof.OPEN:
            return first
        if first is Proof.WIN and self._mean_of(newest, 0.0) >= node.hope:
            return first
        if self._top is not None:  # it does not see all moves
            return Proof.OPEN
        proofs = [self._proof_of(edge) for edge in node.edges]
        if Proof.OPEN in proofs:
            return Proof.OPEN
        return next(p for p in (Proof.WIN, Proof.DRAW, Proof.LOSS) if p in proofs)

    def _pick(self, node: Node, done: int) -> int:
        if self._top is not None:
            return self._highest(
                node, [hybrid_score(e.total, e.prior, e.visits) for e in node.edges]
            )
        if self._settings.search == "puct":
            return self._highest(node, self._puct_scores(node))
        if node is self._root:
            return self._pick_halving(done)
        wanted, total = self._improved_policy(node), node.visits
        scores = [
            want - edge.visits / (1.0 + total)
            for want, edge in zip(wanted, node.edges, strict=True)
        ]
        return self._highest(node, scores)

    def _highest(self, node: Node, scores: Sequence[float]) -> int:
        """The highest score, of equals the highest prior, then the first; lost moves last."""
        best, best_rank = 0, (-math.inf, -1.0)
        for i, edge in enumerate(node.edges):
            if self._is_lost(edge):
                continue
            if (scores[i], edge.prior) > best_rank:
                best, best_rank = i, (scores[i], edge.prior)
        return best

    def _puct_scores(self, node: Node) -> list[float]:
        settings = self._settings
        root = puct_root(node.visits, settings.offset)
        unvisited = node.value - settings.fpu if settings.drop else settings.fpu
        return [
            puct_score(self._mean_of(edge, unvisited), settings.c, edge.prior, root, edge.visits)
            for edge in node.edges
        ]

    def _extend_schedule(self) -> None:
        """Plan what is left, or one plan after the other where there is no end to it."""
        self._planned += len(self._schedule)
        left = max(1, self._sims - self._planned)
        following = min(max(self._planned, _FIRST_PLAN), _LONGEST_PLAN)
        considered = min(self._settings.m, len(self._root.edges))
        length = left if left <= _LONGEST_PLAN else following
        self._schedule = halving_schedule(considered, length)
        self._base = [edge.visits for edge in self._root.edges]

    def _pick_halving(self, done: int) -> int:
        if done - self._planned >= len(self._schedule):
            self._extend_schedule()
        edges = self._root.edges
        added = [edge.visits - base for edge, base in zip(edges, self._base, strict=True)]
        open_ones = [n for n, edge in zip(added, edges, strict=True) if not self._is_lost(edge)]
        wanted = self._schedule[done - self._planned]
        visits = wanted if wanted in open_ones else min(open_ones)
        logits = self._improved_logits(self._root)
        return self._highest(
            self._root,
            [logit if n == visits else _LAST for logit, n in zip(logits, added, strict=True)],
        )

    def _improved_logits(self, node: Node) -> list[float]:
        visited_prior = weighted = 0.0
        for edge in node.edges:
            if edge.visits:
                visited_prior += edge.prior
                weighted += edge.prior * self._mean_of(edge, 0.0)
        unvisited = gumbel_mixed_value(node.value, node.visits, visited_prior, weighted)
        most = max(edge.visits for edge in node.edges)
        return [
            math.log(max(edge.prior, _LEAST_PRIOR))
            + gumbel_sigma(
                self._mean_of(edge, unvisited), most, self._settings.cvisit, self._settings.cscale
            )
            for edge in node.edges
        ]

    def _improved_policy(self, node: Node) -> list[float]:
        logits = self._improved_logits(node)
        highest = max(logits)
        weights = [math.exp(logit - highest) for logit in logits]
        total = 0.0
        for weight in weights:
            total += weight
        return [weight / total for weight in weights]

    def _best(self, node: Node) -> int:
        if self._settings.proof and node.proof is not Proof.OPEN:
            ranks = [
                (self._proof_of(edge) is node.proof, self._mean_of(edge, 0.0), edge.visits)
                for edge in node.edges
            ]
            return ranks.index(max(ranks))
        if self._top is not None:
            return self._highest(node, [self._mean_of(edge, _LAST) for edge in node.edges])
        if self._settings.search == "gumbel" and node is self._root and self._base:
            added = [edge.visits - base for edge, base in zip(node.edges, self._base, strict=True)]
            most = max(
                (n for n, edge in zip(added, node.edges, strict=True) if not self._is_lost(edge)),
                default=0,
            )
            logits = self._improved_logits(node)
            return self._highest(
                node, [x if n == most else _LAST for x, n in zip(logits, added, strict=True)]
            )
        return self._highest(node, [edge.visits for edge in node.edges])

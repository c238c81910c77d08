"""The tree of the guided search in plain Python."""

from dataclasses import dataclass, field

from tengen.search.reference import Proof

#: What a proof for one player is to the other.
OPPOSITE = {
    Proof.OPEN: Proof.OPEN,
    Proof.WIN: Proof.LOSS,
    Proof.LOSS: Proof.WIN,
    Proof.DRAW: Proof.DRAW,
}


@dataclass(slots=True, eq=False)
class Edge:
    """A move and what came of it, for the player who makes it."""

    move: int
    prior: float
    visits: int = 0
    total: float = 0.0
    child: "Node | None" = None


@dataclass(slots=True, eq=False)
class Node:
    """A position; its proof is for the mover."""

    edges: list[Edge] = field(default_factory=list)
    value: float = 0.0
    proof: Proof = Proof.OPEN
    #: The value for the mover, once there is a proof.
    known: float = 0.0
    #: Likewise, of the soonest win that is not at once.
    hope: float = 1.0
    is_over: bool = False

    @property
    def visits(self) -> int:
        """Of all its moves."""
        return sum(edge.visits for edge in self.edges)


def count_nodes(node: Node, seen: set[int] | None = None) -> int:
    """Of the tree under a node, itself included; shared ones once."""
    seen = set() if seen is None else seen
    if id(node) in seen:
        return 0
    seen.add(id(node))
    return 1 + sum(count_nodes(edge.child, seen) for edge in node.edges if edge.child is not None)

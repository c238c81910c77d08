"""Trees, playouts and their settings; ``uct`` is the native search, ``reference`` the oracle."""

from tengen.search.decision import Decision
from tengen.search.engine import Report, TreeSearch
from tengen.search.reference import ReferenceUct
from tengen.search.settings import UctSettings
from tengen.search.uct import NativeUct

__all__ = ["Decision", "NativeUct", "ReferenceUct", "Report", "TreeSearch", "UctSettings"]

"""Trees, playouts and their settings.

``uct`` and ``guided`` are the native searches, the ``reference`` modules their oracles and the
searches of games written in Python.
"""

from tengen.search.decision import Decision
from tengen.search.engine import Report, TreeSearch
from tengen.search.evaluator import Evaluator
from tengen.search.fours import with_fours
from tengen.search.guided import GuidedSearch
from tengen.search.judge import EvaluatorJudge, Judge
from tengen.search.neural_settings import GuidedSettings, HybridSettings, NetSettings
from tengen.search.noise import RootNoise
from tengen.search.reference import ReferenceUct
from tengen.search.reference_guided import ReferenceGuided
from tengen.search.reference_search import Leaf, ReferenceSearch
from tengen.search.settings import UctSettings
from tengen.search.uct import NativeUct

__all__ = [
    "Decision",
    "Evaluator",
    "EvaluatorJudge",
    "GuidedSearch",
    "GuidedSettings",
    "HybridSettings",
    "Judge",
    "Leaf",
    "NativeUct",
    "NetSettings",
    "ReferenceGuided",
    "ReferenceSearch",
    "ReferenceUct",
    "Report",
    "RootNoise",
    "TreeSearch",
    "UctSettings",
    "with_fours",
]

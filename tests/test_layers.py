"""The structure: what may include and import what, and what the package shows."""

import re
import subprocess
import sys
from pathlib import Path

import tengen

ROOT = Path(__file__).parent.parent
CORE_LAYERS = ["rules", "playout", "solve", "search", "selfplay", "dispatch", "bindings"]


def test_core_includes_only_from_layers_to_its_left() -> None:
    for path in (ROOT / "core").rglob("*.?pp"):
        layer = path.relative_to(ROOT / "core").parts[0]
        if layer == "isa.hpp":
            continue
        for included in re.findall(r'#include "(\w+)/', path.read_text()):
            assert CORE_LAYERS.index(included) <= CORE_LAYERS.index(layer), f"{path}: {included}"


def test_nanobind_is_known_only_to_the_bindings() -> None:
    for path in (ROOT / "core").rglob("*.?pp"):
        if path.parent.name != "bindings":
            assert "nanobind" not in path.read_text(), path


def test_inner_modules_take_only_the_core_and_the_version_from_the_package() -> None:
    """The contract of import-linter cannot see these imports."""
    for path in (ROOT / "src").rglob("*.py"):
        for names in re.findall(r"^from tengen import (.*)$", path.read_text(), re.MULTILINE):
            assert names in ("_core", "__version__"), f"{path}: {names}"


def test_every_file_is_about_one_thing() -> None:
    for folder, pattern in (("src", "*.py"), ("core", "*.?pp")):
        for path in (ROOT / folder).rglob(pattern):
            assert len(path.read_text().splitlines()) <= 400, path


def test_the_public_names_are_these() -> None:
    assert sorted(tengen.__all__) == [
        "Decision",
        "Game",
        "IllegalMove",
        "ImpossiblePosition",
        "Outcome",
        "Player",
        "Position",
        "Solution",
        "Solver",
        "SpecError",
        "TengenError",
        "__version__",
        "game",
        "player",
        "solve",
        "train",
    ]
    assert all(hasattr(tengen, name) for name in tengen.__all__)


def test_the_command_line_starts_without_the_heavy_packages() -> None:
    """They take longer to load than most commands take to run, and may not be there at all."""
    program = (
        "import sys, tengen.cli.app\n"
        "heavy = ('torch', 'onnx', 'onnxruntime', 'safetensors')\n"
        "sys.exit(', '.join(name for name in heavy if name in sys.modules) or 0)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr

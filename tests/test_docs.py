"""The commands and Python in README and docs are run; what is documented is complete."""

import re
import shlex
from pathlib import Path

import pytest

from tengen.cli.app import app
from tengen.network import ARCHITECTURES
from tengen.players import KINDS
from tengen.rules import LINES, NAMED
from tests.commands import run

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[tuple[str, str]]:
    """The fenced blocks of a language: page and text."""
    fence = re.compile(rf"^```{language}\n(.*?)^```", re.MULTILINE | re.DOTALL)
    return [(page.name, text) for page in PAGES for text in fence.findall(page.read_text())]


COMMANDS = sorted(
    {
        line.removeprefix("$ ")
        for _, block in blocks("console")
        for line in block.splitlines()
        if line.startswith("$ ")
    }
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_documented_command_works(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With no input: a game waits for the human's first move, then ends."""
    program, *arguments = shlex.split(command)
    assert program == "tengen"
    monkeypatch.chdir(ROOT)
    result = run(*arguments)
    assert result.returncode == 0, result.stderr
    assert result.stdout


@pytest.mark.parametrize("page", sorted({page for page, _ in blocks("python")}))
def test_documented_python_runs(page: str) -> None:
    """The blocks of a page are one program."""
    program = "\n".join(text for name, text in blocks("python") if name == page)
    exec(compile(program, page, "exec"), {})


def test_every_command_player_key_and_game_is_documented() -> None:
    text = "\n".join(page.read_text() for page in PAGES)
    for command in app.registered_commands:
        assert command.callback is not None
        assert f"tengen {command.callback.__name__}" in text
    for name, kind in KINDS.items():
        assert f"`{name}`" in text
        for key in kind.settings.model_fields:
            assert f"`{key}`" in text, f"{name}: {key}"
    networks = (ROOT / "docs" / "networks.md").read_text()
    for name, config in ARCHITECTURES.items():
        section = networks.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        for key in config.model_fields:
            assert f"| `{key}` |" in section, f"{name}: {key}"
    for name in (*NAMED, *LINES):
        assert f"`{name}`" in text, name


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_no_page_has_a_placeholder_left() -> None:
    for page in PAGES:
        assert not re.search(r"@[A-Z]+@|TODO|FIXME", page.read_text()), page.name

"""``tengen train`` and ``tengen runs`` as a user sees them."""

import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer
from rich.console import Console

import tengen
from tengen.cli.train import Watcher
from tengen.cli.training_display import Display
from tengen.training.budget import Budget
from tengen.training.events import Event
from tengen.training.history import read_run
from tengen.training.presets import load_preset, preset_for, preset_names
from tengen.training.run import Run
from tengen.training.session import settings_of
from tengen.training.state import RunState
from tests.commands import TENGEN, Result, run_program
from tests.commands import run as run_command

ROOT = Path(__file__).parent.parent
TINY = [
    "--set", "network_values.blocks=1", "--set", "network_values.channels=8",
    "--set", "games=4", "--set", "selfplay.sims=4", "--set", "selfplay.games=4",
    "--set", "learn.batch=16", "--set", "evaluate.share=0", "--no-plan",
]  # fmt: skip


def run(*arguments: str, code: int = 0) -> Result:
    result = run_command(*arguments)
    assert result.returncode == code, result.stderr
    return result


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs with one of two iterations in it."""
    runs = tmp_path_factory.mktemp("cli") / "runs"
    shown = run("train", "tictactoe", "--runs", str(runs), "--iterations", "2", *TINY).stdout
    best = runs / "tictactoe" / "best.onnx"
    assert shown.startswith("iteration 1, 4 games, policy ")
    assert shown.endswith(
        f"the best network is {best}; play it with\n  tengen play tictactoe --second net:{best}\n"
    )
    return runs


def test_a_run_leaves_a_network(trained: Path) -> None:
    assert (trained / "tictactoe" / "best.onnx").is_file()
    spec = f'net:"{trained / "tictactoe" / "best.onnx"}",sims=8'
    game = tengen.game("tictactoe")
    assert tengen.player(spec, game).decide(game.position()).move in range(9)


def test_runs_are_listed_told_and_drawn(trained: Path) -> None:
    listed = run("runs", "--runs", str(trained)).stdout
    assert listed.splitlines()[1].split()[:4] == ["tictactoe", "tictactoe", "2", "8"]
    told = run("runs", "show", "tictactoe", "--runs", str(trained)).stdout
    assert "2 iterations, 8 games" in told
    assert "loss_policy" in told
    document = json.loads(run("runs", "show", "tictactoe", "--runs", str(trained), "--json").stdout)
    assert document["game"] == "tictactoe"
    assert document["iteration"] == 2
    assert [i for i, _ in document["curves"]["loss"]] == [0, 1]
    [everything] = json.loads(run("runs", "--runs", str(trained), "--json").stdout)
    assert everything == document
    page = trained / "page.html"
    run("runs", "plot", "tictactoe", "--runs", str(trained), "--out", str(page))
    text = page.read_text()
    assert "loss_policy" in text
    outside = re.sub(r"<script[^>]*>.*?</script>", "", text, flags=re.DOTALL)
    assert "http" not in outside, "nothing is fetched from elsewhere"
    assert not re.search(r"<script[^>]* src=", text.partition("plotly.js")[0])
    assert "the best network at the end: good_0 " in told
    assert run("runs", "--runs", str(trained / "none")).stdout.startswith("no runs in")


def test_a_run_goes_on_only_when_told_to(trained: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(trained, runs)
    train = ("train", "tictactoe", "--runs", str(runs))
    refused = run(*train, "--iterations", "3", *TINY, code=2)
    assert refused.stderr == (
        "tengen: run tictactoe is there already; --resume goes on with it, --run NAME begins "
        "another\n"
    )
    complete = run(*train, "--resume", code=2)
    assert "run tictactoe is complete: 2 iterations" in complete.stderr
    run(*train, "--resume", "--iterations", "3", "--no-plan")
    document = json.loads(run("runs", "show", "tictactoe", "--runs", str(runs), "--json").stdout)
    assert (document["iteration"], document["games"]) == (3, 12)
    other = run("train", "connect4", "--run", "tictactoe", "--runs", str(runs), "--resume", code=2)
    assert other.stderr == "tengen: run tictactoe is of tictactoe, not connect4\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--set", "learn.ratee=1"), "learn has no key 'ratee'"),
        (("--set", "learn.rate=fast"), "learn.rate is fast; it must be a number"),
        (("--set", "nothing"), "write key=value"),
        (("--run", "a/b"), "run 'a/b' cannot be called that"),
        (("--iterations", "9" * 20), "it must be at most 1000000000"),
        (("--preset", "chess"), "preset 'chess' is not known"),
        (("--network", "transformer"), "architecture 'transformer' is not known"),
        (("--set", "network_values.depth=3"), "resnet has no key 'depth'"),
        (("--config", "nowhere.toml"), "config nowhere.toml: No such file"),
        (("--minutes", "1", "--games", "5"), "give one of minutes, iterations and games"),
        (("--minutes", "0"), "train.minutes is 0.0; it must be more than 0"),
        (("--resume",), "does not exist"),
        (("--resume", "--seed", "3"), "keeps its settings"),
        (("--resume", "--games-of", "other"), "has its games"),
        (("--games-of", "other"), "does not exist"),
        (("--resume", "--weights", "run/other"), "has its network"),
        (("--weights", "run/other"), "there is no run 'other'"),
        (("--weights", "other"), "weights 'other' are not known"),
        (("--weights", "other.safetensors"), "other.safetensors: it does not exist"),
    ],
)
def test_mistakes_are_told_and_leave_nothing(
    arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    told = run("train", "tictactoe", "--runs", str(tmp_path / "runs"), *arguments, code=2)
    assert message in told.stderr
    assert told.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_files_that_are_not_what_they_should_be_are_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("games = = 3")
    told = run("train", "tictactoe", "--config", str(broken), code=2)
    assert "is not TOML" in told.stderr
    broken.write_text("games = 3\n[learn]\nratee = 1e-3\n")
    told = run("train", "tictactoe", "--config", str(broken), code=2)
    assert "learn has no key 'ratee'" in told.stderr
    assert told.stderr.count("\n") == 1
    (tmp_path / "mine").mkdir()
    resume = ("train", "tictactoe", "--run", "mine", "--runs", str(tmp_path), "--resume")
    assert "is not the folder of a run" in run(*resume, code=2).stderr
    (tmp_path / "mine" / "run.sqlite").write_text("hello, this is no database at all")
    for command in (resume, ("runs", "show", "mine", "--runs", str(tmp_path))):
        assert "not a file of a run" in run(*command, code=2).stderr


def test_the_configuration_is_printed_as_it_can_be_read(tmp_path: Path) -> None:
    def printed(*arguments: str) -> str:
        return run("train", "connect4", *arguments, "--print-config").stdout

    for preset in preset_names():
        text = printed("--preset", preset)
        (tmp_path / "config.toml").write_text(text)
        again = printed("--config", str(tmp_path / "config.toml"))
        assert again == text, preset
    values = tomllib.loads(printed("--set", "selfplay.sims=7", "--seed", "5"))
    assert (values["selfplay"]["sims"], values["seed"]) == (7, 5)
    grown = tomllib.loads(printed("--weights", "connect4", "--set", "network_values.channels=128"))
    assert (grown["network_values"]["channels"], grown["rollouts"]["games"]) == (128, 0)
    other = tomllib.loads(printed("--network", "mnk"))
    assert other["network"] == "mnk"
    assert set(other["network_values"]) == {"planes", "channels", "hidden"}


def test_games_without_a_preset_get_the_one_of_their_kind() -> None:
    found = {
        spec: preset_for(tengen.game(spec))
        for spec in ("connect4", "connect:5x5x4", "tictactoe", "mnk:4x4x4", "mnk:9x9x5", "gomoku",
                     "caro", f"{ROOT / 'examples/othello.py'}:Othello6")
    }  # fmt: skip
    assert list(found.values()) == [
        "connect4", "connect4", "tictactoe", "small", "gomoku", "gomoku", "caro", "any"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "preset", "looks"),
    [
        ("gomoku", None, True),
        ("caro", None, True),
        ("caro-blocked", None, False),
        ("connect4", None, False),
        ("gomoku", "mnk", False),
        (f"{ROOT / 'examples/othello.py'}:Othello6", None, False),
    ],
)
def test_fours_are_looked_for_where_the_rules_allow(
    spec: str, preset: str | None, looks: bool
) -> None:
    assert settings_of(tengen.game(spec), preset=preset).selfplay.search.vcf is looks


@pytest.mark.parametrize("preset", preset_names())
def test_the_first_iteration_of_every_preset(preset: str, tmp_path: Path) -> None:
    """In tiny numbers; boards of their own size would take minutes."""
    game = {"gomoku": "mnk:7x7x5", "caro": "mnk:8x8x5", "mnk": "mnk:6x6x4",
            "gobang-lite": "mnk:7x7x5", "any": f"{ROOT}/{load_preset('any').game}",
            }.get(preset, load_preset(preset).game)  # fmt: skip
    few = [
        "--set", "games=2", "--set", "selfplay.games=2", "--set", "selfplay.sims=4",
        "--set", "learn.batch=8", "--set", "start_positions=0", "--set", "gate.games=2",
        "--set", "gate.sims=2", "--set", "gate.every=1", "--set", "evaluate.share=0",
        "--set", "evaluate.sims=0", "--set", "evaluate.baselines=random",
        "--set", "evaluate.games=2", "--no-plan",
    ]  # fmt: skip
    if preset.startswith("connect4"):
        few += ["--set", "rollouts.games=2", "--set", "rollouts.sims=10"]
    arguments = ("--preset", preset, "--runs", str(tmp_path), "--iterations", "1", "--run", "one")
    shown = run("train", game, *arguments, *few, "--json").stdout
    first, last = map(json.loads, shown.splitlines())
    assert first["stage"] == "iteration"
    assert first["loss"] > 0
    assert last["stage"] == "end"
    assert ("win_rate" in first) == (preset in ("connectx", "gobang-lite", "mnk"))


def test_an_interrupted_run_says_how_to_go_on(tmp_path: Path) -> None:
    runs = ("--runs", str(tmp_path))
    again = f"tengen train tictactoe --run tictactoe --resume --runs {tmp_path}"
    for told, arguments in [
        (signal.SIGINT, ["train", "tictactoe", *runs, "--iterations", "100000", *TINY]),
        (signal.SIGTERM, [*again.split()[1:], "--no-plan"]),
    ]:
        process = subprocess.Popen(
            [TENGEN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        first = process.stdout.readline()
        assert re.match(r"iteration \d+, \d+ games", first)
        assert re.search(r", self-play \d+ s, learn \d+ s, evaluate \d+ s, ", first)
        process.send_signal(told)
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        assert errors == "\ntengen: interrupted\n"
        assert f"\n  {again}\n" in out
    shown = json.loads(run("runs", "show", "tictactoe", *runs, "--json").stdout)
    after = str(shown["iteration"] + 1)
    resumed = run(*again.split()[1:], "--iterations", after, "--no-plan")
    assert "the best network is" in resumed.stdout


def test_how_to_go_on_can_be_pasted_into_a_shell(tmp_path: Path) -> None:
    def stop(_: Event) -> None:
        raise KeyboardInterrupt

    few = {"games": 4, "selfplay": {"sims": 4}, "evaluate": {"share": 0}}
    watcher = Watcher("tictactoe", plan=False, as_json=False)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(typer.Exit), watcher:
        tengen.train(
            "tictactoe", few, name="my run", runs=tmp_path, iterations=1,
            on_begin=watcher.begin, on_event=stop,
        )  # fmt: skip
    again = f"tengen train tictactoe --run 'my run' --resume --runs {tmp_path}"
    assert f"\n  {again}\n" in out.getvalue()


def test_impatience_does_not_keep_a_run_from_saying_how_to_go_on(tmp_path: Path) -> None:
    """Ctrl-C again, while what the first one asked for is being done."""

    def stop(event: Event) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGTERM)

    few = {"games": 4, "selfplay": {"sims": 4}, "evaluate": {"share": 0}}
    watcher = Watcher("tictactoe", plan=False, as_json=False)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(typer.Exit), watcher:
        tengen.train("tictactoe", few, runs=tmp_path, on_begin=watcher.begin, on_event=stop)
    assert "stopped; saved: 0 whole iterations" in out.getvalue()


def test_the_table_tells_of_the_iteration_under_way(tmp_path: Path) -> None:
    game, budget = tengen.game("tictactoe"), Budget(minutes=600)
    run = Run.begin(tmp_path / "run", game, settings_of(game))
    run.state = RunState(iteration=1, games=500, seconds=5400)
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100, highlight=False)
    display = Display(run, budget, console)
    display.start()
    display.show(Event("self-play", 1, 32, 2000))
    display.stop()
    run.close()
    told = r"532 games, 1:3\d:\d\d so far, 8:[23]\d:\d\d left of 600 minutes"
    assert re.search(told, screen.getvalue())
    assert "32/2000" in screen.getvalue()


def test_an_interrupt_that_python_drops_comes_again(tmp_path: Path) -> None:
    def lose(event: Event) -> None:
        if event.iteration == 1:
            # As Python does with what is raised while an object is being removed.
            with contextlib.suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        watcher.show(event)

    before = signal.getsignal(signal.SIGINT)
    few = {"games": 4, "selfplay": {"sims": 4}, "evaluate": {"share": 0}}
    with (
        pytest.raises(typer.Exit) as left,
        Watcher("tictactoe", plan=False, as_json=False) as watcher,
    ):
        tengen.train(
            "tictactoe", few, runs=tmp_path, iterations=5, on_begin=watcher.begin, on_event=lose
        )
    assert left.value.exit_code == 130
    assert read_run(tmp_path / "tictactoe").iteration == 1
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.skipif(os.geteuid() != 0, reason="a small file system needs root to be mounted")
def test_a_full_disk_is_told_and_what_was_kept_stays(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], check=False
    )
    if mounted.returncode != 0:
        pytest.skip("no file system can be mounted here")
    try:
        arguments = ("--runs", str(disk), "--iterations", "100000", *TINY)
        result = run_program("train", "tictactoe", *arguments)
        assert result.returncode == 2, result.stderr
        assert result.stderr.count("\n") == 1
        assert "No space left" in result.stderr or "disk is full" in result.stderr
        shown = json.loads(run("runs", "show", "tictactoe", "--runs", str(disk), "--json").stdout)
        assert shown["games"] >= 4 * shown["iteration"]
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        more = ("--resume", "--iterations", f"{shown['iteration'] + 1}", "--no-plan")
        assert run_program("train", "tictactoe", "--runs", str(disk), *more).returncode == 0
        after = json.loads(run("runs", "show", "tictactoe", "--runs", str(disk), "--json").stdout)
        assert after["iteration"] == shown["iteration"] + 1
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_run_killed_at_any_write_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "tests.killed_anywhere", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    places = result.stdout.splitlines()
    assert {"BEGIN IMMEDIATE", "COMMIT", "open state.json", "os.rename 000004.part"} <= set(places)
    assert "os.rename 000003" in places, "an old checkpoint is removed"
    assert len(places) >= 20

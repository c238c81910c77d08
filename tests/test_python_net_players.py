"""The player ``net`` in games written in Python, through the reference search."""

from pathlib import Path

import pytest

import tengen
from tengen.network import export_onnx
from tests.commands import run
from tests.networks import warmed
from tests.test_net_players import finished
from tests.test_python_games import OTHELLO
from tests.test_reference_search import TWO_EACH


@pytest.fixture(scope="module")
def nets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("nets")
    paths = {name: folder / f"{name}.onnx" for name in ("resnet", "gomoku-policy", "connect4")}
    export_onnx(*warmed("resnet", OTHELLO), paths["resnet"])
    export_onnx(*warmed("gomoku-policy", OTHELLO), paths["gomoku-policy"])
    export_onnx(*warmed("resnet", "connect4"), paths["connect4"])
    return paths


@pytest.mark.parametrize(
    "keys",
    [
        "sims=30",
        "sims=30,m=4",
        "sims=30,batch=1,cache=0",
        "sims=30,symmetries=on,threads=2",
        "sims=30,search=puct,proof=off,draw=0.1,offset=0.00000001,fpu=0.2,drop=on",
        "sims=30,tau=1",
        "sims=30,precision=int8",
        "time=50ms",
        "sims=0",
        "sims=0,tau=0.5",
    ],
)
def test_a_decision_carries_what_stands_behind_it(nets: dict[str, Path], keys: str) -> None:
    game = tengen.game(OTHELLO)
    position = game.position("c5")
    player = tengen.player(f"net:{nets['resnet']},{keys}", game, seed=1)
    decision = player.decide(position)
    assert decision.move in position.legal_moves
    assert sum(decision.policy.values()) == pytest.approx(1)
    assert decision.value is not None
    assert -1 <= decision.value <= 1
    assert decision.pv[0] == decision.move
    if keys.startswith("sims=30"):
        assert sum(decision.visits.values()) == decision.sims == 30
    assert (
        player.decide(position.play(decision.move)).move
        in game.position("c5").play(decision.move).legal_moves
    )


def test_networks_play_whole_games_of_othello(nets: dict[str, Path]) -> None:
    game = tengen.game(OTHELLO)
    for spec in ("net:{resnet},sims=4", "net:{resnet},sims=0", "net:{gomoku-policy},sims=0"):
        player = tengen.player(spec.format_map({k: str(v) for k, v in nets.items()}), game, seed=1)
        assert finished(game, player, tengen.player("random", game, seed=2)).is_over


def test_analysis_grows_until_it_is_stopped(nets: dict[str, Path]) -> None:
    game = tengen.game(OTHELLO)
    player = tengen.player(f"net:{nets['resnet']},search=gumbel", game)
    seen = []
    for snapshot in player.analyse(game.position()):
        seen.append(snapshot.sims)
        if seen[-1] > seen[0]:
            player.stop()
    assert seen == sorted(seen)


def test_mistakes_are_one_sentence(nets: dict[str, Path]) -> None:
    othello, connect4 = tengen.game(OTHELLO), tengen.game("connect4")
    cases = [
        (f"net:{nets['resnet']}", connect4, "is for othello6 (6x6, 37 moves); it cannot play conn"),
        (f"net:{nets['connect4']}", othello, "k=4 with gravity); it cannot play othello6"),
        (f"net:{nets['resnet']},share=on", othello, "net.share is on; it needs keys"),
        (f"net:{nets['resnet']},haste=0.5", othello, "net.haste is 0.5; for othello6 it must be 0"),
        (f"net:{nets['resnet']},sims=0,haste=0.5", othello, "net.haste is 0.5; for othello6 it m"),
        (f"net:{nets['gomoku-policy']},sims=8", othello, "has a policy but no value"),
        (f"hybrid:{nets['gomoku-policy']}", othello, "plays k-in-a-row games, not othello6"),
    ]
    for spec, game, words in cases:
        with pytest.raises(tengen.SpecError) as error:
            tengen.player(spec, game)
        assert words in str(error.value)
        assert "\n" not in str(error.value)


def test_a_network_plays_othello_from_the_command_line(nets: dict[str, Path]) -> None:
    spec = f"net:{nets['resnet']},sims=4"
    result = run("play", OTHELLO, "--first", spec, "--second", "random", "--seed", "1", "--json")
    assert '"outcome"' in result.stdout
    refused = run("play", "connect4", "--second", spec)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1


def test_uct_says_that_it_needs_players_who_move_in_turn() -> None:
    with pytest.raises(tengen.TengenError, match="uct needs players who move in turn, unlike two"):
        tengen.player("uct,sims=50", TWO_EACH, seed=1).decide(TWO_EACH.position("a1"))

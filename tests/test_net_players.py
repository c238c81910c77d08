"""The players ``net`` and ``hybrid``: every architecture plays, and mistakes are one sentence."""

from collections.abc import Mapping
from pathlib import Path

import pytest

import tengen
from tengen.network import NetworkCard, build, export_onnx, read_network
from tengen.players import BatchPlayer
from tengen.rules import AnyGame, AnyPosition, GridGame
from tengen.search import GuidedSearch, GuidedSettings, NetSettings
from tests.commands import run
from tests.evaluators import TableEvaluator
from tests.networks import SMALL, warmed


@pytest.fixture(scope="module")
def nets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small network of every architecture for mnk:7x7x5, and one for Connect Four."""
    folder = tmp_path_factory.mktemp("nets")
    paths = {}
    for name in SMALL:
        paths[name] = folder / f"{name}.onnx"
        export_onnx(*warmed(name, "mnk:7x7x5"), paths[name])
    paths["connect4"] = folder / "connect4.onnx"
    export_onnx(*warmed("resnet", "connect4"), paths["connect4"])
    return paths


def finished(game: AnyGame, first: tengen.Player, second: tengen.Player) -> AnyPosition:
    position = game.position()
    while not position.is_over:
        mover = (first, second)[position.mover]
        position = position.play(mover.decide(position).move)
    return position


@pytest.mark.parametrize("name", SMALL)
def test_every_architecture_plays_a_game(nets: dict[str, Path], name: str) -> None:
    game = tengen.game("mnk:7x7x5")
    key = "sims=0" if name == "gomoku-policy" else "sims=12"
    player = tengen.player(f"net:{nets[name]},{key}", game, seed=1)
    opponent = tengen.player("random", game, seed=2)
    assert finished(game, player, opponent).is_over


@pytest.mark.parametrize(
    "keys",
    [
        "sims=40",
        "sims=40,m=4",
        "sims=40,search=puct,c=2",
        "sims=40,symmetries=on",
        "sims=40,threads=2,batch=8",
        "sims=40,search=puct,share=on,proof=off,offset=0.00000001,draw=0.0001",
        "sims=40,tau=1",
        "sims=40,precision=int8",
        "time=50ms",
        "sims=0",
        "sims=0,tau=0.5",
    ],
)
def test_a_decision_carries_what_stands_behind_it(nets: dict[str, Path], keys: str) -> None:
    game = tengen.game("connect4")
    position = game.position("445")
    decision = tengen.player(f"net:{nets['connect4']},{keys}", game, seed=1).decide(position)
    assert decision.move in position.legal_moves
    assert sum(decision.policy.values()) == pytest.approx(1)
    assert decision.value is not None
    assert -1 <= decision.value <= 1
    assert decision.pv[0] == decision.move
    if keys.startswith("sims=40"):
        assert sum(decision.visits.values()) == decision.sims == 40


def test_there_is_no_chance_in_play_unless_asked_for(nets: dict[str, Path]) -> None:
    game = tengen.game("connect4")
    for keys in ("sims=60", "sims=60,search=puct", "sims=0"):
        spec = f"net:{nets['connect4']},{keys}"
        answers = [
            tengen.player(spec, game, seed=seed).decide(game.position("4")) for seed in range(4)
        ]
        assert len({(a.move, tuple(a.visits.items())) for a in answers}) == 1
        drawn = {
            tengen.player(f"{spec},tau=5", game, seed=seed).decide(game.position("4")).move
            for seed in range(12)
        }
        assert len(drawn) > 1


def test_a_network_for_any_size_plays_other_boards(nets: dict[str, Path]) -> None:
    game = tengen.game("mnk:9x11x5")
    decision = tengen.player(f"net:{nets['resnet']},sims=8", game).decide(game.position())
    assert decision.sims == 8


def test_the_hybrid_plays_among_the_best_of_the_policy(nets: dict[str, Path]) -> None:
    game = tengen.game("mnk:7x7x5")
    spec = f"hybrid:{nets['gomoku-policy']},sims=100,top=3"
    decision = tengen.player(spec, game, seed=1).decide(game.position())
    assert len(decision.visits) == 3
    raw = tengen.player(f"net:{nets['gomoku-policy']},sims=0", game).decide(game.position())
    best = sorted(raw.policy, key=raw.policy.__getitem__, reverse=True)[:3]
    assert set(decision.visits) == set(best)
    assert tengen.player(spec, game, seed=1).decide(game.position()).move == decision.move


@pytest.mark.parametrize("keys", ["proof=off", "search=puct,proof=off", "share=on", ""])
@pytest.mark.parametrize("kind", ["net", "hybrid"])
def test_a_time_limit_holds_where_everything_is_known(
    nets: dict[str, Path], kind: str, keys: str
) -> None:
    """Two cells left, both drawn: no descent needs the network any more."""
    game = tengen.game("mnk:7x7x5")
    # Pairs of stones in rows shifted by two: no line is longer than two or three.
    board = [1 + (cell % 7 + 2 * (cell // 7)) // 2 % 2 for cell in range(49)]
    for stone, count in ((1, 24), (2, 23)):
        cells = [cell for cell in range(49) if board[cell] == stone]
        for cell in cells[count:]:
            board[cell] = 0
    position = tengen.Position.from_board(game, board)
    assert len(position.legal_moves) == 2
    if kind == "hybrid" and keys not in ("proof=off", ""):
        return
    path = nets["resnet"] if kind == "net" else nets["gomoku-policy"]
    player = tengen.player(f"{kind}:{path},time=100ms,{keys}".rstrip(","), game, seed=1)
    assert player.decide(position).move in position.legal_moves


def test_a_temperature_draws_any_move_that_is_not_lost(nets: dict[str, Path]) -> None:
    game = tengen.game("connect4")
    drawn = {
        tengen.player(f"net:{nets['connect4']},sims=30,tau=100", game, seed=seed)
        .decide(game.position())
        .move
        for seed in range(60)
    }
    assert drawn == set(range(7))
    must_block = game.position("41424")  # three in column 4
    for seed in range(30):
        player = tengen.player(f"net:{nets['connect4']},sims=100,tau=1", game, seed=seed)
        assert player.decide(must_block).move == 3


def test_the_hybrid_sees_a_win_that_the_policy_does_not(nets: dict[str, Path]) -> None:
    game = tengen.game("mnk:7x7x5")
    moves = "a1 a7 b1 b7 c1 c7 d1 d7"  # e1 wins
    for seed in range(3):
        player = tengen.player(f"hybrid:{nets['gomoku-policy']},top=1,sims=20", game, seed=seed)
        decision = player.decide(game.position(moves))
        assert game.move_text(decision.move) == "e1"
        assert decision.proven


def test_a_search_that_failed_starts_anew(nets: dict[str, Path]) -> None:
    game = tengen.game("connect4")
    assert isinstance(game, GridGame)
    evaluator = TableEvaluator(7)
    search = GuidedSearch(game, evaluator, GuidedSettings(batch=8), seed=1)
    search.place(game.position())
    search.run(100, float("inf"))
    # Its method is replaced for a while, which is the point.
    answer, evaluator.evaluate = evaluator.evaluate, _fail  # type: ignore[method-assign,assignment]
    with pytest.raises(RuntimeError):
        search.run(100, float("inf"))
    evaluator.evaluate = answer  # type: ignore[method-assign]
    search.place(game.position("44"))
    assert search.run(100, float("inf")) == 100
    assert sum(search.report().visits.values()) == 100


def _fail(_: object) -> None:
    raise RuntimeError("out of order")


def test_analysis_grows_until_it_is_stopped(nets: dict[str, Path]) -> None:
    game = tengen.game("connect4")
    player = tengen.player(f"net:{nets['connect4']},search=gumbel", game)
    seen = []
    for snapshot in player.analyse(game.position()):
        seen.append(snapshot.sims)
        if seen[-1] > seen[0]:
            player.stop()
    assert seen == sorted(seen)


def test_mistakes_are_one_sentence(nets: dict[str, Path], tmp_path: Path) -> None:
    connect4, gomoku = tengen.game("connect4"), tengen.game("gomoku")
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(nets["connect4"].read_bytes()[:1000])
    cases = [
        (f"net:{nets['connect4']}", gomoku, "connect4"),
        (f"net:{nets['mnk']}", gomoku, "7x7"),
        (f"net:{nets['gomoku-policy']}", tengen.game("mnk:7x7x5"), "no value"),
        (f"net:{broken}", connect4, "not a whole ONNX file"),
        ("net:nowhere", connect4, "nowhere"),
        ("net:nowhere.onnx", connect4, "nowhere.onnx"),
        ("net", connect4, "needs a target"),
        ("hybrid", connect4, "needs a target"),
        ("uct:somewhere", connect4, "takes no target"),
        (f"net:{nets['connect4']},sims=-1", connect4, "at least 0"),
        (f"net:{nets['connect4']},frob=1", connect4, "no key 'frob'"),
        (f"net:{nets['connect4']},precision=int4", connect4, "'fp32' or 'int8'"),
        (f"net:{nets['connect4']},c=2", connect4, "net: c is for search=puct"),
        (f"net:{nets['connect4']},search=puct,m=4", connect4, "net: m is for search=gumbel"),
        (f"hybrid:{nets['connect4']},top=0", connect4, "at least 1"),
    ]
    for spec, game, words in cases:
        with pytest.raises(tengen.SpecError) as error:
            tengen.player(spec, game)
        assert words in str(error.value)
        assert "\n" not in str(error.value)


def test_a_network_plays_from_the_command_line(nets: dict[str, Path]) -> None:
    spec = f"net:{nets['connect4']},sims=20"
    result = run("play", "connect4", "--first", spec, "--second", "random", "--seed", "1", "--json")
    assert '"outcome"' in result.stdout
    shown = run("evaluate", "connect4", f"{nets['connect4']},sims=0", "--first", "20")
    assert "(network on CPU, fp32)" in " ".join(shown.stdout.split())
    refused = run("play", "gomoku", "--second", spec)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1


def hasty(spec: str, path: Path, haste: float = 0.0) -> Path:
    """An untrained network that was taught with this haste."""
    game = tengen.game(spec)
    config = read_network("resnet", {"blocks": 1, "channels": 8})
    export_onnx(build(config, game), NetworkCard.of(config, game, haste=haste), path)
    return path


@pytest.mark.parametrize("spec", ["connect4", "caro-blocked"])
def test_fours_are_refused_where_answers_are_not_forced(spec: str, tmp_path: Path) -> None:
    path = hasty(spec, tmp_path / "net.onnx")
    with pytest.raises(tengen.TengenError, match="vcf is for boards without gravity"):
        tengen.player(f"net:{path},vcf=on", tengen.game(spec))
    tengen.player(f"net:{path}", tengen.game(spec))


def test_with_haste_values_weigh_more(tmp_path: Path) -> None:
    def cscale_of(taught: float, **given: float) -> float:
        return NetSettings.model_validate(given).taught(taught).cscale

    assert cscale_of(0.0) == cscale_of(0.4, haste=0.0) == 0.1
    assert cscale_of(0.4) == cscale_of(0.0, haste=0.2) == 0.25
    assert cscale_of(0.4, cscale=0.1) == 0.1
    path, game = hasty("connect4", tmp_path / "net.onnx", haste=0.4), tengen.game("connect4")

    def policy_of(keys: str = "") -> Mapping[int, float] | None:
        return tengen.player(f"net:{path},sims=60{keys}", game).decide(game.position("44")).policy

    assert policy_of() == policy_of(",cscale=0.25") != policy_of(",cscale=0.1")


def test_haste_and_fours_do_not_go_together(tmp_path: Path) -> None:
    path, game = hasty("mnk:7x7x5", tmp_path / "net.onnx", haste=0.5), tengen.game("mnk:7x7x5")
    with pytest.raises(tengen.SpecError, match=r"vcf is on and haste is 0\.5"):
        tengen.player(f"net:{path},vcf=on", game)
    player = tengen.player(f"net:{path},vcf=on,haste=0,sims=8", game, seed=1)
    assert player.decide(game.position()).move in range(49)


@pytest.mark.parametrize(
    ("moves", "result"),
    [("4455", 1), ("461231666123434162112436375575273", 0),
     ("412516647152134567546715414657772", -1)],
)  # fmt: skip
def test_a_proven_value_is_the_result_however_late_it_comes(
    moves: str, result: int, tmp_path: Path
) -> None:
    path, game = hasty("connect4", tmp_path / "net.onnx", haste=0.3), tengen.game("connect4")
    decision = tengen.player(f"net:{path},sims=2000", game, seed=1).decide(game.position(moves))
    assert decision.proven
    assert decision.value == result


def test_the_value_of_a_hasty_network_is_told_as_a_result(tmp_path: Path) -> None:
    """Whether a win is halfway to a full board: 4 stones, 42 cells."""
    path, game = hasty("connect4", tmp_path / "net.onnx", haste=0.3), tengen.game("connect4")
    told, plain = (
        tengen.player(f"net:{path},sims=0{more}", game, seed=1).decide(game.position("4455")).value
        for more in ("", ",haste=0")
    )
    assert told is not None
    assert plain
    assert told == pytest.approx(plain / (1 - 0.3 * 23 / 42))


def test_a_draw_is_worth_less_than_any_win(tmp_path: Path) -> None:
    path, game = hasty("connect4", tmp_path / "net.onnx", haste=0.6), tengen.game("connect4")
    with pytest.raises(tengen.SpecError, match=r"worth less than the latest win, 0\.4"):
        tengen.player(f"net:{path},draw=0.5,sims=8", game).decide(game.position())


def test_fours_are_looked_for_unless_told_otherwise(tmp_path: Path) -> None:
    """Three in a row, open at both ends, and the opponent does not see it coming."""
    path, game = hasty("mnk:9x9x5", tmp_path / "net.onnx"), tengen.game("mnk:9x9x5")
    position = game.position("d5 a1 e5 i1 f5 a9")
    seen = tengen.player(f"net:{path},sims=1", game, seed=1).decide(position)
    assert seen.proven
    assert seen.value == 1
    assert not tengen.player(f"net:{path},sims=1,vcf=off", game, seed=1).decide(position).proven


def test_positions_answered_together_are_answered_as_one_by_one() -> None:
    game = tengen.game("connect4")
    player = tengen.player("net:connect4,sims=0", game)
    assert isinstance(player, BatchPlayer)
    positions = [game.position(moves) for moves in ("", "4", "444444", "12344", "7777776")]
    for position, together in zip(positions, player.decide_all(positions), strict=True):
        alone = player.decide(position)
        assert together.move == alone.move
        assert together.value == pytest.approx(alone.value, abs=1e-5)
        assert dict(together.policy) == pytest.approx(dict(alone.policy), abs=1e-5)

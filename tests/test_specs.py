"""The names of games and players, and what is said about wrong ones."""

import pytest

import tengen
from tengen.players import parse_player_spec
from tengen.rules import NAMED, GridGame, parse_rules


@pytest.mark.parametrize("name", NAMED)
def test_a_named_game_keeps_its_name(name: str) -> None:
    assert tengen.game(name).name == name


def test_a_spec_is_read_and_written_back() -> None:
    spec = "mnk:20x20x5:line=exact:blocked=c5/d6"
    rules = parse_rules(spec)
    assert (rules.rows, rules.cols, rules.k, rules.gravity) == (20, 20, 5, False)
    assert rules.line == "exact"
    assert sorted(parse_rules(rules.spec).blocked) == sorted(rules.blocked)
    assert parse_rules("mnk:20x20x5:blocked=d6/c5:line=exact") == rules
    assert parse_rules("connect:6x7x4").spec == "connect4"


def test_a_random_blocked_cell_comes_from_the_seed() -> None:
    spec = "connect:10x12x4:blocked=random"
    first = parse_rules(spec, seed=1)
    assert first == parse_rules(spec, seed=1)
    assert len(first.blocked) == 1
    assert len({parse_rules(spec, seed=seed).blocked for seed in range(20)}) > 5
    assert parse_rules(first.spec) == first


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("chess", "'chess': it is not known; it must be tictactoe, connect4"),
        ("", "it is not known"),
        ("connect:0x7x4", "rows is 0; it must be from 1 to 25"),
        ("mnk:26x26x5", "rows is 26; it must be from 1 to 25"),
        ("mnk:5x26x5", "cols is 26"),
        ("mnk:3x3x4", "k is 4; on a board of 3x3 it must be from 3 to 3"),
        ("mnk:5x5x2", "k is 2"),
        ("mnk:2x2x2", "too small"),
        ("mnk:3x3", "'3x3' is not a shape; it must be ROWSxCOLSxK"),
        ("mnk:axbxc", "is not a shape"),
        ("mnk:-3x3x3", "is not a shape"),
        ("mnk:99999x3x3", "is not a shape"),
        ("mnk:3x3x3:line=odd", "line is 'odd'; it must be free, exact, blocked, blocked-free"),
        ("mnk:3x3x3:line", "'line' is not an option"),
        ("mnk:3x3x3:size=3", "is not an option"),
        ("mnk:3x3x3:line=free:line=free", "line is given twice"),
        ("mnk:3x3x3:blocked=d1", "d1 is not on the board; cells are a1 to c3"),
        ("mnk:3x3x3:blocked=", "'' is not a cell"),
        ("mnk:1x3x3:blocked=a1/b1/c1", "every cell is blocked"),
        ("nowhere.py:Game", "game file nowhere.py does not exist"),
        ("examples/othello.py:Nothing", "has no class 'Nothing'"),
        ("examples/othello.py", "Write examples/othello.py:ClassName"),
        ("tests:x", "it is not known"),
        ("tests.py:x", "does not exist"),
        ("mnk:３x３x３", "is not a shape"),
        ("examples/othello.py:Board", "is not a subclass of tengen.Game"),
    ],
)
def test_a_wrong_game_is_told_in_one_sentence(spec: str, message: str) -> None:
    with pytest.raises(tengen.SpecError) as error:
        tengen.game(spec)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("spec", "moves", "message"),
    [
        ("connect4", "4444444", "move 7: column 4 is full"),
        ("connect4", "48", "move 2: column 8 is not on the board; columns are 1 to 7"),
        ("connect4", "0", "column 0 is not on the board"),
        ("connect4", "four", "move 1: 'four' is not a column"),
        ("connect4", "1 2 1 2 1 2 1 2", "move 8: the game is over"),
        ("connect4", "²", "is not a column"),
        ("gomoku", "h8 h8", "move 2: h8 is taken"),
        ("gomoku", "h16", "h16 is not on the board; cells are a1 to o15"),
        ("gomoku", "p1", "p1 is not on the board"),
        ("gomoku", "88", "'88' is not a cell"),
        ("mnk:5x5x4:blocked=c3", "c3", "move 1: c3 is blocked"),
        ("connect:9x12x4", "11 13", "move 2: column 13 is not on the board"),
    ],
)
def test_a_wrong_move_is_told_in_one_sentence(spec: str, moves: str, message: str) -> None:
    with pytest.raises(tengen.IllegalMove) as error:
        tengen.game(spec).position(moves)
    assert message in str(error.value)


@pytest.mark.parametrize("move", [-1, 7, 1000, 70000])
def test_a_move_number_off_the_board_is_illegal(move: int) -> None:
    with pytest.raises(tengen.IllegalMove, match="is not one of 0 to 6"):
        tengen.game("connect4").position().play(move)


@pytest.mark.parametrize(
    ("spec", "text", "moves"),
    [
        ("connect4", "4455", (3, 3, 4, 4)),
        ("connect4", "4 4, 5 5", (3, 3, 4, 4)),
        ("connect:10x12x4", "4 4 10 11", (3, 3, 9, 10)),
        ("connect:10x12x4", "11", (10,)),
        ("gomoku", "h8 i9 H9", (112, 98, 97)),
        ("tictactoe", "", ()),
    ],
)
def test_moves_are_read_as_people_write_them(spec: str, text: str, moves: tuple[int, ...]) -> None:
    game = tengen.game(spec)
    assert game.position(text).moves == moves
    assert isinstance(game, GridGame)
    assert [game.parse_move(game.move_text(move)) for move in moves] == list(moves)


def test_player_specs_have_a_kind_a_target_and_values() -> None:
    spec = parse_player_spec('gomocup:"/a b/engine, fast.exe",time=5s')
    assert (spec.kind, spec.target) == ("gomocup", "/a b/engine, fast.exe")
    assert spec.values == {"time": "5s"}
    bare = parse_player_spec("nets/mine.onnx,sims=0")
    assert (bare.kind, bare.target, bare.values) == ("net", "nets/mine.onnx", {"sims": "0"})
    assert parse_player_spec("random").target is None


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "cannot be read"),
        ("uct,", "'' is not key=value"),
        ("uct,sims", "'sims' is not key=value"),
        ("uct,sims=", "is not key=value"),
        ("uct,sims=5,sims=6", "sims is given twice"),
        ("uct:x", "uct takes no target"),
        ("uct:", "has an empty target"),
        ("UCT", "cannot be read"),
        (
            "wizard",
            "'wizard' is not known; it must be random, reflex, uct, net, hybrid, solver, human",
        ),
        ("uct,sims=-1", "uct.sims is -1; it must be at least 1"),
        ("uct,sims=0", "uct.sims is 0; it must be at least 1"),
        ("uct,sims=many", "uct.sims is many; it must be a whole number"),
        ("uct,sims=1.5", "uct.sims is 1.5; it must be a whole number"),
        ("uct,time=0s", "it must be more than 0"),
        ("uct,time=soon", "uct.time is soon; it must be a duration such as 500ms, 3s or 2m"),
        ("uct,c=nan", "uct.c is nan; it must be a number"),
        ("uct,c=-1", "it must be at least 0"),
        ("uct,total=all", "uct.total is all; it must be 'parent' or 'tree'"),
        ("uct,reuse=yes", "uct.reuse is yes; it must be on or off"),
        ("uct,reward=1/0", "uct.reward"),
        ("uct,reward=0/0/1", "it must be WIN/DRAW/LOSS"),
        ("uct,decay=2/15", "it must be FACTOR/PLIES"),
        ("uct,decay=0.9/0", "it must be FACTOR/PLIES"),
        ("uct,decay=0.9", "uct.decay is 0.9; it has the wrong number of parts"),
        ("uct,decay=0.9/99999999999", "PLIES from 1 to 10000"),
        ("uct,reward=1/0/-1/5", "uct.reward is 1/0/-1/5; it has the wrong number of parts"),
        ("uct,reward=1/x/-1", "uct.reward is 1/x/-1; it must be a number"),
        ("uct,reward=1e308/0/-1e308", "its numbers must be from -1000 to 1000"),
        ("uct,reward=3/2/1,decay=0.5/1", "with decay the rewards must be WIN >= 0 >= LOSS"),
        ("uct,rollout=reflex,weights=odd", "with rollout=reflex the weights must be uniform"),
        ("uct,sims=1_0", "it must be in plain letters and digits"),
        ("uct,sims=１０", "it must be in plain letters and digits"),
        ("uct,memory=99999", "it must be at most 32768"),
        ("uct,speed=9", "uct has no key 'speed'; it has: sims, time"),
        ("random,seed=1", "random has no key 'seed'"),
        ("human", "sits at the terminal"),
    ],
)
def test_a_wrong_player_is_told_in_one_sentence(spec: str, message: str) -> None:
    with pytest.raises(tengen.SpecError) as error:
        tengen.player(spec, tengen.game("connect4"))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5])
def test_a_seed_out_of_range_is_refused(seed: int) -> None:
    with pytest.raises(tengen.SpecError, match="seed is"):
        tengen.player("random", tengen.game("connect4"), seed=seed)


def test_a_player_refuses_a_position_of_another_game() -> None:
    for spec in ("random", "reflex", "uct,sims=10", "solver"):
        player = tengen.player(spec, tengen.game("connect4"), seed=1)
        for other in ("tictactoe", "examples/othello.py:Othello6"):
            with pytest.raises(tengen.SpecError, match="this player is for connect4, not"):
                player.decide(tengen.game(other).position())

"""Games by name: profiles, legal moves and explanations of states."""

from __future__ import annotations

import copy
import errno
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import abl_cards as abl
from abl_cards.games import compile_engine, pickling, validation
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description.variants import KB_ROOT
from abl_cards.games.game import game_names
from abl_cards.games.validation import compile_rules
from tests.edited import edited
from tests.games.test_edits import VOCABULARY

STATE = {"level": "8", "hand": ["H4", "H4", "C4", "H8", "D9", "S9", "SA"], "to_beat": ["Pair", "3", ["S3", "D3"]]}


@pytest.fixture(scope="module")
def game() -> abl.Game:
    return abl.load("guandan")


def test_loading_a_folder_equals_loading_its_name(game: abl.Game) -> None:
    folder = abl.load(KB_ROOT / "guandan")
    assert folder.name == game.name == "guandan"
    assert folder.legal_moves(STATE) == game.legal_moves(STATE)


def test_relative_folder_resolves_at_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read a rule folder by its place when it was loaded, whatever lies there in another working directory."""
    shutil.copytree(VOCABULARY / "numbers", tmp_path / "mine")
    shutil.copytree(VOCABULARY / "pot", tmp_path / "other" / "mine")
    monkeypatch.chdir(tmp_path)
    game = abl.load("mine")
    engine = game.engine()
    monkeypatch.chdir("other")
    for moved in (game, copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert moved.engine().labels == engine.labels
        assert moved.directory == tmp_path / "mine"
        assert Path(moved.name) == tmp_path / "mine"
    restore, (source,) = pickling._reduce_rules(engine.rules)
    assert restore(source).folder.current().path == tmp_path / "mine"


def test_reprs_are_short(game: abl.Game) -> None:
    engine = game.engine()
    for value in (game, engine, engine.rules, engine.rules.kb, abl.Minimiser(engine)):
        assert len(repr(value)) < 200


def test_legal_moves_have_the_order_of_the_engine(game: abl.Game) -> None:
    moves = game.legal_moves(STATE)
    assert moves[0] == ["PASS", "PASS", "PASS"]
    assert ["Pair", "9", ["S9", "D9"]] in moves
    assert [moves] == game.engine().legal_moves([STATE])


def test_profile_of_the_game_is_the_default() -> None:
    game = abl.load("guandan", profile="platform")
    assert game.engine() is abl.load("guandan").engine(profile="platform")
    assert game.knowledge_base().files[-1].stem == "platform"
    assert game.engine(profile="standard") is abl.load("guandan").engine(profile="standard")


def test_profile_of_a_state(game: abl.Game) -> None:
    assert game.profile_for({"profile": "platform"}) == "platform"
    assert game.profile_for({}) is None
    assert game.with_profile("paper").profile_for({}) == "paper"


@pytest.mark.parametrize(
    ("name", "profile", "code"),
    [
        ("no-such-game", None, abl.ErrorCode.UNKNOWN_GAME),
        ("common", None, abl.ErrorCode.UNKNOWN_GAME),
        ("guandan", "nowhere", abl.ErrorCode.UNKNOWN_PROFILE),
        ("president", "platform", abl.ErrorCode.UNKNOWN_PROFILE),
    ],
)
def test_unknown_names_raise(name: str, profile: str | None, code: abl.ErrorCode) -> None:
    with pytest.raises(abl.GameError, match=profile or name) as error:
        abl.load(name, profile)
    assert error.value.code == code


def test_reasons_of_the_best_move_sum_to_its_cost(game: abl.Game) -> None:
    explanation = game.explain(STATE)
    assert explanation.made is None
    assert explanation.chosen.rank == 1
    assert explanation.chosen.cost == sum(reason.weight for reason in explanation.chosen.reasons)
    assert all(reason.text for reason in explanation.chosen.reasons)
    assert str(explanation).startswith(f"chosen: {explanation.chosen.action} ")


@pytest.mark.parametrize("move", [["Pair", "9", ["S9", "D9"]], "Pair 9 S9 D9", "D9 S9", ["S9", "D9"]])
def test_explain_accepts_every_form_of_a_move(game: abl.Game, move: Any) -> None:
    made = game.explain(STATE, move, language="zh").made
    assert made is not None
    assert made.action.to_json() == ["Pair", "9", ["S9", "D9"]]
    assert made.rank >= 1


def test_every_legal_move_can_be_explained(game: abl.Game) -> None:
    moves = game.legal_moves(STATE)
    ranks = set()
    for move in moves:
        made = game.explain(STATE, move).made
        assert made is not None
        assert made.action.to_json() == move
        ranks.add(made.rank)
    assert ranks == set(range(1, len(moves) + 1))


def test_explain_accepts_options_of_choices(game: abl.Game) -> None:
    state = {"level": "8", "hand": ["SA", "HA", "H8"], "stage": "tribute"}
    best = game.explain(state).chosen
    made = game.explain(state, best.action.to_json()).made
    assert made is not None
    assert made.rank == 1
    with pytest.raises(abl.GameError) as error:
        game.explain(state, "S2")
    assert error.value.code == abl.ErrorCode.ILLEGAL_MOVE


def test_arrays_name_no_profile() -> None:
    profiles: Any = np.array(["paper", "platform"])
    with pytest.raises(abl.GameError) as error:
        abl.load("guandan", profiles)
    assert error.value.code == abl.ErrorCode.UNKNOWN_PROFILE


def test_states_and_moves_may_hold_values_of_numpy(game: abl.Game) -> None:
    """Numbers of NumPy, arrays and tuples count as JSON values of these numbers and lists."""
    state = {**STATE, "cards": [9, 10, 11], "seat": 2, "finish": []}
    values = {"hand": np.array(STATE["hand"]), "cards": np.array([9, 10, 11]), "seat": np.int64(2), "finish": ()}
    assert game.legal_moves({**state, **values}) == game.legal_moves(state)
    assert game.explain({**state, **values}).to_json() == game.explain(state).to_json()
    made = game.explain(STATE, ("Pair", "9", np.array(["S9", "D9"]))).made
    assert made == game.explain(STATE, ["Pair", "9", ["S9", "D9"]]).made
    for wrong in (np.array([4]), np.float64(2), np.array(["H4"])):
        with pytest.raises(abl.GameError) as error:
            game.explain(STATE, wrong)
        assert error.value.code in {abl.ErrorCode.INVALID_CARDS, abl.ErrorCode.ILLEGAL_MOVE}


def test_moves_of_an_explanation_are_checked(game: abl.Game) -> None:
    """An index out of range raised ``IndexError``; -1 raised ``KeyError``."""
    explanation = game.explain(STATE)
    assert explanation.best_of(range(len(explanation.ranking))) == explanation.ranking[0]
    rows: tuple[Any, ...] = (-1, len(explanation.ranking), None, "0", 1.0)
    for row in rows:
        for call in (explanation.assess, lambda row: explanation.best_of([row])):
            with pytest.raises(abl.GameError) as error:
                call(row)
            assert error.value.code == abl.ErrorCode.INVALID_VALUE
    several: tuple[Any, ...] = ([], None, 3)
    for no_rows in several:
        with pytest.raises(abl.GameError):
            explanation.best_of(no_rows)


@pytest.mark.parametrize(("hand", "move"), [(["H2", "D2", "C9"], "H2 D2"), (["H2", "D2", "C9"], "C9")])
def test_explaining_an_illegal_move_raises(game: abl.Game, hand: list[str], move: str) -> None:
    with pytest.raises(abl.GameError) as error:
        game.explain({**STATE, "hand": hand}, move)
    assert error.value.code == abl.ErrorCode.ILLEGAL_MOVE


@pytest.mark.parametrize("state", [[], "x", None, {}, {"level": "Z", "hand": ["H3"]}, {"level": "8", "hand": ["X3"]}])
def test_invalid_states_raise_game_errors(game: abl.Game, state: Any) -> None:
    with pytest.raises(abl.GameError):
        game.legal_moves(state)
    with pytest.raises(abl.GameError):
        game.explain(state)


def test_invalid_rule_files_raise(tmp_path: Path) -> None:
    (tmp_path / "game.lp").write_text("title(en", "utf-8")
    with pytest.raises(abl.KBError):
        abl.load(tmp_path).legal_moves({})


def test_check_compiles_a_profile_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors, warnings and the engine that answers quizzes come from one compilation of the new rules."""
    compiled = []

    def count(*args: Any) -> CompiledGame:
        compiled.append(args)
        return compile_rules(*args)

    monkeypatch.setattr(validation, "compile_rules", count)
    for name in ("game.is_known_valid", "game.is_known_warning_free", "validation.is_known_valid"):
        monkeypatch.setattr(f"abl_cards.games.{name}", lambda *_: False)
    game = abl.load(edited(tmp_path / "game", name="whist"))
    for profile in game.profiles or (None,):
        knowledge = game.knowledge_base(profile=profile)
        assert game.warnings(knowledge, profile=profile) == []
        assert game.engine(profile=profile).rules.kb is knowledge
    assert len(compiled) == len(game.profiles or (None,))


@pytest.mark.parametrize("name", ["a" * 5000, None, 5, ["guandan"]])
def test_invalid_game_names_raise(name: Any) -> None:
    for use in (abl.load, lambda given: abl.VectorEnv(given, 2), lambda given: abl.agent(given, "kb"), abl.verify):
        with pytest.raises(abl.GameError) as error:
            use(name)
        assert error.value.code == abl.ErrorCode.UNKNOWN_GAME


def test_unreadable_folder_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> list[str]:
        if Path(path) == tmp_path:
            raise PermissionError(errno.EACCES, "Permission denied")
        return listdir(path)

    listdir = os.listdir
    monkeypatch.setattr(os, "listdir", refuse)  # file modes do not stop the superuser
    with pytest.raises(abl.GameError, match="Permission denied") as error:
        abl.load(tmp_path)
    assert error.value.code == abl.ErrorCode.UNKNOWN_GAME


def test_profile_of_a_game_without_profiles_raises() -> None:
    game = next(abl.load(name) for name in game_names() if not abl.load(name).profiles)
    with pytest.raises(abl.GameError, match="no profiles") as error:
        game.with_profile("nowhere")
    assert (error.value.code, error.value.values) == (abl.ErrorCode.UNKNOWN_PROFILE, ("nowhere",))


def test_unknown_profile_of_a_caller_is_not_a_rule_error(game: abl.Game, tmp_path: Path) -> None:
    uses: list[Callable[[], object]] = [
        lambda: game.with_profile("nowhere"),
        lambda: abl.VectorEnv("president", 2, profile="nowhere"),
        lambda: compile_engine(game, "nowhere"),
    ]
    for use in uses:
        with pytest.raises(abl.GameError) as error:
            use()
        assert error.value.code == abl.ErrorCode.UNKNOWN_PROFILE
    with pytest.raises(abl.KBError) as refused:  # the folder is what is wrong here
        game.engine(tmp_path, "platform")
    assert [diagnostic.code for diagnostic in refused.value.diagnostics] == [abl.ErrorCode.INVALID_FOLDER]


@pytest.mark.parametrize("arguments", [{"directory": 3}, {"directory": ""}, {"profile": ""}, {"profile": 0}])
def test_directories_and_profiles_that_are_none_are_named(game: abl.Game, arguments: dict[str, Any]) -> None:
    """An empty name is not the default profile."""
    for method in (game.engine, game.knowledge_base, game.auxiliary_rules):
        with pytest.raises(abl.GameError, match=next(iter(arguments))):
            method(**arguments)

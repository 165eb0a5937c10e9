"""Tests of ``show.lp``: its facts, errors with their locations, and rules and records that do not depend on it."""

import shutil
from pathlib import Path

import pytest

from abl_cards.agents.fingerprints import rules_fingerprint
from abl_cards.asp import Diagnostic
from abl_cards.circuit import KnowledgeBase
from abl_cards.cli import kb as kb_commands
from abl_cards.core import ErrorCode
from abl_cards.games import Game
from abl_cards.games.compiled import find_show_rules
from abl_cards.games.description import KB_ROOT, Folder, ScoreBar, check_show_rules
from abl_cards.games.game import load
from abl_cards.rulelab.testing import list_edits
from tests.effort import amount
from tests.games.every_game import every_game

STATED = "show_order(rank,descending).\n"


def errors_of(game: Game) -> tuple[Diagnostic, ...]:
    """Return the errors of ``show.lp`` in the default profile."""
    return game.show_errors(game.knowledge_base())


def make_game(tmp_path: Path, text: str | None, name: str = "whist") -> Game:
    """Copy a game with another ``show.lp``, or without one."""
    folder = tmp_path / name
    shutil.copytree(KB_ROOT / name, folder)
    (folder / "show.lp").unlink(missing_ok=True)
    if text is not None:
        (folder / "show.lp").write_text(text, "utf-8")
    return Game(Folder(folder))


@pytest.fixture(scope="module")
def whist(tmp_path_factory: pytest.TempPathFactory) -> tuple[KnowledgeBase, Path]:
    """Return the rules of a copied game, and its folder."""
    game = make_game(tmp_path_factory.mktemp("shown"), None)
    return game.knowledge_base(), game.directory


@pytest.mark.parametrize("name", every_game())
def test_shipped_games_have_valid_show_rules(name: str) -> None:
    game = load(name)
    profiles: list[str | None] = [*game.profiles] or [None]
    for profile in profiles[: amount(1, len(profiles))]:
        kb = game.knowledge_base(None, profile)
        assert check_show_rules(kb, game.folder, profile) == ()
        assert game.folder.layers.show_file is not None


def test_show_arguments_may_be_derived_by_rules(tmp_path: Path) -> None:
    text = """show_most(N) :- N = #count { R : rank(R) }.
show_bar(tricks,0,N,N/2+1) :- show_most(N).
show_trump(card(R,s)) :- rank(R), R > jack.
show_value(trump) :- not drawn_by_lot.
#defined drawn_by_lot/0.
show_name(tricks,en,"won").
"""
    game = make_game(tmp_path, text)
    assert errors_of(game) == ()
    rules = find_show_rules(game.engine().rules)
    assert rules.bars == (ScoreBar("tricks", 0, 13, 7),)
    assert rules.trumps == {"card(12,s)", "card(13,s)", "card(14,s)"}
    assert (rules.values, rules.has_partners, rules.order) == (("trump",), False, "rank")
    assert rules.names == {("tricks", "en"): "won"}


@pytest.mark.parametrize(
    ("statement", "code", "place"),
    [
        ("show_bars(tricks,0,13,7).", ErrorCode.UNKNOWN_PREDICATE, (2, 1)),
        ("show_bar(tricks,0,13).", ErrorCode.WRONG_ARITY, (2, 1)),
        ("bar(tricks).", ErrorCode.RESERVED_NAME, (2, 1)),
        ("show_bar(trick,0,13,7).", ErrorCode.UNKNOWN_NAME, (2, 1)),
        ("  show_bar(tricks,13,0,7).", ErrorCode.INVALID_ARGUMENT, (2, 3)),
        ("show_bar(tricks,0,13,14).", ErrorCode.INVALID_ARGUMENT, (2, 1)),
        ("show_bar(trump,0,13,7).", ErrorCode.INVALID_ARGUMENT, (2, 1)),
        ("show_level(void).", ErrorCode.INVALID_ARGUMENT, (2, 1)),
        ("show_value(trumps).", ErrorCode.UNKNOWN_NAME, (2, 1)),
        ("show_doublings(tricks).", ErrorCode.INVALID_ARGUMENT, (2, 1)),
        ("show_scale(tricks,5,0).", ErrorCode.UNUSED_DEFINITION, (2, 1)),
        ("show_value(trump). show_level(trump).", ErrorCode.CONFLICTING_FACTS, (2, 1)),
        ("show_scale(tricks,0,5).", ErrorCode.INVALID_ARGUMENT, (2, 1)),
        ("show_badge(trump).", ErrorCode.INVALID_ARGUMENT, (2, 1)),
        ("show_badge(dealer).", ErrorCode.UNKNOWN_NAME, (2, 1)),
        ("show_revealed(tricks).", ErrorCode.INVALID_ARGUMENT, (2, 1)),
        ("show_order(colour,descending).", ErrorCode.INVALID_ARGUMENT, (2, 1)),
        ("show_order(suit,ascending).", ErrorCode.CONFLICTING_FACTS, (1, 1)),
        ("show_trump(joker).", ErrorCode.UNKNOWN_NAME, (2, 1)),
        ("show_result(void).", ErrorCode.INVALID_ARGUMENT, (2, 1)),
        ('show_name(tricks,fr,"plis").', ErrorCode.INVALID_ARGUMENT, (2, 1)),
        ("show_name(tricks,en,won).", ErrorCode.INVALID_ARGUMENT, (2, 1)),
        ('show_name(place(5),en,"fifth").', ErrorCode.UNKNOWN_NAME, (2, 1)),
        ("show_value(trump) :- trump(s).", ErrorCode.CONDITIONAL_FACT, (2, 22)),
        ("show_value(trump) :- ranks(2).", ErrorCode.UNKNOWN_PREDICATE, (2, 22)),
        (":- seat(9).", ErrorCode.MISPLACED_FACT, (2, 1)),
        ("#external rank(R) : seat(R).", ErrorCode.CONDITIONAL_FACT, (2, 11)),
        ("show_value(trump", ErrorCode.SYNTAX_ERROR, (3, 1)),
    ],
)
def test_invalid_show_facts_are_errors_at_their_location(
    whist: tuple[KnowledgeBase, Path], statement: str, code: ErrorCode, place: tuple[int, int]
) -> None:
    kb, path = whist
    (path / "show.lp").write_text(STATED + statement + "\n", "utf-8")
    error, *_ = check_show_rules(kb, Folder(path), None)
    assert error.code == code, error
    assert error.location is not None
    assert Path(error.location.file).name == "show.lp"
    assert (error.location.line, error.location.column) == place, error


def test_valid_show_facts_apply_beside_invalid_ones(tmp_path: Path) -> None:
    game = make_game(tmp_path, STATED + "show_value(trumps). show_value(trump).\n")
    rules = find_show_rules(game.engine().rules)
    assert (rules.is_stated, rules.is_descending, rules.values) == (True, True, ("trump",))


def test_show_partner_requires_two_seats_a_side(tmp_path: Path) -> None:
    (error,) = errors_of(make_game(tmp_path, "show_partner.\n", "president"))
    assert error.code == ErrorCode.INVALID_ARGUMENT


def test_show_fact_in_another_file_is_an_error(tmp_path: Path) -> None:
    game = make_game(tmp_path, None)
    with (game.directory / "game.lp").open("a", encoding="utf-8") as file:
        file.write("show_value(trump).\n")
    (error,) = errors_of(game)
    assert error.code == ErrorCode.MISPLACED_FACT
    assert error.location is not None
    assert Path(error.location.file).name == "game.lp"


def test_show_facts_may_depend_on_the_profile() -> None:
    game = load("wushik")
    rules = {profile: find_show_rules(game.engine(profile=profile).rules) for profile in game.profiles}
    assert "friend" in rules["called"].badges
    assert "friend" not in rules["partners"].badges


def test_variant_inherits_or_replaces_show_rules(tmp_path: Path) -> None:
    variant = tmp_path / "mine"
    variant.mkdir()
    (variant / "variant.lp").write_text("parent(whist).\n", "utf-8")
    assert find_show_rules(Game(Folder(variant)).engine().rules).order == "suit"
    (variant / "show.lp").write_text("show_order(rank,ascending).\n", "utf-8")
    game = Game(Folder(variant))
    assert errors_of(game) == ()
    rules = find_show_rules(game.engine().rules)
    assert (rules.order, rules.is_descending) == ("rank", False)


def test_fingerprints_and_mutations_ignore_show_rules(tmp_path: Path) -> None:
    game, other = make_game(tmp_path / "a", STATED), make_game(tmp_path / "b", None)
    assert (
        rules_fingerprint(game.engine())
        == rules_fingerprint(other.engine())
        == rules_fingerprint(load("whist").engine())
    )
    assert list_edits(game.directory) == list_edits(other.directory)
    assert find_show_rules(other.engine().rules).is_stated is False


def test_edited_show_rules_apply_without_reloading(tmp_path: Path) -> None:
    game = make_game(tmp_path, STATED)
    assert find_show_rules(game.engine().rules).is_descending
    (game.directory / "show.lp").write_text("show_order(suit,ascending).\n", "utf-8")
    assert not find_show_rules(game.engine().rules).is_descending


def test_new_game_template_has_valid_show_rules() -> None:
    game = Game(Folder(kb_commands.NEW_GAME))
    assert errors_of(game) == ()
    assert find_show_rules(game.engine().rules).results == ("finish",)

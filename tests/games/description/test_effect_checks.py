"""Warnings of facts and outputs that the engine ignores, because another one is missing."""

import shutil
from pathlib import Path

import pytest

from abl_cards.cli.kb import NEW_GAME
from abl_cards.core import ErrorCode
from abl_cards.games.description import find_ineffective_statements
from abl_cards.games.description.folder import Folder
from abl_cards.games.game import load
from tests.edited import edited
from tests.games.every_game import every_game

WILD = (
    "acts_as(card(3,s),wild). acts_as(C,C) :- pack(C,_), C != card(3,s). "
    "acts_as(C,R) :- pack(C,_), C = card(R,_), C != card(3,s)."
)
INEFFECTIVE = {
    "wilds(pair(R),1) :- rank(R).": "wilds(pair(",
    "wilds(pair(3),1,2).": "wilds(pair(3),1,2)",
    "natural(pair(3),3,1).": "natural(pair(3),3,1)",
    "apart(pair(3)).": "apart(pair(3))",
    "uses_pool(pair(3),low). kicker_pool(low,3,1).": "uses_pool(pair(3),low)",
    "kicker_pool(low,3,1).": "kicker_pool(low,3,1)",
    f"{WILD} vacant(past).": "vacant(past)",
    "partial(pair(3)).": "partial(pair(3))",
    "composes(2).": "composes(2)",
    "option(none).": "option(none)",
    "excludes(pair(3),single(3)).": "excludes(pair(3),single(3))",
    "worth(card(3,s),5).": "worth(card(3,s),5)",
    "#external level(L) : L = 2..3. one(level,1). init(level(2)). barred(pair(3)) :- level(3).": "init(level(2))",
}
"""Statement without effect in a game without wild cards, kickers, choices and lasting fluents, and what is reported."""


def messages_of(folder: Folder, profile: str | None = None) -> list[str]:
    """Return the messages of the warnings, which have a place."""
    found = list(find_ineffective_statements(folder, profile))
    assert all(warning.location is not None for warning in found)
    assert {warning.code for warning in found} <= {ErrorCode.MISSING_FACT}
    return [warning.message for warning in found]


@pytest.mark.parametrize("rule", INEFFECTIVE)
def test_facts_without_effect_are_warnings(tmp_path: Path, rule: str) -> None:
    """It refuses nothing: a form may keep its wild cards where an experiment leaves out the card that is wild."""
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    (folder / "cases.jsonl").unlink()
    (folder / "more.lp").write_text(rule + "\n", "utf-8")
    load(str(folder)).knowledge_base()
    messages = messages_of(Folder(folder))
    assert len([message for message in messages if INEFFECTIVE[rule] in message]) == 1


@pytest.mark.parametrize(
    "rules",
    [
        "excludes(pair(3),pair(4)).",
        "worth(card(3,s),5). points(S,V,loss) :- over, seat(S), out(_), worth(card(3,s),V).",
    ],
)
def test_facts_with_effect_are_not_warnings(tmp_path: Path, rules: str) -> None:
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    (folder / "cases.jsonl").unlink()
    (folder / "more.lp").write_text(rules + "\n", "utf-8")
    assert messages_of(Folder(folder)) == []


def test_tiers_have_no_effect_in_tricks(tmp_path: Path) -> None:
    """There takes/1 decides, unless a rule reads the tiers."""
    folder = edited(tmp_path / "game", more="tier(card,1).\n", name="whist")
    assert [message.partition(" ")[0] for message in messages_of(Folder(folder))] == ["tier(card,1)"]
    (folder / "more.lp").write_text("tier(card,1). #defined no/0. takes(S) :- no, seat(S), tier(card,1).\n", "utf-8")
    assert messages_of(Folder(folder)) == []


def test_rule_with_some_effective_instances_is_no_warning(tmp_path: Path) -> None:
    """A fact may not, unless another profile makes use of it."""
    rules = """kickers(set(R,3),1,1) :- rank(R). kicker(set(R,3),Q,1) :- rank(R), rank(Q), Q != R.
apart(set(R,N)) :- rank(R), N = 2..3.
apart(set(4,1)).
"""
    folder = edited(tmp_path / "game", more=rules, name="president")
    assert [message.partition(" ")[0] for message in messages_of(Folder(folder))] == ["apart(set(4,1))"]


@pytest.mark.parametrize("name", every_game())
def test_shipped_games_have_no_facts_without_effect(name: str) -> None:
    assert messages_of(load(name).folder) == []


CHOICES = """#external event(E) : E = (deal;choice).
#external stage(bid). #external by(S) : seat(S).
#external chosen(bid(N)) : N = 1..3. #external chosen(N) : N = 1..2.
#external bid(S,N) : seat(S), N = 1..3. one(bid,2).
asks(bid,0) :- not bid(0,N) : N = 1..3.
next(bid(S,N)) :- event(choice), by(S), chosen(bid(N)).
next(bid(S,N)) :- event(choice), by(S), chosen(N).
points(S,N,bid) :- bid(S,N).
"""


@pytest.mark.parametrize(
    ("options", "unheard"),
    [
        ("option(bid(N)) :- stage(bid), N = 1..4.", "option(bid(4))"),
        ("option(N) :- stage(bid), N = 0..2.", "option(0)"),
        ("option(bid(N)) :- stage(bid), N = 1..3. option(no) :- stage(bid). option(raise(1)) :- stage(bid).", None),
    ],
)
def test_options_that_no_rule_hears_of_are_warnings(tmp_path: Path, options: str, unheard: str | None) -> None:
    """The seat was asked again, or its choice was lost; of options of another name no rule has to know."""
    folder = Path(shutil.copytree(NEW_GAME, tmp_path / "mine"))
    (folder / "more.lp").write_text(f"{CHOICES}{options}\n", "utf-8")
    found = [
        warning
        for warning in find_ineffective_statements(Folder(folder), None)
        if warning.code == ErrorCode.INPUT_OUT_OF_RANGE
    ]
    assert [warning.message.partition(":")[0] for warning in found] == ([unheard] if unheard else [])
    assert [warning.location and warning.location.line for warning in found] == ([9] if unheard else [])

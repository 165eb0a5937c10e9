"""Edits of rule files: each is an error of `kb check`, or play that ends or stops with a message."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

from abl_cards.games.game import game_names, load
from abl_cards.rulelab.testing.edits import RULE, Edit
from tests.effort import long, thorough
from tests.games.edited_play import REFUSED, STOPPED, outcome
from tests.games.rule_edits import RuleEdit, edits_of
from tests.games.workers import FINE, Player

DRAWN, SEED = 28, 14
SHARES = 8
"""Tests that have the edits of all games among them; ``make test`` has those of small games."""
SMALL, FEW = ("hearts", "president", "whist"), 6
"""Games that compile in tenths of a second, and how many of their edits are drawn."""


VOCABULARY = Path(__file__).parent / "vocabulary"


@pytest.fixture(scope="module")
def player() -> Iterator[Player]:
    """A process of its own for all edits of this worker."""
    process = Player()
    yield process
    process.close()


def edit(name: str, file: str, old: str, new: str) -> RuleEdit:
    """Return an edit that replaces a text that occurs once in a file."""
    text = (load(name).directory / file).read_text("utf-8")
    assert text.count(old) == 1, f"{file}: {old}"
    start = text.index(old)
    return RuleEdit(name, Edit(file, start, start + len(old), new, RULE))


PASS, MOVE = "beats(pass) :- not leading.", "move(F)  :- playable(F), beats(F)."
LEAD, OVER = "turn(S) :- trick_over, owner(S), not out(S).", "episode_over :- out(S), partner(S,T), out(T)."
FOLLOW, DOUBLE = "turn(S) :- not trick_over, after(S,D), open(S), not nearer(D).", "double      :-"
STAYS = "base_level(2).                 "
BACK = "option(card(R,S)) :- stage(back), back(R,S)."
FIRST = "leads(S) :- lot(first_leader,S), not finished(1,_)."
LACKS = "lacking(F) :- needs(F,_,R,N), not held(R,N)."
CAN = "form(_,F), F != pass, not lacking(F), not bare(F)."

SMALL_STOPS = [
    ("course", "move(F) :- can(F), leading.", "", r"no legal move and no pass for seat \d.*: `legal/1` is empty; game"),
    ("course", "turn(S) :- trick_over, heir(S).", "", r"`turn/1` names no seat, or several, after seat \d.*; game.lp"),
    ("kitty", "asks(bid,S) :- asking(S).", "asks(bid,0). asks(bid,1).", "`asks/2` names .*; game.lp"),
    (
        "kitty",
        "option(card(R,T)) :- stage(bury), held(R,T,1), R < 8.",
        "",
        "nothing to choose .* bury: `option/1` is emp",
    ),
    (
        "kitty",
        "leads(S) :- taker(S).",
        "leads(S) :- taker(S). leads(0).",
        "who leads is not clear: `leads/1` .*game.lp",
    ),
    (
        "fluents",
        "next(revolution) :- ",
        "next(last(1)) :- event(play).\nnext(revolution) :- ",
        "`next/1` gives two values",
    ),
    (
        "fluents",
        "lacking(F) :- needs(F,_,R,N), not held(R,N).",
        "lacking(1).",
        r"seat \d has no cards for set\(.*: `legal/1`",
    ),
]
"""Edits of small folders that stop with each kind of message: folder, old and new text, message."""
STOPS = [
    (edit("guandan", "rules.lp", PASS, ""), r"no legal move and no pass for seat \d: `legal/1` is empty; rules.lp"),
    (edit("guandan", "rules.lp", MOVE, f"{MOVE[:-1]}, F = pass."), r"no legal move .*`legal/1` is empty; rules.lp"),
    (edit("guandan", "rules.lp", LEAD, ""), r"`turn/1` names no seat, or several, after seat \d .*; rules.lp"),
    (edit("guandan", "rules.lp", FOLLOW, ""), r"`turn/1` names no seat, or several, after seat \d .*; rules.lp"),
    (edit("guandan", "rules.lp", OVER, f"{OVER[:-1]}, not seat(S)."), r"`turn/1` names no seat, or several.*rules.lp"),
    (edit("guandan", "rules.lp", LEAD, f"{LEAD} turn(0)."), r"`turn/1` names no seat, or several, after .*; rules.lp"),
    (edit("guandan", "tribute.lp", DOUBLE, f"payer(1,0). payer(1,1). {DOUBLE}"), "`asks/2` names .*; tribute.lp"),
    (edit("guandan", "tribute.lp", BACK, ""), r"nothing to choose for seat \d in back: `option/1` is empty; tribute"),
    (edit("guandan", "tribute.lp", FIRST, ""), "who leads is not clear: `leads/1` .* tribute.lp"),
    (edit("guandan", "promotion.lp", STAYS, f"{STAYS} next_standing(0,2)."), "`next/1` gives two values .*; game.lp"),
    (edit("doudizhu", "rules.lp", CAN, CAN.replace("not lacking(F), ", "")), r"seat \d has no cards for .*: `legal/1`"),
    (edit("doudizhu", "rules.lp", CAN, CAN.replace(", not bare(F)", "")), r"seat \d has no cards for .*: `legal/1`"),
    (edit("doudizhu", "rules.lp", f"playable(F)    :- {CAN}", ""), r"no legal move .*`legal/1` is empty"),
    (edit("big2", "rules.lp", LACKS, ""), r"seat \d has no cards for combo\(.*\): `legal/1` .* labels.lp"),
]


@pytest.mark.parametrize(("folder", "old", "new", "message"), SMALL_STOPS)
def test_stalling_edits_of_small_games_stop_with_an_error(
    tmp_path: Path, folder: str, old: str, new: str, message: str
) -> None:
    """The message names the predicate and the file. These edits never crashed, so this process tries them itself."""
    came, text = outcome(tmp_path / "kb", edit(str(VOCABULARY / folder), "game.lp", old, new))
    assert came in (STOPPED, REFUSED), text
    assert re.search(message, text), text


@long
@pytest.mark.parametrize(("edited", "message"), [pytest.param(*stop, id=str(i)) for i, stop in enumerate(STOPS)])
def test_stalling_edits_of_shipped_games_stop_with_an_error(player: Player, edited: RuleEdit, message: str) -> None:
    """These edits of shipped games once crashed or hung; the small folders above stop in the same ways."""
    came, text = player.attempt(edited)
    assert came in (STOPPED, REFUSED), text
    assert re.search(message, text), text


@cache
def sample_edits() -> list[RuleEdit]:
    """Return edits drawn by seed, or all of them in the long search."""
    every = [edit for name in game_names() for edit in edits_of(name)]
    return every if thorough() else Random(SEED).sample(every, DRAWN)


def test_edits_of_small_games_are_rejected_played_or_stopped(player: Player) -> None:
    try_edits(player, Random(SEED).sample([edit for name in SMALL for edit in edits_of(name)], FEW))


@long
@pytest.mark.parametrize("share", range(SHARES))
def test_edits_of_all_games_are_rejected_played_or_stopped(player: Player, share: int) -> None:
    """A share of the edits of all games, as those of small games above; the long search prints what came of them."""
    try_edits(player, sample_edits()[share::SHARES])


def try_edits(player: Player, edits: list[RuleEdit]) -> None:
    came: Counter[tuple[str, str]] = Counter()
    wrong = []
    for edit in edits:
        result, text = player.attempt(edit)
        came[edit.game, result] += 1
        if result not in FINE:
            wrong.append(f"{edit}: {result}: {text}")
    print(*(f"{name} {result}: {count}" for (name, result), count in sorted(came.items())), sep="\n")
    assert not wrong, "\n".join(wrong)


def test_edits_cover_every_kind() -> None:
    """Rules deleted, comparisons swapped, numbers shifted; not in comments, nor in sentences."""
    edits = [edit for _, edit in edits_of("guandan") if edit.file == "profiles/standard.lp"]
    changed = {(edit.start, edit.replacement) for edit in edits}
    text = (load("guandan").directory / "profiles/standard.lp").read_text("utf-8")
    assert {(text.index("wins_at_ace(2"), ""), (text.index("2;3"), "3"), (text.index("3)."), "4")} <= changed
    assert len(edits) == 10
    swapped = {(edit.start, edit.replacement) for _, edit in edits_of("paodekuai") if edit.file == "rules.lp"}
    text = (load("paodekuai").directory / "rules.lp").read_text("utf-8")
    assert {(text.index("!= pass"), "="), (text.index(">= J"), "<="), (text.index("Q < R") + 2, ">")} <= swapped

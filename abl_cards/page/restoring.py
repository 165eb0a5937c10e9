"""A table from its ledger: the same seats and tokens, and the same decisions, each legal where it was made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from secrets import compare_digest
from typing import Any

import numpy as np

from abl_cards.agents import Agent
from abl_cards.errors import GameError
from abl_cards.games import Engine, Moves
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import NO_CARD
from abl_cards.games.words.finding import find_options, find_plays
from abl_cards.games.words.once import once
from abl_cards.page import frames
from abl_cards.page.bounds import printable
from abl_cards.page.chairs import PERSON, Chair, Decision
from abl_cards.page.ledger import Ledger
from abl_cards.page.table import HERE, PageTable, Written
from abl_cards.page.words import Pair, cards_laid
from abl_cards.seeds import seed_text

KIND, VERSION = "table", 1
_MOST, _MOST_SEATS = 1 << 30, 255
Seating = Callable[[str], Agent]
"""An agent by its name; raises GameError for one that may not be seated."""


def heading(table: PageTable, game: str) -> dict[str, Any]:
    """What a table is, without what has happened there."""
    return {
        "kind": KIND, "version": VERSION, "name": table.name, "title": table.title, "game": game,
        "profile": table.engine.rules.profile or "", "seed": seed_text(table.seed), "drawn": table.drawn,
        "match": table.match,
        "practice": table.practice, "owner": table.owner_token, "watch": table.watch_token,
        "chair": table.owner_chair, "chairs": [each.to_json() for each in table.chairs],
    }  # fmt: skip


def writing(table: PageTable, game: str, ledger: Ledger) -> Written:
    """Writes down what happens at a table."""

    def written(what: str, told: dict[str, Any]) -> None:
        if what == "begin":
            ledger.begin(heading(table, game))
        elif what == "act":
            ledger.add({"do": what} | act_of(table.engine, told["decision"], told["value"]))
        else:
            ledger.add({"do": what} | told)

    return written


def check_heading(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The heading of a ledger; raises GameError for another one."""
    told = lines[0]
    if told.get("kind") != KIND or told.get("version") != VERSION:
        raise GameError("this is the ledger of no table")
    for name in ("name", "game", "profile", "owner", "watch"):
        frames.word(told, name)
    return told


def opens(lines: Sequence[dict[str, Any]], token: str) -> bool:
    """Whether a token allows anything at the table of a ledger; raises GameError for what is no ledger of a table."""
    told = check_heading(lines)
    chairs = {str(seat): chair for seat, chair in enumerate(frames.values(told, "chairs", _MOST_SEATS))}
    chairs |= {str(line.get("seat")): line.get("chair") for line in lines[1:] if line.get("do") == "chair"}
    tokens = [chair.get("token") for chair in chairs.values() if isinstance(chair, dict)]
    known = [each for each in (told["owner"], told["watch"], *tokens) if isinstance(each, str) and frames.is_text(each)]
    return any(compare_digest(token.encode(), each.encode()) for each in known)


def restored(
    lines: Sequence[dict[str, Any]], engine: Engine, title: Pair, offered: Sequence[str], seating: Seating
) -> PageTable:
    """The table as it was; raises GameError where the rules would not have it so."""
    told = check_heading(lines)
    chairs = [_chair(each, seating) for each in frames.values(told, "chairs", engine.rules.table.seats)]
    if len(chairs) != engine.rules.table.seats:
        raise GameError(f"the ledger has {len(chairs)} seats")
    seed, practice = frames.seed(told), frames.flag(told, "practice")
    made = PageTable(told["name"], title, engine, chairs, seed, practice, offered)
    made.drawn = frames.flag(told, "drawn", True)
    made.owner_token, made.watch_token, made.match = (
        told["owner"],
        told["watch"],
        frames.number(told, "match", 0, _MOST),
    )
    made.owner_chair = None if told["chair"] is None else frames.number(told, "chair", 0, len(chairs) - 1)
    acts, gone = _settle(made, lines[1:], seating)
    made.begin()
    for number, act in enumerate(acts, 1):
        made.waiting = False
        made.made_again(_decision(made, act), number == gone)
    return made


def _chair(told: Any, seating: Seating) -> Chair:
    if not isinstance(told, dict):
        raise GameError("a seat is damaged")
    kind, name, token = frames.word(told, "kind"), printable(frames.word(told, "name"), 80), frames.word(told, "token")
    if kind == PERSON:
        return Chair(PERSON, name, token=token)
    agent = frames.word(told, "agent")
    return Chair("agent", name, agent, seating(agent), token)


def _settle(
    table: PageTable, lines: Sequence[dict[str, Any]], seating: Seating
) -> tuple[list[dict[str, Any]], int]:  # fmt: skip
    """Who sits where now, the decisions that were not taken back, and after which somebody has gone on."""
    acts, gone = list[dict[str, Any]](), -1
    for line in lines:
        match line.get("do"):
            case "act":
                acts.append(line)
            case "back":
                del acts[frames.number(line, "left", 0, _MOST) :]
            case "go":
                gone = len(acts)
            case "chair":
                seat = frames.number(line, "seat", 0, len(table.chairs) - 1)
                table.chairs[seat] = _chair(line.get("chair"), seating)
                owner = line.get("owner")
                table.owner_chair = owner if type(owner) is int and 0 <= owner < len(table.chairs) else None
            case other:
                raise GameError(f"'{str(other)[:40]}' is nothing that happens at a table")
    return acts, gone


def _decision(table: PageTable, act: dict[str, Any]) -> Decision:
    """A decision that is legal now; raises GameError."""
    seat, by_person = frames.number(act, "seat", 0, 255), frames.flag(act, "person")
    if table.over or table.seat != seat:
        raise GameError("another seat is to decide")
    if table.tables.choosing().size:
        (option,) = find_options(table.tables.choices(HERE), [act.get("value")])
        if isinstance(option, GameError):
            raise option
        return Decision(None, option, seat, by_person)
    if "form" in act:
        return Decision(_laid(table, act), -1, seat, by_person)
    lists, (row,) = find_plays(table.tables.decisions(HERE), [act.get("value")])
    if isinstance(row, GameError):
        raise row
    return Decision(lists.rows(np.array([row])), -1, seat, by_person)


def _laid(table: PageTable, act: dict[str, Any]) -> Moves:
    """The play of an agent, which may be a part of what is laid card by card; raises GameError."""
    rules, form = table.engine.rules, _forms(table.engine.rules).get(frames.word(act, "form"), -1)
    kinds, lists = rules.letters.read(frames.cards(act)), table.tables.decisions(HERE).moves()
    row = np.full((1, max(len(kinds), lists.cards.shape[1])), NO_CARD, np.uint8)
    row[0, : len(kinds)] = kinds
    (place,) = lists.find(Moves(np.array([form], np.int16), row))
    if form < 0 or place < 0:
        raise GameError(f"{act['form'][:80]} is not legal for seat {table.seat}")
    return lists.rows(np.array([place]))


@once
def _forms(rules: Rules) -> dict[str, int]:
    return {str(form.name): number for number, form in enumerate(rules.forms.forms)}


def act_of(engine: Engine, decision: Decision, value: Any) -> dict[str, Any]:
    """A decision as a line: of a person the value that was sent, of an agent form and cards, or the option."""
    line = {"seat": decision.seat, "person": decision.by_person}
    if decision.moves is None:
        return line | {"value": engine.action(-1, np.array([decision.option], np.uint8)).to_json()}
    if value is not None:
        return line | {"value": value}
    rules, form = engine.rules, int(decision.moves.form[0])
    texts = [rules.letters.texts[card] for card in cards_laid(decision.moves.cards[0])]
    return line | {"form": str(rules.forms.forms[form].name) if form >= 0 else "", "cards": texts}

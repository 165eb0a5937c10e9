"""A table as one pair of eyes sees it: all that a browser needs to draw it, whenever it changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from abl_cards.games.play.state import CHOICE, NOBODY, PLAY
from abl_cards.games.play.stock import left
from abl_cards.games.tables import LEADING
from abl_cards.games.words.order import in_order
from abl_cards.page.words import deck, option_pair, orders, remembered, role_pairs, stage_pair
from abl_cards.seeds import seed_text

if TYPE_CHECKING:
    from abl_cards.games import Engine, Tables
    from abl_cards.page.chairs import Chair, Right
    from abl_cards.page.course import Course
    from abl_cards.page.table import PageTable
    from abl_cards.page.words import Pair

HERE = np.array([0])
SHOWN_OF_LOG = 80
NOBODYS_EYES = -1


class Scene(Protocol):
    """What can be looked at: a table of the page, or one that is served elsewhere."""

    @property
    def name(self) -> str:
        """By which it is found."""

    @property
    def title(self) -> Pair:
        """What the game is called."""

    @property
    def engine(self) -> Engine:
        """What it is played by."""

    @property
    def tables(self) -> Tables:
        """The one table."""

    @property
    def course(self) -> Course:
        """What has happened there."""

    @property
    def refused(self) -> str:
        """The first error of newer rules that `kb check` refuses; empty where the rules are the latest."""

    @property
    def chairs(self) -> Sequence[Chair]:
        """[seats] who sits there."""

    @property
    def offered(self) -> Sequence[str]:
        """Agents that may be seated."""

    @property
    def practice(self) -> bool:
        """Whether decisions may be taken back."""

    @property
    def seed(self) -> int:
        """What it was dealt by."""

    @property
    def drawn(self) -> bool:
        """Whether that was drawn, and not chosen by the owner."""

    @property
    def watch_token(self) -> str:
        """By which others look on; nothing where there is no such link."""

    @property
    def revision(self) -> int:
        """Another number after every change."""

    @property
    def pace(self) -> float:
        """Seconds that agents wait."""

    @property
    def problem(self) -> str:
        """Why it does not go on."""

    @property
    def waiting(self) -> bool:
        """Whether somebody has to go on after an episode."""

    @property
    def over(self) -> bool:
        """Whether the match is."""

    @property
    def since(self) -> float:
        """When it changed, a time of ``time.time``."""

    def may_take_back(self, right: Right) -> bool:
        """Whether they have a decision to take back."""

    def present(self, seat: int) -> bool:
        """Whether somebody looks at the table from this seat."""


def shown_seed(table: Scene, right: Right) -> str | None:
    """Return the seed as text for those who may know all hands; None for everybody else.

    That is the owner, when the match is over, or at a table for practice: there only where the owner has chosen the
    seed, or no other person sits.
    """
    alone = sum(chair.kind == "person" for chair in table.chairs) <= 1
    known = table.over or (table.practice and (alone or not table.drawn))
    return seed_text(table.seed) if right.owner and known else None


def welcome(table: Scene, right: Right) -> dict[str, Any]:
    """What never changes: the cards, and who sits where; and the seed, where ``shown_seed`` gives it."""
    engine = table.engine
    return {
        "type": "welcome", "table": table.name, "game": engine.game, "title": table.title,
        "profile": engine.rules.profile, "deck": deck(engine.rules), "copies": engine.rules.pack.copies.tolist(),
        "seats": engine.rules.table.seats, "teams": engine.teams.tolist(), "agents": list(table.offered),
        "practice": table.practice, "seed": shown_seed(table, right), "watch": table.watch_token,
        "refused": table.refused,
    }  # fmt: skip


def snapshot(table: PageTable, right: Right) -> dict[str, Any]:
    """A table of the page from the eyes of a seat, or of somebody who only looks on."""
    found = picture(table, right)
    if found["turn"] is not None and found["turn"] == right.seat and not table.problem:
        found["asked"] = _asked(table, int(table.tables.state.stage[0]))
    return found


def picture(table: Scene, right: Right) -> dict[str, Any]:
    """What there is to see from the eyes of a seat, or of somebody who only looks on."""
    tables, rules, course = table.tables, table.engine.rules, table.course
    state, seat = tables.state, right.seat
    stage, turn = int(state.stage[0]), int(tables.seat[0])
    acting = stage in (PLAY, CHOICE) and not table.waiting
    context = int(state.context[0])
    eyes = np.array([NOBODYS_EYES if seat is None else seat])
    found: dict[str, Any] = {
        "type": "table", "revision": table.revision, "at": int(tables.clock[0]), "episode": int(tables.episode[0]),
        "me": seat, "after": list(rules.table.after),
        "chair": right.chair, "owner": right.owner, "pace": table.pace, "problem": _problem(table, right),
        "phase": "over" if table.over else "end" if table.waiting else "choice" if stage == CHOICE else "play",
        "turn": turn if acting else None, "seats": _seats(table, right), "orders": orders(rules, context),
        "trick": course.trick, "last": course.last, "closed": _closed(table), "owned": int(state.owner[0]),
        "log": [each for each in course.log[-SHOWN_OF_LOG:] if not _hidden(each, seat)],
        "told": remembered(table.engine, rules.fluents.seen(state.fluents[[0]], eyes)[0]),
        "aside": int(state.aside[0].sum()), "stock": int(left(rules, state, HERE)[0]) if rules.draws else 0,
        "ended": course.ended if table.waiting or table.over else None,
        "back": table.may_take_back(right), "asked": None, "since": table.since if acting else None,
        "seed": shown_seed(table, right),
    }  # fmt: skip
    if seat is not None:
        found["hand"] = [rules.letters.texts[kind] for kind in in_order(rules, state.hands[0, seat], context)]
    return found


def _problem(table: Scene, right: Right) -> str:
    """Why a table does not go on; it may name cards, so that only the owner of a table for practice reads it."""
    told = right.owner and table.practice
    return table.problem if told or not table.problem else "the rules lead nowhere here; see the log of the page"


def _hidden(event: dict[str, Any], seat: int | None) -> bool:
    return bool(event.get("secret")) and event.get("seat") != seat


def _closed(table: Scene) -> bool:
    """Whether the trick that lies is over: the next play begins another one."""
    state, rules = table.tables.state, table.engine.rules
    if rules.taking is not None:
        return not state.lies[0].any()
    return bool(state.to_beat[0] == LEADING)


def _seats(table: Scene, right: Right) -> list[dict[str, Any]]:
    tables, rules = table.tables, table.engine.rules
    state, roles = tables.state, role_pairs(table.engine)
    order, sides, parts = state.order[0].tolist(), tables.sides(HERE)[0].tolist(), tables.roles(HERE)[0].tolist()
    told = len(set(parts)) > 1  # where all play the same part, it is not decided yet who plays which
    found = []
    for seat, chair in enumerate(table.chairs):
        said = table.course.said.get(seat)
        each: dict[str, Any] = {
            "name": chair.name, "kind": chair.kind, "agent": chair.agent_name, "cards": int(state.hands[0, seat].sum()),
            "side": sides[seat], "role": roles[parts[seat]] if told and 0 <= parts[seat] < len(roles) else ["", ""],
            "place": order.index(seat) + 1 if seat in order and seat != NOBODY else None,
            "here": table.present(seat), "total": int(tables.total[0, seat]),
            "said": None if said is None or _hidden(said, right.seat) else said,
        }  # fmt: skip
        if right.owner and chair.kind == "person":
            each["token"] = chair.token
        if rules.open_hands and seat != right.seat:
            each["face"] = [rules.letters.texts[kind]
                            for kind in in_order(rules, state.hands[0, seat], int(state.context[0]))]  # fmt: skip
        found.append(each)
    return found


def _asked(table: PageTable, stage: int) -> dict[str, Any]:
    """What the seat to decide may do."""
    if stage == PLAY:
        open_to = table.picking().picked([])
        return {"kind": "play", "more": open_to["more"], "plays": open_to["plays"], "passes": open_to["passes"]}
    rules, choices = table.engine.rules, table.tables.choices(HERE)
    name = str(rules.words.stages[int(choices.stage[0])])
    options = []
    for number in np.flatnonzero(choices.options[0]).tolist():
        value = table.engine.action(-1, np.array([number])).to_json()
        options.append({"value": value, "text": option_pair(table.engine, number),
                        "card": value if value in rules.letters.kinds else None})  # fmt: skip
    return {"kind": "choice", "stage": stage_pair(table.engine, name), "options": options}

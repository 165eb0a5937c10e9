"""A table from its ledger: the same seats and tokens, and the same decisions, each legal where it was made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from secrets import compare_digest
from typing import Any

import numpy as np

from abl_cards.agents import Agent
from abl_cards.core import ErrorCode, GameError, format_seed
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.notation import find_options, find_plays
from abl_cards.games.types import NO_CARD, Moves
from abl_cards.web import schemas
from abl_cards.web.event_log import EventLog
from abl_cards.web.limits import sanitise_name
from abl_cards.web.seats import PERSON, TableDecision, TableSeat
from abl_cards.web.table import ONLY_TABLE, EventWriter, WebTable
from abl_cards.web.texts import BilingualText, card_kinds

LOG_KIND, LOG_VERSION = "table", 1
_MAX_NUMBER, _MAX_SEATS = 1 << 30, 255
AgentFactory = Callable[[str], Agent]
"""An agent by its name; raises GameError for one that may not be seated."""


def make_header(table: WebTable, game: str) -> dict[str, Any]:
    """Return the configuration of a table without its events."""
    return {
        "kind": LOG_KIND, "version": LOG_VERSION, "name": table.name, "title": table.title, "game": game,
        "profile": table.engine.rules.profile or "", "seed": format_seed(table.seed), "drawn": table.is_seed_random,
        "match": table.match_number,
        "practice": table.is_practice, "owner": table.owner_token, "watch": table.watch_token,
        "chair": table.owner_seat, "chairs": [each.to_json() for each in table.seats],
    }  # fmt: skip


def make_event_writer(table: WebTable, game: str, event_log: EventLog) -> EventWriter:
    """Writes down what happens at a table."""

    def written(what: str, told: dict[str, Any]) -> None:
        if what == "begin":
            event_log.start(make_header(table, game))
        elif what == "act":
            event_log.append({"do": what} | decision_json(table.engine, told["decision"], told["value"]))
        else:
            event_log.append({"do": what} | told)

    return written


def read_header(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The heading of a ledger; raises GameError for another one."""
    told = lines[0]
    if told.get("kind") != LOG_KIND or told.get("version") != LOG_VERSION:
        raise GameError("not an event log of a table", ErrorCode.INVALID_RECORD)
    for name in ("name", "game", "profile", "owner", "watch"):
        schemas.get_text(told, name)
    return told


def accepts_token(lines: Sequence[dict[str, Any]], token: str) -> bool:
    """Return whether a token is valid at the table of an event log; raises GameError for another file."""
    told = read_header(lines)
    chairs = {str(seat): chair for seat, chair in enumerate(schemas.get_list(told, "chairs", _MAX_SEATS))}
    chairs |= {str(line.get("seat")): line.get("chair") for line in lines[1:] if line.get("do") == "chair"}
    tokens = [chair.get("token") for chair in chairs.values() if isinstance(chair, dict)]
    known = [
        each for each in (told["owner"], told["watch"], *tokens) if isinstance(each, str) and schemas.is_encodable(each)
    ]
    return any(compare_digest(token.encode(), each.encode()) for each in known)


def restore_table(
    lines: Sequence[dict[str, Any]],
    engine: Engine,
    title: BilingualText,
    agents: Sequence[str],
    agent_factory: AgentFactory,
) -> WebTable:
    """The table as it was; raises GameError where the rules would not have it so."""
    told = read_header(lines)
    chairs = [_read_seat(each, agent_factory) for each in schemas.get_list(told, "chairs", engine.rules.seating.seats)]
    if len(chairs) != engine.rules.seating.seats:
        raise GameError(f"the event log has {len(chairs)} seats", ErrorCode.INVALID_RECORD)
    seed, practice = schemas.get_seed(told), schemas.get_bool(told, "practice")
    made = WebTable(told["name"], title, engine, chairs, seed, practice, agents)
    made.is_seed_random = schemas.get_bool(told, "drawn", True)
    made.owner_token, made.watch_token, made.match_number = (
        told["owner"],
        told["watch"],
        schemas.get_int(told, "match", 0, _MAX_NUMBER),
    )
    made.owner_seat = None if told["chair"] is None else schemas.get_int(told, "chair", 0, len(chairs) - 1)
    acts, gone = _apply_events(made, lines[1:], agent_factory)
    made.start_match()
    for number, act in enumerate(acts, 1):
        made.is_waiting = False
        made.replay_decision(_read_decision(made, act), number == gone)
    return made


def _read_seat(seat_json: Any, agent_factory: AgentFactory) -> TableSeat:
    if not isinstance(seat_json, dict):
        raise GameError("a seat is damaged", ErrorCode.INVALID_RECORD)
    kind, name, token = (
        schemas.get_text(seat_json, "kind"),
        sanitise_name(schemas.get_text(seat_json, "name"), 80),
        schemas.get_text(seat_json, "token"),
    )
    if kind == PERSON:
        return TableSeat(PERSON, name, token=token)
    agent = schemas.get_text(seat_json, "agent")
    return TableSeat("agent", name, agent, agent_factory(agent), token)


def _apply_events(
    table: WebTable, lines: Sequence[dict[str, Any]], agent_factory: AgentFactory
) -> tuple[list[dict[str, Any]], int]:  # fmt: skip
    """Replay events; returns the decisions that were not taken back, and sets seats and continued episodes."""
    acts, gone = list[dict[str, Any]](), -1
    for line in lines:
        match line.get("do"):
            case "act":
                acts.append(line)
            case "back":
                del acts[schemas.get_int(line, "left", 0, _MAX_NUMBER) :]
            case "go":
                gone = len(acts)
            case "chair":
                seat = schemas.get_int(line, "seat", 0, len(table.seats) - 1)
                table.seats[seat] = _read_seat(line.get("chair"), agent_factory)
                owner = line.get("owner")
                table.owner_seat = owner if type(owner) is int and 0 <= owner < len(table.seats) else None
            case other:
                raise GameError(f"'{str(other)[:40]}' is not an event of a table", ErrorCode.INVALID_RECORD)
    return acts, gone


def _read_decision(table: WebTable, act: dict[str, Any]) -> TableDecision:
    """A decision that is legal now; raises GameError."""
    seat, by_person = schemas.get_int(act, "seat", 0, 255), schemas.get_bool(act, "person")
    if table.is_over or table.seat != seat:
        raise GameError("another seat is to decide", ErrorCode.INVALID_RECORD)
    if table.tables.rows_to_choose().size:
        (option,) = find_options(table.tables.choices(ONLY_TABLE), [act.get("value")])
        if isinstance(option, GameError):
            raise option
        return TableDecision(None, option, seat, by_person)
    if "form" in act:
        return TableDecision(_read_agent_play(table, act), -1, seat, by_person)
    lists, (row,) = find_plays(table.tables.decisions(ONLY_TABLE), [act.get("value")])
    if isinstance(row, GameError):
        raise row
    return TableDecision(lists.select(np.array([row])), -1, seat, by_person)


def _read_agent_play(table: WebTable, act: dict[str, Any]) -> Moves:
    """The play of an agent, which may be a part of what is laid card by card; raises GameError."""
    rules, form = table.engine.rules, _form_numbers(table.engine.rules).get(schemas.get_text(act, "form"), -1)
    kinds, lists = rules.card_codes.read(schemas.get_cards(act)), table.tables.decisions(ONLY_TABLE).moves()
    row = np.full((1, max(len(kinds), lists.cards.shape[1])), NO_CARD, np.uint8)
    row[0, : len(kinds)] = kinds
    (place,) = lists.find(Moves(np.array([form], np.int16), row))
    if form < 0 or place < 0:
        raise GameError(f"{act['form'][:80]} is not legal for seat {table.seat}", ErrorCode.ILLEGAL_MOVE)
    return lists.select(np.array([place]))


@cache_per_game
def _form_numbers(rules: CompiledGame) -> dict[str, int]:
    return {str(form.name): number for number, form in enumerate(rules.forms.forms)}


def decision_json(engine: Engine, decision: TableDecision, value: Any) -> dict[str, Any]:
    """A decision as a line: of a person the value that was sent, of an agent form and cards, or the option."""
    line = {"seat": decision.seat, "person": decision.by_person}
    if decision.moves is None:
        return line | {"value": engine.notate_move(-1, np.array([decision.option], np.uint8)).to_json()}
    if value is not None:
        return line | {"value": value}
    rules, form = engine.rules, int(decision.moves.form[0])
    texts = [rules.card_codes.kind_texts[card] for card in card_kinds(decision.moves.cards[0])]
    return line | {"form": str(rules.forms.forms[form].name) if form >= 0 else "", "cards": texts}

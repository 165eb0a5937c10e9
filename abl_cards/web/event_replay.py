"""Restore tables from event logs: seats, tokens and decisions, each checked for legality."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from secrets import compare_digest
from typing import Any

import numpy as np

from abl_cards.agents import Agent
from abl_cards.core import ErrorCode, GameError, format_seed
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.notation import find_options, find_plays
from abl_cards.games.types import NO_CARD, ONLY_TABLE, Moves
from abl_cards.web import schemas
from abl_cards.web.event_log import EventLog
from abl_cards.web.limits import sanitise_name
from abl_cards.web.seats import PERSON, TableDecision, TableSeat
from abl_cards.web.table import WebTable
from abl_cards.web.table_history import EventWriter
from abl_cards.web.texts import BilingualText, card_kinds
from abl_cards.web.think_time import TableAgentFactory, get_think_ms

LOG_KIND, LOG_VERSION = "table", 1
_MAX_NUMBER, _MAX_SEATS = 1 << 30, 255


def make_header(table: WebTable, game: str) -> dict[str, Any]:
    """Return the configuration of a table without its events."""
    return {
        "kind": LOG_KIND, "version": LOG_VERSION, "name": table.name, "title": table.title, "game": game,
        "profile": table.engine.rules.profile or "", "seed": format_seed(table.seed), "drawn": table.is_seed_random,
        "match": table.match_number,
        "practice": table.is_practice, "think": table.think_ms,
        "owner": table.owner_token, "watch": table.watch_token, "join": table.join_token,
        "former": sorted(table.former_tokens), "chair": table.owner_seat,
        "chairs": [seat.to_json() for seat in table.seats],
    }  # fmt: skip


def make_event_writer(table: WebTable, game: str, event_log: EventLog) -> EventWriter:
    """Make a function that writes the events of a table to its log."""

    def write_event(kind: str, data: dict[str, Any]) -> None:
        if kind == "begin":
            event_log.start(make_header(table, game))
        elif kind == "act":
            event_log.append({"do": kind} | decision_json(table.engine, data["decision"], data["value"]))
        else:
            event_log.append({"do": kind} | data)

    return write_event


def read_header(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the header of an event log; raises GameError for another file."""
    header = lines[0]
    if header.get("kind") != LOG_KIND or header.get("version") != LOG_VERSION:
        raise GameError("not an event log of a table", ErrorCode.INVALID_RECORD)
    for name in ("name", "game", "profile", "owner", "watch"):
        schemas.get_text(header, name)
    return header


def accepts_token(lines: Sequence[dict[str, Any]], token: str) -> bool:
    """Return whether a token is valid at the table of an event log; raises GameError for another file."""
    header = read_header(lines)
    seats = [*schemas.get_list(header, "chairs", _MAX_SEATS),
             *(line.get("chair") for line in lines[1:] if line.get("do") == "chair")]  # fmt: skip
    tokens = [seat_json.get("token") for seat_json in seats if isinstance(seat_json, dict)]  # former ones as well
    valid_tokens = [
        valid_token
        for valid_token in (header["owner"], header["watch"], header.get("join"), *_former_tokens(header), *tokens)
        if isinstance(valid_token, str) and schemas.is_encodable(valid_token)
    ]
    return any(compare_digest(token.encode(), valid_token.encode()) for valid_token in valid_tokens)


def _former_tokens(header: dict[str, Any]) -> list[str]:
    """Return the tokens of seats that were given to others; logs of earlier versions have none."""
    former = header.get("former", [])
    return [token for token in former if isinstance(token, str)] if isinstance(former, list) else []


def restore_table(
    lines: Sequence[dict[str, Any]],
    engine: Engine,
    title: BilingualText,
    agents: Sequence[str],
    agent_factory: TableAgentFactory,
) -> WebTable:
    """Restore a table; raises GameError for a damaged log or a decision that is illegal by the current rules."""
    header, think_ms = read_header(lines), _read_think_ms(lines)
    make_agent = partial(agent_factory, think_ms=think_ms)
    seats = [
        _read_seat(seat_json, make_agent)
        for seat_json in schemas.get_list(header, "chairs", engine.rules.seating.seats)
    ]
    if len(seats) != engine.rules.seating.seats:
        raise GameError(f"the event log has {len(seats)} seats", ErrorCode.INVALID_RECORD)
    seed, practice = schemas.get_seed(header), schemas.get_bool(header, "practice")
    table = WebTable(header["name"], title, engine, seats, seed, practice, agents)
    table.think_ms = think_ms
    table.is_seed_random = schemas.get_bool(header, "drawn", True)
    table.owner_token, table.watch_token, table.match_number = (
        header["owner"],
        header["watch"],
        schemas.get_int(header, "match", 0, _MAX_NUMBER),
    )
    if "join" in header:  # logs of earlier versions have none
        table.join_token = schemas.get_text(header, "join")
    table.owner_seat = None if header["chair"] is None else schemas.get_int(header, "chair", 0, len(seats) - 1)
    table.former_tokens = set(_former_tokens(header))
    acts, continued_at = _apply_events(table, lines[1:], make_agent)
    table.start_match()
    for count, act in enumerate(acts, 1):
        table.is_waiting = False
        table.replay_decision(_read_decision(table, act), count == continued_at)
    return table


def _read_think_ms(lines: Sequence[dict[str, Any]]) -> int:
    """Return the last time to think of an event log; 0 in logs of earlier versions, which have none."""
    changes = [line for line in lines[1:] if line.get("do") == "think"]
    return get_think_ms(changes[-1], "ms") if changes else get_think_ms(lines[0])


def _read_seat(seat_json: Any, make_agent: Callable[[str], Agent]) -> TableSeat:
    if not isinstance(seat_json, dict):
        raise GameError("a seat is damaged", ErrorCode.INVALID_RECORD)
    kind, name, token = (
        schemas.get_text(seat_json, "kind"),
        sanitise_name(schemas.get_text(seat_json, "name"), 80),
        schemas.get_text(seat_json, "token"),
    )
    if kind == PERSON:
        return TableSeat(PERSON, name, token=token, is_taken=schemas.get_bool(seat_json, "taken"))
    agent = schemas.get_text(seat_json, "agent")
    return TableSeat("agent", name, agent, make_agent(agent), token)


def _apply_events(
    table: WebTable, lines: Sequence[dict[str, Any]], make_agent: Callable[[str], Agent]
) -> tuple[list[dict[str, Any]], int]:  # fmt: skip
    """Replay events; returns the decisions that were not taken back, and sets seats and continued episodes."""
    acts, continued_at = list[dict[str, Any]](), -1
    for line in lines:
        match line.get("do"):
            case "act":
                acts.append(line)
            case "back":
                del acts[schemas.get_int(line, "left", 0, _MAX_NUMBER) :]
            case "go":
                continued_at = len(acts)
            case "think":
                pass  # `_read_think_ms` has read the last one
            case "chair":
                seat = schemas.get_int(line, "seat", 0, len(table.seats) - 1)
                former_token = table.seats[seat].token
                table.seats[seat] = _read_seat(line.get("chair"), make_agent)
                if table.seats[seat].token != former_token:
                    table.former_tokens.add(former_token)
                owner = line.get("owner")
                table.owner_seat = owner if type(owner) is int and 0 <= owner < len(table.seats) else None
            case other:
                raise GameError(f"'{str(other)[:40]}' is not an event of a table", ErrorCode.INVALID_RECORD)
    return acts, continued_at


def _read_decision(table: WebTable, act: dict[str, Any]) -> TableDecision:
    """Read a decision; raises GameError if it is not legal in the current state."""
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
    """Read the play of an agent, possibly an act of a composed play; raises GameError."""
    rules, form = table.engine.rules, _form_numbers(table.engine.rules).get(schemas.get_text(act, "form"), -1)
    kinds, lists = rules.card_codes.read(schemas.get_cards(act)), table.tables.decisions(ONLY_TABLE).moves()
    row = np.full((1, max(len(kinds), lists.cards.shape[1])), NO_CARD, np.uint8)
    row[0, : len(kinds)] = kinds
    (move,) = lists.find(Moves(np.array([form], np.int16), row))
    if form < 0 or move < 0:
        raise GameError(f"{act['form'][:80]} is not legal for seat {table.seat}", ErrorCode.ILLEGAL_MOVE)
    return lists.select(np.array([move]))


@cache_per_game
def _form_numbers(rules: CompiledGame) -> dict[str, int]:
    return {str(form.name): index for index, form in enumerate(rules.forms.forms)}


def decision_json(engine: Engine, decision: TableDecision, value: Any) -> dict[str, Any]:
    """Return a decision as JSON: the value sent by a person, form and cards of an agent's play, or the option."""
    line = {"seat": decision.seat, "person": decision.by_person}
    if decision.moves is None:
        return line | {"value": engine.notate_move(-1, np.array([decision.option], np.uint8)).to_json()}
    if value is not None:
        return line | {"value": value}
    rules, form = engine.rules, int(decision.moves.form[0])
    texts = [rules.card_codes.kind_texts[card] for card in card_kinds(decision.moves.cards[0])]
    return line | {"form": str(rules.forms.forms[form].name) if form >= 0 else "", "cards": texts}

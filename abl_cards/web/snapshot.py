"""Snapshots of a table for one viewer: everything that a browser needs to draw it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from abl_cards.core import format_seed
from abl_cards.games.state import CHOICE, NO_SEAT, PLAY
from abl_cards.games.tables import cards_in_stock
from abl_cards.games.types import ONLY_TABLE
from abl_cards.web.fluent_texts import fluents_json
from abl_cards.web.replay_frames import is_trick_over
from abl_cards.web.shown_facts import TableFacts
from abl_cards.web.texts import card_orders, deck_json, hand_texts, option_text, role_texts, stage_text

if TYPE_CHECKING:
    from abl_cards.web.review_positions import ReviewPosition
    from abl_cards.web.seats import Permission
    from abl_cards.web.spectator_feed import ServedTableView
    from abl_cards.web.table import WebTable

    ViewableTable: TypeAlias = WebTable | ServedTableView

MAX_LOG_SHOWN = 80
SPECTATOR = -1


def visible_seed(table: ViewableTable, permission: Permission) -> str | None:
    """Return the seed as text for viewers who may know all hands; None for others.

    The owner may after the end of the match, and at a practice table if the owner chose the seed or no other person
    plays.
    """
    is_single_player = sum(seat.kind == "person" for seat in table.seats) <= 1
    may_be_shown = table.is_over or (table.is_practice and (is_single_player or not table.is_seed_random))
    return format_seed(table.seed) if permission.is_owner and may_be_shown else None


def may_see_hands(table: ViewableTable, permission: Permission) -> bool:
    """Return whether a client may see all hands: the owner of a practice table at which no other person plays."""
    people = [seat for seat, table_seat in enumerate(table.seats) if table_seat.kind == "person"]
    return table.is_practice and permission.is_owner and people in ([], [permission.seat])


def can_skip(table: WebTable, permission: Permission) -> bool:
    """Return whether a client may let the agents play at once: no person has a decision left in the episode."""
    if (permission.seat is None and not permission.is_owner) or table.is_over or table.is_waiting or table.problem:
        return False
    order = table.tables.state.finish_order[0].tolist()
    people = [seat for seat, table_seat in enumerate(table.seats) if table_seat.kind == "person"]
    return bool(people) and all(seat in order for seat in people)


def make_welcome(table: ViewableTable, permission: Permission) -> dict[str, Any]:
    """Return the constant data: cards and seats, and the seed if ``visible_seed`` allows it.

    ``rules`` is the name by which requests ask about the rules; that of a draft is secret, so only the owner has it.
    """
    engine = table.engine
    return {
        "type": "welcome", "table": table.name, "game": engine.game, "title": table.title,
        "profile": engine.rules.profile, "deck": deck_json(engine.rules), "copies": engine.rules.pack.copies.tolist(),
        "seats": engine.rules.seating.seats, "teams": engine.teams.tolist(), "agents": list(table.available_agents),
        "practice": table.is_practice, "seed": visible_seed(table, permission), "watch": table.watch_token,
        "refused": table.rules_error, "rules": table.rules_name if permission.is_owner else engine.game,
    }  # fmt: skip


def make_snapshot(table: WebTable, permission: Permission) -> dict[str, Any]:
    """Return a table of this server as seen by a seat or a spectator, with the options of the seat to decide."""
    snapshot = make_view(table, permission) | {"think": table.think_ms}
    snapshot["join"] = table.join_token if permission.is_owner else None
    if snapshot["turn"] is not None and snapshot["turn"] == permission.seat and not table.problem:
        snapshot["asked"] = options_json(table, int(table.tables.state.stage[0]))
    snapshot["skip"] = can_skip(table, permission) and not table.is_fast
    return snapshot


def make_view(table: ViewableTable, permission: Permission) -> dict[str, Any]:
    """Return the table as seen by a seat or a spectator."""
    tables, rules, game_log = table.tables, table.engine.rules, table.game_log
    state, seat = tables.state, permission.seat
    stage, turn = int(state.stage[0]), int(tables.seat[0])
    is_acting = stage in (PLAY, CHOICE) and not table.is_waiting
    context = int(state.context[0])
    viewer = np.array([SPECTATOR if seat is None else seat])
    view: dict[str, Any] = {
        "type": "table", "revision": table.revision, "at": int(tables.num_decisions[0]),
        "episode": int(tables.num_episodes[0]),
        "me": seat, "after": list(rules.seating.next_seat),
        "chair": permission.own_seat, "owner": permission.is_owner, "pace": table.agent_delay,
        "problem": _visible_problem(table, permission),
        "phase": "over" if table.is_over else "end" if table.is_waiting else "choice" if stage == CHOICE else "play",
        "turn": turn if is_acting else None, "seats": _seats_json(table, permission), "orders": card_orders(rules,
        context),
        "trick": game_log.trick, "last": game_log.previous_trick, "closed": is_trick_over(table.engine, table.tables),
        "owned": int(state.owner[0]),
        "log": [event for event in game_log.log[-MAX_LOG_SHOWN:] if not _is_hidden(event, seat)],
        "shown": _visible_facts(table).to_json(table.engine, SPECTATOR if seat is None else seat),
        "fluents": fluents_json(table.engine, rules.fluents.mask_private(state.fluents[[0]], viewer)[0]),
        "aside": int(state.aside[0].sum()), "stock": int(cards_in_stock(rules, state,
        ONLY_TABLE)[0]) if rules.has_draws else 0,
        "ended": game_log.episode_result if table.is_waiting or table.is_over else None,
        "back": table.can_take_back(permission), "asked": None, "since": table.changed_at if is_acting else None,
        "seed": visible_seed(table, permission), "may_open": may_see_hands(table, permission),
        "open": permission.sees_hands,
    }  # fmt: skip
    if seat is not None:
        view["hand"] = hand_texts(rules, state.hands[0, seat], context)
    return view


def _visible_facts(table: ViewableTable) -> TableFacts:
    """Return the facts of the table: those of the last deal until the next one begins."""
    end = table.game_log.end_facts if table.is_waiting or table.is_over else None
    return end or TableFacts.of(table.tables)


def _visible_problem(table: ViewableTable, permission: Permission) -> str:
    """Return the error of a table; only the owner of a practice table gets its text, which may name cards."""
    may_read = permission.is_owner and table.is_practice
    return table.problem if may_read or not table.problem else "the rules are stuck; see the log of the server"


def _is_hidden(event: dict[str, Any], seat: int | None) -> bool:
    return bool(event.get("secret")) and event.get("seat") != seat


def _seats_json(table: ViewableTable, permission: Permission) -> list[dict[str, Any]]:
    tables, rules = table.tables, table.engine.rules
    state, roles = tables.state, role_texts(table.engine)
    order, sides, role_indices = (
        state.finish_order[0].tolist(),
        tables.sides(ONLY_TABLE)[0].tolist(),
        tables.roles(ONLY_TABLE)[0].tolist(),
    )
    has_roles = len(set(role_indices)) > 1  # equal roles mean that they are not decided yet
    seats = []
    for seat, table_seat in enumerate(table.seats):
        action = table.game_log.last_actions.get(seat)
        seat_json: dict[str, Any] = {
            "name": table_seat.name, "kind": table_seat.kind, "agent": table_seat.agent_name,
            "cards": int(state.hands[0, seat].sum()), "side": sides[seat],
            "role": roles[role_indices[seat]] if has_roles and 0 <= role_indices[seat] < len(roles) else ["", ""],
            "place": order.index(seat) + 1 if seat in order and seat != NO_SEAT else None,
            "here": table.is_present(seat), "taken": table_seat.is_taken, "total": int(tables.total_points[0, seat]),
            "said": None if action is None or _is_hidden(action, permission.seat) else action,
        }  # fmt: skip
        if permission.is_owner and table_seat.kind == "person":
            seat_json["token"] = table_seat.token
        if (rules.has_open_hands or permission.sees_hands) and seat != permission.seat:
            seat_json["face"] = hand_texts(rules, state.hands[0, seat], int(state.context[0]))
        seats.append(seat_json)
    return seats


def options_json(table: WebTable | ReviewPosition, stage: int) -> dict[str, Any]:
    """Return the options of the seat to decide."""
    if stage == PLAY:
        selection = table.get_selection().interpret([])
        return {"kind": "play", "more": selection["more"], "plays": selection["plays"], "passes": selection["passes"]}
    rules, choices = table.engine.rules, table.tables.choices(ONLY_TABLE)
    name = str(rules.schema.stages[int(choices.stage[0])])
    options = []
    for option in np.flatnonzero(choices.options[0]).tolist():
        value = table.engine.notate_move(-1, np.array([option])).to_json()
        options.append({"value": value, "text": option_text(table.engine, option),
                        "card": value if value in rules.card_codes.kind_by_text else None})  # fmt: skip
    return {
        "kind": "choice", "stage": stage_text(table.engine, name), "options": options,
        "count": table.num_card_choices,
    }  # fmt: skip

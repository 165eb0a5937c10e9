"""Views of the tables of a class, for its teacher and its pupils."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from abl_cards.web.classes import ClassSession, Pupil
from abl_cards.web.seats import PERSON, Permission
from abl_cards.web.snapshot import make_view, make_welcome
from abl_cards.web.texts import hand_texts

if TYPE_CHECKING:
    from abl_cards.web.lobby import Lobby
    from abl_cards.web.table import WebTable

MAX_RESTORED_AT_ONCE = 4
"""Largest number of stored tables that one request of the teacher opens again."""


async def make_wall(lobby: Lobby, session: ClassSession, known_revisions: dict[str, Any]) -> dict[str, Any]:
    """Return all tables of a class with all hands, for the teacher.

    Args:
        lobby: Lobby with the tables.
        session: The class.
        known_revisions: Revision by table that the browser has; the views of these are left out.
    """
    tables, results, welcome = [], list[dict[str, Any]](), None
    await _restore_tables(lobby, session)
    for number, (name, owner_token) in enumerate(session.owner_tokens.items()):
        names = [pupil.name for pupil in session.pupils_at(name)]
        entry = {"table": name, "number": number, "token": owner_token, "pupils": names, "state": "asleep"}
        table = lobby.tables.get(name)
        if table is not None:
            async with table.lock:
                is_known = known_revisions.get(name) == table.revision
                fields = await lobby.executor.run(partial(_open_entry, table, is_known))
                welcome = welcome or make_welcome(table, Permission())
            entry |= {"state": "open", **fields}
            results += table_results(session, table)
        elif not lobby.is_asleep(name):
            entry["state"] = "gone"
        tables.append(entry)
    return {
        "role": "teacher", "code": session.code, "title": session.title, "game": session.game, "seed": session.seed,
        "people": session.num_people, "tables": tables, "welcome": welcome, "place": session.place,
        "results": merge_results([*session.past_results, *results]),
    }  # fmt: skip


async def make_pupil_page(lobby: Lobby, session: ClassSession, pupil: Pupil) -> dict[str, Any]:
    """Return the table of a pupil, and the results of deals that have ended there."""
    results = [*session.past_results]
    for name in session.owner_tokens:
        table = lobby.tables.get(name)
        if table is not None:
            async with table.lock:
                results += table_results(session, table)
    ended = {(row["match"], row["episode"]) for row in results if row["table"] == pupil.table}
    seen = [row for row in results if (row["match"], row["episode"]) in ended]
    return {
        "role": "pupil", "code": session.code, "title": session.title, "name": pupil.name, "table": pupil.table,
        "token": pupil.seat_token, "people": len(session.pupils), "place": session.place,
        "results": [deal | {"dealt": []} for deal in merge_results(seen)],
    }  # fmt: skip


async def _restore_tables(lobby: Lobby, session: ClassSession) -> None:
    """Open some stored tables again, as far as no other table has to give way."""
    from abl_cards.asp import KBError
    from abl_cards.core import GameError
    from abl_cards.web.limits import MAX_TABLES

    asleep = [name for name in session.owner_tokens if name in lobby.log_store.suspended]
    for name in asleep[:MAX_RESTORED_AT_ONCE]:
        if len(lobby.tables) < MAX_TABLES:
            try:
                await lobby.find_table(name, session.owner_tokens[name], session.client_id)
            except (GameError, KBError):  # logged by the lobby
                continue


def _open_entry(table: WebTable, is_known: bool) -> dict[str, Any]:
    """Return the revision of a table, and its view with all hands unless the browser has it."""
    return {"revision": table.revision, "view": None if is_known else _open_view(table)}


def _open_view(table: WebTable) -> dict[str, Any]:
    view, rules, state = make_view(table, Permission()), table.engine.rules, table.tables.state
    for seat, seat_json in enumerate(view["seats"]):
        seat_json["face"] = hand_texts(rules, state.hands[0, seat], int(state.context[0]))
    return view | {"log": []}


def table_results(session: ClassSession, table: WebTable) -> list[dict[str, Any]]:
    """Return a row for each pupil of a table and each deal that has ended in the current match."""
    pupils = {pupil.seat_token: pupil for pupil in session.pupils_at(table.name)}
    rows = []
    for result in table.game_log.episode_results:
        for seat, table_seat in enumerate(table.seats):
            pupil = pupils.get(table_seat.token)
            if pupil is not None and table_seat.kind == PERSON:
                finish = result["finish"]
                rows.append({
                    "match": table.match_number, "episode": result["episode"], "table": table.name, "seat": seat,
                    "name": pupil.name, "points": result["points"][seat], "left": len(result["hands"][seat]),
                    "place": finish.index(seat) + 1 if seat in finish else None, "dealt": result["dealt"][seat],
                })  # fmt: skip
    return rows


def merge_results(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Group rows by deal and seat, so that pupils with the same cards stand side by side, the most points first.

    Returns:
        For each match, deal and seat: the cards dealt, and a row for each pupil.
    """
    groups: dict[tuple[int, int, int], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["match"], row["episode"], row["seat"]), []).append(row)
    fields = ("name", "table", "points", "place", "left")
    return [
        {"match": match, "episode": episode, "seat": seat, "dealt": group[0]["dealt"],
         "rows": [{name: row[name] for name in fields} for row in sorted(group, key=lambda row: -row["points"])]}
        for (match, episode, seat), group in sorted(groups.items())
    ]  # fmt: skip

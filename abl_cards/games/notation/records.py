"""Played episodes as JSON objects: written down, and read.

``hands`` as dealt by seat, ``aside`` what was left over, or ``stock``, all the cards in the order in which they are
drawn, ``before`` what the match remembered, ``lots`` its random
numbers, ``total`` its points so far, ``acts`` ([seat, play or choice]), ``finish`` (seats), ``points`` (by seat), and
``won`` (a team, or "draw") where the match ended. Besides ``game``, ``profile``, ``episode``, and more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import Fluent, fluents_by_name
from abl_cards.games.notation import seats
from abl_cards.games.notation.fields import error_context
from abl_cards.games.notation.fluent_json import FluentCodec
from abl_cards.games.notation.hand_order import hand_to_json
from abl_cards.games.notation.hands import check_copies, read_cards
from abl_cards.games.notation.plays import notate_moves, notate_option
from abl_cards.games.notation.states import check_profile, read_lots
from abl_cards.games.state import NO_SEAT
from abl_cards.games.tables import DealtEpisodes, NullListener, Tables
from abl_cards.games.types import DRAW, Indices, Moves

DRAWN_MATCH = "draw"


class MatchRecorder(NullListener):
    """Writes down what happens at some tables; see ``pop_records``."""

    def __init__(self, rules: CompiledGame, tables: int, extra: Mapping[str, Any]) -> None:
        """Listen to so many tables; every record carries the extra fields."""
        self._rules, self._extra = rules, dict(extra)
        self._unfinished: list[dict[str, Any]] = [{} for _ in range(tables)]
        self._finished: list[list[dict[str, Any]]] = [[] for _ in range(tables)]

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Begin a new page; cards that are dealt again are on a new one."""
        for table in rows.tolist():
            self._unfinished[table] = {
                "game": self._rules.folder.name,
                **({} if self._rules.profile is None else {"profile": self._rules.profile}),
                **self._extra,
                "episode": int(tables.num_episodes[table]),
                **_deal_json(self._rules, tables, table),
                "acts": [],
            }

    def on_choice(self, tables: Tables, rows: Indices, options: NDArray[np.uint8]) -> None:
        """Write down choices."""
        for table, option in zip(rows.tolist(), options.tolist(), strict=True):
            self._unfinished[table]["acts"].append(
                [int(tables.seat[table]), notate_option(self._rules, option).to_json()]
            )

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Write down plays and passes."""
        laid = notate_moves(self._rules, moves.form, moves.cards, tables.state.context[rows])
        for table, action in zip(rows.tolist(), laid, strict=True):
            self._unfinished[table]["acts"].append([int(tables.seat[table]), action.to_json()])

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Write down the result."""
        for table in rows.tolist():
            finish = [seat for seat in tables.state.finish_order[table].tolist() if seat != NO_SEAT]
            result = {"finish": finish, "points": tables.points[table].tolist()}
            won = {} if tables.winner[table] == -1 else {"won": winner_json(tables, table)}
            self._finished[table].append(self._unfinished[table] | result | won)

    def pop_records(self, table: int) -> list[dict[str, Any]]:
        """The finished episodes of a table; forgets them."""
        done, self._finished[table] = self._finished[table], []
        return done

    def unfinished_record(self, table: int) -> dict[str, Any]:
        """The episode that is being played at a table, as far as it has come."""
        return dict(self._unfinished[table])


def winner_json(tables: Tables, table: int) -> Any:
    """The team that has won a match, or that it was drawn, as records have it."""
    return DRAWN_MATCH if tables.winner[table] == DRAW else int(tables.winner[table])


def _deal_json(rules: CompiledGame, tables: Tables, table: int) -> dict[str, Any]:
    """The cards, and what a match knows before they are dealt."""
    state, letters = tables.state, rules.card_codes
    context = int(rules.contexts.compute_index(state.fluents[[table]])[0])
    found: dict[str, Any] = {"hands": [hand_to_json(rules, hand, context) for hand in state.hands[table]]}
    if rules.has_draws:
        found["stock"] = letters.write(state.stock[table].tolist())
    elif state.aside[table].any():
        found["aside"] = letters.write_hand(state.aside[table])
    before = lasting_fluents_json(rules, tables, table)
    lots = {str(name): int(lot) for name, lot in zip(rules.schema.lots, state.lots[table], strict=True)}
    total = tables.total_points[table].tolist()
    return found | ({"before": before} if before else {}) | ({"lots": lots} if lots else {}) | (
        {"total": total} if any(total) else {}
    )  # fmt: skip


def lasting_fluents_json(rules: CompiledGame, tables: Tables, table: int) -> dict[str, Any]:
    """Return the fluents that a match keeps between episodes, if it has any."""
    values, fluents = FluentCodec(rules.card_codes.term_texts), tables.state.fluents[table]
    return {
        name: values.write(fluent, fluents)
        for name, fluent in lasting_fluents(rules).items()
        if (fluents[fluent.first_slot : fluent.slots.stop] != fluent.default).any()
    }


def lasting_fluents(rules: CompiledGame) -> dict[str, Fluent]:
    """The fluents that a match keeps, by the names of their fields."""
    return {name: fluent for name, fluent in fluents_by_name(rules.fluents, ()).items() if fluent.is_persistent}


@dataclass(frozen=True)
class Record:
    """An episode, read."""

    hands: NDArray[np.uint8]  # [seats, kinds]
    aside: NDArray[np.uint8]  # [kinds]
    stock: NDArray[np.uint8]  # [cards] in the order in which they are drawn; none where they are not
    fluents: NDArray[np.int16]  # [slots] before the deal
    lots: NDArray[np.int16]  # [lots]
    total: NDArray[np.int64]  # [seats]
    episode: int
    acts: tuple[tuple[int, Any], ...]
    finish: tuple[int, ...] | None
    points: tuple[int, ...] | None
    won: Any  # a team, DRAWN_MATCH, or None where nothing is said


def read_record(rules: CompiledGame, value: Any) -> Record:
    """Read a record; raises GameError that names the field, and the number of the act."""
    if not isinstance(value, Mapping):
        raise GameError("a record is a JSON object", ErrorCode.INVALID_RECORD)
    if value.get("game", rules.folder.name) != rules.folder.name:
        raise GameError(
            f"game: the record is of {value['game']!r}, the rules of {rules.folder.name!r}", ErrorCode.INVALID_RECORD
        )
    check_profile(rules, value.get("profile"))
    stock = _read_stock(rules, value.get("stock"))
    hands, aside = _read_cards(rules, value)
    acts = value.get("acts")
    if not isinstance(acts, list):
        raise GameError("acts: there must be a list of [seat, play or choice]", ErrorCode.INVALID_RECORD)
    episode = value.get("episode", 0)
    if type(episode) is not int or not 0 <= episode < 1 << 30:
        raise GameError(f"episode: {episode!r} is no number of episodes", ErrorCode.INVALID_RECORD)
    return Record(
        hands, aside, stock, _read_before(rules, value.get("before")), _read_lots(rules, value.get("lots")),
        np.array(_read_numbers(rules, value, "total") or [0] * rules.seating.seats, np.int64), episode,
        tuple(_read_act(rules, number, act) for number, act in enumerate(acts, start=1)), _read_finish(rules, value),
        _read_numbers(rules, value, "points"), _read_won(rules, value.get("won")),
    )  # fmt: skip


def _read_cards(rules: CompiledGame, value: Mapping[str, Any]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    dealt, said = (0,) * rules.seating.seats if rules.has_draws else rules.seating.num_dealt, value.get("hands")
    if not isinstance(said, list) or len(said) != rules.seating.seats:
        raise GameError(f"hands: there must be a list of {rules.seating.seats}, by seat", ErrorCode.INVALID_RECORD)
    hands = []
    for seat, each in enumerate(said):
        with error_context(f"hands of seat {seat}"):
            hands.append(read_cards(rules, each))
            if hands[-1].sum() != dealt[seat]:
                raise GameError(f"{hands[-1].sum()} cards, where {dealt[seat]} are dealt", ErrorCode.INVALID_RECORD)
    total = sum(hands, np.zeros(len(rules.pack), np.int64))
    with error_context("hands"):
        check_copies(rules, total)
    rest = rules.pack.copies - total
    with error_context("aside"):
        aside = rest if value.get("aside") is None else read_cards(rules, value["aside"])
        if (aside != rest).any():
            raise GameError("it must be what is left of the pack", ErrorCode.INVALID_RECORD)
    return np.stack(hands).astype(np.uint8), aside.astype(np.uint8)


def _read_stock(rules: CompiledGame, value: Any) -> NDArray[np.uint8]:
    if not rules.has_draws:
        if value is not None:
            raise GameError("stock: no cards are drawn one by one here", ErrorCode.INVALID_RECORD)
        return np.zeros(0, np.uint8)
    with error_context("stock"):
        cards = rules.card_codes.read([] if value is None else value)
        if len(cards) != len(rules.pack.deck):
            raise GameError(
                f"{len(cards)} cards, where all {len(rules.pack.deck)} are wanted in their order",
                ErrorCode.INVALID_RECORD,
            )
    return np.array(cards, np.uint8)


def _read_before(rules: CompiledGame, value: Any) -> NDArray[np.int16]:
    fluents, known = rules.fluents.defaults.copy(), lasting_fluents(rules)
    if value is None:
        return fluents
    if not isinstance(value, Mapping):
        raise GameError(f"before: {value!r} is no object of what the match remembers", ErrorCode.INVALID_RECORD)
    values = FluentCodec(rules.card_codes.term_texts)
    for name, each in value.items():
        with error_context(f"before: {name}"):
            if name not in known:
                raise GameError(
                    f"no such thing is remembered (known: {', '.join(known) or 'nothing'})", ErrorCode.INVALID_RECORD
                )
            values.read(known[name], each, fluents)
    return fluents


def _read_lots(rules: CompiledGame, value: Any) -> NDArray[np.int16]:
    names = [str(name) for name in rules.schema.lots]
    found = np.zeros(len(names), np.int16)
    if value is None:
        if names:
            raise GameError(
                f'lots: the rules draw {names[0]}: give "lots" (an object of random numbers)', ErrorCode.INVALID_RECORD
            )
        return found
    with error_context("lots"):
        found[:] = read_lots(rules, value)
    return found


def _read_act(rules: CompiledGame, number: int, act: Any) -> tuple[int, Any]:
    if not isinstance(act, list) or len(act) != 2:
        raise GameError(f"act {number}: {act!r} is no [seat, play or choice]", ErrorCode.INVALID_RECORD)
    with error_context(f"act {number}"):
        return seats.read_seat_number(rules, act[0]), act[1]


def _read_finish(rules: CompiledGame, value: Mapping[str, Any]) -> tuple[int, ...] | None:
    said = value.get("finish")
    if said is None:
        return None
    with error_context("finish"):
        if not isinstance(said, list):
            raise GameError(f"{said!r} is no list of seats", ErrorCode.INVALID_RECORD)
        return tuple(seats.read_seat_number(rules, seat) for seat in said)


def _read_numbers(rules: CompiledGame, value: Mapping[str, Any], field: str) -> tuple[int, ...] | None:
    said = value.get(field)
    if said is None:
        return None
    fits = isinstance(said, list) and len(said) == rules.seating.seats
    if not fits or any(type(each) is not int or abs(each) >= 1 << 40 for each in said):
        raise GameError(f"{field}: {said!r} are no {rules.seating.seats} numbers, by seat", ErrorCode.INVALID_RECORD)
    return tuple(said)


def _read_won(rules: CompiledGame, value: Any) -> Any:
    teams = max(rules.seating.teams) + 1
    if value is None or value == DRAWN_MATCH or (type(value) is int and 0 <= value < teams):
        return value
    raise GameError(f'won: {value!r} is no team 0 to {teams - 1}, and not "{DRAWN_MATCH}"', ErrorCode.INVALID_RECORD)


def initial_deals(records: list[Record]) -> DealtEpisodes:
    """Return the starts of the episodes of some records."""
    return DealtEpisodes(
        np.stack([record.hands for record in records]), np.stack([record.aside for record in records]),
        np.stack([record.fluents for record in records]), np.stack([record.lots for record in records]),
        np.stack([record.total for record in records]), np.array([record.episode for record in records], np.int32),
        np.stack([record.stock for record in records]),
    )  # fmt: skip

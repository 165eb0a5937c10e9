"""Read and write records of episodes as JSON objects.

Fields: ``game``, ``profile``, ``episode``; ``hands`` as dealt, by seat; ``aside``, the cards left over, or ``stock``,
all cards in the order of drawing; ``before``, the fluents kept from earlier episodes; ``lots``, the random numbers of
the match; ``total``, its points so far; ``acts``, a list of [seat, play or choice]; ``finish`` (seats); ``points`` (by
seat); and ``won`` (a team, or "draw") if the match ended.
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
from abl_cards.games.notation.fields import RECORD_FIELDS, Observer, error_context, read_cards, read_list
from abl_cards.games.notation.fluent_json import FluentCodec
from abl_cards.games.notation.hand_order import hand_to_json
from abl_cards.games.notation.hands import check_copies
from abl_cards.games.notation.play_writer import notate_moves, notate_option
from abl_cards.games.notation.states import check_profile
from abl_cards.games.state import NO_SEAT
from abl_cards.games.tables import DealtEpisodes, NullListener, Tables, initial_fluent_state
from abl_cards.games.types import DRAW, Indices, Moves

DRAWN_MATCH = "draw"


class MatchRecorder(NullListener):
    """Listener that records the episodes of tables as JSON objects."""

    def __init__(self, rules: CompiledGame, tables: int, extra: Mapping[str, Any]) -> None:
        """Make a recorder.

        Args:
            rules: Compiled game.
            tables: Number of tables.
            extra: Fields added to every record.
        """
        self._rules, self._extra = rules, dict(extra)
        self._unfinished: list[dict[str, Any]] = [{} for _ in range(tables)]
        self._finished: list[list[dict[str, Any]]] = [[] for _ in range(tables)]

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Begin a new record; a repeated deal replaces it."""
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
        """Record choices."""
        for table, option in zip(rows.tolist(), options.tolist(), strict=True):
            self._unfinished[table]["acts"].append(
                [int(tables.seat[table]), notate_option(self._rules, option).to_json()]
            )

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Record plays and passes."""
        notations = notate_moves(self._rules, moves.form, moves.cards, tables.state.context[rows])
        for table, action in zip(rows.tolist(), notations, strict=True):
            self._unfinished[table]["acts"].append([int(tables.seat[table]), action.to_json()])

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Record the result and finish the record."""
        for table in rows.tolist():
            finish = [seat for seat in tables.state.finish_order[table].tolist() if seat != NO_SEAT]
            result = {"finish": finish, "points": tables.points[table].tolist()}
            won = {} if tables.winner[table] == -1 else {"won": winner_json(tables, table)}
            self._finished[table].append(self._unfinished[table] | result | won)

    def pop_records(self, table: int) -> list[dict[str, Any]]:
        """Return the records of finished episodes and remove them from the recorder.

        Args:
            table: Index of the table.

        Returns:
            Records in the order of the episodes.
        """
        records, self._finished[table] = self._finished[table], []
        return records

    def unfinished_record(self, table: int) -> dict[str, Any]:
        """Return the record of the current episode so far.

        Args:
            table: Index of the table.

        Returns:
            A record without result.
        """
        return dict(self._unfinished[table])


def winner_json(tables: Tables, table: int) -> Any:
    """Return the winner of a match as in records: a team or "draw"."""
    return DRAWN_MATCH if tables.winner[table] == DRAW else int(tables.winner[table])


def _deal_json(rules: CompiledGame, tables: Tables, table: int) -> dict[str, Any]:
    """Return the fields of a deal: cards, and fluents, random numbers and points of the match before it."""
    state, codes = tables.state, rules.card_codes
    context = int(rules.contexts.compute_index(state.fluents[[table]])[0])
    deal: dict[str, Any] = {"hands": [hand_to_json(rules, hand, context) for hand in state.hands[table]]}
    if rules.has_draws:
        deal["stock"] = codes.write(state.stock[table].tolist())
    elif state.aside[table].any():
        deal["aside"] = codes.write_hand(state.aside[table])
    before = lasting_fluents_json(rules, tables, table)
    lots = RECORD_FIELDS["lots"].type.write(Observer(rules), state.lots[table])
    total = tables.total_points[table].tolist()
    return deal | ({"before": before} if before else {}) | ({"lots": lots} if lots else {}) | (
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
    """Return the fluents that a match keeps between episodes, by field name."""
    return {name: fluent for name, fluent in fluents_by_name(rules.fluents, ()).items() if fluent.is_persistent}


@dataclass(frozen=True)
class Record:
    """Episode read from a record."""

    hands: NDArray[np.uint8]  # [seats, kinds]
    aside: NDArray[np.uint8]  # [kinds]
    stock: NDArray[np.uint8]  # [cards] in the order of drawing; empty in games without drawing
    fluents: NDArray[np.int16]  # [slots] before the deal
    lots: NDArray[np.int16]  # [lots]
    total: NDArray[np.int64]  # [seats]
    episode: int
    acts: tuple[tuple[int, Any], ...]
    finish: list[int] | None
    points: list[int] | None
    won: Any  # team, DRAWN_MATCH, or None if not given


def read_record(rules: CompiledGame, value: Any) -> Record:
    """Read a record; raises GameError that names the field or the number of the act."""
    if not isinstance(value, Mapping):
        raise GameError("a record is a JSON object", ErrorCode.INVALID_RECORD)
    if value.get("game", rules.folder.name) not in rules.folder.record_names:
        names = " or ".join(map(repr, rules.folder.record_names))
        problem = f"game: the record is for {value['game']!r}, the rules for {names}"
        raise GameError(problem, ErrorCode.INVALID_RECORD)
    check_profile(rules, value.get("profile"))
    stock = _read_stock(rules, value.get("stock"))
    hands, aside = _read_cards(rules, value)
    if rules.has_pile:
        _check_dealt_from_stock(rules, hands, stock)
    acts = value.get("acts")
    if not isinstance(acts, list):
        raise GameError("acts: not a list of [seat, play or choice]", ErrorCode.INVALID_RECORD)
    episode = RECORD_FIELDS["episode"].read(Observer(rules), value.get("episode", 0))
    return Record(
        hands, aside, stock, _read_before(rules, value.get("before"), episode), _read_lots(rules, value),
        np.array(_read_field(rules, value, "total") or [0] * rules.seating.seats, np.int64), episode,
        tuple(_read_act(rules, number, act) for number, act in enumerate(acts, start=1)),
        _read_field(rules, value, "finish"), _read_field(rules, value, "points"), _read_won(rules, value.get("won")),
    )  # fmt: skip


def _read_cards(rules: CompiledGame, value: Mapping[str, Any]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    is_drawn = rules.has_draws and not rules.has_pile
    dealt = (0,) * rules.seating.seats if is_drawn else rules.seating.num_dealt
    with error_context("hands"):
        value_by_seat = read_list(value.get("hands"), rules.seating.seats, "hands, by seat", ErrorCode.INVALID_RECORD)
    hands = []
    for seat, hand in enumerate(value_by_seat):
        with error_context(f"hands of seat {seat}"):
            hands.append(read_cards(rules, hand))
            if hands[-1].sum() != dealt[seat] and not (rules.deal_query and hands[-1].sum() >= dealt[seat]):
                raise GameError(f"{hands[-1].sum()} cards, but {dealt[seat]} are dealt", ErrorCode.INVALID_RECORD)
    total = sum(hands, np.zeros(len(rules.pack), np.int64))
    with error_context("hands"):
        check_copies(rules, total)
    remaining = rules.pack.copies - total
    with error_context("aside"):
        aside = remaining if value.get("aside") is None else read_cards(rules, value["aside"])
        if (aside != remaining).any():
            raise GameError("these are not the cards left of the pack", ErrorCode.INVALID_RECORD)
    return np.stack(hands).astype(np.uint8), aside.astype(np.uint8)


def _check_dealt_from_stock(rules: CompiledGame, hands: NDArray[np.uint8], stock: NDArray[np.uint8]) -> None:
    """Raise GameError unless the hands are the first cards of the stock."""
    bounds = np.cumsum(rules.seating.num_dealt)
    for seat, cards in enumerate(np.split(stock, bounds)[:-1]):
        if (np.bincount(cards, minlength=len(rules.pack)) != hands[seat]).any():
            raise GameError(f"hands of seat {seat}: the stock deals other cards", ErrorCode.INVALID_RECORD)


def _read_stock(rules: CompiledGame, value: Any) -> NDArray[np.uint8]:
    if not rules.has_draws:
        if value is not None:
            raise GameError("stock: the game has no drawing of cards", ErrorCode.INVALID_RECORD)
        return np.zeros(0, np.uint8)
    with error_context("stock"):
        cards = rules.card_codes.read([] if value is None else value)
        if len(cards) != len(rules.pack.deck):
            raise GameError(
                f"{len(cards)} cards; all {len(rules.pack.deck)} are required in the order of drawing",
                ErrorCode.INVALID_RECORD,
            )
    return np.array(cards, np.uint8)


def _read_before(rules: CompiledGame, value: Any, episode: int) -> NDArray[np.int16]:
    """Read the lasting fluents; where the first episode has none, a match begins with those of ``init/1``."""
    if value is None and episode == 0:
        return initial_fluent_state(rules)
    fluents, known = rules.fluents.defaults.copy(), lasting_fluents(rules)
    if value is None:
        return fluents
    if not isinstance(value, Mapping):
        raise GameError(f"before: {value!r} is not an object of fluents", ErrorCode.INVALID_RECORD)
    values = FluentCodec(rules.card_codes.term_texts)
    for name, item in value.items():
        with error_context(f"before: {name}"):
            if name not in known:
                raise GameError(f"unknown fluent; known: {', '.join(known) or 'none'}", ErrorCode.INVALID_RECORD)
            values.read(known[name], item, fluents)
    return fluents


def _read_lots(rules: CompiledGame, value: Mapping[str, Any]) -> NDArray[np.int16]:
    names = [str(name) for name in rules.schema.lots]
    lots = _read_field(rules, value, "lots")
    if lots is None and names:
        raise GameError(
            f'lots: the rules draw {names[0]}: give "lots" (an object of random numbers)', ErrorCode.INVALID_RECORD
        )
    return np.array(lots or [], np.int16)


def _read_act(rules: CompiledGame, number: int, act: Any) -> tuple[int, Any]:
    if not isinstance(act, list) or len(act) != 2:
        raise GameError(f"act {number}: {act!r} is not a [seat, play or choice]", ErrorCode.INVALID_RECORD)
    with error_context(f"act {number}"):
        return seats.read_seat_number(rules, act[0]), act[1]


def _read_field(rules: CompiledGame, value: Mapping[str, Any], name: str) -> Any:
    """Read a field of ``RECORD_FIELDS``; null is a missing one."""
    return None if value.get(name) is None else RECORD_FIELDS[name].read(Observer(rules), value[name])


def _read_won(rules: CompiledGame, value: Any) -> Any:
    teams = max(rules.seating.teams) + 1
    if value is None or value == DRAWN_MATCH or (type(value) is int and 0 <= value < teams):
        return value
    raise GameError(
        f'won: {value!r} is neither a team from 0 to {teams - 1} nor "{DRAWN_MATCH}"', ErrorCode.INVALID_RECORD
    )


def initial_deals(records: list[Record]) -> DealtEpisodes:
    """Return the starts of the episodes of some records."""
    return DealtEpisodes(
        np.stack([record.hands for record in records]), np.stack([record.aside for record in records]),
        np.stack([record.fluents for record in records]), np.stack([record.lots for record in records]),
        np.stack([record.total for record in records]), np.array([record.episode for record in records], np.int32),
        np.stack([record.stock for record in records]),
    )  # fmt: skip

"""Fluents of a Guandan match in the contest's terms: levels, teams, refused tributes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Signature, Term
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import SET_VALUED, Fluent
from abl_cards.games.state import CHOICE
from abl_cards.games.tables import Tables
from abl_cards.protocols.common import CARD_NAMES
from abl_cards.protocols.contest.codec import BACK, PLAY, TRIBUTE

NUM_SEATS = 4
_REQUIRED_FLUENTS = ("level/1", "standing/2", "finished/2")


def check_game(rules: CompiledGame) -> None:
    """Raise GameError for rules that do not fit the contest protocol."""
    missing = [name for name in _REQUIRED_FLUENTS if Signature.parse(name) not in rules.fluents]
    stages = {str(stage) for stage in rules.schema.stages}
    if (
        rules.card_codes.kind_texts != tuple(CARD_NAMES)
        or rules.seating.seats != NUM_SEATS
        or missing
        or stages - {TRIBUTE, BACK}
    ):
        raise GameError(
            "the contest protocol needs Guandan: four seats, two packs, levels, tribute and back",
            ErrorCode.UNSUPPORTED_GAME,
        )


def find_fluent(rules: CompiledGame, name: str) -> Fluent | None:
    """Return the fluent of a name, if the rules have it."""
    return rules.fluents.find(name)


def fluent_values(rules: CompiledGame, name: str, fluents: NDArray[np.int16]) -> NDArray[np.int64]:
    """Return the values [n, keys] of a fluent in fluents [n, slots]; -1 for none."""
    fluent = find_fluent(rules, name)
    assert fluent is not None
    values = np.array([*fluent.values, -1], np.int64)
    return values[fluents[:, fluent.first_slot : fluent.slots.stop]]


def read_levels(rules: CompiledGame, fluents: NDArray[np.int16]) -> NDArray[np.int64]:
    """Return the levels [n] of the current episodes as ranks 2..14."""
    return fluent_values(rules, "level", fluents)[:, 0]


def read_team_levels(rules: CompiledGame, fluents: NDArray[np.int16]) -> NDArray[np.int64]:
    """Return the levels [n, 2] of the teams as ranks 2..14."""
    return fluent_values(rules, "standing", fluents)


def table_level(tables: Tables, table: int) -> int:
    """Return the level of the current episode of a table."""
    return int(read_levels(tables.rules, tables.state.fluents[[table]])[0])


def write_fluent(rules: CompiledGame, fluents: NDArray[np.int16], name: str, *arguments: Term) -> None:
    """Write a fluent into fluents [slots]; does nothing if the rules do not have it."""
    signature = Signature(name, len(arguments))
    location = rules.fluents[signature].locate(arguments) if signature in rules.fluents else None
    if location is not None:
        fluents[location.slot] = location.value


def has_fluent_for_seat(tables: Tables, table: int, name: str, seat: int) -> bool:
    """Return whether a fluent of this name has a value for a seat."""
    fluent, row = find_fluent(tables.rules, name), tables.state.fluents[table]
    if fluent is None or fluent.value_type != SET_VALUED:
        return False
    return any(row[slot] for key, slot in zip(fluent.keys, fluent.slots, strict=True) if key[0] == seat)


def refusing_seats(tables: Tables, table: int) -> list[int]:
    """Return the seats whose big jokers refuse the tribute."""
    return [seat for seat in range(NUM_SEATS) if has_fluent_for_seat(tables, table, "shown", seat)]


def current_stage(tables: Tables, table: int) -> str:
    """Return the stage of the current decision: a play, a tribute or its return."""
    if tables.state.stage[table] != CHOICE:
        return PLAY
    return str(tables.rules.schema.stages[int(tables.state.choice[table])])


def stage_number(rules: CompiledGame, stage: str) -> int:
    """Return the index of a stage of the rules; raises GameError if they do not have it."""
    names = [str(name) for name in rules.schema.stages]
    if stage not in names:
        raise GameError(f"the rules have no stage {stage}", ErrorCode.UNSUPPORTED_GAME)
    return names.index(stage)


def card_options(rules: CompiledGame) -> NDArray[np.int64]:
    """Return the index of the option [54] of each card, -1 for none."""
    index_of_option: dict[Any, int] = {option: index for index, option in enumerate(rules.schema.options)}
    return np.array([index_of_option.get(kind, -1) for kind in rules.pack.kinds], np.int64)


def fluents_at_level(rules: CompiledGame, level: int) -> NDArray[np.int16]:
    """Return the default fluents [slots] with a level."""
    fluents = rules.fluents.defaults.copy()
    write_fluent(rules, fluents, "level", level)
    return fluents

"""What the engine's tables remember of a match of Guandan, in the contest's words: levels, teams, who refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.cards import CARD_NAMES
from abl_cards.errors import GameError
from abl_cards.games import Tables
from abl_cards.games.play.state import CHOICE
from abl_cards.games.reading.fluents import ANY, Fluent
from abl_cards.games.reading.rules import Rules
from abl_cards.logic import Signature, Term
from abl_cards.platforms.contest.wire import BACK, PLAY, TRIBUTE

SEATS = 4
_WANTED = ("level/1", "standing/2", "finished/2")


def check_game(rules: Rules) -> None:
    """Raise GameError for rules that are not about the contest's game."""
    missing = [name for name in _WANTED if Signature.parse(name) not in rules.fluents]
    stages = {str(stage) for stage in rules.words.stages}
    if rules.letters.texts != tuple(CARD_NAMES) or rules.table.seats != SEATS or missing or stages - {TRIBUTE, BACK}:
        raise GameError("the contest's tables are of Guandan: four seats, two packs, levels, tribute and back")


def fluent(rules: Rules, name: str) -> Fluent | None:
    """What tables remember by this name."""
    return rules.fluents.named(name)


def values(rules: Rules, name: str, fluents: NDArray[np.int16]) -> NDArray[np.int64]:
    """[n, keys] the numbers that a fluent has in what tables remember [n, slots]; -1 for none."""
    found = fluent(rules, name)
    assert found is not None
    numbers = np.array([*found.values, -1], np.int64)
    return numbers[fluents[:, found.first : found.slots.stop]]


def levels(rules: Rules, fluents: NDArray[np.int16]) -> NDArray[np.int64]:
    """[n] the levels that are played, as ranks 2..14."""
    return values(rules, "level", fluents)[:, 0]


def standing(rules: Rules, fluents: NDArray[np.int16]) -> NDArray[np.int64]:
    """[n, 2] the levels of the teams."""
    return values(rules, "standing", fluents)


def level_at(tables: Tables, table: int) -> int:
    """The level of a table."""
    return int(levels(tables.rules, tables.state.fluents[[table]])[0])


def put(rules: Rules, fluents: NDArray[np.int16], name: str, *arguments: Term) -> None:
    """Write a fluent into what a table remembers [slots]; one that these rules do not have is left out."""
    signature = Signature(name, len(arguments))
    place = rules.fluents[signature].place(arguments) if signature in rules.fluents else None
    if place is not None:
        fluents[place.slot] = place.value


def shown(tables: Tables, table: int, name: str, seat: int) -> bool:
    """Whether a table remembers something of this name about a seat."""
    found, row = fluent(tables.rules, name), tables.state.fluents[table]
    if found is None or found.manner != ANY:
        return False
    return any(row[slot] for key, slot in zip(found.keys, found.slots, strict=True) if key[0] == seat)


def refusing(tables: Tables, table: int) -> list[int]:
    """The seats whose big jokers refuse the tribute."""
    return [seat for seat in range(SEATS) if shown(tables, table, "shown", seat)]


def stage_of(tables: Tables, table: int) -> str:
    """What is decided at a table: a play, a tribute or its return."""
    if tables.state.stage[table] != CHOICE:
        return PLAY
    return str(tables.rules.words.stages[int(tables.state.choice[table])])


def stage_number(rules: Rules, stage: str) -> int:
    """The number of a stage of the rules; raises GameError where they ask for no such thing."""
    names = [str(each) for each in rules.words.stages]
    if stage not in names:
        raise GameError(f"these rules know no {stage}")
    return names.index(stage)


def options_of(rules: Rules) -> NDArray[np.int64]:
    """[54] the number of the option that each card is, -1 for none."""
    number: dict[Any, int] = {option: place for place, option in enumerate(rules.words.options)}
    return np.array([number.get(kind, -1) for kind in rules.pack.kinds], np.int64)


def at_level(rules: Rules, level: int) -> NDArray[np.int16]:
    """[slots] a match of which nothing is known but the level."""
    fluents = rules.fluents.nothing.copy()
    put(rules, fluents, "level", level)
    return fluents

"""Facts of a position for viewers: scores, levels, badges and revealed cards, as ``show.lp`` of the folder states.

Without that file they are the public facts of one value, or of one for each seat or team.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term
from abl_cards.core import LANGUAGES
from abl_cards.games import Engine
from abl_cards.games.compiled import find_show_rules
from abl_cards.games.description import (
    COUNTER,
    FINISH,
    OF_SEAT,
    OF_TABLE,
    SET_VALUED,
    Fluent,
    fluent_owner,
    is_number,
    shown_cards,
    value_owner,
)
from abl_cards.games.notation import spell
from abl_cards.games.tables import Tables
from abl_cards.games.types import ONLY_TABLE
from abl_cards.web.fluent_texts import fluent_name, fluents_json, term_texts, value_texts
from abl_cards.web.texts import BilingualText, untranslated

JsonItem = dict[str, Any]
"""Fact as JSON: its kind (bar, level, value or cards), its name, and its owner ``seat`` or ``team``."""


def position_facts(engine: Engine, fluents: NDArray[np.int16], roles: NDArray[np.integer]) -> JsonItem:
    """Return the facts that a table shows beside the cards.

    Args:
        engine: Engine of the game.
        fluents: Fluents of the table, [slots], as the viewer may know them.
        roles: Role of each seat, [seats].

    Returns:
        Items of the score, in order; badges of each seat; whether partners have one colour, and places a name.
    """
    facts, of_seats = _Facts(engine, fluents), roles.tolist()
    are_decided = len(set(of_seats)) > 1
    return {
        "items": [*facts.items()],
        "badges": [facts.badges(seat, int(role) if are_decided else -1) for seat, role in enumerate(of_seats)],
        "partners": facts.show.has_partners,
        "places": facts.has_places,
    }


class TableFacts(NamedTuple):
    """Fluents of the only table, [slots], and the role of each seat, [seats]."""

    fluents: NDArray[np.int16]
    roles: NDArray[np.integer]

    @classmethod
    def of(cls, tables: Tables) -> TableFacts:
        """Copy them from a table."""
        return cls(tables.state.fluents[0].copy(), tables.roles(ONLY_TABLE)[0].copy())

    @classmethod
    def after_episode(cls, tables: Tables) -> TableFacts:
        """Return them as they are after the event ``end`` of a table whose deal is over."""
        after = tables.copy(ONLY_TABLE)
        after.event_rules.apply_event("end", after.state, ONLY_TABLE)
        return cls.of(tables)._replace(fluents=after.state.fluents[0])

    def to_json(self, engine: Engine, viewer: int | None) -> JsonItem:
        """Return the facts that the table shows beside the cards.

        Args:
            engine: Engine of the game.
            viewer: Seat, or -1 for a spectator, whose private facts may be shown; None for those of all seats.
        """
        fluents = self.fluents[np.newaxis]
        if viewer is not None:
            fluents = engine.rules.fluents.mask_private(fluents, np.array([viewer]))
        return position_facts(engine, fluents[0], self.roles)


def episode_facts(engine: Engine, tables: Tables, after: TableFacts) -> JsonItem:
    """Return the facts of the result of a deal, at the end of the deal of the only table.

    Args:
        engine: Engine of the game.
        tables: The table, before the event ``end``.
        after: Facts after that event.

    Returns:
        Names of the places, None where the order of finish is not named; and a line for each fact. A place without a
        name is None.
    """
    show = find_show_rules(engine.rules)
    before, now = _Facts(engine, tables.state.fluents[0]), _Facts(engine, after.fluents)
    places = [now.place_name(place) for place in range(1, engine.rules.seating.seats + 1)]
    lines = [line for name in show.results if name != FINISH for line in now.result_lines(name, before)]
    return {"places": places if now.has_places else None, "lines": lines}


class _Facts:
    """Facts of one table."""

    def __init__(self, engine: Engine, fluents: NDArray[np.int16]) -> None:
        self.engine, self._fluents, self.show = engine, fluents, find_show_rules(engine.rules)
        self._seats = tuple(range(engine.rules.seating.seats))
        self._teams = tuple(sorted(set(engine.rules.seating.teams)))

    @property
    def has_places(self) -> bool:
        """True if the order in which seats are out is shown: by default where all cards are not laid in tricks."""
        show = self.show
        return FINISH in show.results or (not show.is_stated and self.engine.rules.trick_query is None)

    def items(self) -> Iterator[JsonItem]:
        """Yield the items of the score."""
        show = self.show
        if not show.is_stated:
            for entry in fluents_json(self.engine, self._fluents):
                if entry["plain"]:
                    yield {"kind": "value", "name": entry["name"], "text": entry["value"]}
            return
        for bar in show.bars:
            yield from self._numbers(bar.fluent)
        for name in show.levels:
            yield from (level for level in self._levels(name) if level["place"] >= 0)  # a state may leave it open
        for name in show.doublings:
            yield self._value(name)
        for name in show.values:
            if not self._is_default(self._fluent(name)):
                yield self._value(name)
        for name in show.revealed:
            yield from self._cards(name)

    def badges(self, seat: int, role: int) -> list[JsonItem]:
        """Return name and text of each badge of a seat."""
        badges = []
        for name in self.show.badges:
            if name in self.engine.roles:
                if role >= 0 and self.engine.roles[role] == name:
                    badges.append({"name": self._name(name, "role"), "text": untranslated("")})
                continue
            fluent = self._fluent(name)
            text = self._badge_text(fluent, seat)
            if text is not None:
                badges.append({"name": self._name(name), "text": text})
        return badges

    def place_name(self, place: int) -> BilingualText | None:
        """Return the name of a place in the order of finish, None where none is given."""
        names = [self.show.names.get((f"place({place})", language)) for language in LANGUAGES]
        return None if not any(names) else [name or "" for name in names]

    def result_lines(self, name: str, before: _Facts) -> list[JsonItem]:
        """Return the lines of a fact in the result of a deal."""
        if name in self.show.levels:
            lines = [*self._levels(name)]
            for line, old in zip(lines, before._levels(name), strict=True):
                line |= {"before": old["text"], "gain": line.pop("place") - old["place"]}
            return lines
        fluent = self._fluent(name)
        if name in self.show.doublings or not is_number(fluent):
            return [self._value(name)]
        return [*self._numbers(name)]

    # --- parts --------------------------------------------------------------------------------------------------------

    def _fluent(self, name: str) -> Fluent:
        fluent = self.engine.rules.fluents.find(name)
        assert fluent is not None  # checked when show.lp was read
        return fluent

    def _name(self, name: str, sort: str = "fluent") -> BilingualText:
        if sort == "fluent":
            return fluent_name(self.engine.rules, name)
        return [
            self.show.names.get((name, language)) or spell(self.engine.rules, sort, name, language)
            for language in LANGUAGES
        ]

    def _slots(self, fluent: Fluent) -> NDArray[np.int16]:
        return self._fluents[fluent.first_slot : fluent.slots.stop]

    def _is_default(self, fluent: Fluent) -> bool:
        return bool((self._slots(fluent) == fluent.default).all())

    def _owners(self, fluent: Fluent) -> Iterator[tuple[int, JsonItem]]:
        """Yield the number in each slot, and the owner of the slot."""
        owner = fluent_owner(fluent, self._seats, self._teams)
        for key, number in zip(fluent.keys, self._slots(fluent).tolist(), strict=True):
            yield number, {} if owner == OF_TABLE else {str(owner): key[0]}

    def _scaled(self, fluent: Fluent, number: int) -> int | None:
        if fluent.value_type != COUNTER:
            value = fluent.values[number] if number != fluent.default else None
            if not isinstance(value, int):
                return None
            number = value
        factor, offset = self.show.scales.get(fluent.signature.name, (1, 0))
        return factor * number + offset

    def _numbers(self, name: str) -> Iterator[JsonItem]:
        """Yield a number for each owner, with the range of its bar if it has one."""
        fluent = self._fluent(name)
        bar = next((bar for bar in self.show.bars if bar.fluent == name), None)
        area = {} if bar is None else {"low": bar.low, "high": bar.high, "target": bar.target}
        for number, owner in self._owners(fluent):
            value = self._scaled(fluent, number)
            if value is not None:
                yield {"kind": "bar", "name": self._name(name), "value": value, **area, **owner}

    def _levels(self, name: str) -> Iterator[JsonItem]:
        fluent = self._fluent(name)
        for number, owner in self._owners(fluent):
            text = untranslated("–") if number < 0 else term_texts(self.engine, fluent, fluent.values[number])
            yield {"kind": "level", "name": self._name(name), "text": text, "place": number, **owner}

    def _value(self, name: str) -> JsonItem:
        fluent = self._fluent(name)
        if name in self.show.doublings:
            text = untranslated(f"×{2 ** int(self._slots(fluent)[0])}")
        elif name in self.show.scales and fluent.keys == ((),):
            text = untranslated(str(self._scaled(fluent, int(self._slots(fluent)[0]))))
        else:
            text = value_texts(self.engine, fluent, self._slots(fluent))
        return {"kind": "value", "name": self._name(name), "text": text}

    def _badge_text(self, fluent: Fluent, seat: int) -> BilingualText | None:
        """Return the text of the badge of a fluent at a seat; None for no badge."""
        slots, owner = self._slots(fluent).tolist(), value_owner(fluent, self._seats, self._teams)
        if owner is not None:
            value = fluent.values[slots[0]] if slots[0] >= 0 else None
            held_by = seat if owner == OF_SEAT else self.engine.rules.seating.teams[seat]
            return untranslated("") if value == held_by else None
        number = slots[fluent.keys.index((seat,))]
        if number == fluent.default:
            return None
        if fluent.value_type == SET_VALUED:
            return untranslated("")
        value = self._scaled(fluent, number)
        return term_texts(self.engine, fluent, fluent.values[number]) if value is None else untranslated(str(value))

    def _cards(self, name: str) -> Iterator[JsonItem]:
        """Yield the revealed cards of each seat, or of the table."""
        rules, fluent = self.engine.rules, self._fluent(name)
        found: dict[int | None, dict[Term, int]] = {}
        cards = shown_cards(fluent, rules.pack.index, self._seats) or []
        for card, number in zip(cards, self._slots(fluent).tolist(), strict=True):
            if number == fluent.default:
                continue
            term = fluent.values[number] if card.card is None else card.card
            copies = card.copies or number
            of_seat = found.setdefault(card.seat, {})
            of_seat[term] = max(of_seat.get(term, 0), copies)
        for seat, counts in found.items():
            texts = [
                rules.card_codes.kind_texts[rules.pack.index[term]] for term, n in counts.items() for _ in range(n)
            ]
            owner = {} if seat is None else {OF_SEAT: seat}
            yield {"kind": "cards", "name": self._name(name), "cards": texts, **owner}

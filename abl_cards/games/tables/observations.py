"""What a seat sees as one row of numbers, for learners; any folder has it, and may choose its parts.

``sees(Place, Feature)`` and ``sees(Place, Feature, Argument)`` say which parts come in which order. Without them a seat
sees ``hand unseen played sizes to_beat owner passed out``, all fluents, and the last acts; where seats play tricks,
``hand unseen played trick leader owner`` and all fluents. Seats come in the order of
play, the observer first. Cards are copies of each kind in the order of ``index/2``.

=============  ==================================================================================================
seat           the number of the seat, one-hot
hand           the own cards
wild           how many of them are wild, one-hot from none on
unseen         the cards that the seat does not see: in the other hands, and aside
face           the cards of each other seat, where hands lie open
gone           all cards laid down in the episode
played         the same by seat
sizes          how many cards each seat has left, one-hot; the argument is how many places a seat takes
to_beat        the cards to beat; zero when leading
groups         what the form to beat takes besides kickers: cards of each cell that forms speak of; zero when leading
kicker_size    cards in each kicker of the play to beat; zero where it has none
owner          whose play that is, one-hot; zero when leading
passed         who has passed since that play
has_passed     who has passed in the trick
out            who has no cards left
after          how many places the observer plays after the seat that the fluent names which is the argument, one-hot
counted        a count of which the argument is the name: the numbers themselves, one a key
tally          the same count, one-hot from none on; as far as it is declared
fluent         the fluent of which the argument is the name: its value one-hot, "at least 1, 2, …" of a count, all that
               hold of a set; one after the other for each of its keys, those of seats from the observer's on
fluents        all of them; one that has the name of a part, or of another fluent, goes by it with its arity: played/2
trick          the cards of each seat in the trick, where seats play tricks
leader         who leads the trick, one-hot
recent         the cards of the last acts, latest last, zero for a pass; the argument is how many (default ``recent/1``)
recent_seat    who made these acts, one-hot; zero where there was no act yet
=============  ==================================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, make_kb_error
from abl_cards.core import map_ranges
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import (
    COUNTER,
    OBSERVATION_PARTS,
    SET_VALUED,
    SINGLE_VALUED,
    WILD,
    Fluent,
    fluents_by_name,
    require_int,
)
from abl_cards.games.tables import observation_kernels
from abl_cards.games.tables.hand_limits import largest_hand
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types import FeatureTable, ObservationFeature

MAX_COUNT_WIDTH = 16
"""Of a count no more than "at least so many" is seen."""

ByteArray = NDArray[np.uint8]
PartWriter = Callable[["SeatViews", ByteArray], None]
"""Fills the zeroed columns [n, size] of a part."""


PartFactory = Callable[[CompiledGame, Term | None], Iterator["ObservationPart"]]
"""From rules and the argument of ``sees/3`` to parts; raises KBError."""


@dataclass(frozen=True)
class ObservationPart:
    """A part of a row."""

    feature: ObservationFeature
    write: PartWriter


class SeatViews:
    """Some tables from the eyes of a seat at each."""

    def __init__(self, view: PlayerView) -> None:
        """See the view."""
        self.view, self.rules, self.state, self.rows = view, view.rules, view.state, view.rows
        self.seat_order = view.rules.seating.play_order[view.seats]  # [n, seats]
        self.seat_places = view.rules.seating.turn_distance[view.seats]  # [n, seats] where each seat comes
        self.view_indices = np.arange(len(view))

    @cached_property
    def _visible_fluents(self) -> NDArray[np.int16]:
        """[n, slots] what is remembered, but for what is told to other seats alone."""
        return self.rules.fluents.mask_private(self.state.fluents[self.rows], self.view.seats)

    def fluent_values(self, first_slot: int, end_slot: int) -> NDArray[np.int16]:
        """[n, last - first] some slots, as the observers know them."""
        if len(self.rules.fluents.private_slots):
            return self._visible_fluents[:, first_slot:end_slot]
        return self.state.fluents[self.rows, first_slot:end_slot]

    def write_seat_one_hot(self, columns: ByteArray, seat: NDArray[np.integer], mask: NDArray[np.bool_]) -> None:
        """One-hot [n, seats] where a seat is shown."""
        rows = np.flatnonzero(mask)
        columns[rows, self.seat_places[rows, seat[rows]]] = 1

    def expand_seat_bits(self, seats: NDArray[np.uint16]) -> ByteArray:
        """[n, seats] sets of seats."""
        found: ByteArray = (seats[:, None] >> self.seat_order.astype(np.uint16) & 1).astype(np.uint8)
        return found


def build_feature_table(rules: CompiledGame) -> FeatureTable:
    """What the numbers of an observation mean; raises KBError for a part that there is not."""
    most = max(2, int(rules.pack.copies.max()))
    return FeatureTable(tuple(part.feature for part in _get_parts(rules)), max_value=most)


def observe(view: PlayerView, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
    """Return what the seats of a view see.

    Args:
        view: Tables and one seat at each.
        out: uint8 [n, features] to overwrite and return; None for a new array.

    Returns:
        uint8 [n, features]; ``build_feature_table`` describes the columns.
    """
    parts, n = _get_parts(view.rules), len(view)
    if out is None:
        rows = np.zeros((n, parts[-1].columns.stop if parts else 0), np.uint8)
    else:
        rows = out
        rows[:] = 0

    def write(lo: int, hi: int) -> None:
        sight = SeatViews(view if hi - lo == n else view.select(np.arange(lo, hi)))
        for part in parts:
            part.write(sight, rows[lo:hi, part.columns])

    map_ranges(n, write)
    return rows


class _PlacedPart(NamedTuple):
    """A part with its columns in a row."""

    feature: ObservationFeature
    write: PartWriter
    columns: slice


def _place_parts(parts: Iterable[ObservationPart]) -> Iterator[_PlacedPart]:
    """Yield parts with their columns, one behind the other."""
    start = 0
    for part in parts:
        columns = slice(start, start + part.feature.size)
        yield _PlacedPart(part.feature, part.write, columns)
        start = columns.stop


def _get_parts(rules: CompiledGame) -> tuple[_PlacedPart, ...]:
    key = "observation", id(rules)
    if key not in rules.kb.memo:
        rules.kb.memo[key] = (
            rules,
            tuple(_place_parts(_build_parts(rules))),
        )  # what is kept holds the rules: no others can have their id
    found: tuple[_PlacedPart, ...] = rules.kb.memo[key][1]
    return found


_DEFAULT_PARTS = (
    "hand",
    "unseen",
    "played",
    "sizes",
    "to_beat",
    "owner",
    "passed",
    "out",
    "fluents",
    "recent",
    "recent_seat",
)
_TRICK_PARTS = "hand", "unseen", "played", "trick", "leader", "owner", "fluents"


def _build_parts(rules: CompiledGame) -> Iterator[ObservationPart]:
    said: list[tuple[int, str, Term | None]] = []
    said += [
        (require_int(place, f"sees({place},{name})"), str(name), None) for place, name in rules.kb.facts("sees", 2)
    ]
    said += [
        (require_int(place, f"sees({place},{name},…)"), str(name), of) for place, name, of in rules.kb.facts("sees", 3)
    ]
    usual = _DEFAULT_PARTS if rules.trick_query is None else _TRICK_PARTS
    wanted = [(name, of) for _, name, of in sorted(said, key=lambda each: each[0])] or [(name, None) for name in usual]
    seen: set[str] = set()
    for name, of in wanted:
        if name not in _PART_FACTORIES:
            raise make_kb_error(
                f"sees/2: there is no part '{name}' of an observation", f"there are: {', '.join(_PART_FACTORIES)}"
            )
        for part in _PART_FACTORIES[name](rules, of):
            if part.feature.name in seen:
                fact = "sees/2" if of is None else "sees/3"
                text = name if of is None else f"{name},{of}"
                raise make_kb_error(f"{fact}: {part.feature.name} is seen twice: (…,{text})", "keep one of the facts")
            seen.add(part.feature.name)
            yield part


# --- the parts --------------------------------------------------------------------------------------------------------


def _make_card_part(name: str, meaning: str, cards: Callable[[SeatViews], ByteArray]) -> PartFactory:
    """Copies of each kind."""

    def make(rules: CompiledGame, of: Term | None) -> Iterator[ObservationPart]:
        def write(sight: SeatViews, columns: ByteArray) -> None:
            columns[:] = cards(sight)

        yield ObservationPart(
            ObservationFeature(name, (len(rules.pack),), f"{meaning}: copies of each kind of card", has_card_axis=True),
            write,
        )

    return make


def _make_seat_part(name: str, meaning: str, write: PartWriter) -> PartFactory:
    """A number a seat."""

    def make(rules: CompiledGame, of: Term | None) -> Iterator[ObservationPart]:
        yield ObservationPart(ObservationFeature(name, (rules.seating.seats,), meaning), write)

    return make


def _make_seat(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    def write(sight: SeatViews, columns: ByteArray) -> None:
        columns[sight.view_indices, sight.view.seats] = 1

    yield ObservationPart(ObservationFeature("seat", (rules.seating.seats,), "the observer's seat, one-hot"), write)


def _make_wild(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    cells = rules.cells
    kinds = [cells.find_kinds(WILD, context) for context in range(len(cells.acts_as))]
    most = max((int(rules.pack.copies[each].sum()) for each in kinds if each), default=0)

    def write(sight: SeatViews, columns: ByteArray) -> None:
        counts = np.zeros((1, len(sight.view_indices)), np.int16)
        if WILD in cells.index:
            used = np.array([cells.index[WILD]])
            cells.add_counts(sight.view.hand, sight.view.context, used, 0, len(sight.view_indices), counts)
        columns[sight.view_indices, counts[0]] = 1

    yield ObservationPart(
        ObservationFeature("wild", (most + 1,), "the observer's wild cards, one-hot: none, one, …"), write
    )


def _make_played(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    def write(sight: SeatViews, columns: ByteArray) -> None:
        observation_kernels.write_cards_by_seat(sight.state.played, sight.rows, sight.seat_order, columns)

    meaning = "cards each seat has laid down in the episode: copies of each kind"
    yield ObservationPart(
        ObservationFeature("played", (rules.seating.seats, len(rules.pack)), meaning, has_card_axis=True), write
    )


def _make_sizes(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    width = largest_hand(rules) + 1 if argument is None else _read_positive(argument, "sizes")

    def write(sight: SeatViews, columns: ByteArray) -> None:
        observation_kernels.write_hand_sizes(sight.state.hands, sight.rows, sight.seat_order, width, columns)

    meaning = "cards left of each seat, one-hot: place n for n cards"
    yield ObservationPart(ObservationFeature("sizes", (rules.seating.seats, width), meaning), write)


def _make_to_beat(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    def write(sight: SeatViews, columns: ByteArray) -> None:
        observation_kernels.write_cards_to_beat(sight.state, sight.rows, sight.view.to_beat, columns)

    meaning = "the cards to beat, zero when leading: copies of each kind of card"
    yield ObservationPart(ObservationFeature("to_beat", (len(rules.pack),), meaning, has_card_axis=True), write)


def _make_recent(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    acts = _read_num_acts(rules, argument)

    def write(sight: SeatViews, columns: ByteArray) -> None:
        observation_kernels.write_recent_cards(
            sight.state.recent_cards, sight.state.num_acts, sight.rows, acts, columns
        )

    meaning = "the last acts, latest last: copies of each kind; zero for a pass or no act"
    yield ObservationPart(ObservationFeature("recent", (acts, len(rules.pack)), meaning, has_card_axis=True), write)


def _make_recent_seat(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    acts = _read_num_acts(rules, argument)

    def write(sight: SeatViews, columns: ByteArray) -> None:
        state = sight.state
        observation_kernels.write_recent_seats(
            state.recent_seat, state.num_acts, sight.rows, sight.seat_places, acts, columns
        )

    meaning = "who made these acts, one-hot; zero where there was no act yet"
    yield ObservationPart(ObservationFeature("recent_seat", (acts, rules.seating.seats), meaning), write)


def _make_open_hands(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    if not rules.has_open_hands:
        raise make_kb_error("sees/2: there is no face, for the hands of the others do not lie open", "see open_hands/0")

    def write(sight: SeatViews, columns: ByteArray) -> None:
        columns[:] = sight.view.hidden_hands.reshape(columns.shape)

    meaning = "the cards of each other seat: copies of each kind"
    yield ObservationPart(
        ObservationFeature("face", (rules.seating.seats - 1, len(rules.pack)), meaning, has_card_axis=True), write
    )


def _make_groups(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    forms = rules.forms.forms
    cells = sorted({group.cell for form in forms for group in form.groups})
    needs = np.zeros((len(forms), len(cells)), np.uint8)
    for row, form in enumerate(forms):
        for group in form.groups:
            needs[row, cells.index(group.cell)] += group.count

    def write(sight: SeatViews, columns: ByteArray) -> None:
        rows = np.flatnonzero(sight.view.to_beat >= 0)
        columns[rows] = needs[sight.view.to_beat[rows]]

    meaning = "what the form to beat takes besides kickers, of each cell; zero when leading"
    yield ObservationPart(ObservationFeature("groups", (len(cells),), meaning), write)


def _make_kicker_size(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    sizes = np.array([form.kickers.group_size if form.kickers else 0 for form in rules.forms.forms], np.uint8)

    def write(sight: SeatViews, columns: ByteArray) -> None:
        rows = np.flatnonzero(sight.view.to_beat >= 0)
        columns[rows, 0] = sizes[sight.view.to_beat[rows]]

    yield ObservationPart(
        ObservationFeature("kicker_size", (1,), "cards in each kicker of the play to beat; zero where it has none"),
        write,
    )


def _read_num_acts(rules: CompiledGame, argument: Term | None) -> int:
    acts = rules.history_length if argument is None else _read_positive(argument, "recent")
    if acts > rules.history_length:
        raise make_kb_error(f"sees/3: {acts} acts are not remembered", f"write recent({acts}).")
    return acts


def _read_positive(argument: Term, name: str) -> int:
    found = require_int(argument, f"sees(…,{name},{argument})")
    if found < 1:
        raise make_kb_error(f"sees/3: {name} of {argument}", "write a number from 1 on")
    return found


def _write_owner(views: SeatViews, columns: ByteArray) -> None:
    views.write_seat_one_hot(columns, views.state.owner[views.rows], views.view.to_beat >= 0)


def _write_passed(views: SeatViews, columns: ByteArray) -> None:
    columns[:] = views.expand_seat_bits(views.state.passed[views.rows])


def _write_has_passed(views: SeatViews, columns: ByteArray) -> None:
    columns[:] = views.expand_seat_bits(views.state.passed_in_trick[views.rows])


def _write_out(views: SeatViews, columns: ByteArray) -> None:
    columns[:] = views.expand_seat_bits(views.state.seats_out[views.rows])


# --- fluents ----------------------------------------------------------------------------------------------------------


def _find_fluent(rules: CompiledGame, argument: Term | None) -> Fluent:
    fluent = None if argument is None else rules.fluents.find(str(argument))
    if fluent is None:
        known = ", ".join(each.signature.name for each in rules.fluents.fluents) or "none"
        raise make_kb_error(f"sees/3: there is no fluent '{argument}'", f"there are: {known}")
    return fluent


def _make_fluent(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    yield _build_fluent_part(rules, _find_fluent(rules, argument))


def _make_after(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    fluent, seats = _find_fluent(rules, argument), rules.seating.seats
    if fluent.value_type != SINGLE_VALUED or len(fluent.keys) != 1 or set(fluent.values) - set(range(seats)):
        raise make_kb_error(f"sees/3: {fluent.signature} names no seat", "write a fluent of one value, which is a seat")

    def write(sight: SeatViews, columns: ByteArray) -> None:
        values = np.array([*fluent.values, 0], np.int64)
        number = sight.fluent_values(fluent.first_slot, fluent.first_slot + 1)[:, 0]
        rows = np.flatnonzero(number >= 0)
        columns[rows, -sight.seat_places[rows, values[number[rows]]] % seats] = 1

    meaning = f"how many places the observer plays after the {fluent.signature.name}, one-hot; zero where there is none"
    yield ObservationPart(ObservationFeature(f"after_{fluent.signature.name}", (seats,), meaning), write)


def _find_count(rules: CompiledGame, argument: Term | None) -> Fluent:
    fluent = _find_fluent(rules, argument)
    if fluent.value_type != COUNTER:
        raise make_kb_error(f"sees/3: {fluent.signature} is no count", "see it as a fluent: sees(Place,fluent,Name)")
    return fluent


def _make_counted(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    fluent = _find_count(rules, argument)
    kinds = fluent.keys == tuple((kind,) for kind in rules.pack.kinds)

    def write(sight: SeatViews, columns: ByteArray) -> None:
        columns[:] = sight.fluent_values(fluent.first_slot, fluent.slots.stop)

    meaning = f"{fluent.signature}: " + ("copies of each kind of card" if kinds else "the number of each key")
    yield ObservationPart(
        ObservationFeature(_feature_name(rules, fluent), (len(fluent.keys),), meaning, has_card_axis=kinds), write
    )


def _make_tally(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    fluent = _find_count(rules, argument)
    if len(fluent.keys) != 1:
        raise make_kb_error(
            f"sees/3: {fluent.signature} has several counts", "see it as it is: sees(Place,counted,Name)"
        )
    width = _compute_width(rules, fluent) + 1

    def write(sight: SeatViews, columns: ByteArray) -> None:
        columns[
            sight.view_indices,
            np.minimum(sight.fluent_values(fluent.first_slot, fluent.first_slot + 1)[:, 0], width - 1),
        ] = 1

    text = f"{fluent.signature}, one-hot: none, one, …"
    yield ObservationPart(ObservationFeature(_feature_name(rules, fluent), (width,), text), write)


def _feature_name(rules: CompiledGame, fluent: Fluent) -> str:
    """Return the name of a fluent among the parts: with its arity, played/2, where a part or fluent has the same."""
    return next(name for name, each in fluents_by_name(rules.fluents, OBSERVATION_PARTS).items() if each is fluent)


def _make_fluents(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    for fluent in rules.fluents.fluents:
        if len(fluent.keys) and _compute_width(rules, fluent):
            yield _build_fluent_part(rules, fluent)


def _compute_width(rules: CompiledGame, fluent: Fluent) -> int:
    """The numbers that one key takes."""
    if fluent.value_type == SET_VALUED:
        return 1
    if fluent.value_type == SINGLE_VALUED:
        return len(fluent.values)
    declared = [args[-1] for name, args in rules.kb.input_atoms if (name, len(args)) == tuple(fluent.signature)]
    return min(MAX_COUNT_WIDTH, max((each for each in declared if isinstance(each, int)), default=0))


def _build_fluent_part(rules: CompiledGame, fluent: Fluent) -> ObservationPart:
    if fluent.is_private:
        return _build_private_part(rules, fluent)
    width, keys = _compute_width(rules, fluent), len(fluent.keys)
    by_seat = fluent.keys == tuple((seat,) for seat in range(rules.seating.seats))

    def write(sight: SeatViews, columns: ByteArray) -> None:
        values = sight.fluent_values(fluent.first_slot, fluent.slots.stop).astype(np.int64)
        if by_seat:
            values = np.take_along_axis(values, sight.seat_order, axis=1)
        _write_values(fluent, width, values, columns)

    how = _VALUE_TEXTS.get(fluent.value_type, "at least 1, 2, …")
    whose = "; by seat" if by_seat else f" for each of {keys} keys" if keys > 1 else ""
    text = f"{fluent.signature}, {how}{whose}"
    return ObservationPart(
        ObservationFeature(_feature_name(rules, fluent), (width,) if keys == 1 else (keys, width), text), write
    )


_VALUE_TEXTS = {SINGLE_VALUED: "one-hot", SET_VALUED: "whether it holds"}


def _write_values(fluent: Fluent, width: int, values: NDArray[np.int64], columns: ByteArray) -> None:
    """The values [n, keys] of some keys, side by side."""
    for key in range(values.shape[1]):
        part, mine = columns[:, key * width : (key + 1) * width], values[:, key]
        if fluent.value_type == SINGLE_VALUED:
            rows = np.flatnonzero(mine >= 0)
            part[rows, mine[rows]] = 1
        else:
            part[:] = mine[:, None] > np.arange(width)


def _build_private_part(rules: CompiledGame, fluent: Fluent) -> ObservationPart:
    """What the observer alone is told: the keys that begin with its seat, or with that of anybody."""
    width = _compute_width(rules, fluent)
    rest = list(dict.fromkeys(key[1:] for key in fluent.keys))
    slots = {key: fluent.first_slot + place for place, key in enumerate(fluent.keys)}
    mine = np.array([[slots.get((seat, *key), -1) for key in rest] for seat in range(rules.seating.seats)])

    def write(sight: SeatViews, columns: ByteArray) -> None:
        at = mine[sight.view.seats]
        values = sight.state.fluents[sight.rows[:, None], at].astype(np.int64)
        _write_values(fluent, width, np.where(at < 0, fluent.default, values), columns)

    text = (
        f"{fluent.signature}, {_VALUE_TEXTS.get(fluent.value_type, 'at least 1, 2, …')}: what the observer alone knows"
    )
    return ObservationPart(
        ObservationFeature(_feature_name(rules, fluent), (len(rest), width) if len(rest) > 1 else (width,), text), write
    )


def _make_trick(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    if rules.trick_query is None:
        raise make_kb_error("sees/2: there is no trick, for no rule derives takes/1", "leave it out")

    def write(sight: SeatViews, columns: ByteArray) -> None:
        columns[:] = sight.state.trick_cards[sight.rows[:, None], sight.seat_order].reshape(columns.shape)

    meaning = "the cards of each seat in the trick: copies of each kind"
    yield ObservationPart(
        ObservationFeature("trick", (rules.seating.seats, len(rules.pack)), meaning, has_card_axis=True), write
    )


def _write_leader(views: SeatViews, columns: ByteArray) -> None:
    views.write_seat_one_hot(columns, views.state.leader[views.rows], views.state.leader[views.rows] >= 0)


_PART_FACTORIES: dict[str, PartFactory] = {
    "seat": _make_seat,
    "hand": _make_card_part("hand", "the observer's cards", lambda sight: sight.view.hand),
    "wild": _make_wild,
    "unseen": _make_card_part("unseen", "the cards in the other hands and aside", lambda sight: sight.view.unseen),
    "face": _make_open_hands,
    "gone": _make_card_part("gone", "the cards laid down in the episode", lambda sight: sight.view.played_cards),
    "played": _make_played,
    "sizes": _make_sizes,
    "to_beat": _make_to_beat,
    "groups": _make_groups,
    "kicker_size": _make_kicker_size,
    "owner": _make_seat_part("owner", "whose play is to beat, one-hot; zero when leading", _write_owner),
    "passed": _make_seat_part("passed", "who has passed since that play", _write_passed),
    "has_passed": _make_seat_part("has_passed", "who has passed in the trick", _write_has_passed),
    "out": _make_seat_part("out", "who has no cards left", _write_out),
    "after": _make_after,
    "counted": _make_counted,
    "tally": _make_tally,
    "fluent": _make_fluent,
    "fluents": _make_fluents,
    "trick": _make_trick,
    "leader": _make_seat_part("leader", "who leads the trick, one-hot", _write_leader),
    "recent": _make_recent,
    "recent_seat": _make_recent_seat,
}
assert set(_PART_FACTORIES) == set(OBSERVATION_PARTS)

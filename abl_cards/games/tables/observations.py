"""Observations: one row of numbers for each seat, as network input.

The facts ``sees(Place, Feature)`` and ``sees(Place, Feature, Argument)`` of a folder select and order the parts. The
default is ``hand unseen played sizes to_beat owner passed out``, all fluents, and the last acts; in games with tricks
``hand unseen played trick leader owner`` and all fluents. Seats are in the order of play from the observer. Cards are
counts of copies of each kind in the order of ``index/2``.

=============  ==================================================================================================
seat           index of the observer's seat, one-hot
hand           cards of the observer
wild           number of wild cards of the observer from 0 on, one-hot
unseen         cards that the observer does not see, in the other hands and the kitty
face           cards of each other seat, in games with open hands
gone           cards played in the episode
played         cards played in the episode, by seat
sizes          cards left of each seat, one-hot; argument: width for each seat
to_beat        cards to beat; zero when leading
groups         cards of each cell in the form to beat, kickers excluded; zero when leading
kicker_size    cards in each kicker of the play to beat; zero without kickers
owner          owner of the play to beat, one-hot; zero when leading
passed         seats that have passed since the play to beat
has_passed     seats that have passed in the trick
out            seats without cards
after          distance in the order of play from the seat that a fluent names to the observer, one-hot; argument:
               name of the fluent
counted        values of a counter, one number for each key; argument: its name
tally          value of a counter from 0 to its declared maximum, one-hot; argument: its name
fluent         a fluent for each of its keys, seats from the observer on; argument: its name. A single value is one-hot,
               a counter "at least 1, 2, …", a set one bit for each key
fluents        all fluents; one with the name of a part or of another fluent is named with its arity: played/2
trick          cards of each seat in the trick, in games with tricks
leader         leader of the trick, one-hot
recent         cards of the last acts, latest last, zero for a pass; argument: number of acts (default ``recent/1``)
recent_seat    seats of the last acts, one-hot; zero if there was no act yet
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
from abl_cards.core import ErrorCode, map_ranges
from abl_cards.games.compiled import CompiledGame, cache_per_game
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
"""Most numbers of a counter in an observation; larger values look like this one."""

ByteArray = NDArray[np.uint8]
PartWriter = Callable[["SeatViews", ByteArray], None]
"""Function that fills the zeroed columns [n, size] of a part."""


PartFactory = Callable[[CompiledGame, Term | None], Iterator["ObservationPart"]]
"""Function of rules and the argument of ``sees/3`` that yields parts; raises KBError."""


@dataclass(frozen=True)
class ObservationPart:
    """Part of an observation: its description, and the function that writes it."""

    feature: ObservationFeature
    write: PartWriter


class SeatViews:
    """View of tables with the seat orders that parts of observations need."""

    def __init__(self, view: PlayerView) -> None:
        """Wrap a view of n observers."""
        self.view, self.rules, self.state, self.rows = view, view.rules, view.state, view.rows
        self.seat_order = view.rules.seating.play_order[view.seats]  # [n, seats] seats from the observer on
        self.seat_places = view.rules.seating.turn_distance[view.seats]  # [n, seats] position of each seat
        self.view_indices = np.arange(len(view))

    @cached_property
    def _visible_fluents(self) -> NDArray[np.int16]:
        """Fluents [n, slots], with default values where they are private to other seats."""
        return self.rules.fluents.mask_private(self.state.fluents[self.rows], self.view.seats)

    def fluent_values(self, first_slot: int, end_slot: int) -> NDArray[np.int16]:
        """Return the visible values of fluent slots.

        Args:
            first_slot: First slot.
            end_slot: Slot after the last.

        Returns:
            int16 [n, end_slot - first_slot].
        """
        if len(self.rules.fluents.private_slots):
            return self._visible_fluents[:, first_slot:end_slot]
        return self.state.fluents[self.rows, first_slot:end_slot]

    def write_seat_one_hot(self, columns: ByteArray, seat: NDArray[np.integer], mask: NDArray[np.bool_]) -> None:
        """Write seats [n] one-hot to zeroed ``columns`` [n, seats] where ``mask`` [n] holds."""
        rows = np.flatnonzero(mask)
        columns[rows, self.seat_places[rows, seat[rows]]] = 1

    def expand_seat_bits(self, seats: NDArray[np.uint16]) -> ByteArray:
        """Convert sets of seats as bits [n] to 0 and 1 [n, seats], seats from the observer on."""
        bits: ByteArray = (seats[:, None] >> self.seat_order.astype(np.uint16) & 1).astype(np.uint8)
        return bits


def build_feature_table(rules: CompiledGame) -> FeatureTable:
    """Describe the observations of a game.

    Args:
        rules: Compiled rules.

    Returns:
        Name, shape and meaning of each part, in order.

    Raises:
        KBError: If a ``sees`` fact names an unknown part, fluent or count, or a part twice.
    """
    max_copies = max(2, int(rules.pack.copies.max()))
    return FeatureTable(tuple(part.feature for part in _get_parts(rules)), max_value=max_copies)


def observe(view: PlayerView, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
    """Compute observations.

    Args:
        view: View of n observers.
        out: Array uint8 [n, features] to overwrite and return; None for a new array.

    Returns:
        uint8 [n, features], as ``build_feature_table`` describes.
    """
    parts, n = _get_parts(view.rules), len(view)
    if out is None:
        rows = np.zeros((n, parts[-1].columns.stop if parts else 0), np.uint8)
    else:
        rows = out
        rows[:] = 0

    def write(lo: int, hi: int) -> None:
        views = SeatViews(view if hi - lo == n else view.select(np.arange(lo, hi)))
        for part in parts:
            part.write(views, rows[lo:hi, part.columns])

    map_ranges(n, write)
    return rows


class _PlacedPart(NamedTuple):
    """A part with its columns in a row."""

    feature: ObservationFeature
    write: PartWriter
    columns: slice


def _place_parts(parts: Iterable[ObservationPart]) -> Iterator[_PlacedPart]:
    """Yield parts with their columns, without gaps."""
    start = 0
    for part in parts:
        columns = slice(start, start + part.feature.size)
        yield _PlacedPart(part.feature, part.write, columns)
        start = columns.stop


@cache_per_game
def _get_parts(rules: CompiledGame) -> tuple[_PlacedPart, ...]:
    """Return the parts of an observation with their columns, built once."""
    return tuple(_place_parts(_build_parts(rules)))


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
    """Build the parts that the ``sees`` facts select; raise KBError for invalid facts."""
    facts: list[tuple[int, str, Term | None]] = []
    facts += [
        (require_int(position, f"sees({position},{name})"), str(name), None)
        for position, name in rules.kb.facts("sees", 2)
    ]
    facts += [
        (require_int(position, f"sees({position},{name},…)"), str(name), argument)
        for position, name, argument in rules.kb.facts("sees", 3)
    ]
    defaults = _TRICK_PARTS if rules.trick_query is not None else _DEFAULT_PARTS
    if rules.keeps_trick_cards:
        defaults = (*defaults, "trick")
    selected = [(name, argument) for _, name, argument in sorted(facts, key=lambda fact: fact[0])]
    names: set[str] = set()
    for name, argument in selected or [(name, None) for name in defaults]:
        if name not in _PART_FACTORIES:
            raise make_kb_error(
                f"sees/2: there is no part '{name}' of an observation",
                f"there are: {', '.join(_PART_FACTORIES)}",
                ErrorCode.UNKNOWN_NAME,
            )
        for part in _PART_FACTORIES[name](rules, argument):
            if part.feature.name in names:
                fact = "sees/2" if argument is None else "sees/3"
                text = name if argument is None else f"{name},{argument}"
                raise make_kb_error(
                    f"{fact}: {part.feature.name} is seen twice: (…,{text})",
                    "keep one of the facts",
                    ErrorCode.INVALID_OBSERVATION,
                )
            names.add(part.feature.name)
            yield part


# --- the parts --------------------------------------------------------------------------------------------------------


def _make_card_part(name: str, meaning: str, cards: Callable[[SeatViews], ByteArray]) -> PartFactory:
    """Return a factory of a part with the copies of each kind of card."""

    def make(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
        def write(views: SeatViews, columns: ByteArray) -> None:
            columns[:] = cards(views)

        yield ObservationPart(
            ObservationFeature(name, (len(rules.pack),), f"{meaning}: copies of each kind of card", has_card_axis=True),
            write,
        )

    return make


def _make_seat_part(name: str, meaning: str, write: PartWriter) -> PartFactory:
    """Return a factory of a part with a number for each seat."""

    def make(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
        yield ObservationPart(ObservationFeature(name, (rules.seating.seats,), meaning), write)

    return make


def _make_seat(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``seat``."""

    def write(views: SeatViews, columns: ByteArray) -> None:
        columns[views.view_indices, views.view.seats] = 1

    yield ObservationPart(ObservationFeature("seat", (rules.seating.seats,), "the observer's seat, one-hot"), write)


def _make_wild(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``wild``."""
    cells = rules.cells
    kinds = [cells.find_kinds(WILD, context) for context in range(len(cells.acts_as))]
    max_count = max((int(rules.pack.copies[kinds_acting].sum()) for kinds_acting in kinds if kinds_acting), default=0)

    def write(views: SeatViews, columns: ByteArray) -> None:
        counts = np.zeros((1, len(views.view_indices)), np.int16)
        if WILD in cells.index:
            used = np.array([cells.index[WILD]])
            cells.add_counts(views.view.hand, views.view.context, used, 0, len(views.view_indices), counts)
        columns[views.view_indices, counts[0]] = 1

    yield ObservationPart(
        ObservationFeature("wild", (max_count + 1,), "the observer's wild cards, one-hot: none, one, …"), write
    )


def _make_played(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``played``."""

    def write(views: SeatViews, columns: ByteArray) -> None:
        observation_kernels.write_cards_by_seat(views.state.played, views.rows, views.seat_order, columns)

    meaning = "cards each seat has laid down in the episode: copies of each kind"
    yield ObservationPart(
        ObservationFeature("played", (rules.seating.seats, len(rules.pack)), meaning, has_card_axis=True), write
    )


def _make_sizes(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``sizes``."""
    width = largest_hand(rules) + 1 if argument is None else _read_positive(argument, "sizes")

    def write(views: SeatViews, columns: ByteArray) -> None:
        observation_kernels.write_hand_sizes(views.state.hands, views.rows, views.seat_order, width, columns)

    meaning = "cards left of each seat, one-hot: place n for n cards"
    yield ObservationPart(ObservationFeature("sizes", (rules.seating.seats, width), meaning), write)


def _make_to_beat(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``to_beat``."""

    def write(views: SeatViews, columns: ByteArray) -> None:
        observation_kernels.write_cards_to_beat(views.state, views.rows, views.view.to_beat, columns)

    meaning = "the cards to beat, zero when leading: copies of each kind of card"
    yield ObservationPart(ObservationFeature("to_beat", (len(rules.pack),), meaning, has_card_axis=True), write)


def _make_recent(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``recent``."""
    acts = _read_num_acts(rules, argument)

    def write(views: SeatViews, columns: ByteArray) -> None:
        observation_kernels.write_recent_cards(
            views.state.recent_cards, views.state.num_acts, views.rows, acts, columns
        )

    meaning = "the last acts, latest last: copies of each kind; zero for a pass or no act"
    yield ObservationPart(ObservationFeature("recent", (acts, len(rules.pack)), meaning, has_card_axis=True), write)


def _make_recent_seat(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``recent_seat``."""
    acts = _read_num_acts(rules, argument)

    def write(views: SeatViews, columns: ByteArray) -> None:
        state = views.state
        observation_kernels.write_recent_seats(
            state.recent_seat, state.num_acts, views.rows, views.seat_places, acts, columns
        )

    meaning = "who made these acts, one-hot; zero where there was no act yet"
    yield ObservationPart(ObservationFeature("recent_seat", (acts, rules.seating.seats), meaning), write)


def _make_open_hands(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``face``."""
    if not rules.has_open_hands:
        raise make_kb_error(
            "sees/2: there is no face, as the hands of the others are not open",
            "see open_hands/0",
            ErrorCode.INVALID_OBSERVATION,
        )

    def write(views: SeatViews, columns: ByteArray) -> None:
        columns[:] = views.view.hidden_hands.reshape(columns.shape)

    meaning = "the cards of each other seat: copies of each kind"
    yield ObservationPart(
        ObservationFeature("face", (rules.seating.seats - 1, len(rules.pack)), meaning, has_card_axis=True), write
    )


def _make_groups(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``groups``."""
    forms = rules.forms.forms
    cells = sorted({group.cell for form in forms for group in form.groups})
    needs = np.zeros((len(forms), len(cells)), np.uint8)
    for row, form in enumerate(forms):
        for group in form.groups:
            needs[row, cells.index(group.cell)] += group.count

    def write(views: SeatViews, columns: ByteArray) -> None:
        rows = np.flatnonzero(views.view.to_beat >= 0)
        columns[rows] = needs[views.view.to_beat[rows]]

    meaning = "what the form to beat takes besides kickers, of each cell; zero when leading"
    yield ObservationPart(ObservationFeature("groups", (len(cells),), meaning), write)


def _make_kicker_size(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``kicker_size``."""
    sizes = np.array([form.kickers.group_size if form.kickers else 0 for form in rules.forms.forms], np.uint8)

    def write(views: SeatViews, columns: ByteArray) -> None:
        rows = np.flatnonzero(views.view.to_beat >= 0)
        columns[rows, 0] = sizes[views.view.to_beat[rows]]

    yield ObservationPart(
        ObservationFeature("kicker_size", (1,), "cards in each kicker of the play to beat; zero where it has none"),
        write,
    )


def _read_num_acts(rules: CompiledGame, argument: Term | None) -> int:
    """Return the number of acts to observe; raise KBError if the game does not record that many."""
    acts = rules.history_length if argument is None else _read_positive(argument, "recent")
    if acts > rules.history_length:
        raise make_kb_error(
            f"sees/3: {acts} acts are not remembered", f"write recent({acts}).", ErrorCode.INVALID_OBSERVATION
        )
    return acts


def _read_positive(argument: Term, name: str) -> int:
    """Convert the argument of a ``sees/3`` fact to a positive number; raise KBError for another one."""
    number = require_int(argument, f"sees(…,{name},{argument})")
    if number < 1:
        raise make_kb_error(f"sees/3: {name} of {argument}", "write a number from 1 on", ErrorCode.INVALID_ARGUMENT)
    return number


def _write_owner(views: SeatViews, columns: ByteArray) -> None:
    """Fill the columns of the part ``owner``."""
    views.write_seat_one_hot(columns, views.state.owner[views.rows], views.view.to_beat >= 0)


def _write_passed(views: SeatViews, columns: ByteArray) -> None:
    """Fill the columns of the part ``passed``."""
    columns[:] = views.expand_seat_bits(views.state.passed[views.rows])


def _write_has_passed(views: SeatViews, columns: ByteArray) -> None:
    """Fill the columns of the part ``has_passed``."""
    columns[:] = views.expand_seat_bits(views.state.passed_in_trick[views.rows])


def _write_out(views: SeatViews, columns: ByteArray) -> None:
    """Fill the columns of the part ``out``."""
    columns[:] = views.expand_seat_bits(views.state.seats_out[views.rows])


# --- fluents ----------------------------------------------------------------------------------------------------------


def _find_fluent(rules: CompiledGame, argument: Term | None) -> Fluent:
    """Return the fluent that a ``sees/3`` fact names; raise KBError if there is none."""
    fluent = None if argument is None else rules.fluents.find(str(argument))
    if fluent is None:
        names = ", ".join(fluent.signature.name for fluent in rules.fluents.fluents) or "none"
        raise make_kb_error(f"sees/3: there is no fluent '{argument}'", f"there are: {names}", ErrorCode.UNKNOWN_NAME)
    return fluent


def _make_fluent(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part of a fluent."""
    yield _build_fluent_part(rules, _find_fluent(rules, argument))


def _make_after(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``after`` of a fluent."""
    fluent, seats = _find_fluent(rules, argument), rules.seating.seats
    if fluent.value_type != SINGLE_VALUED or len(fluent.keys) != 1 or set(fluent.values) - set(range(seats)):
        raise make_kb_error(
            f"sees/3: {fluent.signature} names no seat",
            "write a fluent of one value, which is a seat",
            ErrorCode.INVALID_OBSERVATION,
        )

    def write(views: SeatViews, columns: ByteArray) -> None:
        values = np.array([*fluent.values, 0], np.int64)
        index = views.fluent_values(fluent.first_slot, fluent.first_slot + 1)[:, 0]
        rows = np.flatnonzero(index >= 0)
        columns[rows, -views.seat_places[rows, values[index[rows]]] % seats] = 1

    meaning = f"how many places the observer plays after the {fluent.signature.name}, one-hot; zero where there is none"
    yield ObservationPart(ObservationFeature(f"after_{fluent.signature.name}", (seats,), meaning), write)


def _find_count(rules: CompiledGame, argument: Term | None) -> Fluent:
    """Return the counter that a ``sees/3`` fact names; raise KBError if there is none."""
    fluent = _find_fluent(rules, argument)
    if fluent.value_type != COUNTER:
        raise make_kb_error(
            f"sees/3: {fluent.signature} is no count",
            "see it as a fluent: sees(Place,fluent,Name)",
            ErrorCode.INVALID_OBSERVATION,
        )
    return fluent


def _make_counted(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``counted`` of a counter."""
    fluent = _find_count(rules, argument)
    kinds = fluent.keys == tuple((kind,) for kind in rules.pack.kinds)

    def write(views: SeatViews, columns: ByteArray) -> None:
        columns[:] = views.fluent_values(fluent.first_slot, fluent.slots.stop)

    meaning = f"{fluent.signature}: " + ("copies of each kind of card" if kinds else "the number of each key")
    yield ObservationPart(
        ObservationFeature(_feature_name(rules, fluent), (len(fluent.keys),), meaning, has_card_axis=kinds), write
    )


def _make_tally(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``tally`` of a counter."""
    fluent = _find_count(rules, argument)
    if len(fluent.keys) != 1:
        raise make_kb_error(
            f"sees/3: {fluent.signature} has several counts",
            "see it as it is: sees(Place,counted,Name)",
            ErrorCode.INVALID_OBSERVATION,
        )
    width = _compute_width(rules, fluent) + 1

    def write(views: SeatViews, columns: ByteArray) -> None:
        columns[
            views.view_indices,
            np.minimum(views.fluent_values(fluent.first_slot, fluent.first_slot + 1)[:, 0], width - 1),
        ] = 1

    text = f"{fluent.signature}, one-hot: none, one, …"
    yield ObservationPart(ObservationFeature(_feature_name(rules, fluent), (width,), text), write)


def _feature_name(rules: CompiledGame, fluent: Fluent) -> str:
    """Return the name of a fluent as a part, with its arity (played/2) if a part or another fluent has its name."""
    return next(name for name, other in fluents_by_name(rules.fluents, OBSERVATION_PARTS).items() if other is fluent)


def _make_fluents(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the parts of all fluents."""
    for fluent in rules.fluents.fluents:
        if len(fluent.keys) and _compute_width(rules, fluent):
            yield _build_fluent_part(rules, fluent)


def _compute_width(rules: CompiledGame, fluent: Fluent) -> int:
    """Return the number of columns of one key of a fluent."""
    if fluent.value_type == SET_VALUED:
        return 1
    if fluent.value_type == SINGLE_VALUED:
        return len(fluent.values)
    declared = [args[-1] for name, args in rules.kb.input_atoms if (name, len(args)) == tuple(fluent.signature)]
    return min(MAX_COUNT_WIDTH, max((number for number in declared if isinstance(number, int)), default=0))


def _build_fluent_part(rules: CompiledGame, fluent: Fluent) -> ObservationPart:
    """Build the part of a fluent with all its keys."""
    if fluent.is_private:
        return _build_private_part(rules, fluent)
    width, keys = _compute_width(rules, fluent), len(fluent.keys)
    by_seat = fluent.keys == tuple((seat,) for seat in range(rules.seating.seats))

    def write(views: SeatViews, columns: ByteArray) -> None:
        values = views.fluent_values(fluent.first_slot, fluent.slots.stop).astype(np.int64)
        if by_seat:
            values = np.take_along_axis(values, views.seat_order, axis=1)
        _write_values(fluent, width, values, columns)

    value_text = _VALUE_TEXTS.get(fluent.value_type, "at least 1, 2, …")
    key_text = "; by seat" if by_seat else f" for each of {keys} keys" if keys > 1 else ""
    text = f"{fluent.signature}, {value_text}{key_text}"
    return ObservationPart(
        ObservationFeature(_feature_name(rules, fluent), (width,) if keys == 1 else (keys, width), text), write
    )


_VALUE_TEXTS = {SINGLE_VALUED: "one-hot", SET_VALUED: "whether it holds"}


def _write_values(fluent: Fluent, width: int, values: NDArray[np.int64], columns: ByteArray) -> None:
    """Write the values [n, keys] of a fluent to columns [n, keys * width]."""
    keyed_columns = columns.reshape(*values.shape, width)  # a view: one axis becomes two
    if fluent.value_type == SINGLE_VALUED:
        rows, keys = np.nonzero(values >= 0)
        keyed_columns[rows, keys, values[rows, keys]] = 1
    else:
        keyed_columns[:] = values[:, :, None] > np.arange(width)


def _build_private_part(rules: CompiledGame, fluent: Fluent) -> ObservationPart:
    """Build the part of a private fluent with the keys of the observer, whose first argument is a seat."""
    width = _compute_width(rules, fluent)
    other_arguments = list(dict.fromkeys(key[1:] for key in fluent.keys))
    slots = {key: fluent.first_slot + index for index, key in enumerate(fluent.keys)}
    slots_of_seat = np.array(
        [[slots.get((seat, *key), -1) for key in other_arguments] for seat in range(rules.seating.seats)]
    )

    def write(views: SeatViews, columns: ByteArray) -> None:
        observer_slots = slots_of_seat[views.view.seats]
        values = views.state.fluents[views.rows[:, None], observer_slots].astype(np.int64)
        _write_values(fluent, width, np.where(observer_slots < 0, fluent.default, values), columns)

    text = (
        f"{fluent.signature}, {_VALUE_TEXTS.get(fluent.value_type, 'at least 1, 2, …')}: what the observer alone knows"
    )
    return ObservationPart(
        ObservationFeature(
            _feature_name(rules, fluent), (len(other_arguments), width) if len(other_arguments) > 1 else (width,), text
        ),
        write,
    )


def _make_trick(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``trick``."""
    if not rules.has_trick_cards:
        raise make_kb_error(
            "sees/2: there is no trick, as no rule derives takes/1 or reads in_trick/3",
            "leave it out",
            ErrorCode.INVALID_OBSERVATION,
        )

    def write(views: SeatViews, columns: ByteArray) -> None:
        columns[:] = views.state.trick_cards[views.rows[:, None], views.seat_order].reshape(columns.shape)

    meaning = "the cards of each seat in the trick: copies of each kind"
    yield ObservationPart(
        ObservationFeature("trick", (rules.seating.seats, len(rules.pack)), meaning, has_card_axis=True), write
    )


def _write_leader(views: SeatViews, columns: ByteArray) -> None:
    """Fill the columns of the part ``leader``."""
    views.write_seat_one_hot(columns, views.state.leader[views.rows], views.state.leader[views.rows] >= 0)


_PART_FACTORIES: dict[str, PartFactory] = {
    "seat": _make_seat,
    "hand": _make_card_part("hand", "the observer's cards", lambda views: views.view.hand),
    "wild": _make_wild,
    "unseen": _make_card_part("unseen", "the cards in the other hands and aside", lambda views: views.view.unseen),
    "face": _make_open_hands,
    "gone": _make_card_part("gone", "the cards laid down in the episode", lambda views: views.view.played_cards),
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

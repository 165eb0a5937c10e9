"""Parts of observations that show fluents: values one-hot, counters and sets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, make_kb_error
from abl_cards.core import ErrorCode
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import COUNTER, OBSERVATION_PARTS, SET_VALUED, SINGLE_VALUED, Fluent, fluents_by_name
from abl_cards.games.tables.observation_part import ByteArray, ObservationPart, SeatViews
from abl_cards.games.types import ObservationFeature

MAX_COUNT_WIDTH = 16
"""Most numbers of a counter in an observation; larger values look like this one."""
_MAX_BYTE = 255


def _find_fluent(rules: CompiledGame, argument: Term | None) -> Fluent:
    """Return the fluent that a ``sees/3`` fact names; raise KBError if there is none."""
    fluent = None if argument is None else rules.fluents.find(str(argument))
    if fluent is None:
        names = ", ".join(fluent.signature.name for fluent in rules.fluents.fluents) or "none"
        raise make_kb_error(f"sees/3: there is no fluent '{argument}'", f"there are: {names}", ErrorCode.UNKNOWN_NAME)
    return fluent


def make_fluent(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part of a fluent."""
    yield _build_fluent_part(rules, _find_fluent(rules, argument))


def make_after(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
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


def make_counted(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``counted`` of a counter."""
    fluent = _find_count(rules, argument)
    kinds = fluent.keys == tuple((kind,) for kind in rules.pack.kinds)

    def write(views: SeatViews, columns: ByteArray) -> None:
        columns[:] = np.minimum(views.fluent_values(fluent.first_slot, fluent.slots.stop), _MAX_BYTE)

    meaning = f"{fluent.signature}: " + ("copies of each kind of card" if kinds else "the number of each key")
    yield ObservationPart(
        ObservationFeature(_feature_name(rules, fluent), (len(fluent.keys),), meaning, has_card_axis=kinds),
        write,
        _MAX_BYTE,
    )


def make_tally(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
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


def make_fluents(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
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

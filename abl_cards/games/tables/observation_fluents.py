"""Parts of observations that show fluents: values one-hot, counters and sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, make_kb_error
from abl_cards.core import ErrorCode
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import COUNTER, OBSERVATION_PARTS, SET_VALUED, SINGLE_VALUED, Fluent, fluents_by_name
from abl_cards.games.tables.observation_part import ByteArray, ObservationPart, SeatViews
from abl_cards.games.tables.random_fluents import find_max_declared
from abl_cards.games.tables.relative_fluents import ABSENT, RelativeFluent
from abl_cards.games.types import ObservationFeature

FINE_COUNT = 16
"""Greatest number of a counter that has a place of its own in an observation; above, there are eight to a doubling."""
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
    relative, kinds = RelativeFluent(rules, fluent), fluent.keys == tuple((kind,) for kind in rules.pack.kinds)

    def write(views: SeatViews, columns: ByteArray) -> None:
        columns[:] = np.minimum(relative.read(views), _MAX_BYTE)

    key_text = "copies of each kind of card" if kinds else f"the number of each key{_describe_keys(relative)}"
    yield ObservationPart(
        ObservationFeature(
            _feature_name(rules, fluent),
            (len(relative.keys),),
            f"{fluent.signature}: {key_text}",
            has_card_axis=kinds,
        ),
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
    width = find_max_declared(rules, *fluent.signature, default=0) + 1

    def write(views: SeatViews, columns: ByteArray) -> None:
        columns[
            views.view_indices,
            np.clip(views.fluent_values(fluent.first_slot, fluent.first_slot + 1)[:, 0], 0, width - 1),
        ] = 1

    text = f"{fluent.signature}, one-hot: none, one, …"
    yield ObservationPart(ObservationFeature(_feature_name(rules, fluent), (width,), text), write)


def _feature_name(rules: CompiledGame, fluent: Fluent) -> str:
    """Return the name of a fluent as a part, with its arity (played/2) if a part or another fluent has its name."""
    return next(name for name, other in fluents_by_name(rules.fluents, OBSERVATION_PARTS).items() if other is fluent)


def make_fluents(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the parts of all fluents."""
    for fluent in rules.fluents.fluents:
        part = _build_fluent_part(rules, fluent)
        if part.feature.size:
            yield part


def list_thresholds(rules: CompiledGame, fluent: Fluent) -> NDArray[np.int64]:
    """Return the numbers that a set or a counter is compared with.

    Args:
        rules: Compiled rules.
        fluent: Fluent of the game.

    Returns:
        int64 [numbers], ascending: for a set 1; for a counter all up to ``FINE_COUNT``, then eight to a doubling, and
        the largest that the rules declare.
    """
    if fluent.value_type != COUNTER:
        return np.ones(1, np.int64)
    largest = find_max_declared(rules, *fluent.signature, default=0)
    numbers, fine_bits = range(1, largest + 1), (FINE_COUNT - 1).bit_length()
    steps = [2 ** max((number - 1).bit_length() - fine_bits, 0) for number in numbers]
    return np.array([n for n, step in zip(numbers, steps, strict=True) if n % step == 0 or n == largest], np.int64)


def _build_fluent_part(rules: CompiledGame, fluent: Fluent) -> ObservationPart:
    """Build the part of a fluent with all its keys; of a private one, with those of the observer."""
    relative = RelativeFluent(rules, fluent)
    compare, compared = np.equal if fluent.value_type == SINGLE_VALUED else np.greater_equal, _list_compared(relative)
    keys, width = len(relative.keys), compared.shape[1]

    def write(views: SeatViews, columns: ByteArray) -> None:
        found = columns.reshape(len(columns), keys, width).view(np.bool_)  # a view: one axis becomes two
        compare(relative.read(views)[:, :, None], compared[views.view.seats][:, None], out=found)

    text = f"{fluent.signature}, {_VALUE_TEXTS.get(fluent.value_type, 'at least 1, 2, …')}{_describe_keys(relative)}"
    shape = (width,) if keys == 1 else (keys, width)
    return ObservationPart(ObservationFeature(_feature_name(rules, fluent), shape, text), write)


def _list_compared(relative: RelativeFluent) -> NDArray[np.int64]:
    """Return the numbers that the number of each key is compared with [observers, numbers]."""
    if relative.fluent.value_type == SINGLE_VALUED:
        return relative.value_order
    return np.tile(list_thresholds(relative.rules, relative.fluent), (relative.rules.seating.seats, 1))


class FluentColumns(NamedTuple):
    """Columns of a fluent in an observation, as comparisons of the numbers of a table.

    Attributes:
        slots: [observers, columns] slot of the number; ``ABSENT`` where the column is always 0.
        numbers: [observers, columns] what the number is compared with.
        is_equal: Whether the number must be equal; else it must not be smaller.
    """

    slots: NDArray[np.int64]
    numbers: NDArray[np.int64]
    is_equal: bool


def fluent_columns(rules: CompiledGame, fluent: Fluent) -> FluentColumns:
    """Return the columns of the part of a fluent.

    Args:
        rules: Compiled rules.
        fluent: Fluent of the game, not a private one.
    """
    relative = RelativeFluent(rules, fluent)
    order, compared = relative.key_order, _list_compared(relative)
    slots = np.where(order == ABSENT, ABSENT, fluent.first_slot + order).repeat(compared.shape[1], axis=1)
    return FluentColumns(slots, np.tile(compared, (1, order.shape[1])), fluent.value_type == SINGLE_VALUED)


_VALUE_TEXTS = {SINGLE_VALUED: "one-hot", SET_VALUED: "whether it holds"}


def _describe_keys(relative: RelativeFluent) -> str:
    """Return the end of a meaning: which keys there are, and how seats and teams are numbered."""
    if relative.fluent.is_private:
        return ": what the observer alone knows"
    if relative.key_is_seat:
        return "; by seat"
    keys = f" for each of {len(relative.keys)} keys" if len(relative.keys) > 1 else ""
    return keys + "".join(f"; {_RELATIVE_TEXTS[sort]}" for sort in sorted(relative.relative_sorts))


_RELATIVE_TEXTS = {"seat": "seats from the observer's on", "team": "the observer's team first"}

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
counted        values of a counter, one number for each key, at most 255; argument: its name
tally          value of a counter from 0 to its declared maximum, one-hot; argument: its name
fluent         a fluent for each of its keys; argument: its name. A single value is one-hot, a set one bit for each key,
               a counter "at least n": for each n up to 16, then eight numbers to a doubling. Seats in keys and values
               are counted from the observer's, and its team comes first (sorts of arguments as ``sort/4`` has them)
fluents        all fluents; one with the name of a part or of another fluent is named with its arity: played/2
trick          cards of each seat in the trick, in games with tricks
leader         leader of the trick, one-hot
recent         cards of the last acts, latest last, zero for a pass; argument: number of acts (default ``recent/1``)
recent_seat    seats of the last acts, one-hot; zero if there was no act yet
=============  ==================================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term, make_kb_error
from abl_cards.core import ErrorCode, map_ranges
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import require_int
from abl_cards.games.tables.observation_cards import PART_FACTORIES
from abl_cards.games.tables.observation_part import ObservationPart, SeatViews
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types import FeatureTable


def build_feature_table(rules: CompiledGame) -> FeatureTable:
    """Describe the observations of a game.

    Args:
        rules: Compiled rules.

    Returns:
        Name, shape and meaning of each part, in order.

    Raises:
        KBError: If a ``sees`` fact names an unknown part, fluent or count, or a part twice.
    """
    parts = [placed.part for placed in _get_parts(rules)]
    max_value = max(2, int(rules.pack.copies.max()), *(part.max_value for part in parts))
    return FeatureTable(tuple(part.feature for part in parts), max_value)


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
        for placed in parts:
            placed.part.write(views, rows[lo:hi, placed.columns])

    map_ranges(n, write)
    return rows


class _PlacedPart(NamedTuple):
    """A part with its columns in a row."""

    part: ObservationPart
    columns: slice


def _place_parts(parts: Iterable[ObservationPart]) -> Iterator[_PlacedPart]:
    """Yield parts with their columns, without gaps."""
    start = 0
    for part in parts:
        columns = slice(start, start + part.feature.size)
        yield _PlacedPart(part, columns)
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
        if name not in PART_FACTORIES:
            raise make_kb_error(
                f"sees/2: there is no part '{name}' of an observation",
                f"there are: {', '.join(PART_FACTORIES)}",
                ErrorCode.UNKNOWN_NAME,
            )
        for part in PART_FACTORIES[name](rules, argument):
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

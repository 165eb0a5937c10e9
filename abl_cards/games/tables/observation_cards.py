"""Parts of observations that show cards, plays and seats."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from abl_cards.asp import Term, make_kb_error
from abl_cards.core import ErrorCode
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import OBSERVATION_PARTS, WILD
from abl_cards.games.tables import observation_kernels
from abl_cards.games.tables.hand_limits import largest_hand
from abl_cards.games.tables.observation_fluents import make_after, make_counted, make_fluent, make_fluents, make_tally
from abl_cards.games.tables.observation_part import (
    ByteArray,
    ObservationPart,
    PartFactory,
    PartWriter,
    SeatViews,
    read_positive,
)
from abl_cards.games.types import ObservationFeature


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
    width = largest_hand(rules) + 1 if argument is None else read_positive(argument, "sizes")

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
    needs = rules.forms.group_counts.astype(np.uint8)

    def write(views: SeatViews, columns: ByteArray) -> None:
        rows = np.flatnonzero(views.view.to_beat >= 0)
        columns[rows] = needs[views.view.to_beat[rows]]

    meaning = "what the form to beat takes besides kickers, of each cell; zero when leading"
    yield ObservationPart(ObservationFeature("groups", needs.shape[1:], meaning), write, int(needs.max(initial=0)))


def _make_kicker_size(rules: CompiledGame, argument: Term | None) -> Iterator[ObservationPart]:
    """Yield the part ``kicker_size``."""
    sizes = np.array([form.kickers.group_size if form.kickers else 0 for form in rules.forms.forms], np.uint8)

    def write(views: SeatViews, columns: ByteArray) -> None:
        rows = np.flatnonzero(views.view.to_beat >= 0)
        columns[rows, 0] = sizes[views.view.to_beat[rows]]

    yield ObservationPart(
        ObservationFeature("kicker_size", (1,), "cards in each kicker of the play to beat; zero where it has none"),
        write,
        int(sizes.max(initial=0)),
    )


def _read_num_acts(rules: CompiledGame, argument: Term | None) -> int:
    """Return the number of acts to observe; raise KBError if the game does not record that many."""
    acts = rules.history_length if argument is None else read_positive(argument, "recent")
    if acts > rules.history_length:
        raise make_kb_error(
            f"sees/3: {acts} acts are not remembered", f"write recent({acts}).", ErrorCode.INVALID_OBSERVATION
        )
    return acts


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


PART_FACTORIES: dict[str, PartFactory] = {
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
    "after": make_after,
    "counted": make_counted,
    "tally": make_tally,
    "fluent": make_fluent,
    "fluents": make_fluents,
    "trick": _make_trick,
    "leader": _make_seat_part("leader", "who leads the trick, one-hot", _write_leader),
    "recent": _make_recent,
    "recent_seat": _make_recent_seat,
}
assert set(PART_FACTORIES) == set(OBSERVATION_PARTS)

"""Write the view of a seat as a JSON state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import fluents_by_name
from abl_cards.games.notation.fields import CARDS, DRAW_FIELDS, HANDS, Observer, state_fields
from abl_cards.games.notation.fluent_json import FluentCodec
from abl_cards.games.notation.hands import has_no_aside
from abl_cards.games.notation.play_writer import notate_moves
from abl_cards.games.notation.required_fields import RequiredFields, fields_to_write
from abl_cards.games.notation.trick_json import passed_in_trick, seats_in_trick, write_trick
from abl_cards.games.state import NO_SEAT
from abl_cards.games.tables import (
    Choices,
    Decisions,
    PlayerView,
    card_drawn,
    cards_in_stock,
    hands_vary_in_play,
)
from abl_cards.games.types import NO_CARD

FieldWriter = Callable[[str, Any], None]
"""Function of the name and the value of a field that adds it to a state."""


def write_state(rules: CompiledGame, decisions: Decisions | Choices, row: int = 0) -> dict[str, Any]:
    """Return the view of the seat of one decision or choice as a JSON state."""
    view = decisions.view
    state, table, seat = view.state, int(view.rows[row]), int(view.seats[row])
    choosing = isinstance(decisions, Choices)
    required = fields_to_write(rules, choosing)
    fields, known = dict[str, Any](), state_fields()
    observer = Observer(rules, seat, int(view.context[row]))

    def write(name: str, value: Any) -> None:
        fields[name] = known[name].type.write(observer, value)

    if choosing:
        fields["stage"] = str(rules.schema.stages[int(state.choice[table])])
    write("hand", view.hand[row])
    if not choosing and rules.trick_query is not None:
        fields["trick"] = write_trick(rules, state, table)
        if state.is_composing[table]:
            write("picked", state.trick_cards[table, seat])
    elif not choosing:
        fields["to_beat"] = _to_beat_json(rules, view, row)
    if "to_beat" in fields and view.to_beat[row] >= 0:
        write("top", state.owner[table])
        if rules.keeps_trick_cards:
            write("in_trick", state.trick_cards[table])
    elif choosing and rules.has_pile and state.owner[table] != seat:
        write("top", state.owner[table])
    fields["cards"], fields["seat"] = view.hidden_hand_sizes[row].tolist(), seat
    _write_acts(rules, view, row, required, write)
    is_partial = state.aside[table].any() and has_no_aside(rules)  # left open by the state that was read
    has_played_more = state.played[table].sum() > (state.top_cards[table] != NO_CARD).sum()  # than the play to beat
    if state.played[table].any() and (has_played_more or not is_partial):
        fields["gone"] = HANDS.write(observer, state.played[table])
    if state.aside[table].any() and not is_partial:
        knows_cards = decisions.information_set().num_aside[row] == 0
        fields["aside"] = CARDS.write(observer, state.aside[table]) if knows_cards else int(state.aside[table].sum())
    if rules.has_draws and (
        choosing or cards_in_stock(rules, state, np.array([table]))[0] or required.fields.keys() & set(DRAW_FIELDS)
    ):
        _write_draws(rules, view, row, write)
    if rules.has_open_hands or "face" in required.fields:
        write("face", view.hidden_hands[row])
    for field in known.values():
        if field.array and field.name in required.fields:
            write(field.name, getattr(state, field.array)[table])
    return fields | _fluent_fields(
        rules, rules.fluents.mask_private(state.fluents[[table]], np.array([seat]))[0], required
    )


def _write_draws(rules: CompiledGame, view: PlayerView, row: int, write: FieldWriter) -> None:
    """Write the number of cards to draw, the last drawer, and its card if the seat may see it."""
    state, rows = view.state, view.rows[[row]]
    write("stock", cards_in_stock(rules, state, rows)[0])
    drawer, kind = int(state.last_drawer[rows[0]]), int(card_drawn(state, rows)[0])
    if drawer >= 0:
        write("drew", drawer)
    if kind >= 0 and drawer == view.seats[row]:
        write("drawn", kind)


def _to_beat_json(rules: CompiledGame, view: PlayerView, row: int) -> Any:
    form = int(view.to_beat[row])
    if form < 0:
        return None
    cards = view.state.top_cards[view.rows[[row]]]
    return notate_moves(rules, np.array([form]), cards, view.context[[row]])[0].to_json()


def _write_acts(rules: CompiledGame, view: PlayerView, row: int, required: RequiredFields, write: FieldWriter) -> None:
    """Write the seats that have passed or finished, the last actor and numbers of acts, where the rules read them."""
    state, table = view.state, int(view.rows[row])
    passed, gone_by = int(state.passed[table]), int(state.passed_in_trick[table])
    if rules.trick_query is not None:
        if passed != passed_in_trick(seats_in_trick(rules, state, table), state.trick_cards[table], state.hands[table]):
            write("passed", passed)
    else:
        if passed or "passed" in required.fields:
            write("passed", passed)
        if (gone_by != passed and rules.turn_table.strides.passed_in_trick) or "has_passed" in required.fields:
            write("has_passed", gone_by)
    if "acted" in required.fields and state.last_actor[table] >= 0:
        write("acted", state.last_actor[table])
    if "acts" in required.fields:
        write("acts", state.num_acts[table])
    if "laid_down" in required.fields:
        write("laid_down", state.num_plays[table])
    finished = [seat for seat in state.finish_order[table].tolist() if seat != NO_SEAT]
    if finished or (hands_vary_in_play(rules) and not state.hands[table].any(axis=1).all()):
        write("finish", finished)


def _fluent_fields(rules: CompiledGame, fluents: NDArray[np.int16], required: RequiredFields) -> dict[str, Any]:
    """Return the fluents that differ from their defaults or that the rules read."""
    values = FluentCodec(rules.card_codes.term_texts)
    return {
        name: values.write(fluent, fluents)
        for name, fluent in fluents_by_name(rules.fluents, state_fields()).items()
        if name in required.fluents or (fluents[fluent.first_slot : fluent.slots.stop] != fluent.default).any()
    }

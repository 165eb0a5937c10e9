"""Convert decisions of tables by one profile to those of another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import SINGLE_VALUED, Fluent
from abl_cards.games.notation.positions import TablePosition
from abl_cards.games.notation.state_tables import build_tables
from abl_cards.games.tables import Choices, Decisions, PlayerView
from abl_cards.games.types import LEADING


def convert_decisions(
    rules: CompiledGame, decisions: Decisions | Choices
) -> tuple[NDArray[np.bool_], Decisions | Choices]:
    """Convert decisions of other rules of the same game to these rules.

    Args:
        rules: Compiled game to convert to.
        decisions: Decisions or choices of other rules.

    Returns:
        Mask of the decisions that exist by these rules, and those decisions. Decisions with an unknown play to beat,
        stage or option are left out.

    Raises:
        GameError: The rules have different packs or seats.
    """
    view, other = decisions.view, decisions.rules
    if (other.pack.kinds, other.seating.seats) != (rules.pack.kinds, rules.seating.seats):
        raise GameError(
            "these rules have another pack or other seats: their decisions cannot be compared",
            ErrorCode.UNSUPPORTED_GAME,
        )
    state = build_tables(rules, [TablePosition.empty(rules)] * len(view)).state
    source = view.state
    for name in _SHARED_STATE_FIELDS:
        getattr(state, name)[:] = getattr(source, name)[view.rows]
    if rules.has_trick_cards and other.has_trick_cards:
        state.trick_cards[:], state.is_composing[:] = source.trick_cards[view.rows], source.is_composing[view.rows]
    state.seat[:] = view.seats
    width = min(state.top_cards.shape[1], source.top_cards.shape[1])
    state.top_cards[:, :width] = source.top_cards[view.rows, :width]
    _convert_fluents(rules, other, source.fluents[view.rows], state.fluents)
    state.context[:] = rules.contexts.compute_index(state.fluents)
    forms = [rules.forms.index.get(form.name, _NO_MATCH) for form in other.forms.forms]
    state.to_beat[:] = np.array([*forms, LEADING], np.int16)[view.to_beat]
    state.trick_forms[:] = np.array([*forms, -1], np.int16)[source.trick_forms[view.rows]]
    mask = state.to_beat != _NO_MATCH
    if isinstance(decisions, Choices):
        stages = {name: index for index, name in enumerate(rules.schema.stages)}
        stage_index = np.array([*(stages.get(name, -1) for name in other.schema.stages), -1], np.int8)
        state.choice[:] = stage_index[decisions.stage]
        mask &= state.choice >= 0
    converted = PlayerView(rules, state, np.flatnonzero(mask), state.seat[mask], has_hand_sizes=False)
    if not isinstance(decisions, Choices):
        return mask, Decisions(converted)
    choices = Choices(converted)
    has_options = choices.options.any(axis=1)
    mask[mask] = has_options
    return mask, choices.select(np.flatnonzero(has_options))


_NO_MATCH = -9
_SHARED_STATE_FIELDS = (
    "hands",
    "aside",
    "played",
    "seat",
    "owner",
    "last_actor",
    "passed",
    "passed_in_trick",
    "seats_out",
    "finish_order",
    "num_acts",
    "stage",
    "leader",
)
"""State fields that depend only on the pack and the number of seats."""


def _convert_fluents(
    rules: CompiledGame, other: CompiledGame, theirs: NDArray[np.int16], ours: NDArray[np.int16]
) -> None:
    """Copy fluents [n, slots] of other rules into those of these rules, where both have them with equal types."""
    for fluent in rules.fluents.fluents:
        if fluent.signature not in other.fluents:
            continue
        source: Fluent = other.fluents[fluent.signature]
        if source.value_type != fluent.value_type:
            continue
        source_slots = dict(zip(source.keys, source.slots, strict=True))
        for key, slot in zip(fluent.keys, fluent.slots, strict=True):
            if key in source_slots:
                values = theirs[:, source_slots[key]]
                if fluent.value_type == SINGLE_VALUED:
                    value_index = {value: index for index, value in enumerate(fluent.values)}
                    converted = np.array([*(value_index.get(value, -1) for value in source.values), -1], np.int16)
                    values = converted[values]
                ours[:, slot] = values

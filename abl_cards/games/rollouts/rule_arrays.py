"""Rules of an episode as arrays for compiled rollouts: which forms may be played, and what plays change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.state import TurnTable
from abl_cards.games.tables import Decisions, EventRules, PlayerView
from abl_cards.games.types import LEADING, Indices


class PlayUpdates(NamedTuple):
    """Changes of fluents after a play, as in ``EventUpdate``."""

    form_matters: NDArray[np.bool_]  # [forms] a play of this form can change something
    outputs: NDArray[np.uint8]  # [forms, outputs, 1] what holds after a play
    sets: Indices  # [n, 3] output, slot, value
    adds: Indices  # [n, 3] output, slot, amount


class EpisodeRules(NamedTuple):
    """Rules of an episode in one order context."""

    turn_table: TurnTable
    pass_form: int
    label_of: NDArray[np.int16]  # [forms] label of each form
    allowed: NDArray[np.uint8]  # [forms + 1, forms] 1 if a form may follow the one to beat; the last is LEADING
    allowed_labels: NDArray[np.uint8]  # [forms + 1, labels] 1 if a form of the label may
    updates: PlayUpdates


def episode_rules(rules: CompiledGame, context: int) -> EpisodeRules:
    """Return the rules of an episode in an order context, computed once.

    Args:
        rules: Compiled rules, to which rollouts apply.
        context: Index of the order context.

    Returns:
        The rules as arrays.
    """
    cache = _rules_by_context(rules)
    if context not in cache:
        allowed = _find_allowed_forms(rules, context)
        allowed_labels = np.zeros((len(allowed), len(rules.labels)), np.uint8)
        np.maximum.at(allowed_labels.T, rules.forms.label_of, allowed.T)
        cache[context] = EpisodeRules(
            rules.turn_table, rules.forms.pass_form, rules.forms.label_of, allowed, allowed_labels, _play_updates(rules)
        )
    return cache[context]


def may_lead(rules: CompiledGame, context: int) -> NDArray[np.bool_]:
    """Return whether each form may be led in an order context: bool [forms]."""
    return episode_rules(rules, context).allowed[-1].astype(np.bool_)


def may_follow(rules: CompiledGame, context: int) -> NDArray[np.bool_]:
    """Return whether each form but the pass may follow some form in an order context: bool [forms]."""
    follows = episode_rules(rules, context).allowed[:-1].max(axis=0).astype(np.bool_)
    follows[rules.forms.pass_form] = False
    return follows


@cache_per_game
def _rules_by_context(_: CompiledGame) -> dict[int, EpisodeRules]:
    return {}


def _find_allowed_forms(rules: CompiledGame, context: int) -> NDArray[np.uint8]:
    """Return the forms that may follow each form, for a hand of all cards: uint8 [forms + 1, forms]."""
    forms = len(rules.forms)
    state = rules.create_state(forms + 1)
    state.hands[:, 0], state.context[:] = rules.pack.copies, context
    state.fluents[:] = rules.contexts.fluent_states[context]
    state.to_beat[:] = np.append(np.arange(forms), LEADING)
    state.owner[:] = state.to_beat != LEADING
    view = PlayerView(rules, state, np.arange(forms + 1), state.seat.copy(), has_hand_sizes=False)
    decisions = Decisions(view)
    allowed = decisions.form_mask & decisions.legal_mask[rules.forms.label_of]
    return np.ascontiguousarray(allowed.T)


def _play_updates(rules: CompiledGame) -> PlayUpdates:
    update, forms = EventRules.from_rules(rules).updates.get("play"), len(rules.forms)
    none = np.zeros((0, 3), np.int64)
    if update is None or update.known_outputs is None:
        return PlayUpdates(np.zeros(forms, np.bool_), np.zeros((forms, 0, 1), np.uint8), none, none)
    outputs = np.ascontiguousarray(update.known_outputs.T)[:, :, None]
    return PlayUpdates(update.form_matters, outputs, update.sets, update.adds)

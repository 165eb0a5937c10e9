"""Render tables and the views of seats as text."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from abl_cards.core import texts_by_language
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import SINGLE_VALUED, Fluent, cards_from_counts, fluents_by_name
from abl_cards.games.notation.canonical import canonical_notation, is_canonical_play
from abl_cards.games.notation.fields import state_fields
from abl_cards.games.notation.fluent_json import FluentCodec
from abl_cards.games.notation.hand_order import sort_hand
from abl_cards.games.notation.play_reader import read_play
from abl_cards.games.notation.play_writer import notate_moves
from abl_cards.games.notation.plays import label_name_parts, options_json
from abl_cards.games.notation.spelling import fluent_of_field, play_name, spell
from abl_cards.games.notation.trick_json import seats_in_trick
from abl_cards.games.state import CHOICE, PLAY
from abl_cards.games.tables import DecisionPoint, Tables

# --- tables -----------------------------------------------------------------------------------------------------------


def render_table(rules: CompiledGame, tables: Tables, table: int) -> str:
    """Render a table: hands, the seat to act, the play to beat and the legal labels.

    Args:
        rules: Compiled game.
        tables: Tables of this game.
        table: Index of the table.

    Returns:
        Text of several lines.
    """
    state, seat = tables.state, int(tables.seat[table])
    fluent_texts = _fluent_texts(rules, tables, table)
    lines = [", ".join([f"episode {int(tables.num_episodes[table]) + 1}", *fluent_texts])]
    acting = int(state.stage[table]) in (PLAY, CHOICE)
    for row_seat, hand in enumerate(state.hands[table]):
        mark = ">" if acting and row_seat == seat else " "
        cards = rules.card_codes.to_text(sort_hand(rules, hand, int(state.context[table])))
        lines.append(f"{mark} seat {row_seat} ({int(hand.sum()):2}) {cards}".rstrip())
    if state.aside[table].any():
        aside = state.aside[table]
        lines.append(f"  aside  ({int(aside.sum()):2}) {rules.card_codes.to_text(cards_from_counts(aside))}")
    if state.stage[table] == PLAY:
        lines += _play_lines(rules, tables, table)
    elif state.stage[table] == CHOICE:
        lines += _choice_lines(rules, tables, table)
    else:
        lines.append(f"the episode is over: points {' '.join(map(str, tables.points[table]))}")
    return "\n".join(lines)


def _fluent_texts(rules: CompiledGame, tables: Tables, table: int) -> list[str]:
    """Return the texts of fluents whose values differ from the default."""
    values, fluents = FluentCodec(rules.card_codes.term_texts), tables.state.fluents[table]
    return [
        f"{name} {_value_text(values.write(fluent, fluents))}".rstrip()
        for name, fluent in fluents_by_name(rules.fluents, ()).items()
        if (fluents[fluent.first_slot : fluent.slots.stop] != fluent.default).any()
    ]


def _value_text(value: Any) -> str:
    """Format the value of a fluent in one line."""
    if isinstance(value, Mapping):
        return " ".join(f"{key}={_value_text(item)}" for key, item in value.items())
    if isinstance(value, list):
        return " ".join(",".join(map(str, item)) if isinstance(item, list) else _value_text(item) for item in value)
    return {None: "-", True: ""}.get(value, str(value)) if value is None or value is True else str(value)


def _play_lines(rules: CompiledGame, tables: Tables, table: int) -> list[str]:
    decisions = tables.decisions(np.array([table]))
    form, seat = int(decisions.to_beat[0]), int(tables.seat[table])
    if form < 0:
        situation = f"seat {seat} leads"
    elif rules.trick_query is not None:
        played = tables.state.trick_cards[table]
        trick_texts = [
            f"seat {trick_seat} {_cards_text(rules.card_codes.write(cards_from_counts(played[trick_seat])))}"
            for trick_seat in seats_in_trick(rules, tables.state, table)
        ]
        situation = f"in the trick: {', '.join(trick_texts)}; so far it is that of seat {tables.state.owner[table]}"
    else:
        cards = tables.state.top_cards[[table]]
        played = notate_moves(rules, np.array([form]), cards, decisions.context)[0]
        situation = f"to beat: {played} of seat {tables.state.owner[table]}"
    legal, notation = np.flatnonzero(decisions.legal_mask[:, 0]), canonical_notation(rules)
    by_kind: dict[str, list[str]] = {}
    for label in legal.tolist():
        kind, rank = label_name_parts(rules)[label] if notation is None else notation.labels[label]
        by_kind.setdefault(kind, []).append("" if rank in ("-", kind) else rank)
    width = max((len(kind) for kind in by_kind), default=0)
    kinds = [f"  {kind:<{width}} {' '.join(ranks)}".rstrip() for kind, ranks in by_kind.items()]
    return [situation, f"{len(legal)} legal labels:", *kinds]


def _choice_lines(rules: CompiledGame, tables: Tables, table: int) -> list[str]:
    choices = tables.choices(np.array([table]))
    stage = rules.schema.stages[int(choices.stage[0])]
    options = [str(options_json(rules)[option]) for option in np.flatnonzero(choices.options[0]).tolist()]
    return [f"seat {tables.seat[table]} chooses: {stage}", f"{len(options)} options: {' '.join(options)}"]


# --- views of seats ---------------------------------------------------------------------------------------------------

_VIEW_TEXTS = texts_by_language({
    "hand": ("hand: {cards}", "手牌：{cards}"),
    "others": ("the others hold: {others}", "其余各家：{others}"),
    "to_beat": ("to beat: {play}", "要压：{play}"),
    "of": ("to beat: {play} of {top}", "要压{top}的 {play}"),
    "leads": ("you lead", "请出牌"),
    "stage": ("to choose: {stage}", "请选择：{stage}"),
    "aside": ("aside: {aside}", "底牌：{aside}"),
    "pile": ("in the pile: {aside}", "牌堆：{aside}"),
    "trick": ("in the trick: {trick}", "本轮已出：{trick}"),
})  # fmt: skip


def render_view(
    rules: CompiledGame, decision_point: DecisionPoint, language: str = "en", only_fluents: Container[str] | None = None
) -> str:
    """Render what a seat sees, without fields that the state leaves out.

    Args:
        rules: Compiled game.
        decision_point: Decision of the seat.
        language: "en" or "zh".
        only_fluents: Names of the fluents that are rendered; None for all.

    Returns:
        Text of several lines.
    """
    state, texts = decision_point.state, _VIEW_TEXTS[language]
    fluents = fluents_by_name(rules.fluents, state_fields())
    lines = [
        f"{spell(rules, 'fluent', fluent_of_field(rules, name), language)}: {_value_text(value)}".rstrip(": ")
        for name, value in state.items()
        if _is_shown(fluents, name, value) and (only_fluents is None or fluents[name].signature.name in only_fluents)
    ]
    seat_words = [spell(rules, "who", word, language) for word in rules.seating.relative_names]
    if state.get("face") is not None:
        hand_texts = [
            f"{word} {_cards_text(hand)}".rstrip() for word, hand in zip(seat_words, state["face"], strict=True)
        ]
        lines.append(texts["others"].format(others=", ".join(hand_texts)))
    elif "cards" in state:
        hand_texts = [f"{word} {count}" for word, count in zip(seat_words, state["cards"], strict=True)]
        lines.append(texts["others"].format(others=", ".join(hand_texts)))
    lines += [texts[name].format(aside=_cards_text(cards)) for name, cards in cards_aside(rules, state).items()]
    lines.append(texts["hand"].format(cards=_cards_text(_own_hand(rules, decision_point))))
    if state.get("trick"):
        lines.append(texts["trick"].format(trick=_trick_text(rules, decision_point, language)))
    elif state.get("to_beat"):
        top = state.get("top")
        word = None if top is None else spell(rules, "seat" if isinstance(top, int) else "who", top, language)
        play = _play_text(rules, state["to_beat"], language)
        lines.append(texts["to_beat"].format(play=play) if word is None else texts["of"].format(play=play, top=word))
    elif state.get("stage", "play") != "play":
        lines.append(
            texts["stage"].format(stage=play_name(rules, state["stage"]) if language == "zh" else state["stage"])
        )
    else:
        lines.append(texts["leads"])
    return "\n".join(lines)


def cards_aside(rules: CompiledGame, state: Mapping[str, Any]) -> dict[str, int | str | list[str]]:
    """Return the cards of a state that nobody holds.

    Args:
        rules: Compiled game.
        state: State that `write_state` has written.

    Returns:
        Number of cards to draw (``pile``) of a game with a draw pile, and of the other cards aside (``aside``), or
        these cards where the seat knows them; none of those that are 0.
    """
    pile, aside = int(state.get("stock", 0)) if rules.has_pile else 0, state.get("aside", 0)
    cards = {"pile": pile, "aside": max(0, aside - pile) if isinstance(aside, int) else aside}
    return {name: value for name, value in cards.items() if value}


def _trick_text(rules: CompiledGame, decision_point: DecisionPoint, language: str) -> str:
    """Return the plays of the trick by seat, in order."""
    plays: list[Any] = decision_point.state["trick"]
    seat_words = [
        spell(rules, "who", word, language)
        for word in rules.seating.relative_names[len(rules.seating.relative_names) - len(plays) :]
    ]
    return ", ".join(
        f"{word} {_play_text(rules, play, language)}" for word, play in zip(seat_words, plays, strict=True)
    )


def _is_shown(fluents: Mapping[str, Fluent], name: str, value: Any) -> bool:
    """Return whether a field of a state is a fluent with a value; 0 is one if it is a number of the fluent."""
    return name in fluents and (bool(value) or (type(value) is int and fluents[name].value_type == SINGLE_VALUED))


def _own_hand(rules: CompiledGame, decision_point: DecisionPoint) -> Any:
    """Return the hand as in the state, if hands have no order of suits."""
    if not rules.kb.facts("hand_order", 2):
        return decision_point.state["hand"]
    view = decision_point.decision.view
    return rules.card_codes.write(sort_hand(rules, view.hand[0], int(view.context[0])))


def _cards_text(value: Any) -> str:
    return " ".join(value) if isinstance(value, list) else str(value)


def _play_text(rules: CompiledGame, value: Any, language: str) -> str:
    if isinstance(value, Mapping):
        return f"{value.get('label', '')} {_cards_text(value['cards'])}".strip()
    if not is_canonical_play(value):
        return _cards_text(value)
    label = read_play(rules, value).label
    if language == "zh" and label is not None:
        name = play_name(rules, rules.labels[label])
        return f"{name.kind}{name.rank} {_cards_text(value[2])}"
    return " ".join([*value[:2], *value[2]])

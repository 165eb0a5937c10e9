"""A Guandan table as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from abl_cards.games.guandan.course import PLAY
from abl_cards.games.guandan.knowledge import WHO
from abl_cards.games.guandan.records import hand_texts
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.guandan.tables import Tables
from abl_cards.games.guandan.wire import RANK_TEXT, wire_rank, wire_type


def draw_table(rules: Rules, tables: Tables, table: int) -> str:
    """The hands, the play to beat, and the legal labels of the seat to decide."""
    course, standing = tables.course, tables.ladder.standing[table]
    level = int(course.level[table])
    levels = " : ".join(RANK_TEXT[int(rank)] for rank in standing)
    lines = [f"episode {tables.episode[table] + 1}, level {RANK_TEXT[level]}, teams at {levels}"]
    for seat in range(4):
        mark = ">" if seat == course.seat[table] else " "
        cards = hand_texts(course.hands[table, seat], level)
        lines.append(f"{mark} seat {seat} ({len(cards):2}) {' '.join(cards)}")
    if course.stage[table] == PLAY:
        lines += _situation(rules, tables, table)
    return "\n".join(lines)


def draw_view(state: Mapping[str, Any]) -> str:
    """What the seat to decide sees, from the JSON form of its state."""
    hand, to_beat, stage = state["hand"], state["to_beat"], state.get("stage", "play")
    lines = [f"level {state['level']}, hand of {len(hand)}: {' '.join(hand)}"]
    counts = zip(WHO, state["cards"], strict=True)
    lines.append("the others hold: " + ", ".join(f"{who} {count}" for who, count in counts))
    if stage != "play":
        lines.append("a card is to be paid" if stage == "tribute" else "a card is to be returned")
    elif to_beat:
        lines.append(f"to beat: {' '.join([*to_beat[:2], *to_beat[2]])} of {state['top']}")
    else:
        lines.append("leads")
    return "\n".join(lines)


def _situation(rules: Rules, tables: Tables, table: int) -> list[str]:
    course = tables.course
    form = int(course.to_beat[table])
    legal = tables.decisions(np.array([table])).legal[:, 0]
    labels: dict[str, list[str]] = {}
    for index in np.flatnonzero(legal):
        label = rules.labels[index]
        labels.setdefault(wire_type(label), []).append(wire_rank(label))
    label = rules.labels[rules.shapes.form_label[form]]
    situation = (
        f"to beat: {wire_type(label)} {wire_rank(label)} of seat {course.owner[table]}" if form >= 0 else "leads"
    )
    return [
        f"seat {course.seat[table]} {situation}" if form < 0 else situation,
        f"{int(legal.sum())} legal labels:",
    ] + [f"  {kind:<13} {' '.join(ranks) if kind != 'PASS' else ''}".rstrip() for kind, ranks in labels.items()]

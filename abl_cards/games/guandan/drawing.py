"""A Guandan table as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from abl_cards.games.guandan.course import PLAY
from abl_cards.games.guandan.records import hand_texts
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.guandan.tables import Tables
from abl_cards.games.guandan.wire import RANK_TEXT, wire_rank, wire_type
from abl_cards.games.guandan.wording import wire_text


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


_VIEW = {
    "en": {
        "hand": "level {level}, hand of {count}: {cards}",
        "others": "the others hold: next {0}, partner {1}, previous {2}",
        "to_beat": "to beat: {play} of {top}",
        "leads": "leads",
        "tribute": "a card is to be paid",
        "back": "a card is to be returned",
        "next": "next", "partner": "partner", "previous": "previous",
    },
    "zh": {
        "hand": "级牌 {level}，手牌 {count} 张：{cards}",
        "others": "其余各家：下家 {0} 张，对家 {1} 张，上家 {2} 张",
        "to_beat": "要压的牌：{top}的 {play}",
        "leads": "领出",
        "tribute": "进贡一张",
        "back": "还贡一张",
        "next": "下家", "partner": "对家", "previous": "上家",
    },
}  # fmt: skip


def draw_view(state: Mapping[str, Any], language: str = "en") -> str:
    """What the seat to decide sees, from the JSON form of its state."""
    say, hand, to_beat, stage = _VIEW[language], state["hand"], state["to_beat"], state.get("stage", "play")
    lines = [
        say["hand"].format(level=state["level"], count=len(hand), cards=" ".join(hand)),
        say["others"].format(*state["cards"]),
    ]
    if to_beat:
        lines.append(say["to_beat"].format(play=wire_text(to_beat, language), top=say.get(state["top"], "")))
    else:
        lines.append(say[stage] if stage != "play" else say["leads"])
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

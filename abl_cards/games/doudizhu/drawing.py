"""A Dou dizhu table as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from abl_cards.games.doudizhu.course import NO_BID, PLAY
from abl_cards.games.doudizhu.rulebook import LETTERS, Rules
from abl_cards.games.doudizhu.shapes import FIRST
from abl_cards.games.doudizhu.tables import Tables
from abl_cards.games.doudizhu.wire import ROLES, hand_text
from abl_cards.games.shapes import arguments, functor


def label_text(label: str) -> str:
    """A label in words: its type, its main rank, its length.

    >>> label_text("single_chain(3,5)"), label_text("pair(15)")
    ('single_chain 3×5', 'pair 2')
    """
    numbers = arguments(label)
    if not numbers:
        return label
    rank = LETTERS[int(numbers[0]) - FIRST]
    return f"{functor(label)} {rank}{'×' + str(numbers[1]) if len(numbers) > 1 else ''}"


def draw_table(rules: Rules, tables: Tables, table: int) -> str:
    """The hands, the play to beat, and the legal labels of the seat to decide."""
    play = tables.course
    landlord = int(play.landlord[table])
    bids = " ".join("–" if bid == NO_BID else str(bid) for bid in play.bids[table])
    title = f"bids {bids}" if landlord < 0 else f"stake {play.stake[table]}, doubled {play.doublings[table]} times"
    lines = [f"{title}, bottom cards {hand_text(int(play.bottom[table]))}"]
    for seat in range(3):
        mark = ">" if seat == play.seat[table] else " "
        role = ROLES[(seat - landlord) % 3] if landlord >= 0 else "–"
        hand = hand_text(int(play.hands[table, seat]))
        lines.append(f"{mark} seat {seat} {role:<13} ({len(hand):2}) {hand}")
    if play.stage[table] == PLAY:
        lines += _situation(rules, tables, table)
    return "\n".join(lines)


def _situation(rules: Rules, tables: Tables, table: int) -> list[str]:
    play, label = tables.course, int(tables.course.to_beat[table])
    legal = tables.decisions(np.array([table])).legal[:, 0]
    by_type: dict[str, list[str]] = {}
    for index in np.flatnonzero(legal):
        words = label_text(rules.labels[index]).split(" ", 1)
        by_type.setdefault(words[0], []).append(words[1] if len(words) > 1 else "")
    situation = f"seat {play.seat[table]} leads"
    if label >= 0:
        situation = f"to beat: {label_text(rules.labels[label])} of seat {play.owner[table]}"
    return [situation, f"{int(legal.sum())} legal labels:"] + [
        f"  {kind:<13} {' '.join(ranks)}".rstrip() for kind, ranks in by_type.items()
    ]


_VIEW = {
    "en": {
        "hand": "{role}, hand of {count}: {cards}",
        "others": "the others hold: next {0}, previous {1}",
        "to_beat": "to beat: {play} of {top}",
        "leads": "leads",
        "bid": "bids so far: {bids}",
        "landlord": "landlord",
        "landlord_down": "peasant after the landlord",
        "landlord_up": "peasant before the landlord",
        "bidder": "bidding", "next": "next", "previous": "previous",
    },
    "zh": {
        "hand": "{role}，手牌 {count} 张：{cards}",
        "others": "其余各家：下家 {0} 张，上家 {1} 张",
        "to_beat": "要压的牌：{top}的 {play}",
        "leads": "领出",
        "bid": "已叫分：{bids}",
        "landlord": "地主", "landlord_down": "农民（地主下家）", "landlord_up": "农民（地主上家）",
        "bidder": "叫分", "next": "下家", "previous": "上家",
    },
}  # fmt: skip


def draw_view(state: Mapping[str, Any], language: str = "en") -> str:
    """What the seat to decide sees, from the JSON form of its state."""
    say, hand = _VIEW[language], state["hand"]
    if state.get("stage") == "bid":
        bids = " ".join(map(str, state["bids"])) or "–"
        return "\n".join(
            [say["hand"].format(role=say["bidder"], count=len(hand), cards=hand), say["bid"].format(bids=bids)]
        )
    role = say[state.get("role") or "landlord"]
    lines = [say["hand"].format(role=role, count=len(hand), cards=hand), say["others"].format(*state["cards"])]
    if state["to_beat"]:
        lines.append(say["to_beat"].format(play=state["to_beat"], top=say.get(state["top"], "")))
    else:
        lines.append(say["leads"])
    return "\n".join(lines)

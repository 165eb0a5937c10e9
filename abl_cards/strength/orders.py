"""Deals of a class, made to order, and what a hand or a deal is worth, in plain values."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from abl_cards.games import GameError
from abl_cards.games.doudizhu.course import sizes_of
from abl_cards.games.doudizhu.deals import Hands, deal_texts
from abl_cards.games.doudizhu.engine import DoudizhuEngine
from abl_cards.games.doudizhu.shapes import Key
from abl_cards.games.doudizhu.strength import Group
from abl_cards.games.doudizhu.wire import hand_text
from abl_cards.streams import key_of, mix_all
from abl_cards.strength.judge import StrengthJudge
from reasoners.deal_maker import DealMaker

_UNKNOWN = 1000  # deals that a landlord's hand is tried in


@dataclass(frozen=True)
class Order:
    """What deals are wanted."""

    wanted: int  # class
    number: int
    confidence: float
    seed: int
    unlike: Collection[str] = frozenset()  # names of deals that are not to be made


def name_of(hands: Hands, row: int) -> str:
    """The same for deals with the same hands, whatever their bottom cards."""
    return " ".join(hand_text(int(key)) for key in hands.parts[row])


def fill(
    engine: DoudizhuEngine,
    judge: StrengthJudge,
    order: Order,
    tell: Callable[[int, str], None] = lambda done, text: None,
) -> list[dict[str, Any]]:
    """The deals as they are written down; raises GameError where they cannot be found."""
    maker = DealMaker(engine.dealer, judge, order.seed, name_of, order.unlike)
    made = maker.make(order.wanted, order.confidence, order.number, tell=tell)
    if len(made.deals) < order.number:
        raise GameError(
            f"{len(made.deals)} of {order.number} deals of class {order.wanted} at confidence {order.confidence:g} "
            f"found among {made.judged:,}; ask for less confidence"
        )
    return [
        {"class": order.wanted, "confidence": round(sure, 4), **deal_texts(deal, 0)}
        for deal, sure in zip(made.deals, made.confidence, strict=True)
    ]


def hand_strength(engine: DoudizhuEngine, hand: Key) -> dict[str, Any]:
    """A hand split: what its groups are worth."""
    groups = engine.scorer.split(hand)
    told = [{"cards": _cards(engine, group), "label": group.label, "points": group.points} for group in groups]
    return {
        "hand": hand_text(hand),
        "points": sum(group.points for group in groups),
        "plays": len(groups),
        "groups": told,
    }


def _cards(engine: DoudizhuEngine, group: Group) -> str:
    shapes = engine.rules.shapes
    keys = [int(shapes.layout.main[shapes.index[label]]) for label in (group.label, group.carried) if label]
    return hand_text(keys[0]) + "".join(map(hand_text, keys[1:]))


def class_odds(engine: DoudizhuEngine, judge: StrengthJudge, hands: list[Key], seed: int = 0) -> list[float] | None:
    """The probability of each class of a deal, or of the deals that a landlord's hand may belong to.

    None for a hand that is no whole one of a landlord's; raises GameError for three hands that are no deal.
    """
    if len(hands) == 3:
        return judge(engine.dealer.read(dict(zip(("landlord", "down", "up"), map(hand_text, hands), strict=True))))[
            0
        ].tolist()
    if int(sizes_of(np.array(hands, np.uint64))[0]) != engine.dealer.sizes[0]:
        return None
    deals = engine.dealer.complete(hands[0], mix_all(np.full(_UNKNOWN, key_of(seed), np.uint64), np.arange(_UNKNOWN)))
    return judge(deals).mean(axis=0).tolist()

"""Deals of a class, made to order, and what a hand or a deal is worth, in plain values."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from abl_cards.errors import GameError
from abl_cards.games.counting.keys import Key, key_text, sizes_of
from abl_cards.streams import key_of, mix_all
from abl_cards.strength.deals import PARTS, Hands, deal_texts
from abl_cards.strength.hand_points import Group
from abl_cards.strength.judge import StrengthJudge
from abl_cards.strength.rules import StrengthRules
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
    return " ".join(str(key) for key in hands.parts[row])


def fill(
    rules: StrengthRules,
    judge: StrengthJudge,
    order: Order,
    tell: Callable[[int, str], None] = lambda done, text: None,
) -> list[dict[str, Any]]:
    """The deals as they are written down; raises GameError where they cannot be found."""
    maker = DealMaker(rules.dealer, judge, order.seed, name_of, order.unlike)
    made = maker.make(order.wanted, order.confidence, order.number, tell=tell)
    if len(made.deals) < order.number:
        raise GameError(
            f"{len(made.deals)} of {order.number} deals of class {order.wanted} at confidence {order.confidence:g} "
            f"found among {made.judged:,}; ask for less confidence"
        )
    return [
        {"class": order.wanted, "confidence": round(sure, 4), **deal_texts(rules.dealer.letters, deal, 0)}
        for deal, sure in zip(made.deals, made.confidence, strict=True)
    ]


def hand_strength(rules: StrengthRules, hand: Key) -> dict[str, Any]:
    """A hand split: what its groups are worth."""
    groups = rules.scorer.split(hand)
    told = [{"cards": _cards(rules, group), "label": group.label, "points": group.points} for group in groups]
    return {
        "hand": key_text(rules.dealer.letters, hand),
        "points": sum(group.points for group in groups),
        "plays": len(groups),
        "groups": told,
    }


def _cards(rules: StrengthRules, group: Group) -> str:
    own = rules.engine.rules
    forms = [own.forms.forms[own.forms.number[label]] for label in (group.label, group.carried) if label]
    kinds = [[own.pack.number[own.cells.names[each.cell]]] * each.count for form in forms for each in form.groups]
    return own.letters.spoken(card for each in kinds for card in each)


def class_odds(rules: StrengthRules, judge: StrengthJudge, hands: list[Key], seed: int = 0) -> list[float] | None:
    """The probability of each class of a deal, or of the deals that a landlord's hand may belong to.

    None for a hand that is no whole one of a landlord's; raises GameError for three hands that are no deal.
    """
    if len(hands) == 3:
        texts = [key_text(rules.dealer.letters, hand) for hand in hands]
        return judge(rules.dealer.read(dict(zip(PARTS, texts, strict=True))))[0].tolist()
    if int(sizes_of(np.array(hands, np.uint64))[0]) != rules.dealer.sizes[0]:
        return None
    deals = rules.dealer.complete(hands[0], mix_all(np.full(_UNKNOWN, key_of(seed), np.uint64), np.arange(_UNKNOWN)))
    return judge(deals).mean(axis=0).tolist()

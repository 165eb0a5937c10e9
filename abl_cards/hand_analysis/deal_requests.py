"""Deals of a class, made to order, and what a hand or a deal is worth, in plain values."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from abl_cards.core import GameError, derive_key, splitmix64_array
from abl_cards.games.min_plays import HandKey, key_sizes, key_text
from abl_cards.hand_analysis.classifier import DealClassPredictor
from abl_cards.hand_analysis.deal_generator import DealGenerator
from abl_cards.hand_analysis.deal_rules import DealRules
from abl_cards.hand_analysis.deals import DEAL_ROLES, DealBatch, deal_to_json
from abl_cards.hand_analysis.hand_points import HandGroup

_NUM_COMPLETIONS = 1000  # deals that a landlord's hand is tried in


@dataclass(frozen=True)
class DealRequest:
    """What deals are wanted."""

    deal_class: int  # class
    num_deals: int
    confidence: float
    seed: int
    excluded_ids: Collection[str] = frozenset()  # names of deals that are not to be made


def deal_id(deals: DealBatch, row: int) -> str:
    """The same for deals with the same hands, whatever their bottom cards."""
    return " ".join(str(key) for key in deals.hand_keys[row])


def generate_deals(
    rules: DealRules,
    classifier: DealClassPredictor,
    request: DealRequest,
    on_progress: Callable[[int, str], None] = lambda done, text: None,
) -> list[dict[str, Any]]:
    """The deals as they are written down; raises GameError where they cannot be found."""
    maker = DealGenerator(rules.deal_sampler, classifier, request.seed, deal_id, request.excluded_ids)
    made = maker.generate(request.deal_class, request.confidence, request.num_deals, on_progress=on_progress)
    if len(made.deals) < request.num_deals:
        raise GameError(
            f"{len(made.deals)} of {request.num_deals} deals of class {request.deal_class} at confidence "
            f"{request.confidence:g} found among {made.n_classified:,}; ask for less confidence"
        )
    return [
        {"class": request.deal_class, "confidence": round(sure, 4), **deal_to_json(rules.deal_sampler.letters, deal, 0)}
        for deal, sure in zip(made.deals, made.confidence, strict=True)
    ]


def analyse_hand(rules: DealRules, hand: HandKey) -> dict[str, Any]:
    """A hand split: what its groups are worth."""
    groups = rules.hand_scorer.split(hand)
    told = [
        {"cards": _group_cards_text(rules, group), "label": group.label, "points": group.points} for group in groups
    ]
    return {
        "hand": key_text(rules.deal_sampler.letters, hand),
        "points": sum(group.points for group in groups),
        "plays": len(groups),
        "groups": told,
    }


def _group_cards_text(rules: DealRules, group: HandGroup) -> str:
    own = rules.engine.rules
    forms = [own.forms.forms[own.forms.index[label]] for label in (group.label, group.carried) if label]
    kinds = [[own.pack.index[own.cells.names[each.cell]]] * each.count for form in forms for each in form.groups]
    return own.card_codes.to_text(card for each in kinds for card in each)


def predict_class_probabilities(
    rules: DealRules, classifier: DealClassPredictor, hands: list[HandKey], seed: int = 0
) -> list[float] | None:
    """The probability of each class of a deal, or of the deals that a landlord's hand may belong to.

    None for a hand that is no whole one of a landlord's; raises GameError for three hands that are no deal.
    """
    if len(hands) == 3:
        texts = [key_text(rules.deal_sampler.letters, hand) for hand in hands]
        return classifier(rules.deal_sampler.read_deal(dict(zip(DEAL_ROLES, texts, strict=True))))[0].tolist()
    if int(key_sizes(np.array(hands, np.uint64))[0]) != rules.deal_sampler.hand_sizes[0]:
        return None
    deals = rules.deal_sampler.complete_deals(
        hands[0], splitmix64_array(np.full(_NUM_COMPLETIONS, derive_key(seed), np.uint64), np.arange(_NUM_COMPLETIONS))
    )
    return classifier(deals).mean(axis=0).tolist()

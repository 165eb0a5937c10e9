"""Generate deals of a class, and evaluate hands and deals, as plain values for JSON."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from abl_cards.core import ErrorCode, GameError, check_path, derive_key, splitmix64_array
from abl_cards.games.min_plays import HandKey, key_sizes, key_text
from abl_cards.hand_analysis.classifier import DealClassPredictor
from abl_cards.hand_analysis.deal_generator import DealGenerator
from abl_cards.hand_analysis.deal_rules import DealRules
from abl_cards.hand_analysis.deals import DEAL_ROLES, DealBatch, deal_to_json
from abl_cards.hand_analysis.hand_points import HandGroup
from abl_cards.matches import normalise_records, read_records

_NUM_COMPLETIONS = 1000  # random deals that complete a landlord's hand


@dataclass(frozen=True)
class DealRequest:
    """Request for deals of a class.

    Attributes:
        deal_class: Class, from 0, the hardest for the landlord.
        num_deals: Number of deals.
        confidence: Least probability of the class for each deal.
        seed: Seed of the random numbers.
        excluded_ids: Ids (see `deal_id`) of deals that must not be generated.
    """

    deal_class: int
    num_deals: int
    confidence: float
    seed: int
    excluded_ids: Collection[str] = frozenset()


def deal_id(deals: DealBatch, row: int) -> str:
    """Return the id of a deal.

    Args:
        deals: A batch of deals.
        row: Index of the deal.

    Returns:
        Text that is equal for deals with equal hands, whatever their bottom cards.
    """
    return " ".join(str(key) for key in deals.hand_keys[row])


def read_deal_ids(rules: DealRules, file: str | Path) -> frozenset[str]:
    """Return the ids of the deals in a file.

    Args:
        rules: Rules of deals.
        file: Deals, or records of games, one per line.

    Returns:
        Ids (see `deal_id`).

    Raises:
        GameError: A line does not hold a deal; the message names file and line.
        OSError: The file cannot be read.
    """
    file = check_path("file", file)
    try:
        deals = rules.read_deals(normalise_records(rules.engine, read_records(file)))
    except GameError as problem:
        raise GameError(f"{file}: {problem}", problem.code) from None
    return frozenset(deal_id(deals, row) for row in range(len(deals.bottom_keys)))


def generate_deals(
    rules: DealRules,
    classifier: DealClassPredictor,
    request: DealRequest,
    on_progress: Callable[[int, str], None] = lambda done, text: None,
) -> list[dict[str, Any]]:
    """Generate deals of a class.

    Args:
        rules: Rules of deals.
        classifier: Predicts the class of deals.
        request: Class, number and confidence.
        on_progress: Called with the number of deals found and a remark.

    Returns:
        For each deal a JSON object with its class, its confidence and its hands.

    Raises:
        GameError: Too few deals were found within the limits.
    """
    generator = DealGenerator(rules.deal_sampler, classifier, request.seed, deal_id, request.excluded_ids)
    generated = generator.generate(request.deal_class, request.confidence, request.num_deals, on_progress=on_progress)
    if len(generated.deals) < request.num_deals:
        remedy = "request a lower confidence, or fewer deals" if request.confidence else "request fewer deals"
        raise GameError(
            f"{len(generated.deals)} of {request.num_deals} deals of class {request.deal_class} at confidence "
            f"{request.confidence:g} found among {generated.n_classified:,}; {remedy}",
            ErrorCode.NOT_ENOUGH_DEALS,
        )
    return [
        {
            "class": request.deal_class,
            "confidence": round(confidence, 4),
            **deal_to_json(rules.deal_sampler.letters, deal, 0),
        }
        for deal, confidence in zip(generated.deals, generated.confidence, strict=True)
    ]


def analyse_hand(rules: DealRules, hand: HandKey) -> dict[str, Any]:
    """Split a hand and value its groups.

    Args:
        rules: Rules of deals.
        hand: Key of the hand.

    Returns:
        JSON object with the points of the hand, the number of plays, and the groups.
    """
    groups = rules.hand_scorer.split(hand)
    group_values = [
        {"cards": _group_cards_text(rules, group), "label": group.label, "points": group.points} for group in groups
    ]
    return {
        "hand": key_text(rules.deal_sampler.letters, hand),
        "points": sum(group.points for group in groups),
        "plays": len(groups),
        "groups": group_values,
    }


def _group_cards_text(rules: DealRules, group: HandGroup) -> str:
    game = rules.engine.rules
    forms = [game.forms.forms[game.forms.index[label]] for label in (group.label, group.carried) if label]
    kinds = [[game.pack.index[game.cells.names[part.cell]]] * part.count for form in forms for part in form.groups]
    return game.card_codes.to_text(card for cards in kinds for card in cards)


def predict_class_probabilities(
    rules: DealRules, classifier: DealClassPredictor, hands: list[HandKey]
) -> list[float] | None:
    """Predict the class of a deal, or the mean over random deals that complete a landlord's hand.

    Args:
        rules: Rules of deals.
        classifier: Predicts the class of deals.
        hands: Keys of the three hands of a deal, or of the landlord's hand alone.

    Returns:
        Probability of each class; None for one hand of another size than the landlord's.

    Raises:
        GameError: Three hands do not form a deal.
    """
    if len(hands) == 3:
        texts = [key_text(rules.deal_sampler.letters, hand) for hand in hands]
        return classifier(rules.deal_sampler.read_deal(dict(zip(DEAL_ROLES, texts, strict=True))))[0].tolist()
    if int(key_sizes(np.array(hands, np.uint64))[0]) != rules.deal_sampler.hand_sizes[0]:
        return None
    deals = rules.deal_sampler.complete_deals(
        hands[0], splitmix64_array(np.full(_NUM_COMPLETIONS, derive_key(0), np.uint64), np.arange(_NUM_COMPLETIONS))
    )
    return classifier(deals).mean(axis=0).tolist()

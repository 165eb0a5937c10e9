"""Estimates of hidden hands at the decisions of a record, compared with the true hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import ExplainableAgent
from abl_cards.games import Engine
from abl_cards.games.description import counts_from_cards
from abl_cards.games.notation import other_seats
from abl_cards.games.tables import DecisionPoint, is_play_decision
from abl_cards.reasoners.hidden_hands import prior_estimate

if TYPE_CHECKING:
    from abl_cards.agents import AblAgent
    from abl_cards.reasoners.explain import ModelExplanation

NUM_BINS = 10
"""Bins of the predicted probabilities of the calibration curve."""


class EstimateCheck(NamedTuple):
    """Comparison of all estimates of a record with the true hands.

    Attributes:
        errors: For each frame, the share of hidden cards that the estimate assigns to wrong hands; None without one.
        calibration: For each non-empty bin of predictions, the mean prediction, the observed share, and the number.
    """

    errors: list[float | None]
    calibration: list[dict[str, float]]


def true_hands(engine: Engine, frame: Mapping[str, Any]) -> NDArray[np.uint8]:
    """Return the true hands of the other seats [others, kinds] in the order of play, from a frame."""
    rules = engine.rules
    hands = [frame["hands"][seat] for seat in other_seats(rules, frame["seat"])]
    kinds = rules.card_codes.kind_by_text
    return np.stack([counts_from_cards((kinds[text] for text in hand), len(rules.pack)) for hand in hands])


def estimate_json(
    engine: Engine, point: DecisionPoint, model_explanation: ModelExplanation | None, frame: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the expected and the true hidden hands at a play; expected by the agent, or by counting."""
    if not is_play_decision(point.decision) or engine.rules.has_open_hands:
        return None
    rules, decision = engine.rules, point.decision
    known = decision.information_set()
    copies = prior_estimate(known, decision.belief_log_odds())[0]
    if model_explanation is not None and model_explanation.estimate is not None:
        copies = model_explanation.estimate.copies
    truth = true_hands(engine, frame)
    kinds = np.flatnonzero(known.unseen[0]).tolist()
    held = max(1.0, float(truth.sum()))
    return {
        "cards": [rules.card_codes.kind_texts[kind] for kind in kinds],
        "hands": [[round(float(row[kind]), 3) for kind in kinds] for row in copies],
        "truth": [[int(row[kind]) for kind in kinds] for row in truth],
        "error": round(float(np.abs(copies - truth).sum()) / (2 * held), 4),
    }  # fmt: skip


def check_estimates(
    engine: Engine, player: ExplainableAgent, record: Mapping[str, Any], frames: Sequence[Mapping[str, Any]],
    decision_numbers: Sequence[int | None],
) -> EstimateCheck:  # fmt: skip
    """Compare the estimates of an agent at all plays of a record with the true hands."""
    indices = [index for index, frame in enumerate(frames) if frame["plays"] and decision_numbers[index]]
    errors: list[float | None] = [None] * len(decision_numbers)
    if engine.rules.has_open_hands or not indices:
        return EstimateCheck(errors, [])
    acts = [decision_numbers[index] or 0 for index in indices]
    decisions = engine.decisions_at_acts([record] * len(indices), acts)
    known = decisions.information_set()
    copies = prior_estimate(known, decisions.belief_log_odds())
    policy = getattr(player, "policy", None)
    if policy is not None and policy.has_hand_estimator:
        learned: AblAgent = player  # type: ignore[assignment]
        _, copies = learned.policy.estimate_hands(decisions, decisions.observe(), np.arange(len(indices)))
    truth = np.stack([true_hands(engine, frames[index]) for index in indices])
    shares = np.abs(copies - truth).sum(axis=(1, 2)) / (2 * np.maximum(1, truth.sum(axis=(1, 2))))
    for index, error in zip(indices, shares.tolist(), strict=True):
        errors[index] = round(error, 4)
    return EstimateCheck(errors, calibrate(np.asarray(copies), truth, np.asarray(known.unseen)))


def calibrate(
    copies: NDArray[np.floating], truth: NDArray[np.integer], unseen: NDArray[np.integer], num_bins: int = NUM_BINS
) -> list[dict[str, float]]:
    """Compare predicted probabilities of hidden cards with the shares that were observed.

    A prediction is the probability that a hidden copy of a card lies in the hand of a seat.

    Args:
        copies: Expected copies [decisions, others, kinds].
        truth: True copies [decisions, others, kinds].
        unseen: Copies that the seat to decide does not see [decisions, kinds].
        num_bins: Bins of equal width from 0 to 1.

    Returns:
        For each non-empty bin ``predicted``, ``observed`` and the number ``n`` of predictions.
    """
    weights = np.broadcast_to(unseen[:, None, :], copies.shape).astype(np.float64)
    is_hidden = weights > 0
    weight, expected, held = weights[is_hidden], copies[is_hidden].astype(np.float64), truth[is_hidden]
    bins = np.minimum((expected / weight * num_bins).astype(np.int64), num_bins - 1)
    n, predicted, observed = (
        np.bincount(bins, values, num_bins) for values in (weight, expected, held.astype(np.float64))
    )
    return [
        {"predicted": round(predicted[k] / n[k], 4), "observed": round(observed[k] / n[k], 4), "n": int(n[k])}
        for k in np.flatnonzero(n).tolist()
    ]

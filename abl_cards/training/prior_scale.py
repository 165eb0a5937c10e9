"""Initial weight of the preference costs in the policy logits, independent of the unit of the costs.

The policy samples its labels to explore. With too small a weight it plays far worse than the preferences, and learns
from positions after blunders.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import make_agent
from abl_cards.games import Engine
from abl_cards.learners import MAX_REGRET, REGRET_UNIT
from abl_cards.training.decision_dataset import collect_decisions

_DECISIONS, _TABLES = 4_000, 64
_MIN_SCALE, _MAX_SCALE, _BISECTION_STEPS = 0.25, 256.0, 40


def estimate_prior_scale(engine: Engine, prior_error_rate: float, seed: int) -> float:
    """Estimate the weight at which a share of the sampled labels are not the cheapest, at decisions of agent kb."""
    judge = engine.preference_model()
    if not judge.outputs:  # nothing costs anything, whatever the weight
        return _MIN_SCALE
    lessons = collect_decisions(engine, judge, make_agent("kb", engine), _DECISIONS, seed, _TABLES)
    return calibrate_prior_scale(lessons.examples.regret, prior_error_rate)


def calibrate_prior_scale(regret: NDArray[np.floating], prior_error_rate: float) -> float:
    """Find the weight from costs over the cheapest label's [n, labels], infinite for labels that are not possible.

    >>> round(calibrate_prior_scale(np.array([[0, 30.0, np.inf]]), 0.1), 3)  # log(9) units
    2.197
    """
    costs, least, most = _list_choice_costs(regret), np.log(_MIN_SCALE), np.log(_MAX_SCALE)
    for _ in range(_BISECTION_STEPS):
        middle = (least + most) / 2
        least, most = (
            (middle, most) if _error_rate(costs, float(np.exp(middle))) > prior_error_rate else (least, middle)
        )
    return float(np.exp((least + most) / 2))


def _list_choice_costs(regret: NDArray[np.floating]) -> list[NDArray[np.float32]]:
    """Return the costs of the labels of each decision with a choice, in units of ``REGRET_UNIT``."""
    several = (np.isfinite(row) for row in regret)
    choices = (row[legal] for row, legal in zip(regret, several, strict=True) if legal.sum() > 1)
    return [np.clip(row.astype(np.float32) / REGRET_UNIT, 0, MAX_REGRET) for row in choices]


def _error_rate(costs: list[NDArray[np.float32]], prior_scale: float) -> float:
    """Return the mean probability of labels that are not the cheapest."""
    weights = (np.exp(-prior_scale * row) for row in costs)
    missed = [float(weight[row > 0].sum() / weight.sum()) for weight, row in zip(weights, costs, strict=True)]
    return float(np.mean(missed)) if missed else 0.0

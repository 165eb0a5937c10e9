"""Estimates of hidden hands and their errors; an ABLN taught with few true hands, the others abduced."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Engine
from abl_cards.streams import below_all, key_of, mix_all
from experiments.desk import Tell
from experiments.views import Views
from reasoners.hands import Estimate, abduced, counting, expected, project, reckon

if TYPE_CHECKING:
    from learners.abln import ABLN

Estimator = Callable[[Views], Estimate]
PLAIN: dict[str, Estimator] = {
    "counting": lambda views: counting(views.constraints.without_facts()),
    "counting + facts": lambda views: project(counting(views.constraints), views.constraints),
    "counting + facts + hints": lambda views: _reckoned(views),
}
"""What is estimated without learning: the unseen cards in proportion to cards left, then what hands.lp says."""
EXACT: dict[str, Estimator] = {
    "mean of all deals": lambda views: expected(counting(views.constraints), views.constraints)
}
"""Slow: all consistent deals, each as likely as the others."""
_SHOWN = 21  # what the random numbers are for
_FINE = 1 << 20


def learned(abln: ABLN) -> dict[str, Estimator]:
    """What a network estimates, without and with the projection."""
    return {
        "ABLN": lambda views: guessed(abln, views, _reckoned(views)),
        "ABLN + projection": lambda views: project(guessed(abln, views, _reckoned(views)), views.constraints),
    }


def _reckoned(views: Views) -> Estimate:
    """What a network begins from: counts, facts and hints."""
    return reckon(views.constraints, views.hints)


def guessed(abln: ABLN, views: Views, prior: Estimate, batch: int = 4096) -> Estimate:
    """The estimates of a network that begins from a prior."""
    import torch

    parts = []
    with torch.inference_mode():
        for first in range(0, len(views), batch):
            part = slice(first, first + batch)
            observation, before = torch.from_numpy(views.observation[part]).float(), torch.from_numpy(prior[part])
            parts.append(abln(observation, before).numpy())
    found: Estimate = np.concatenate(parts)
    return found


def errors(views: Views, estimate: Estimate) -> dict[str, float]:
    """The squared error summed over seats and cards: its mean over all decisions, and by the observer's cards."""
    error = ((estimate - views.truth.astype(np.float32)) ** 2).sum(axis=(1, 2), dtype=np.float64)
    found = {"all": float(error.mean())}
    return found | {str(left): float(error[views.cards == left].mean()) for left in np.unique(views.cards)}


def shown(views: Views, share: float, seed: int) -> NDArray[np.bool_]:
    """[n] whether the hands of the episode are revealed, a share of the episodes."""
    drawn = mix_all(np.full(len(views), key_of(seed, _SHOWN), np.uint64), views.episode)
    return below_all(drawn, _FINE) < share * _FINE


def taught(
    engine: Engine, views: Views, revealed: NDArray[np.bool_], abduce: bool, steps: int, seed: int, tell: Tell
) -> ABLN:
    """An ABLN of the preset small that learns from the revealed hands [n], and from abduced ones or not at all else.

    A hidden hand is abduced at every step anew, from what the network thinks by then: the nearest hands that explain
    the counts, the facts and what the seats laid down afterwards.
    """
    import torch

    from abl_cards.loop.pretraining import abln_fit
    from learners.abln import hands_loss
    from learners.networks import GameShape, Networks
    from learners.presets import PRESETS
    from learners.symmetry import Symmetries

    networks = Networks(PRESETS["small"], GameShape.of(engine), seed)
    abln = networks.abln
    assert abln is not None
    symmetries = Symmetries.of(engine.symmetries, engine.observation)
    fit = abln_fit(networks, symmetries, steps, seed)
    chosen = np.arange(len(views)) if abduce else np.flatnonzero(revealed)
    if not len(chosen):
        return abln.eval()
    priors = _reckoned(views)

    def loss(rng: np.random.Generator) -> torch.Tensor:
        rows = chosen[rng.integers(0, len(chosen), fit.batch)]
        part, number = views.at(rows), int(rng.integers(len(symmetries)))
        hands = part.truth.astype(np.float32)
        hidden = np.flatnonzero(~revealed[rows])
        if hidden.size:
            unseen = part.at(hidden)
            guess = guessed(abln, unseen, priors[rows[hidden]])
            hands[hidden] = abduced(guess, unseen.constraints, unseen.later)
        told = part.observation, priors[rows], hands
        observation, prior, target = map(torch.from_numpy, told)
        turned = symmetries.observation(number, observation.float())
        estimate = abln(turned, symmetries.hands(number, prior))
        return hands_loss(estimate, symmetries.hands(number, target))

    fit.follow(loss, lambda done, value: tell(done, f"loss {value:.4f}"))
    return abln.eval()

"""The path of one decision (estimate, project, decide, realise), for thousands of decisions at once."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numpy.typing import NDArray

from abl_cards.agents.agent import Keys
from abl_cards.games import Decisions, Engine, Indices, Judge, Tables
from abl_cards.parallel import each_share
from learners.told import Opened, Told, filled, filled_rows
from reasoners.survey import Survey, plays_after, survey

if TYPE_CHECKING:
    from learners.decision import Question
    from learners.networks import Networks


@dataclass(frozen=True)
class View(Told):
    """What a mind knows of n decisions before its networks weigh the labels; they are asked at the k with a choice.

    What they are told there has k rows.
    """

    survey: Survey
    choice: Indices  # [k] the decisions with more than one label to choose among
    prior: NDArray[np.float32]  # [k, others, cards] the hidden hands by counts, facts and hints; zeros without ABLN

    def complete(self, labels: NDArray[np.int16]) -> NDArray[np.int16]:
        """[n] the labels [k] that were chosen, and the only ones where there is no choice."""
        every = self.survey.choosable.argmax(axis=1).astype(np.int16)
        every[self.choice] = labels
        return every


def draw(log_probabilities: NDArray[np.float32], keys: Keys) -> NDArray[np.int16]:
    """[k] a label each by its probability, from log-probabilities [k, labels] and keys [k]."""
    labels = np.zeros(len(keys), np.int16)
    each_share(len(labels), lambda lo, hi: _draw(log_probabilities, keys, lo, hi, labels))
    return labels


class Mind:
    """Networks, and the knowledge base that makes their answers consistent."""

    def __init__(self, engine: Engine, judge: Judge, networks: Networks, project: bool = True) -> None:
        """Think with these preferences and networks."""
        self.engine, self.judge, self.networks, self.projects = engine, judge, networks, project

    @property
    def estimates(self) -> bool:
        """Whether the networks estimate the hidden hands."""
        return self.networks.abln is not None

    def look(self, decisions: Decisions) -> View:
        """Estimate the hidden hands, and ask the knowledge base, whose preferences are told the estimate."""
        observation = decisions.observe()
        prior, estimate = self._estimate_open(decisions, observation)
        found = survey(self.engine, self.judge, decisions, estimate if self.estimates else None)
        legal = found.choosable
        choice = np.flatnonzero(found.several)
        return View(
            observation=observation[choice],
            legal=legal[choice],
            to_beat=decisions.label_to_beat[choice],
            regret=found.regret()[choice],
            plays=plays_after(self.engine, decisions, found)[choice],
            estimate=estimate[choice],
            replies=self._replies(decisions, choice, observation[choice], estimate[choice]),
            survey=found,
            choice=choice,
            prior=prior[choice],
        )

    def _replies(
        self, decisions: Decisions, rows: Indices, observation: NDArray[np.uint8], estimate: NDArray[np.float32]
    ) -> NDArray[np.uint8]:
        """[k, others, labels] who could answer what, for rows [k] of the decisions; no labels where none is told."""
        told = self.networks.preset.replies
        if not told or not len(rows) or not self.engine.answerable:
            return np.zeros((len(rows), self.networks.shape.others, len(self.engine.labels) if told else 0), np.uint8)
        return self.answers(decisions, rows, observation, estimate)

    def answers(
        self, decisions: Decisions, rows: Indices, observation: NDArray[np.uint8], estimate: NDArray[np.float32]
    ) -> NDArray[np.uint8]:
        """[k, others, labels] in how many of some deals that the estimate makes likely each could answer what."""
        from learners.presets import DRAWS
        from reasoners.replies import keys_of, replies

        asked = decisions.context[rows], estimate, decisions.hidden().at(rows)
        return replies(self.engine, *asked, keys_of(observation), DRAWS)

    def deals(self, decisions: Decisions, view: View, rows: Indices, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """[r, n, others, cards] hidden hands for rows [r] of what a view has a choice in, drawn from keys [r, n]."""
        from reasoners.hands import counting, sample

        constraints = decisions.hidden().at(view.choice[rows])
        return sample(view.estimate[rows] if self.estimates else counting(constraints), constraints, keys)

    def _estimate_open(
        self, decisions: Decisions, observation: NDArray[np.uint8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Prior and estimate of all decisions [n, others, cards]; zeros where one label alone is legal."""
        shape = (len(observation), self.networks.shape.others, self.networks.shape.cards)
        prior, estimate = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        several = np.flatnonzero(decisions.legal.sum(axis=0) > 1)
        prior[several], estimate[several] = self.estimate(decisions, observation[several], several)
        return prior, estimate

    def estimate(
        self, decisions: Decisions, observation: NDArray[np.uint8], rows: Indices
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Prior and estimate [k, others, cards] of the hidden hands at rows [k] of the decisions."""
        import torch

        from reasoners.hands import project, reckon

        networks, abln, shape = self.networks, self.networks.abln, self.networks.shape
        if abln is None or not len(rows):
            nothing = np.zeros((len(rows), shape.others, shape.cards), np.float32)
            return nothing, nothing
        constraints = decisions.hidden().at(rows)
        prior = reckon(constraints, decisions.hints()[rows])
        told = (torch.from_numpy(filled_rows(array, networks.unit)) for array in (observation, prior))
        with torch.inference_mode(), networks.arithmetic():
            guess = abln(*(each.to(networks.device).float() for each in told))
        estimate = guess.float().cpu().numpy()[: len(rows)]
        return prior, project(estimate, constraints) if self.projects else estimate

    def question(self, told: Told) -> Question:
        """What networks are told as tensors, where they are; with some rows more where that is faster."""
        from learners.examples import question

        return question(filled(Told, told, self.networks.unit), self.networks.device, self.networks.numbers)

    def weigh(self, view: View) -> NDArray[np.float32]:
        """[k, labels] log-probabilities of the labels."""
        import torch

        with torch.inference_mode(), self.networks.arithmetic():
            weighed: NDArray[np.float32] = self.networks.decision(self.question(view)).float().cpu().numpy()
        return weighed[: len(view.choice)]

    def lay_open(self, tables: Tables, which: Indices, context: NDArray[np.integer]) -> Opened:
        """What the critic is told of tables [n] where decisions are to be made, with their contexts [n]."""
        hands = tables.open_hands(which)
        n, seats, cards = hands.shape
        others = hands[:, 1:].reshape(-1, cards)
        openings = np.zeros((len(self.engine.labels) if self.networks.preset.critic_labels else 0, n * seats), np.uint8)
        if len(openings) and self.engine.answerable:
            openings = self.engine.openings(np.repeat(context, seats), hands.reshape(-1, cards))
        return Opened(
            hands=hands[:, 1:],
            to_go=self.engine.plays_to_go(np.repeat(context, seats - 1), others).reshape(n, seats - 1),
            openings=np.packbits(openings, axis=0).T.reshape(n, seats, -(-len(openings) // 8)),
        )

    def value(self, told: Told, opened: Opened) -> NDArray[np.float32]:
        """[n] the points that the critic expects at n decisions, before whom every hand lies open."""
        import torch

        from learners.examples import open_hands

        networks = self.networks
        with torch.inference_mode(), networks.arithmetic():
            question, shown = self.question(told), open_hands(filled(Opened, opened, networks.unit), networks.device)
            values: NDArray[np.float32] = networks.critic(question, shown).float().cpu().numpy()
        return values[: len(opened.to_go)]


@njit(cache=True, nogil=True)
def _draw(log_probabilities, keys, lo, hi, labels):
    """Draw a label each for rows lo..hi-1."""
    for i in range(lo, hi):
        left = np.float64(keys[i] >> np.uint64(11)) / 9007199254740992.0  # 2**53
        best = 0
        for label in range(log_probabilities.shape[1]):
            probability = np.exp(np.float64(log_probabilities[i, label]))
            if probability > 0:
                best = label
                left -= probability
                if left < 0:
                    break
        labels[i] = best

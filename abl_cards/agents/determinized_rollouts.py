"""What imagined tables come to: forced moves follow, then some answers, and the critic says the rest.

Answers are those of the policy, or what the preferences like best: that takes less time, and is as good where the
policy has not learned to play better than they do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.policy import NeuroSymbolicPolicy
from abl_cards.games.tables import Decisions, Tables
from abl_cards.games.types import Indices
from abl_cards.learners import ModelInputs, apply_reward_exponent
from abl_cards.reasoners.abduction import BestCardsPerLabel, find_best_cards, plays_after


class DeterminizedRollout:
    """Plays imagined tables on until somebody has a choice."""

    def __init__(self, policy: NeuroSymbolicPolicy) -> None:
        """The critic of the mind's networks must have learned."""
        preset = policy.networks.preset
        self._policy, self._reward_exponent = policy, preset.ppo.reward_exponent
        self._uses_preferences = preset.rollout_with_kb and bool(policy.preference_model.preferences())

    def evaluate(self, tables: Tables, seats: NDArray[np.int8], depth: int = 0) -> NDArray[np.float32]:
        """[m] points that the rest of the episode is worth to seats [m], after so many answers.

        Somebody is to play at the tables, or the episode is over.
        """
        points, valued = np.zeros(len(tables), np.float32), np.zeros(len(tables), np.bool_)
        left = np.full(len(tables), depth)
        while (running := (playing := tables.rows_to_play())[~valued[playing]]).size:
            answering = left[running] > 0
            here = running[answering]
            left[here] -= self._play_responses(tables, here)
            here = running[~answering]
            if not here.size:
                continue
            decisions = tables.decisions(here)
            found = find_best_cards(self._policy.engine, self._policy.preference_model, decisions)
            free, forced = np.flatnonzero(found.has_choice), np.flatnonzero(~found.has_choice)
            asked = here[free]
            value = self._critic_values(decisions, found, free, tables, asked)
            points[asked] = value * apply_reward_exponent(
                tables.point_value(asked, tables.seat[asked], seats[asked]), self._reward_exponent
            )
            valued[asked] = True
            only = found.best_row[forced, found.choosable[forced].argmax(axis=1)]
            tables.play(here[forced], found.lists.select(only))
        over = np.flatnonzero(~valued)
        ends = self._policy.engine.rewards(tables, over)[np.arange(len(over)), seats[over]]
        points[over] = apply_reward_exponent(ends, self._reward_exponent)
        return points

    def _play_responses(self, tables: Tables, here: Indices) -> NDArray[np.bool_]:
        """Who is to play at tables [n] plays, as a player sees them; returns [n] where there was a choice."""
        if not here.size:
            return np.zeros(0, np.bool_)
        labels, found = (
            self._choose_by_preferences(tables, here)
            if self._uses_preferences
            else self._choose_by_policy(tables, here)
        )
        tables.play(here, found.realise(labels))
        return found.has_choice

    def _choose_by_policy(self, tables: Tables, here: Indices) -> tuple[NDArray[np.int16], BestCardsPerLabel]:
        """[n] the likeliest labels by the policy."""
        view = self._policy.features(tables.decisions(here))
        return view.complete_labels(self._policy.log_probs(view).argmax(axis=1).astype(np.int16)), view.survey

    def _choose_by_preferences(self, tables: Tables, here: Indices) -> tuple[NDArray[np.int16], BestCardsPerLabel]:
        """[n] the cheapest labels by the preferences, which are told no estimate of the other hands."""
        found = find_best_cards(self._policy.engine, self._policy.preference_model, tables.decisions(here))
        return found.regret().argmin(axis=1).astype(np.int16), found

    def _critic_values(
        self, decisions: Decisions, found: BestCardsPerLabel, rows: Indices, tables: Tables, here: Indices
    ) -> NDArray[np.float32]:
        """[k] what rows [k] of surveyed decisions, at these tables [k], are worth to who decides."""
        plays, asked = plays_after(self._policy.engine, decisions, found)[rows], decisions.select(rows)
        opened = self._policy.privileged_inputs(tables, here, asked.context)
        return self._policy.value(_critic_inputs(asked, found.choosable[rows], plays), opened)


def _critic_inputs(decisions: Decisions, legal: NDArray[np.bool_], plays: NDArray[np.uint8]) -> ModelInputs:
    """What the critic is told of decisions; it wants neither costs nor estimates."""
    n = len(plays)
    return ModelInputs(
        observation=decisions.observe(),
        legal=legal,
        to_beat=decisions.label_to_beat,
        regret=np.zeros((n, 0), np.float32),
        plays_left=plays,
        estimate=np.zeros((n, 0, 0), np.float32),
        response_counts=np.zeros((n, 0, 0), np.uint8),
    )

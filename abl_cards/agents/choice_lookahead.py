"""Look ahead at choices (bids, cards to give): expected points of each option over sampled deals.

An option is chosen at simulated tables, and the preferences make all choices that follow. The critic, which sees all
hands, evaluates the play that begins then. A deal that is dealt anew counts 0. The critic must have been trained on
choices of all kinds: in a run with ``choice_epsilon=``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.lookahead import Lookahead, describe_simulated_table
from abl_cards.core import splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.compiled import attribute_table_errors
from abl_cards.games.tables import Choices, Tables
from abl_cards.games.types import Indices
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.reasoners.explain import ModelExplanation
from abl_cards.reasoners.hidden_hands import draw_deals, observation_keys, uniform_estimate

TEMPERATURE = 0.1
"""Points that outweigh a factor e between the probabilities shown of two options; the best option is chosen."""
DEALS = 64
"""Deals per option: choices are few and matter much."""
_BATCH_SIZE = 32  # choices at a time, to bound memory
_LOOKAHEAD_STREAM = 18  # stream of random numbers


class ChoiceLookahead:
    """Evaluates every option of a choice."""

    def __init__(self, engine: Engine, lookahead: Lookahead, minimiser: Minimiser, num_deals: int = DEALS) -> None:
        """Make a look-ahead for choices.

        Args:
            engine: Compiled game.
            lookahead: Look-ahead of the play, with its critic.
            minimiser: Makes the choices that follow, by preferences.
            num_deals: Deals per option.
        """
        self._engine, self._lookahead, self._minimiser, self._num_deals = engine, lookahead, minimiser, num_deals

    def choose(self, choices: Choices) -> NDArray[np.uint8]:
        """Return the option with the most expected points for each choice; ties go to the cheapest: uint8 [n]."""
        chosen = self._minimiser.choose(choices)
        several = np.flatnonzero((choices.options > 0).sum(axis=1) > 1)
        for first in range(0, len(several), _BATCH_SIZE):
            rows = several[first : first + _BATCH_SIZE]
            points = self.compute_expected_points(choices, rows)
            better = points.max(axis=1) > points[np.arange(len(rows)), chosen[rows]]
            chosen[rows[better]] = points[better].argmax(axis=1)
        return chosen

    def compute_expected_points(self, choices: Choices, rows: Indices) -> NDArray[np.float32]:
        """Compute expected points of the episode: float32 [rows, options], minus infinity for illegal options."""
        known = choices.information_set().select(rows)
        keys = splitmix64_array(observation_keys(choices.observe()[rows]), _LOOKAHEAD_STREAM)
        deals = draw_deals(uniform_estimate(known), known, keys, self._num_deals)
        row, option = np.nonzero(choices.options[rows])
        hands = deals[row].reshape(-1, *deals.shape[2:])
        tables = Tables.determinize(choices, np.repeat(rows[row], self._num_deals), hands)
        values = self._evaluate_options(tables, np.repeat(option, self._num_deals).astype(np.uint8))
        points = np.full((len(rows), choices.options.shape[1]), -np.inf, np.float32)
        points[row, option] = values.reshape(-1, self._num_deals).mean(axis=1)
        return points

    def compute_model_explanation(self, choice: Choices) -> ModelExplanation:
        """Explain the choice at one table by the points of every option, in the place of labels."""
        (chosen,), (cheapest,) = self.choose(choice), self._minimiser.choose(choice)
        points = self.compute_expected_points(choice, np.arange(1))[0]
        is_open = choice.options[0] > 0
        log_probs = np.where(is_open, points / np.float32(TEMPERATURE), np.float32(-np.inf))
        log_probs -= np.logaddexp.reduce(log_probs[is_open])
        return ModelExplanation(
            row=int(np.flatnonzero(choice.moves().cards[:, 0] == chosen)[0]),
            log_probs=log_probs,
            prior_log_probs=np.where(np.arange(len(is_open)) == cheapest, np.float32(0), np.float32(-np.inf)),
            expected_points=np.where(is_open, points, np.float32(np.nan)),
        )

    @attribute_table_errors(describe_simulated_table)
    def _evaluate_options(self, tables: Tables, options: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Evaluate simulated tables [m] for the seats that choose, after these options: float32 [m]."""
        rows, seat = np.arange(len(tables)), tables.seat.copy()
        tables.choose(rows, options)
        while (pending := (choosing := tables.rows_to_choose())[tables.num_deals[choosing] == 0]).size:
            tables.choose(pending, self._minimiser.choose(tables.choices(pending)))
        return self._lookahead.evaluate(tables, seat)

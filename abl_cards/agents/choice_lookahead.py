"""Choices (bids, cards to give) by looking ahead: what each option comes to over deals that the seat could be in.

An option is chosen at imagined tables, the preferences answer for everybody who is asked after it, and the critic,
before whom all hands lie open, says what the play that begins then is worth. A deal that is dealt anew is worth nothing
to anybody. This asks for a critic that has met choices of all kinds: a run where some of them strayed
(``choice_epsilon=``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.lookahead import Lookahead
from abl_cards.core import splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.tables import Choices, Tables
from abl_cards.games.types import Indices
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.reasoners.explain import ModelExplanation
from abl_cards.reasoners.hidden_hands import draw_deals, observation_keys, uniform_estimate

TEMPERATURE = 0.1
"""Points that outweigh a factor e where options are told by their probability; the best one is chosen."""
DEALS = 64
"""Deals that each option is tried on: choices are few, and much hangs on them."""
_BATCH_SIZE = 32  # choices, for the sake of memory
_LOOKAHEAD_STREAM = 18  # what the random numbers are for


class ChoiceLookahead:
    """Tries every option of a choice."""

    def __init__(self, engine: Engine, lookahead: Lookahead, minimiser: Minimiser, num_deals: int = DEALS) -> None:
        """With the critic that looks ahead in play; the minimiser answers for the others."""
        self._engine, self._lookahead, self._minimiser, self._num_deals = engine, lookahead, minimiser, num_deals

    def choose(self, choices: Choices) -> NDArray[np.uint8]:
        """[n] the option each that is worth most; of equal ones the one that the preferences like best."""
        chosen = self._minimiser.choose(choices)
        several = np.flatnonzero((choices.options > 0).sum(axis=1) > 1)
        for first in range(0, len(several), _BATCH_SIZE):
            rows = several[first : first + _BATCH_SIZE]
            points = self.compute_expected_points(choices, rows)
            better = points.max(axis=1) > points[np.arange(len(rows)), chosen[rows]]
            chosen[rows[better]] = points[better].argmax(axis=1)
        return chosen

    def compute_expected_points(self, choices: Choices, rows: Indices) -> NDArray[np.float32]:
        """[rows, options] expected points of the episode, minus infinity for what may not be chosen."""
        known = choices.information_set().select(rows)
        keys = splitmix64_array(observation_keys(choices.observe()[rows]), _LOOKAHEAD_STREAM)
        deals = draw_deals(uniform_estimate(known), known, keys, self._num_deals)
        place, option = np.nonzero(choices.options[rows])
        hands = deals[place].reshape(-1, *deals.shape[2:])
        tables = self._engine.determinize(choices, np.repeat(rows[place], self._num_deals), hands)
        worth = self._evaluate_options(tables, np.repeat(option, self._num_deals).astype(np.uint8))
        points = np.full((len(rows), choices.options.shape[1]), -np.inf, np.float32)
        points[place, option] = worth.reshape(-1, self._num_deals).mean(axis=1)
        return points

    def compute_model_explanation(self, choice: Choices) -> ModelExplanation:
        """What led to the choice at one table: the points of every option, in the place of labels."""
        (chosen,), (liked,) = self.choose(choice), self._minimiser.choose(choice)
        points = self.compute_expected_points(choice, np.arange(1))[0]
        may = choice.options[0] > 0
        weighed = np.where(may, points / np.float32(TEMPERATURE), np.float32(-np.inf))
        weighed -= np.logaddexp.reduce(weighed[may])
        return ModelExplanation(
            row=int(np.flatnonzero(choice.moves().cards[:, 0] == chosen)[0]),
            log_probs=weighed,
            prior_log_probs=np.where(np.arange(len(may)) == liked, np.float32(0), np.float32(-np.inf)),
            expected_points=np.where(may, points, np.float32(np.nan)),
        )

    def _evaluate_options(self, tables: Tables, options: NDArray[np.uint8]) -> NDArray[np.float32]:
        """[m] what imagined tables [m] are worth to the seats that choose, after these options."""
        everywhere, seat = np.arange(len(tables)), tables.seat.copy()
        tables.choose(everywhere, options)
        while (asking := (choosing := tables.rows_to_choose())[tables.num_deals[choosing] == 0]).size:
            tables.choose(asking, self._minimiser.choose(tables.choices(asking)))
        return self._lookahead.evaluate(tables, seat)

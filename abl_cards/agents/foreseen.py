"""Choices (bids, cards to give) by looking ahead: what each option comes to over deals that the seat could be in.

An option is chosen at imagined tables, the preferences answer for everybody who is asked after it, and the critic,
before whom all hands lie open, says what the play that begins then is worth. A deal that is dealt anew is worth nothing
to anybody. This asks for a critic that has met choices of all kinds: a run where some of them strayed (``stray=``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.lookahead import Lookahead
from abl_cards.games import Choices, Engine, Indices, Tables
from abl_cards.streams import mix_all
from reasoners.hands import counting, draw
from reasoners.minimiser import Minimiser
from reasoners.opinion import Opinion
from reasoners.replies import keys_of

TEMPERATURE = 0.1
"""Points that outweigh a factor e where options are told by their probability; the best one is chosen."""
DEALS = 64
"""Deals that each option is tried on: choices are few, and much hangs on them."""
_AT_ONCE = 32  # choices, for the sake of memory
_AHEAD = 18  # what the random numbers are for


class OptionsAhead:
    """Tries every option of a choice."""

    def __init__(self, engine: Engine, lookahead: Lookahead, minimiser: Minimiser, deals: int = DEALS) -> None:
        """With the critic that looks ahead in play; the minimiser answers for the others."""
        self._engine, self._lookahead, self._minimiser, self._deals = engine, lookahead, minimiser, deals

    def choose(self, choices: Choices) -> NDArray[np.uint8]:
        """[n] the option each that is worth most; of equal ones the one that the preferences like best."""
        chosen = self._minimiser.choose(choices)
        several = np.flatnonzero((choices.options > 0).sum(axis=1) > 1)
        for first in range(0, len(several), _AT_ONCE):
            rows = several[first : first + _AT_ONCE]
            points = self.points(choices, rows)
            better = points.max(axis=1) > points[np.arange(len(rows)), chosen[rows]]
            chosen[rows[better]] = points[better].argmax(axis=1)
        return chosen

    def points(self, choices: Choices, rows: Indices) -> NDArray[np.float32]:
        """[rows, options] expected points of the episode, minus infinity for what may not be chosen."""
        known = choices.hidden().at(rows)
        keys = mix_all(keys_of(choices.observe()[rows]), _AHEAD)
        deals = draw(counting(known), known, keys, self._deals)
        place, option = np.nonzero(choices.options[rows])
        hands = deals[place].reshape(-1, *deals.shape[2:])
        tables = self._engine.imagine(choices, np.repeat(rows[place], self._deals), hands)
        worth = self._play_on(tables, np.repeat(option, self._deals).astype(np.uint8))
        points = np.full((len(rows), choices.options.shape[1]), -np.inf, np.float32)
        points[place, option] = worth.reshape(-1, self._deals).mean(axis=1)
        return points

    def opinion(self, choice: Choices) -> Opinion:
        """What led to the choice at one table: the points of every option, in the place of labels."""
        (chosen,), (liked,) = self.choose(choice), self._minimiser.choose(choice)
        points = self.points(choice, np.arange(1))[0]
        may = choice.options[0] > 0
        weighed = np.where(may, points / np.float32(TEMPERATURE), np.float32(-np.inf))
        weighed -= np.logaddexp.reduce(weighed[may])
        return Opinion(
            row=int(np.flatnonzero(choice.moves().cards[:, 0] == chosen)[0]),
            log_probabilities=weighed,
            proposed=np.where(np.arange(len(may)) == liked, np.float32(0), np.float32(-np.inf)),
            points=np.where(may, points, np.float32(np.nan)),
        )

    def _play_on(self, tables: Tables, options: NDArray[np.uint8]) -> NDArray[np.float32]:
        """[m] what imagined tables [m] are worth to the seats that choose, after these options."""
        everywhere, seat = np.arange(len(tables)), tables.seat.copy()
        tables.choose(everywhere, options)
        while (asking := (choosing := tables.choosing())[tables.deals[choosing] == 0]).size:
            tables.choose(asking, self._minimiser.choose(tables.choices(asking)))
        return self._lookahead.worth(tables, seat)

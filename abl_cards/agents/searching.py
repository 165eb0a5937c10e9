"""The agent that searches: 神算子 (Tan et al. 2020, chapters 3 and 4), for games that are races of two open hands.

``shensuanzi:10,8``: while neither hand has more than 10 cards it plays what is provably best; above, it looks 8 moves
ahead and then deeper and deeper, with the difference of the cards left as its guess, until ``seconds`` (0.2) are over.
With the word ``cpu`` these are seconds of the processor, for a machine that others use too.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, thread_time

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.agent import Keys
from abl_cards.agents.names import AgentName
from abl_cards.errors import GameError
from abl_cards.games import Choices, Decisions, Engine, Moves
from abl_cards.games.race import Race, Racing
from reasoners.search import Laid, Search
from reasoners.search_tables import SearchTables

EXACT_UP_TO, FIRST_DEPTH, SECONDS = 10, 8, 0.2
"""What the paper chose; its limit of a move was 30 s."""

_MEGABYTES = 16


class Shensuanzi:
    """Exact below a number of cards, above it as deep as time allows."""

    def __init__(
        self,
        game: Racing,
        exact_up_to: int = EXACT_UP_TO,
        first_depth: int = FIRST_DEPTH,
        seconds: float = SECONDS,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        """Play so; raises GameError for a game that is too large."""
        self.clock, self.exact_up_to, self.seconds = clock, exact_up_to, seconds
        self._game, self._tables = game, SearchTables(game.combinations)
        self._first_depth = first_depth

    def play(self, decisions: Decisions, keys: Keys) -> Moves:
        """The best move found, one decision after the other."""
        laid = [self._move(race) for race in self._game.races(decisions)]
        moves = [self._game.play_cards(each.label, each.cards) for each in laid]
        return Moves(np.array([form for form, _ in moves], np.int16), np.stack([cards for _, cards in moves]))

    def choose(self, choices: Choices, keys: Keys) -> NDArray[np.uint8]:
        """The first option: a race has nothing to choose."""
        return choices.options.argmax(axis=1).astype(np.uint8)

    def _move(self, race: Race) -> Laid:
        end = self.clock() + self.seconds
        search = Search(self._tables, race, _MEGABYTES)
        if max(sum(race.own), sum(race.other)) <= self.exact_up_to:
            return search.best().move
        return search.deepen(self._first_depth, lambda nodes: self.clock() < end).move


def shensuanzi_agent(name: AgentName, engine: Engine) -> Shensuanzi:
    """``shensuanzi``, ``shensuanzi:10,8``, ``shensuanzi:10,8,seconds=1,cpu``; raises GameError."""
    try:
        game = engine.as_race()
    except GameError as problem:
        raise GameError(f"agent '{name}' plays races of two open hands, such as big2: {problem}") from None
    exact, first = (*name.numbers, *(EXACT_UP_TO, FIRST_DEPTH)[len(name.numbers) :])
    text = name.value("seconds")
    try:
        seconds = SECONDS if text is None else float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600 or first < 1:
        raise GameError(f"agent '{name}': write EXACT,FIRST,seconds=S with FIRST from 1 and S from 0 to 3600")
    return Shensuanzi(game, exact, first, seconds, thread_time if name.has("cpu") else perf_counter)

"""Agent ``shensuanzi`` 神算子 (Tan et al. 2020, chapters 3 and 4): search for races of two open hands.

``shensuanzi:10,8`` plays a provably best move while neither hand has more than 10 cards. Above that it searches 8 moves
deep and then deeper, with the difference of the cards left as evaluation, until ``seconds`` (0.2) are over. With the
flag ``cpu`` these are seconds of processor time, for a machine that is shared.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, thread_time

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.base import RandomKeys
from abl_cards.agents.names import AgentName
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.endgame import OpenHandRace, RacePosition, build_race
from abl_cards.games.tables import Choices, Decisions
from abl_cards.games.types import Moves
from abl_cards.reasoners.search import RaceMove, RaceSearch, SearchTables

MAX_EXACT_CARDS, INITIAL_DEPTH, DEFAULT_SECONDS = 10, 8, 0.2
"""Values of the paper; its time limit of a move was 30 s."""

_TABLE_MEGABYTES = 16


class ShensuanziAgent:
    """Agent ``shensuanzi``: searches exactly up to a number of cards, and above it as deep as time allows."""

    def __init__(
        self,
        game: OpenHandRace,
        max_exact_cards: int = MAX_EXACT_CARDS,
        initial_depth: int = INITIAL_DEPTH,
        seconds: float = DEFAULT_SECONDS,
        clock: Callable[[], float] = perf_counter,
        rules: CompiledGame | None = None,
    ) -> None:
        """Make an agent.

        Args:
            game: Race of two open hands.
            max_exact_cards: Most cards in either hand for an exact search.
            initial_depth: Depth of the first search above that, in moves.
            seconds: Time limit of a move, in seconds.
            clock: Clock of the time limit, in seconds.
            rules: Rules of the race; decisions of other games are rejected. None for no check.

        Raises:
            GameError: The game is too large.
        """
        self.clock, self.max_exact_cards, self.seconds, self.rules = clock, max_exact_cards, seconds, rules
        self._game, self._tables = game, SearchTables(game.combinations)
        self._initial_depth = initial_depth

    def play(self, decisions: Decisions, keys: RandomKeys) -> Moves:
        """Return the best move found for each decision, one after the other."""
        chosen = [self._search_move(race) for race in self._game.positions(decisions)]
        moves = [self._game.encode_play(move.label, move.cards) for move in chosen]
        return Moves(np.array([form for form, _ in moves], np.int16), np.stack([cards for _, cards in moves]))

    def choose(self, choices: Choices, keys: RandomKeys) -> NDArray[np.uint8]:
        """Return the first option: a race has nothing to choose."""
        return choices.options.argmax(axis=1).astype(np.uint8)

    def _search_move(self, race: RacePosition) -> RaceMove:
        end = self.clock() + self.seconds
        search = RaceSearch(self._tables, race, _TABLE_MEGABYTES)
        if max(sum(race.own_hand), sum(race.other_hand)) <= self.max_exact_cards:
            return search.best().move
        return search.deepen(self._initial_depth, lambda nodes: self.clock() < end).move


def make_shensuanzi_agent(name: AgentName, engine: Engine) -> ShensuanziAgent:
    """Make ``shensuanzi``, ``shensuanzi:10,8`` or ``shensuanzi:10,8,seconds=1,cpu``; raises GameError."""
    try:
        game = build_race(engine.rules)
    except GameError as problem:
        message = f"agent '{name}' plays races of two open hands, such as big2: {problem}"
        raise GameError(message, ErrorCode.AGENT_NOT_APPLICABLE) from None
    exact, first = (*name.numbers, *(MAX_EXACT_CARDS, INITIAL_DEPTH)[len(name.numbers) :])
    text = name.value("seconds")
    try:
        seconds = DEFAULT_SECONDS if text is None else float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600 or first < 1:
        message = f"agent '{name}': write EXACT,FIRST,seconds=S with FIRST from 1 and S from 0 to 3600"
        raise GameError(message, ErrorCode.INVALID_AGENT_OPTION)
    clock = thread_time if name.has_flag("cpu") else perf_counter
    return ShensuanziAgent(game, exact, first, seconds, clock, engine.rules)

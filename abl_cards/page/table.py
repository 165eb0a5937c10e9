"""One table of the page: who sits there, what they may ask of it, and how it goes on.

What lies on it is the engine's. A table is a key and the decisions that were made, so taking back is playing again.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.arena import decision_keys, match_keys
from abl_cards.errors import GameError
from abl_cards.games import Engine, Moves, Tables
from abl_cards.games.audience import Audience
from abl_cards.games.faults import naming
from abl_cards.games.tables import Listener
from abl_cards.games.words.finding import find_options, find_plays
from abl_cards.page.chairs import PERSON, Chair, Decision, Right
from abl_cards.page.course import Course
from abl_cards.page.picking import Picking
from abl_cards.page.seen import shown_seed
from abl_cards.page.words import Pair
from abl_cards.seeds import secret_seed

HERE = np.array([0])
log = logging.getLogger(__name__)
MOST_AT_ONCE = 32
"""Choices that are made with one frame."""


Written = Callable[[str, dict[str, Any]], None]
"""Is told what happens at a table, before it is done or just after: see restoring.py."""


class Looking(Protocol):
    """A connection of somebody who looks at a table."""

    def leave(self, code: int) -> None:
        """Close the connection with this code."""


class PageTable:
    """A table, its seats, and its match; whoever calls holds ``lock``."""

    def __init__(
        self, name: str, title: Pair, engine: Engine, chairs: Sequence[Chair], seed: int | None, practice: bool,
        offered: Sequence[str] = (), refused: str = "",
    ) -> None:  # fmt: skip
        """Deal the first cards: by this seed, or by a secret one, which is another one for each match."""
        self.name, self.title, self.engine, self.chairs = name, title, engine, list(chairs)
        self.drawn, seed = seed is None, secret_seed() if seed is None else seed
        self.seed, self.practice, self.offered, self.match = seed, practice, tuple(offered), 0
        self.refused = refused  # the first error of newer rules, which `kb check` refuses
        mine = [seat for seat, chair in enumerate(chairs) if chair.kind == PERSON]
        self.owner_chair = mine[0] if mine else None
        self.owner_token, self.watch_token = (secrets.token_urlsafe(12) for _ in range(2))
        self.lock, self.wake = asyncio.Lock(), asyncio.Event()
        self.revision, self.pace, self.problem = 0, 0.6, ""
        self.looking: dict[Looking, str] = {}  # by connection, the token
        self.told: Callable[[], None] = lambda: None
        self.written: Written = lambda what, line: None
        self.used, self.person = time.monotonic(), ""  # when a person did something here last, and who has opened it
        self.begin()

    # --- who is there ------------------------------------------------------------------------------------------------

    def right_of(self, token: str) -> Right | None:
        """What a token allows; None for one that is none."""
        if _same(token, self.owner_token):
            return self._right(self.owner_chair, owner=True)
        for seat, chair in enumerate(self.chairs):
            if _same(token, chair.token):
                return self._right(seat)
        return Right() if _same(token, self.watch_token) else None

    def _right(self, chair: int | None, owner: bool = False) -> Right:
        sits = chair is not None and self.chairs[chair].kind == PERSON
        return Right(chair if sits else None, owner, chair)

    def present(self, seat: int) -> bool:
        """Whether somebody looks at the table from this seat."""
        rights = (self.right_of(token) for token in self.looking.values())
        return any(right is not None and right.seat == seat for right in rights)

    # --- the match ---------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin a match."""
        self.decisions: list[Decision] = []
        self.waiting, self.problem = False, ""
        self._lay()
        self._changed()

    def _lay(self) -> None:
        self.course = Course(self.engine)
        heard: list[Listener] = [self.course]
        agents: list[object] = [chair.agent for chair in self.chairs]
        for agent in agents:
            if isinstance(agent, Listener):
                heard.append(agent)
        self.tables = self.engine.tables(match_keys(self.seed, np.array([self.match]), 1), Audience(tuple(heard)))
        self.tables.remember()

    def _changed(self) -> None:
        self.revision += 1
        self.since = time.time()
        self._picking: Picking | None = None

    @property
    def seat(self) -> int:
        """The seat to decide."""
        return int(self.tables.seat[0])

    @property
    def over(self) -> bool:
        """Whether the match is."""
        return bool(self.tables.winner[0] != -1)

    @property
    def agents_turn(self) -> bool:
        """Whether an agent is to decide."""
        return not (self.over or self.waiting or self.problem) and self.chairs[self.seat].agent is not None

    def picking(self) -> Picking:
        """What the seat to decide may lay down."""
        if self._picking is None:
            self._picking = Picking(self.engine, self.tables.decisions(HERE))
        return self._picking

    def let_agent(self) -> bool:
        """Let the agent decide whose turn it is; whether there is anything new to see."""
        if not self.agents_turn:
            return False
        agent, events = self.chairs[self.seat].agent, self.course.events
        assert agent is not None
        keys = decision_keys(self.tables, HERE, np.array([self.match]))
        try:
            with naming(lambda _: f"table {self.name}"):  # and no seed: everybody at the table reads the problem
                if self.tables.playing().size:
                    self._play(agent.play(self.tables.decisions(HERE), keys))
                else:
                    self._choose(int(agent.choose(self.tables.choices(HERE), keys)[0]), False)
        except GameError as problem:
            log.warning("table %s: %s", self.name, problem)
            self.problem = str(problem)
            self._changed()
            return True
        return self.course.events != events

    def _play(self, moves: Moves, value: Any = None) -> None:
        self._make(Decision(moves, -1, self.seat, value is not None), value)

    def _choose(self, option: int, by_person: bool) -> None:
        self._make(Decision(None, option, self.seat, by_person))

    def _make(self, decision: Decision, value: Any = None) -> None:
        self._step(decision)
        self.written("act", {"decision": decision, "value": value})

    def _step(self, decision: Decision) -> None:
        episode = int(self.tables.episode[0])
        self.decisions.append(decision)
        self._do(decision)
        self.waiting = not self.over and int(self.tables.episode[0]) != episode and self._persons
        self._changed()

    def made_again(self, decision: Decision, gone_on: bool) -> None:
        """Make a decision that was made before; ``gone_on`` where somebody went on after the episode that it ended."""
        self._step(decision)
        self.waiting = self.waiting and not gone_on

    @property
    def _persons(self) -> bool:
        return any(chair.kind == PERSON for chair in self.chairs)

    def _do(self, decision: Decision) -> None:
        if decision.moves is None:
            self.tables.choose(HERE, np.array([decision.option], np.uint8))
        else:
            self.tables.play(HERE, decision.moves)

    # --- what people do ----------------------------------------------------------------------------------------------

    def check_turn(self, right: Right, at: int) -> None:
        """Raise GameError unless it is their turn, and the decision that they mean."""
        if right.seat is None:
            raise GameError("you only look on")
        if self.over or self.waiting or self.problem or self.seat != right.seat:
            raise GameError("it is not your turn")
        if at != int(self.tables.clock[0]):
            raise GameError("the table has gone on")

    def play(self, right: Right, value: Any, at: int) -> None:
        """Lay down cards, or pass; raises GameError for what is not legal."""
        self.check_turn(right, at)
        if not self.tables.playing().size:
            raise GameError("nothing is played now, something is chosen")
        lists, (row,) = find_plays(self.tables.decisions(HERE), [value])
        if isinstance(row, GameError):
            raise row
        self._play(lists.rows(np.array([row])), value)

    def choose(self, right: Right, values: Sequence[Any], at: int) -> None:
        """Choose, once or as often as the same is asked; raises GameError for what is no choice."""
        self.check_turn(right, at)
        if not self.tables.choosing().size:
            raise GameError("nothing is chosen now, something is played")
        stage, asked = int(self.tables.state.choice[0]), len(self.decisions)
        for value in values[:MOST_AT_ONCE]:
            again = self.tables.choosing().size and int(self.tables.state.choice[0]) == stage
            if self.over or self.waiting or self.seat != right.seat or not again:
                break  # what is asked is answered
            (option,) = find_options(self.tables.choices(HERE), [value])
            if isinstance(option, GameError):
                if len(self.decisions) == asked:
                    raise option
                break
            self._choose(option, True)

    def go_on(self, right: Right) -> None:
        """Go on after an episode."""
        if right.seat is None and not right.owner:
            raise GameError("you only look on")
        if self.waiting:
            self.waiting = False
            self.written("go", {})
            self._changed()

    def may_take_back(self, right: Right) -> bool:
        """Whether this seat has a decision of its own to take back, at a table for practice."""
        if not self.practice or right.seat is None or any(isinstance(chair.agent, Listener) for chair in self.chairs):
            return False
        return any(each.seat == right.seat and each.by_person for each in self.decisions)

    def take_back(self, right: Right) -> None:
        """Stand as before this person's last decision; raises GameError where that may not be."""
        if not self.may_take_back(right):
            raise GameError("there is nothing to take back" if self.practice else "this is no table for practice")
        while self.decisions:
            last = self.decisions.pop()
            if last.seat == right.seat and last.by_person:
                break
        self.written("back", {"left": len(self.decisions)})
        events = self.course.events
        self._lay()
        for decision in self.decisions:
            self._do(decision)
        self.course.events += events  # browsers have seen more than there is now
        self.waiting, self.problem = False, ""
        self._changed()

    def again(self, right: Right) -> None:
        """Begin another match, when this one is over or is for practice."""
        if not right.owner:
            raise GameError("whoever has opened the table may begin another match")
        self.match += 1
        if self.drawn:  # that of the match before is known now
            self.seed = secret_seed()
        self.begin()
        self.written("begin", {})

    def seat_agent(self, right: Right, seat: int, name: str, agent: Agent) -> None:
        """Give a seat to an agent: one's own, or any, where one has opened the table."""
        self._check_seat(right, seat)
        kept = {"token": self.chairs[seat].token} if right.chair == seat else {}  # who may sit down again
        self.chairs[seat] = Chair("agent", name, name, agent, **kept)
        self._seated(seat)

    def seat_person(self, right: Right, seat: int, name: str) -> None:
        """Take one's seat again, or free one for a person, where one has opened the table."""
        self._check_seat(right, seat)
        self.chairs[seat] = Chair(PERSON, name, token=self.chairs[seat].token)
        if right.owner and right.chair is None:
            self.owner_chair = seat
        self._seated(seat)

    def _seated(self, seat: int) -> None:
        self.written("chair", {"seat": seat, "chair": self.chairs[seat].to_json(), "owner": self.owner_chair})
        self._changed()

    def _check_seat(self, right: Right, seat: int) -> None:
        if not 0 <= seat < len(self.chairs):
            raise GameError(f"there is no seat {seat}")
        if not right.owner and right.chair != seat:
            raise GameError("that is somebody else's seat")

    def rename(self, right: Right, name: str) -> None:
        """What a person is called."""
        if right.seat is None or self.chairs[right.seat].kind != PERSON or not name:
            raise GameError("only who sits at a table has a name there")
        self.chairs[right.seat].name = name
        self._seated(right.seat)

    # --- what was played ---------------------------------------------------------------------------------------------

    def records(self, right: Right) -> list[dict[str, Any]]:
        """The episodes that have ended, as records; with the seed, where ``shown_seed`` gives it."""
        seed = shown_seed(self, right)
        shown = {} if seed is None else {"seed": seed}
        heading = {"players": [chair.name for chair in self.chairs], **shown, "match": self.match}
        recorder = self.engine.recorder(1, **heading)
        tables = self.engine.tables(match_keys(self.seed, np.array([self.match]), 1), recorder)
        replay(tables, self.decisions)
        return recorder.records(0)


def _same(token: str, other: str) -> bool:
    return secrets.compare_digest(token.encode(), other.encode())


def replay(tables: Tables, decisions: Sequence[Decision]) -> None:
    """Make decisions again at a table."""
    for each in decisions:
        if each.moves is None:
            options: NDArray[np.uint8] = np.array([each.option], np.uint8)
            tables.choose(HERE, options)
        else:
            tables.play(HERE, each.moves)

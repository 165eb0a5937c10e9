"""Variations of a record: acts that replace those from one act on, tried out in a review and kept with the record.

A record holds them as ``branches``: a list of ``{"act": N, "agent": NAME, "acts": [[SEAT, VALUE], …]}``, where N is the
number of the first act that is replaced, from 1, and NAME the agent that answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abl_cards.agents import Agent
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.tables import ListenerList
from abl_cards.web.replay_frames import ReplayFrames
from abl_cards.web.review_positions import ActRecorder, ReviewPosition, position_of

MAX_BRANCHES, MAX_BRANCH_ACTS = 64, 2000
"""Largest number of variations of a record, and of the acts of one."""
MAX_PARTS = 100_000
"""Largest number of decisions, parts of composed plays among them, that agents make in one request."""


@dataclass
class Branch:
    """Variation of a record.

    Attributes:
        start: Index of the first frame of the record that it replaces.
        act: Number of the act of this frame, from 1.
        agent: Agent that answered.
        acts: Its acts, [seat, play or choice].
        frames: The position before each act, and the last one if the episode goes on.
        episode_result: Result of the episode, if it ended.
    """

    start: int
    act: int
    agent: str
    acts: list[list[Any]]
    frames: list[dict[str, Any]]
    episode_result: dict[str, Any] | None

    def to_json(self) -> dict[str, Any]:
        """Return the frames for the browser."""
        return {"start": self.start, "agent": self.agent, "pictures": self.frames, "ended": self.episode_result}

    def to_record(self) -> dict[str, Any]:
        """Return the variation as records hold it."""
        return {"act": self.act, "agent": self.agent, "acts": self.acts}


class BranchList:
    """Variations of one record, and the positions of the record and of them."""

    def __init__(
        self, engine: Engine, record: Mapping[str, Any], frames: Sequence[dict[str, Any]],
        decision_numbers: Sequence[int | None],
    ) -> None:  # fmt: skip
        """Read the variations that a record holds; those that cannot be replayed are kept unread."""
        self._engine, self._record, self._frames, self._numbers = engine, record, frames, decision_numbers
        self.branches: list[Branch] = []
        self._unread: list[Any] = []
        self._position: tuple[tuple[int | None, int], ReviewPosition] | None = None  # the last one
        stored = record.get("branches")
        for value in stored if isinstance(stored, list) else []:
            try:
                self.branches.append(self._read_branch(value))
            except GameError:
                self._unread.append(value)

    def to_json(self) -> list[dict[str, Any]]:
        """Return the variations for the browser."""
        return [branch.to_json() for branch in self.branches]

    def to_record(self) -> dict[str, Any]:
        """Return the record with its variations."""
        branches = [*(branch.to_record() for branch in self.branches), *self._unread]
        rest = {name: value for name, value in self._record.items() if name != "branches"}
        return rest | ({"branches": branches} if branches else {})

    # --- positions ----------------------------------------------------------------------------------------------------

    def position(self, line: int | None, index: int) -> ReviewPosition:
        """Return the position before an act of the record, or of a variation; raises GameError.

        Args:
            line: Index of the variation; None for the record.
            index: Index of the frame, counted from the beginning of the record.
        """
        if self._position is None or self._position[0] != (line, index):
            self._position = ((line, index), self._replay(line, index)[0])
        return self._position[1]

    def next_act(self, line: int, index: int) -> Any:
        """Return the play or choice that a variation has at a frame; None at its end and before its beginning."""
        branch = self._branch(line)
        step = index - branch.start
        return branch.acts[step][1] if 0 <= step < len(branch.acts) else None

    def _replay(self, line: int | None, index: int) -> tuple[ReviewPosition, ReplayFrames, ActRecorder]:
        """Return a new table at a position, with listeners that have seen the acts of the variation."""
        branch = None if line is None else self._branch(line)
        start = self._start_of(line, index)
        position, frames, recorder = self._main_position(start)
        if branch is not None:
            if index - start > len(branch.acts):
                raise GameError("no decision at this place", ErrorCode.NOT_FOUND)
            for _, value in branch.acts[: max(0, index - start)]:
                position.repeat(value)
        return position, frames, recorder

    def _start_of(self, line: int | None, index: int) -> int:
        """Return the frame of the record from which a variation leads to a frame; that frame itself in the record."""
        return index if line is None else min(index, self._branch(line).start)

    def _branch(self, line: int) -> Branch:
        if not 0 <= line < len(self.branches):
            raise GameError("there is no such variation", ErrorCode.NOT_FOUND)
        return self.branches[line]

    def _main_position(self, index: int) -> tuple[ReviewPosition, ReplayFrames, ActRecorder]:
        number = self._numbers[index] if 0 <= index < len(self._numbers) else None
        if number is None:
            raise GameError("no decision at this place", ErrorCode.NOT_FOUND)
        frames, recorder = ReplayFrames(self._engine), ActRecorder(self._engine)
        frames.resume(self._frames[index]["trick"])
        if self._frames[index]["plays"]:
            view = self._engine.decisions_at_acts([self._record], [number]).view
        else:
            view = self._engine.read_decision_point(self._record, number).decision.view
        position = position_of(self._engine, view, self._record, ListenerList((frames, recorder)))
        position.set_hands(self._frames[index]["hands"])  # records of platforms give only the hand of the seat
        return position, frames, recorder

    # --- variations ---------------------------------------------------------------------------------------------------

    def _read_branch(self, value: Any) -> Branch:
        """Read a variation of a record; raises GameError."""
        act, acts = (value.get("act"), value.get("acts")) if isinstance(value, Mapping) else (None, None)
        is_valid = type(act) is int and act in self._numbers and isinstance(acts, list) and acts
        if not is_valid or len(acts) > MAX_BRANCH_ACTS or len(self.branches) >= MAX_BRANCHES:  # type: ignore[arg-type]
            raise GameError("not a variation of this record", ErrorCode.INVALID_RECORD)
        start = self._numbers.index(act)
        position, frames, recorder = self._main_position(start)
        for item in acts:  # type: ignore[union-attr]
            if not isinstance(item, list) or len(item) != 2 or item[0] != position.seat:
                raise GameError("not an act of the seat whose turn it is", ErrorCode.INVALID_RECORD)
            position.repeat(item[1])
        agent = value.get("agent")
        return self._make_branch(start, agent if isinstance(agent, str) else "", position, frames, recorder)

    def _make_branch(
        self, start: int, agent: str, position: ReviewPosition, frames: ReplayFrames, recorder: ActRecorder
    ) -> Branch:  # fmt: skip
        tip = [] if position.is_over else [frames.make_tip(position.tables)]
        number = self._numbers[start]
        assert number is not None
        return Branch(start, number, agent, recorder.acts, [*frames.frames, *tip], frames.episode_result)

    def play_on(
        self, line: int | None, index: int, decide: Callable[[ReviewPosition], None] | None, agent: Agent,
        agent_name: str, seed: int, to_end: bool,
    ) -> int:  # fmt: skip
        """Try out a decision; an agent plays the other seats until the same seat is to decide again.

        Args:
            line: Index of the variation that is played on; None for the record.
            index: Index of the frame.
            decide: Makes the decision of the seat to decide; None to let the agent make it.
            agent: Agent that plays the other seats.
            agent_name: Its name.
            seed: Seed of its random numbers.
            to_end: Whether the agent plays for all seats until the episode ends.

        Returns:
            Index of the variation: a new one, or the given one where it was played on at its end.

        Raises:
            GameError: The decision is illegal, or there are too many variations.
        """
        position, frames, recorder = self._replay(line, index)
        if position.is_over:
            raise GameError("the episode is over", ErrorCode.OUT_OF_TURN)
        seat, num_before = position.seat, len(recorder.acts)
        if decide is not None:
            decide(position)
        for _ in range(MAX_PARTS):
            has_acted = len(recorder.acts) > num_before
            is_own_turn = has_acted and position.seat == seat and position.is_play and not _is_composing(position)
            if position.is_over or (is_own_turn and not to_end) or len(recorder.acts) > MAX_BRANCH_ACTS:
                break
            position.let_agent_act(agent, seed)
        start = self._start_of(line, index)
        return self._store(line, self._make_branch(start, agent_name, position, frames, recorder))

    def _store(self, line: int | None, branch: Branch) -> int:
        """Add a variation, or replace the one that it prolongs; returns its index."""
        for index, other in enumerate(self.branches):
            if other.start == branch.start and other.acts[: len(branch.acts)] == branch.acts:
                return index  # it is there already
        if line is not None:
            former = self.branches[line]
            if former.start == branch.start and branch.acts[: len(former.acts)] == former.acts:
                self.branches[line] = branch
                self._position = None
                return line
        if len(self.branches) >= MAX_BRANCHES:
            raise GameError(f"there are {MAX_BRANCHES} variations: remove some", ErrorCode.TOO_MANY_REQUESTS)
        self.branches.append(branch)
        return len(self.branches) - 1

    def remove(self, line: int) -> None:
        """Remove a variation; raises GameError."""
        self._branch(line)
        del self.branches[line]
        self._position = None


def _is_composing(position: ReviewPosition) -> bool:
    """Return whether some cards of a composed play lie already."""
    return position.engine.rules.has_composed_plays and bool(position.tables.state.is_composing[0])

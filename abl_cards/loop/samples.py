"""The sample pool: what actors have played and the learner has not learned from yet; bounded, the oldest goes out.

What was thrown away is counted, and nothing else is: a decision counts when the learner draws it, so it counts once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from abl_cards.loop.experience import Experience
from abl_cards.loop.selfplay import Score
from abl_cards.loop.teacher import Lessons


@dataclass(frozen=True)
class Portion:
    """Decisions of an actor that were played one after the other, and what they say of who plays."""

    actor: int  # who played; a number is never given twice
    number: int  # of the actor's portions, from 0
    version: int  # of the model: the update before which it was the newest
    rows: int  # decisions with a choice whose returns are known
    decisions: int  # made meanwhile, those without a choice and those of opponents among them
    score: Score
    open: Callable[[], Experience]  # the rows, which may lie packed until somebody wants them


@dataclass(frozen=True)
class Pooled:
    """What became of decisions since it was asked last."""

    drawn: int = 0  # rows the learner has drawn
    behind: int = 0  # how many updates they were older than the learner, in sum
    full: int = 0  # rows thrown away because the pool was full
    stale: int = 0  # because the model that played them was too old
    repeated: int = 0  # because they had come before
    lost: int = 0  # actors that ended, and were replaced

    def __add__(self, other: Pooled) -> Pooled:
        return Pooled(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(Pooled)))

    @property
    def staleness(self) -> float | None:
        """Updates between the model that played and the learner that draws, on average."""
        return self.behind / self.drawn if self.drawn else None

    @classmethod
    def of_all(cls, pools: Sequence[Pooled]) -> Pooled:
        """Of several pools."""
        return sum(pools, Pooled())


@dataclass(eq=False)
class _Lying:
    """A portion in the pool; of its rows the first are drawn already."""

    portion: Portion
    drawn: int = 0
    opened: Experience | None = None

    @property
    def left(self) -> int:
        return self.portion.rows - self.drawn

    def take(self, n: int) -> tuple[Experience, int]:
        """The next rows, and the decisions that they stand for: all of them when the last row is drawn."""
        portion, first, self.drawn = self.portion, self.drawn, self.drawn + n
        self.opened = self.opened or portion.open()
        count = portion.decisions * self.drawn // portion.rows - portion.decisions * first // portion.rows
        return self.opened.at(slice(first, self.drawn)), count


@dataclass(frozen=True)
class Drawn:
    """What a learner learns from next."""

    rows: Experience
    decisions: int


class SamplePool:
    """A queue of portions with room for a number of rows."""

    def __init__(self, room: int, oldest: int | None = None) -> None:
        """Beyond the room the oldest rows are thrown away; at any time those that are more than so many updates old."""
        self._room, self._oldest = room, oldest
        self._lying: deque[_Lying] = deque()
        self._came: dict[int, int] = {}  # the last number of each actor
        self._pooled = Pooled()

    @property
    def rows(self) -> int:
        """How many lie here."""
        return sum(each.left for each in self._lying)

    def put(self, portion: Portion) -> bool:
        """Take a portion in; false for one that came before, which is not counted again."""
        if portion.number <= self._came.get(portion.actor, -1):
            self._note(Pooled(repeated=portion.rows))
            return False
        self._came[portion.actor] = portion.number
        self._lying.append(_Lying(portion))
        self._note(Pooled(full=self._drop(self.rows - self._room)))
        return True

    def draw(self, n: int, version: int) -> Drawn | None:
        """The n oldest rows for a learner of a version; None where too few lie here that are not too old."""
        self._forget(version)
        if self.rows < n:
            return None
        parts, decisions, behind = list[Experience](), 0, 0
        while n:
            first = self._lying[0]
            rows = min(n, first.left)
            part, stand_for = first.take(rows)
            parts.append(part)
            decisions, behind, n = decisions + stand_for, behind + rows * (version - first.portion.version), n - rows
            self._leave()
        found = Experience.joined(parts)
        self._note(Pooled(drawn=len(found), behind=behind))
        return Drawn(found, decisions)

    def lose(self, actors: int) -> None:
        """Note that actors ended, and with them what they had not delivered."""
        self._note(Pooled(lost=actors))

    def pooled(self) -> Pooled:
        """What became of decisions since this was asked last."""
        found, self._pooled = self._pooled, Pooled()
        return found

    def arrays(self) -> list[dict[str, Any]]:
        """Everything that lies here, to save it."""
        return [_kept(each) for each in self._lying]

    def restore(self, saved: list[dict[str, Any]]) -> None:
        """Take up what was saved."""
        self._lying = deque(_taken_up(each) for each in saved)
        self._came = {each.portion.actor: each.portion.number for each in self._lying}

    def _forget(self, version: int) -> None:
        """Throw away what is too old, wherever it lies: portions arrive in another order than they are played in."""
        if self._oldest is None:
            return
        stale = [each for each in self._lying if version - each.portion.version > self._oldest]
        if stale:
            self._lying = deque(each for each in self._lying if each not in stale)
            self._note(Pooled(stale=sum(each.left for each in stale)))

    def _drop(self, rows: int) -> int:
        """Throw the oldest rows away; how many."""
        left = max(0, rows)
        while left:
            first = self._lying[0]
            some = min(left, first.left)
            first.drawn, left = first.drawn + some, left - some
            self._leave()
        return max(0, rows)

    def _leave(self) -> None:
        """A portion without rows has no place here."""
        if not self._lying[0].left:
            self._lying.popleft()

    def _note(self, what: Pooled) -> None:
        self._pooled += what


def _kept(lying: _Lying) -> dict[str, Any]:
    rows = lying.portion.open()
    told = {each.name: getattr(lying.portion, each.name) for each in fields(Portion) if each.name not in _UNTOLD}
    arrays = {each.name: getattr(rows, each.name) for each in fields(rows)}
    return told | {"drawn": lying.drawn, "score": asdict(lying.portion.score), "experience": arrays}


def _taken_up(kept: dict[str, Any]) -> _Lying:
    arrays = kept["experience"]
    rows = Experience(**vars(Lessons.none(len(arrays["label"]))) | arrays)  # older runs looked nowhere ahead
    told = {each.name: kept[each.name] for each in fields(Portion) if each.name not in _UNTOLD}
    if len(rows) != told["rows"] or not 0 <= kept["drawn"] < len(rows):
        raise ValueError("a portion of other rows")
    return _Lying(Portion(**told, score=Score(**kept["score"]), open=lambda: rows), kept["drawn"])


_UNTOLD = ("score", "open")
"""Of a portion what is kept in another form."""

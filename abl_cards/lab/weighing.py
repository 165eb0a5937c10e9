"""What becomes of decisions and matches when preferences weigh more or less: no rule is compiled for that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from abl_cards.agents import Kb
from abl_cards.arena import MatchResult, play_match
from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.games.preferences import Preferences
from abl_cards.games.shapes import functor
from abl_cards.lab.comparing import MOST_PINNED
from abl_cards.lab.worded import preference_words
from abl_cards.lab.workbench import Workbench
from abl_cards.logic.intervals import INT32_MAX
from reasoners.minimiser import Minimiser
from reasoners.phrases import Phrasebook

LEAST, MOST = -4.0, 4.0
"""Times what the rules say."""
MOST_MOVES = 6
__all__ = ["MOST_PINNED", "Weight", "ablated", "decided", "match", "weighed", "weights"]
Factors = Mapping[str, float]
Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Weight:
    """A preference that can be weighed."""

    name: str
    group: str
    weights: tuple[int, ...]  # that its costs have, the lowest first
    words: tuple[str, str]  # in English and Chinese

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"name": self.name, "group": self.group, "weights": list(self.weights), "words": list(self.words)}


def weights(engine: Engine) -> list[Weight]:
    """The preferences that can fire without an estimate of the hidden hands, in the order of their groups."""
    judge = engine.judge()
    groups, found = judge.preferences(), dict[str, set[int]]()
    for name, weight in _costs(judge):
        found.setdefault(name, set()).add(weight)
    order = list(dict.fromkeys(groups.values()))
    said = {name: (preference_words(judge.kb, name, "en"), preference_words(judge.kb, name, "zh")) for name in groups}
    names = sorted(groups, key=lambda name: (order.index(groups[name]), name))
    return [Weight(name, groups[name], tuple(sorted(found[name])), said[name]) for name in names]


def _costs(judge: Preferences) -> Iterator[tuple[str, int]]:
    for name, arguments in judge.outputs:
        if name == "cost":
            yield functor(str(arguments[0])), int(arguments[1])


def weighed(judge: Preferences, factors: Factors) -> Preferences:
    """The same preferences, some of them heavier or lighter; raises GameError for what is none."""
    known = {name for name, _ in _costs(judge)}
    for name, factor in factors.items():
        if name not in known:
            raise GameError(f"there is no preference '{name[:80]}'")
        if not isinstance(factor, int | float) or not LEAST <= factor <= MOST:
            raise GameError(f"{name}: a number from {LEAST:g} to {MOST:g} is wanted")
    rows = [functor(str(arguments[0])) if name == "cost" else "" for name, arguments in judge.outputs]
    times = np.array([factors.get(name, 1.0) for name in rows])
    new = np.rint(judge.weights * times)
    if np.abs(new).sum() > INT32_MAX:
        raise GameError(f"the costs may add up to more than {INT32_MAX} so; weigh the heaviest less")
    return judge.reweighed(new.astype(np.int32))


def before(bench: Workbench, engine: Engine) -> Preferences:
    """The preferences of the game before the edit, at tables of the rules as they are; raises KBError, GameError."""
    return engine.judge((), bench.game.home)


def decided(bench: Workbench, factors: Factors, state: Mapping[str, Any], language: str) -> dict[str, Any]:
    """What the preferences choose in a position, before and now; raises GameError."""
    engine = bench.sound
    moment = engine.moment(state, explained=True)
    judges = before(bench, engine), weighed(engine.judge(), factors)
    old, new = (judge.costs(moment.decision, moment.lists)[0].tolist() for judge in judges)
    was, now = (Minimiser(judge).order(moment.decision, moment.lists).tolist() for judge in judges)
    book = Phrasebook.of(engine.rules.kb, engine, language)
    texts = {row: book.move(moment.labels[row], moment.actions[row]) for row in (*now[:MOST_MOVES], was[0])}
    return {
        "before": texts[was[0]], "now": texts[now[0]], "changed": was[0] != now[0],
        "moves": [{"text": text, "before": old[row], "now": new[row]} for row, text in texts.items()],
    }  # fmt: skip


def match(bench: Workbench, factors: Factors, games: int, seed: int, tell: Tell) -> dict[str, Any]:
    """Agent kb with these weights against kb with the preferences before, each deal from both sides."""
    engine = bench.after
    return _against(engine, weighed(engine.judge(), factors), before(bench, engine), games, seed, tell)


def _against(
    engine: Engine, one: Preferences, two: Preferences, games: int, seed: int, tell: Tell
) -> dict[str, Any]:  # fmt: skip
    agents = [Kb(Minimiser(judge)) for judge in (one, two)]
    names = ("now", "before")
    found: MatchResult = play_match(engine, names, agents, games, seed, lambda done, wins: tell(done, games))
    low, high = found.interval
    return {"games": found.games, "rate": found.rate, "low": low, "high": high}


def ablated(
    bench: Workbench, games: int, seed: int, tell: Tell, show: Callable[[list[dict[str, Any]]], None]
) -> list[dict[str, Any]]:  # fmt: skip
    """What each preference is worth: kb without it against kb with all, as the rules are now; the dearest first."""
    engine, found = bench.after, list[dict[str, Any]]()
    names = [each.name for each in weights(engine)]
    for number, name in enumerate(names):

        def told(done: int, of: int, past: int = number * games) -> None:
            tell(past + done, games * len(names))

        result = _against(engine, engine.judge((name,)), engine.judge(), games, seed, told)
        found.append({"name": name, **result})
        found.sort(key=lambda each: each["rate"])
        show(list(found))
    return found

"""Recompute decisions and matches with scaled preference weights, without compiling rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from abl_cards.agents import PreferenceAgent
from abl_cards.asp import INT32_MAX
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.description import functor
from abl_cards.games.preferences import CompiledPreferences
from abl_cards.matches import MatchResult, play_match
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.reasoners.explain import PreferenceTexts
from abl_cards.rulelab.editor.comparison import MAX_PINNED
from abl_cards.rulelab.editor.describe import describe_preference
from abl_cards.rulelab.editor.draft import RuleDraft

MIN_FACTOR, MAX_FACTOR = -4.0, 4.0
"""Times what the rules say."""
MAX_MOVES = 6
__all__ = [
    "MAX_PINNED",
    "PreferenceWeight",
    "ablate_preferences",
    "compare_choice",
    "list_weights",
    "match_original",
    "reweight_preferences",
]
WeightFactors = Mapping[str, float]
MatchProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class PreferenceWeight:
    """A preference that can be weighed."""

    name: str
    group: str
    weights: tuple[int, ...]  # that its costs have, the lowest first
    texts: tuple[str, str]  # in English and Chinese

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"name": self.name, "group": self.group, "weights": list(self.weights), "words": list(self.texts)}


def list_weights(engine: Engine) -> list[PreferenceWeight]:
    """The preferences that can fire without an estimate of the hidden hands, in the order of their groups."""
    judge = engine.preference_model()
    groups, found = judge.preferences(), dict[str, set[int]]()
    for name, weight in _costs(judge):
        found.setdefault(name, set()).add(weight)
    order = list(dict.fromkeys(groups.values()))
    said = {
        name: (describe_preference(judge.kb, name, "en"), describe_preference(judge.kb, name, "zh")) for name in groups
    }
    names = sorted(groups, key=lambda name: (order.index(groups[name]), name))
    return [PreferenceWeight(name, groups[name], tuple(sorted(found[name])), said[name]) for name in names]


def _costs(judge: CompiledPreferences) -> Iterator[tuple[str, int]]:
    for name, arguments in judge.outputs:
        if name == "cost":
            yield functor(str(arguments[0])), int(arguments[1])


def reweight_preferences(preferences: CompiledPreferences, factors: WeightFactors) -> CompiledPreferences:
    """Scale the weights of preferences; raises GameError for an unknown preference or an invalid factor."""
    known = {name for name, _ in _costs(preferences)}
    for name, factor in factors.items():
        if name not in known:
            raise GameError(f"there is no preference '{name[:80]}'", ErrorCode.UNKNOWN_PREFERENCE)
        if not isinstance(factor, int | float) or not MIN_FACTOR <= factor <= MAX_FACTOR:
            raise GameError(
                f"{name}: a number from {MIN_FACTOR:g} to {MAX_FACTOR:g} is wanted", ErrorCode.INVALID_VALUE
            )
    rows = [functor(str(arguments[0])) if name == "cost" else "" for name, arguments in preferences.outputs]
    times = np.array([factors.get(name, 1.0) for name in rows])
    new = np.rint(preferences.weights * times)
    if np.abs(new).sum() > INT32_MAX:
        raise GameError(
            f"the costs may add up to more than {INT32_MAX} so; weigh the heaviest less", ErrorCode.INTEGER_OVERFLOW
        )
    return preferences.with_weights(new.astype(np.int32))


def original_preferences(draft: RuleDraft, engine: Engine) -> CompiledPreferences:
    """The preferences of the game before the edit, at tables of the rules as they are; raises KBError, GameError."""
    return engine.preference_model((), draft.original_game.directory)


def compare_choice(draft: RuleDraft, factors: WeightFactors, state: Mapping[str, Any], language: str) -> dict[str, Any]:
    """Return the chosen moves in a position before and after reweighting; raises GameError."""
    engine = draft.last_valid_engine
    moment = engine.read_decision_point(state, for_explanation=True)
    judges = original_preferences(draft, engine), reweight_preferences(engine.preference_model(), factors)
    old, new = (judge.costs(moment.decision, moment.move_lists)[0].tolist() for judge in judges)
    was, now = (Minimiser(judge).order(moment.decision, moment.move_lists).tolist() for judge in judges)
    book = PreferenceTexts.of(engine.rules.kb, engine, language)
    texts = {row: book.move_text(moment.labels[row], moment.actions[row]) for row in (*now[:MAX_MOVES], was[0])}
    return {
        "before": texts[was[0]], "now": texts[now[0]], "changed": was[0] != now[0],
        "moves": [{"text": text, "before": old[row], "now": new[row]} for row, text in texts.items()],
    }  # fmt: skip


def match_original(
    draft: RuleDraft, factors: WeightFactors, games: int, seed: int, on_progress: MatchProgress
) -> dict[str, Any]:
    """Agent kb with these weights against kb with the preferences before, each deal from both sides."""
    engine = draft.current_engine
    return _play_pair(
        engine,
        reweight_preferences(engine.preference_model(), factors),
        original_preferences(draft, engine),
        games,
        seed,
        on_progress,
    )


def _play_pair(
    engine: Engine, one: CompiledPreferences, two: CompiledPreferences, games: int, seed: int,
    on_progress: MatchProgress
) -> dict[str, Any]:  # fmt: skip
    agents = [PreferenceAgent(Minimiser(judge)) for judge in (one, two)]
    names = ("now", "before")
    found: MatchResult = play_match(
        engine, agents, games, seed, names=names, on_progress=lambda done, wins: on_progress(done, games)
    )
    low, high = found.interval
    return {"games": found.games, "rate": found.rate, "low": low, "high": high}


def ablate_preferences(
    draft: RuleDraft, games: int, seed: int, on_progress: MatchProgress,
    on_result: Callable[[list[dict[str, Any]]], None],
) -> list[dict[str, Any]]:  # fmt: skip
    """Measure the value of each preference: kb without it against kb, by the current rules; largest effect first."""
    engine, found = draft.current_engine, list[dict[str, Any]]()
    names = [each.name for each in list_weights(engine)]
    for number, name in enumerate(names):

        def told(done: int, of: int, past: int = number * games) -> None:
            on_progress(past + done, games * len(names))

        result = _play_pair(engine, engine.preference_model((name,)), engine.preference_model(), games, seed, told)
        found.append({"name": name, **result})
        found.sort(key=lambda each: each["rate"])
        on_result(list(found))
    return found

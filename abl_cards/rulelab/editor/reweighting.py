"""Recompute decisions and matches with scaled preference weights, without compiling rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from abl_cards.agents import PreferenceAgent
from abl_cards.asp import INT32_MAX
from abl_cards.core import LANGUAGES, ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.description import functor
from abl_cards.games.preferences import CompiledPreferences
from abl_cards.games.tables import DecisionPoint
from abl_cards.matches import MatchResult, play_match
from abl_cards.reasoners.abduction import Minimiser
from abl_cards.reasoners.explain import PreferenceTexts
from abl_cards.rulelab.editor.comparison import MAX_PINNED
from abl_cards.rulelab.editor.describe import describe_preference
from abl_cards.rulelab.editor.draft import RuleDraft

MIN_FACTOR, MAX_FACTOR = -4.0, 4.0
"""Range of the factors of weights."""
MAX_MOVES = 6
MAX_SENTENCE = 120  # letters
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
MoveWriter = Callable[[Engine, DecisionPoint, int], Any]
MatchProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class PreferenceWeight:
    """Preference with the weights of its costs."""

    name: str
    group: str
    weights: tuple[int, ...]  # weights of its costs, lowest first
    texts: tuple[str, str]  # English and Chinese

    def to_json(self) -> dict[str, Any]:
        """Return the preference as JSON."""
        return {"name": self.name, "group": self.group, "weights": list(self.weights), "words": list(self.texts)}


def list_weights(engine: Engine) -> list[PreferenceWeight]:
    """List the preferences that can fire without an estimate of the hidden hands.

    Args:
        engine: Engine of the game.

    Returns:
        Preferences by group and name, with their weights.
    """
    preferences = engine.preference_model()
    groups, weights, instances = preferences.preferences(), dict[str, set[int]](), dict[str, dict[str, None]]()
    for name, weight in _costs(preferences):
        weights.setdefault(name, set()).add(weight)
    for kind, arguments in preferences.outputs:
        if kind == "cost":
            instances.setdefault(functor(str(arguments[0])), {})[str(arguments[0])] = None
    order = list(dict.fromkeys(groups.values()))
    texts = {name: _whole_sentences(engine, preferences, name, list(instances[name])) for name in groups}
    names = sorted(groups, key=lambda name: (order.index(groups[name]), name))
    return [PreferenceWeight(name, groups[name], tuple(sorted(weights[name])), texts[name]) for name in names]


def _whole_sentences(
    engine: Engine, preferences: CompiledPreferences, name: str, instances: list[str]
) -> tuple[str, str]:
    """Return the sentence of a preference for all its instances, or with gaps if they are too many to name."""
    english, chinese = (
        text if len(text) <= MAX_SENTENCE else describe_preference(preferences.kb, name, language)
        for language in LANGUAGES
        for text in (PreferenceTexts.of(preferences.kb, engine, language).sentence(instances),)
    )
    return english, chinese


def _costs(preferences: CompiledPreferences) -> Iterator[tuple[str, int]]:
    for name, arguments in preferences.outputs:
        if name == "cost":
            yield functor(str(arguments[0])), int(arguments[1])


def reweight_preferences(preferences: CompiledPreferences, factors: WeightFactors) -> CompiledPreferences:
    """Scale the weights of preferences.

    Args:
        preferences: Preferences of a game.
        factors: Factor by name of preference; others stay as they are.

    Returns:
        Preferences with rounded weights.

    Raises:
        GameError: A preference is unknown, a factor is out of range, or the costs may exceed 32 bits.
    """
    known = {name for name, _ in _costs(preferences)}
    for name, factor in factors.items():
        if name not in known:
            raise GameError(f"unknown preference '{name[:80]}'", ErrorCode.UNKNOWN_PREFERENCE)
        if not isinstance(factor, int | float) or not MIN_FACTOR <= factor <= MAX_FACTOR:
            raise GameError(f"{name}: not a number from {MIN_FACTOR:g} to {MAX_FACTOR:g}", ErrorCode.INVALID_VALUE)
    row_names = [functor(str(arguments[0])) if name == "cost" else "" for name, arguments in preferences.outputs]
    row_factors = np.array([factors.get(name, 1.0) for name in row_names])
    scaled = np.rint(preferences.weights * row_factors)
    if np.abs(scaled).sum() > INT32_MAX:
        raise GameError(
            f"the costs may add up to more than {INT32_MAX}; use smaller factors", ErrorCode.INTEGER_OVERFLOW
        )
    return preferences.with_weights(scaled.astype(np.int32))


def original_preferences(draft: RuleDraft, engine: Engine) -> CompiledPreferences:
    """Compile the preferences of the original game for the current rules; raises KBError, GameError."""
    return engine.preference_model((), draft.original_game.directory)


def compare_choice(
    draft: RuleDraft, factors: WeightFactors, state: Mapping[str, Any], write_move: MoveWriter
) -> dict[str, Any]:
    """Compare the chosen move in a position before and after reweighting.

    Args:
        draft: Rules that are being edited.
        factors: Factor by name of preference.
        state: JSON state.
        write_move: Returns a move of a decision as JSON, by its row.

    Returns:
        Chosen moves and costs as JSON.

    Raises:
        GameError: The state is invalid, or a factor is.
        KBError: The rules of the original game have errors.
    """
    engine = draft.last_valid_engine
    decision_point = engine.read_decision_point(state, for_explanation=True)
    preferences = original_preferences(draft, engine), reweight_preferences(engine.preference_model(), factors)
    old, new = (model.costs(decision_point.decision, decision_point.move_lists)[0].tolist() for model in preferences)
    old_order, new_order = (
        Minimiser(model).order(decision_point.decision, decision_point.move_lists).tolist() for model in preferences
    )
    texts = {
        row: write_move(engine, decision_point, row) for row in dict.fromkeys((*new_order[:MAX_MOVES], old_order[0]))
    }
    return {
        "before": texts[old_order[0]], "now": texts[new_order[0]], "changed": old_order[0] != new_order[0],
        "moves": [{"text": text, "before": old[row], "now": new[row]} for row, text in texts.items()],
    }  # fmt: skip


def match_original(
    draft: RuleDraft, factors: WeightFactors, games: int, seed: int, on_progress: MatchProgress
) -> dict[str, Any]:
    """Play reweighted preferences against the original ones, each deal from both sides.

    Args:
        draft: Rules that are being edited.
        factors: Factor by name of preference.
        games: Number of games.
        seed: Seed of the deals.
        on_progress: Called with the number of finished games and their total.

    Returns:
        Win rate of the reweighted preferences with its interval, as JSON.

    Raises:
        GameError: A factor is invalid.
        KBError: The rules have errors.
    """
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
    engine: Engine, new_preferences: CompiledPreferences, old_preferences: CompiledPreferences, games: int, seed: int,
    on_progress: MatchProgress
) -> dict[str, Any]:  # fmt: skip
    agents = [PreferenceAgent(Minimiser(preferences)) for preferences in (new_preferences, old_preferences)]
    names = ("now", "before")
    result: MatchResult = play_match(
        engine, agents, games, seed, names=names, on_progress=lambda done, wins: on_progress(done, games)
    )
    low, high = result.interval
    return {"games": result.games, "rate": result.rate, "low": low, "high": high}


def ablate_preferences(
    draft: RuleDraft, games: int, seed: int, on_progress: MatchProgress,
    on_result: Callable[[list[dict[str, Any]]], None],
) -> list[dict[str, Any]]:  # fmt: skip
    """Measure the value of each preference: kb without it plays against kb, by the current rules.

    Args:
        draft: Rules that are being edited.
        games: Number of games for each preference.
        seed: Seed of the deals.
        on_progress: Called with the number of finished games and their total.
        on_result: Called with all results so far after each preference.

    Returns:
        Win rates without each preference, lowest first, as JSON.

    Raises:
        KBError: The rules have errors.
    """
    engine, results = draft.current_engine, list[dict[str, Any]]()
    weights = list_weights(engine)
    for index, (name, texts) in enumerate((item.name, item.texts) for item in weights):

        def report_progress(done: int, total: int, offset: int = index * games) -> None:
            on_progress(offset + done, games * len(weights))

        result = _play_pair(
            engine, engine.preference_model((name,)), engine.preference_model(), games, seed, report_progress
        )
        results.append({"name": name, "words": list(texts), **result})
        results.sort(key=lambda item: item["rate"])
        on_result(list(results))
    return results

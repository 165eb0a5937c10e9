"""Weights that were tried, written into the rules: each number of ``cost(Name, Number)`` becomes another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from abl_cards.asp import COST
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.description import functor
from abl_cards.games.preferences import CompiledPreferences
from abl_cards.rulelab.editor.draft import RuleDraft
from abl_cards.rulelab.editor.reweighting import WeightFactors, reweight_preferences
from abl_cards.rulelab.editor.symbols import HEAD, find_occurrences
from abl_cards.rulelab.editor.tokens import SourceText, SyntaxToken

_MAX_DIGITS = 10  # of the largest number that there is


@dataclass(frozen=True)
class _CostRule:
    """Head of a rule that gives the weight of a preference."""

    name: str
    weight: Sequence[SyntaxToken]
    line: int

    @property
    def number(self) -> int | None:
        """The weight, where it is a plain number."""
        signs, last = [token.text for token in self.weight[:-1]], self.weight[-1].text if self.weight else ""
        plain = signs in ([], ["-"]) and last.isdecimal() and len(last) <= _MAX_DIGITS
        return int("".join([*signs, last])) if plain else None


def write_weights(draft: RuleDraft, factors: WeightFactors) -> list[str]:
    """Write so many times its weight into every rule of these preferences; gives the files that are others now.

    Raises GameError, and writes nothing, where a weight is no plain number, or stands in no file that may be written,
    or where other costs than those that were tried would come of it.
    """
    tried = _cost_weights(
        reweight_preferences(draft.current_engine.preference_model(), factors)
    )  # what is wrong with the factors is said
    wanted = {name: factor for name, factor in factors.items() if factor != 1}
    told, found = dict[str, str](), set[str]()
    for file in draft.files:
        if file.name.endswith(".lp"):
            text = draft.read(file.name)
            mine = [cost for cost in find_cost_rules(text) if cost.name in wanted]
            found |= {cost.name for cost in mine}
            changed = _rewrite_weights(file.name, text, mine, wanted)
            if changed != text:
                told[file.name] = changed
    missing = sorted(wanted.keys() - found)
    if missing:
        raise GameError(
            f"{missing[0]}: no rule cost({missing[0]},…) stands in a file of this folder", ErrorCode.INVALID_WEIGHT
        )
    with _restore_on_error(draft, told):
        for name, text in told.items():
            draft.write(name, text)
        unlike = tried ^ _cost_weights(draft.current_engine.preference_model())
        if unlike:
            name = min(functor(name) for name, _ in unlike)
            raise GameError(
                f"{name}: not every rule of it says cost({name},NUMBER) in a file of this folder; do so",
                ErrorCode.INVALID_WEIGHT,
            )
    return sorted(told)


def _cost_weights(judge: CompiledPreferences) -> set[tuple[str, int]]:
    """The costs that there may be, with what they weigh."""
    told = zip(judge.outputs, judge.weights.tolist(), strict=True)
    return {(str(arguments[0]), weight) for (name, arguments), weight in told if name == COST.name}


@contextmanager
def _restore_on_error(bench: RuleDraft, names: Iterable[str]) -> Iterator[None]:
    """Restore these files if the body fails."""
    before = {file.name: bench.read(file.name) if file.is_own else None for file in bench.files if file.name in names}
    try:
        yield
    except BaseException:
        for name, text in before.items():
            bench.revert(name) if text is None else bench.write(name, text)
        raise


def _rewrite_weights(file: str, text: str, found: Sequence[_CostRule], factors: WeightFactors) -> str:
    for cost in reversed(found):
        number = cost.number
        if number is None:
            said = " ".join(token.text for token in cost.weight)
            raise GameError(
                f"{cost.name}: its weight is '{said}', no plain number ({file}:{cost.line}); write it there",
                ErrorCode.INVALID_WEIGHT,
            )
        new = int(np.rint(number * factors[cost.name]))  # as reweighting.py has it
        text = text[: cost.weight[0].start] + str(new) + text[cost.weight[-1].end :]
    return text


def find_cost_rules(text: str) -> list[_CostRule]:
    """The rules of a text that say what preferences weigh, in their order."""
    read = SourceText(text)
    places = {token.start: place for place, token in enumerate(read.tokens)}
    heads = [each for each in find_occurrences(read) if each.signature == COST and each.role == HEAD]
    return [found for each in heads for found in _parse_cost_rule(read, places[each.start])]


def _parse_cost_rule(read: SourceText, place: int) -> Iterator[_CostRule]:
    """The one whose name is the token at a place."""
    depth, comma = 0, 0
    for here in range(place + 1, len(read.tokens)):
        token = read.tokens[here]
        depth += token.is_mark("(", "[", "{") - token.is_mark(")", "]", "}")
        if token.is_mark(",") and depth == 1:
            comma = here
        if not depth:
            line = read.text.count("\n", 0, token.start) + 1
            yield _CostRule(read.tokens[place + 2].text, read.tokens[comma + 1 : here], line)
            return

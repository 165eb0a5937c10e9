"""Write scaled weights into rules: replace the number of each ``cost(Name, Number)``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from abl_cards.asp import COST, LexerToken
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.description import functor
from abl_cards.games.preferences import CompiledPreferences
from abl_cards.rulelab.editor.draft import RuleDraft
from abl_cards.rulelab.editor.reweighting import WeightFactors, reweight_preferences
from abl_cards.rulelab.editor.symbols import HEAD, find_occurrences
from abl_cards.rulelab.editor.tokens import SourceText

_MAX_DIGITS = 10  # digits of the largest 32-bit number


@dataclass(frozen=True)
class _CostRule:
    """Head of a rule that gives the weight of a preference."""

    name: str
    weight: Sequence[LexerToken]
    line: int

    @property
    def number(self) -> int | None:
        """Weight as a number; None for an expression."""
        sign_tokens, last_token = (
            [token.text for token in self.weight[:-1]],
            self.weight[-1].text if self.weight else "",
        )
        is_number = sign_tokens in ([], ["-"]) and last_token.isdecimal() and len(last_token) <= _MAX_DIGITS
        return int("".join([*sign_tokens, last_token])) if is_number else None


def write_weights(draft: RuleDraft, factors: WeightFactors) -> list[str]:
    """Scale the weights in the rules of preferences; no file is changed if an error is raised.

    Args:
        draft: Rules that are being edited.
        factors: Factor by name of preference.

    Returns:
        Names of the changed files.

    Raises:
        GameError: A factor is invalid, a weight is not a number in a file of the draft, or other costs would result.
        KBError: The rules have errors.
    """
    expected = _cost_weights(
        reweight_preferences(draft.current_engine.preference_model(), factors)
    )  # raises errors of the factors
    changed_factors = {name: factor for name, factor in factors.items() if factor != 1}
    new_texts, names_with_rules = dict[str, str](), set[str]()
    for file in draft.files:
        if file.name.endswith(".lp"):
            text = draft.read(file.name)
            cost_rules = [cost for cost in find_cost_rules(text) if cost.name in changed_factors]
            names_with_rules |= {cost.name for cost in cost_rules}
            new_text = _rewrite_weights(file.name, text, cost_rules, changed_factors)
            if new_text != text:
                new_texts[file.name] = new_text
    missing = sorted(changed_factors.keys() - names_with_rules)
    if missing:
        raise GameError(
            f"{missing[0]}: no file of this folder has a rule cost({missing[0]},…)", ErrorCode.INVALID_WEIGHT
        )
    with _restore_on_error(draft, new_texts):
        for name, text in new_texts.items():
            draft.write(name, text)
        mismatched = expected ^ _cost_weights(draft.current_engine.preference_model())
        if mismatched:
            name = min(functor(name) for name, _ in mismatched)
            raise GameError(
                f"{name}: write each of its rules as cost({name},NUMBER) in a file of this folder",
                ErrorCode.INVALID_WEIGHT,
            )
    return sorted(new_texts)


def _cost_weights(preferences: CompiledPreferences) -> set[tuple[str, int]]:
    """Return all possible costs with their weights."""
    output_weights = zip(preferences.outputs, preferences.weights.tolist(), strict=True)
    return {(str(arguments[0]), weight) for (name, arguments), weight in output_weights if name == COST.name}


@contextmanager
def _restore_on_error(draft: RuleDraft, names: Iterable[str]) -> Iterator[None]:
    """Restore these files if the body fails."""
    old_texts = {
        file.name: draft.read(file.name) if file.is_own else None for file in draft.files if file.name in names
    }
    try:
        yield
    except BaseException:
        for name, text in old_texts.items():
            draft.revert(name) if text is None else draft.write(name, text)
        raise


def _rewrite_weights(file: str, text: str, cost_rules: Sequence[_CostRule], factors: WeightFactors) -> str:
    for cost in reversed(cost_rules):
        number = cost.number
        if number is None:
            weight_text = " ".join(token.text for token in cost.weight)
            raise GameError(
                f"{cost.name}: its weight '{weight_text}' is not a number ({file}:{cost.line})",
                ErrorCode.INVALID_WEIGHT,
            )
        new = int(np.rint(number * factors[cost.name]))  # rounded like the weights of reweight_preferences
        text = text[: cost.weight[0].start] + str(new) + text[cost.weight[-1].end :]
    return text


def find_cost_rules(text: str) -> list[_CostRule]:
    """Find the rules of a text that define weights of preferences, in order."""
    source = SourceText(text)
    indices = {token.start: index for index, token in enumerate(source.tokens)}
    heads = [head for head in find_occurrences(source) if head.signature == COST and head.role == HEAD]
    return [rule for head in heads for rule in _parse_cost_rule(source, indices[head.start])]


def _parse_cost_rule(source: SourceText, head_index: int) -> Iterator[_CostRule]:
    """Yield the cost rule whose head is at an index, if it is complete."""
    depth, comma = 0, 0
    for index in range(head_index + 1, len(source.tokens)):
        token = source.tokens[index]
        depth += token.is_mark("(", "[", "{") - token.is_mark(")", "]", "}")
        if token.is_mark(",") and depth == 1:
            comma = index
        if not depth:
            line = source.text.count("\n", 0, token.start) + 1
            yield _CostRule(source.tokens[head_index + 2].text, source.tokens[comma + 1 : index], line)
            return

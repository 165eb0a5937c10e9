"""Render explanations as text, in English or Chinese: the tables of the paper's figures 3 and 4, with reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

from abl_cards.asp import Constraint
from abl_cards.core import join_texts, texts_by_language
from abl_cards.games.description import functor
from abl_cards.reasoners.explain.assessments import FiredPreference, MoveAssessment, PreferenceDifference
from abl_cards.reasoners.explain.explanation import Explanation
from abl_cards.reasoners.explain.model_explanation import SEAT_TEXTS
from abl_cards.reasoners.explain.preference_texts import PreferenceTexts

MAX_LISTED_MOVES = 12
"""Most candidates and dropped moves in the text; the JSON form has all."""
MAX_LISTED_LABELS = 8
"""Most labels with probabilities in the text; the JSON form has all."""
_BAR_WIDTH = 20  # characters for a probability of one

_TEXTS = texts_by_language({
    "chosen": ("chosen: {move}   cost {cost}, the lowest of {moves} moves",
               "选择：{move}   代价 {cost}，{moves} 种出法中最低"),
    "only": ("chosen: {move}   cost {cost}, the only move", "选择：{move}   代价 {cost}，唯一的出法"),
    "searched": ("labels with very many card sets: the cheapest found by search are among the moves, not all",
                 "出法极多的伪动作：只列出搜索到的代价最低的若干种"),
    "runner_up": ("runner-up: {move}   cost {cost}, place {place}", "次选：{move}   代价 {cost}，第 {place} 位"),
    "why_not": ("why not {move}: it costs {more} more", "为什么不选 {move}：代价高 {more}"),
    "tie": ("why not {move}: it costs the same and comes later among the legal moves",
            "为什么不选 {move}：代价相同，但在列表中靠后"),
    "worse": ("why not {move}: it is inconsistent with the knowledge base", "为什么不选 {move}：与知识库不一致"),
    "candidates": ("candidates of {label}: {count}", "{label} 的候选动作：{count}"),
    "more": ("… and {count} more", "……还有 {count} 种"),
    "dropped": ("inconsistent with the knowledge base: {count}", "与知识库不一致而舍去：{count}"),
    "made": ("the move that was made: {move}   cost {cost}, place {place} of {moves}",
             "实际出牌：{move}   代价 {cost}，{moves} 种中第 {place} 位"),
    "same": ("the move that was made is the chosen one", "实际出牌就是所选出法"),
    "judged": ("{move}   cost {cost}, place {place} of {moves}", "{move}   代价 {cost}，{moves} 种中第 {place} 位"),
    "no_reasons": ("no preference fired", "没有触发任何偏好"),
    "labels": ("labels by probability: {count} to choose among", "伪动作按概率排列：共 {count} 个可选"),
    "answered": ("; could be answered by {names}", "；能被压住的概率：{names}"),
    "ahead": ("; over sampled deals: expected points, and the probability before",
              "；在假想牌局上的期望得分，以及前瞻之前的概率"),
    "solved": ("; solved in {deals} likely deals: expected points, deals that are won, and the probability before",
               "；在 {deals} 副可能的牌局中精确求解：期望得分、获胜的牌局数，以及求解之前的概率"),
    "more_labels": ("… and {count} more, {share} together", "……还有 {count} 个，共 {share}"),
    "likeliest": ("chosen: {move}   cost {cost}, the lowest of {count} card sets of {label}, the most probable label",
                  "选择：{move}   代价 {cost}，概率最高的伪动作 {label} 的 {count} 种出法中最低"),
    "only_set": ("chosen: {move}   cost {cost}, the only card set of {label}, the most probable label",
                 "选择：{move}   代价 {cost}，概率最高的伪动作 {label} 的唯一出法"),
    "drawn": ("chosen: {move}   cost {cost}, drawn from {count} card sets of {label}, the most probable label",
              "选择：{move}   代价 {cost}，从概率最高的伪动作 {label} 的 {count} 种出法中随机抽取"),
    "less_likely": ("why not {move}: {label} is less probable, {other} against {share}; difference in cost: {more:+d}",
                    "为什么不选 {move}：{label} 的概率较低，{other} 对 {share}；代价差 {more:+d}"),
    "not_drawn": ("why not {move}: the preferences were not asked; difference in cost: {more:+d}",
                  "为什么不选 {move}：没有考虑偏好；代价差 {more:+d}"),
    "made_label": ("   {label} at {share}", "   {label} 的概率 {share}"),
    "at_most": ("plays to go after it: at most {count} (an upper bound; so are preferences that count them)",
                "此后出完手牌：至多 {count} 手（上界；按手数计的偏好也以此为准）"),
})  # fmt: skip


@dataclass(frozen=True)
class PreferenceLine:
    """Instances of one preference, merged into one line."""

    weight: int
    name: str
    text: str


def render_explanation(explanation: Explanation) -> str:
    """Render an explanation as text, without the state.

    Args:
        explanation: The explanation.

    Returns:
        Lines of text. The weights of each list add up to the cost, or to the difference in cost, above it.
    """
    return "\n".join(_lines(explanation))


def _lines(explanation: Explanation) -> Iterator[str]:
    phrases, preference_texts = _TEXTS[explanation.texts.language], explanation.texts
    chosen = explanation.chosen
    if explanation.model_explanation is not None:
        yield from _label_lines(explanation)
        yield ""
    yield _choice_line(explanation)
    if not explanation.decision_point.is_complete:
        yield f"  {_TEXTS[explanation.texts.language]['searched']}"
    yield from _reason_lines(chosen, preference_texts)
    if explanation.runner_up is not None:
        other = explanation.runner_up
        yield ""
        yield phrases["runner_up"].format(move=_move_text(other, preference_texts), cost=other.cost, place=other.rank)
        yield from _reason_lines(other, preference_texts)
        yield ""
        yield from contrast_lines(explanation, other)
    yield ""
    yield from _candidate_lines(explanation)
    if explanation.dropped:
        yield ""
        yield from _dropped_lines(explanation)
    if explanation.made is not None:
        yield ""
        yield from _made_lines(explanation, explanation.made)


def _label_lines(explanation: Explanation) -> Iterator[str]:
    """Yield the most probable labels, with bars, as in the paper's figure 4."""
    preference_texts, labels = explanation.texts, explanation.labels
    phrases, shown = _TEXTS[preference_texts.language], labels[:MAX_LISTED_LABELS]
    seats = [
        SEAT_TEXTS[preference_texts.language][name] for name in ((shown[0].response_probs if shown else None) or ())
    ]
    answered = phrases["answered"].format(names=join_texts(seats, preference_texts.language)) if seats else ""
    has_lookahead = any(
        assessment.lookahead and assessment.lookahead.expected_points is not None for assessment in shown
    )
    deals = max((assessment.lookahead.n_deals for assessment in shown if assessment.lookahead), default=0)
    suffix = phrases["solved"].format(deals=deals) if deals else phrases["ahead"] if has_lookahead else ""
    yield phrases["labels"].format(count=len(labels)) + answered + suffix
    names = [preference_texts.label_text(assessment.label) for assessment in shown]
    width = max(map(_display_width, names), default=0)
    for assessment, name in zip(shown, names, strict=True):
        mark, share = ">" if assessment.label == explanation.chosen.label else " ", assessment.probability or 0.0
        answers = "".join(f"{_response_text(answer):>6}" for answer in (assessment.response_probs or {}).values())
        row_text = f"{_percentage(share):>7}{answers}{_lookahead_text(assessment) if has_lookahead else ''}"
        yield f"{mark} {_pad(name, width)}  {row_text}  {'█' * round(_BAR_WIDTH * share)}".rstrip()
    omitted = labels[MAX_LISTED_LABELS:]
    if omitted:
        total_share = _percentage(sum(assessment.probability or 0.0 for assessment in omitted))
        yield f"  {phrases['more_labels'].format(count=len(omitted), share=total_share)}"


def _choice_line(explanation: Explanation) -> str:
    chosen, moves, model_explanation = (
        explanation.chosen,
        len(explanation.decision_point.actions),
        explanation.model_explanation,
    )
    num_sets = sum(not assessment.violations for assessment in explanation.candidates) or len(explanation.candidates)
    key = "chosen" if moves > 1 else "only"
    if model_explanation is not None and moves > 1:
        key = "only_set" if num_sets == 1 else "drawn" if model_explanation.is_sampled else "likeliest"
    preference_texts = explanation.texts
    phrase, label = _TEXTS[preference_texts.language][key], preference_texts.label_text(chosen.label)
    return phrase.format(
        move=_move_text(chosen, preference_texts), cost=chosen.cost, moves=moves, label=label, count=num_sets
    )


def _response_text(answer: float | None) -> str:
    return "–" if answer is None else f"{answer:.0%}"


def _lookahead_text(assessment: MoveAssessment) -> str:
    ahead = assessment.lookahead
    points = "–" if ahead is None or ahead.expected_points is None else f"{ahead.expected_points:+.2f}"
    wins = f" {f'{ahead.wins}/{ahead.n_deals}':>7}" if ahead and ahead.n_deals else ""
    return f"{points:>7}{wins} {_percentage(ahead.prior_probability if ahead else None):>7}"


def _percentage(share: float | None) -> str:
    return f"{share or 0.0:.1%}"


def contrast_lines(explanation: Explanation, other: MoveAssessment) -> Iterator[str]:
    """Render the difference between the chosen and another move.

    Args:
        explanation: The explanation.
        other: Another move.

    Yields:
        Lines of text.
    """
    chosen, more = explanation.chosen, other.cost - explanation.chosen.cost
    key = "worse" if other.violations else "tie" if more == 0 else "why_not"
    if explanation.model_explanation is not None and not other.violations:
        key = (
            "less_likely"
            if other.label != chosen.label
            else "not_drawn"
            if explanation.model_explanation.is_sampled
            else key
        )
    shares = {"share": _percentage(chosen.probability), "other": _percentage(other.probability)}
    preference_texts = explanation.texts
    phrase, label = _TEXTS[preference_texts.language][key], preference_texts.label_text(other.label)
    yield phrase.format(move=_move_text(other, preference_texts), more=more, label=label, **shares)
    yield from (f"  {_citation(constraint)}" for constraint in other.violations)
    yield from _preference_table(merge_instances(explanation.differences(other), explanation.texts))


def assessment_lines(explanation: Explanation, assessment: MoveAssessment) -> Iterator[str]:
    """Render the evaluation of a move, and its difference to the chosen one.

    Args:
        explanation: The explanation.
        assessment: Evaluation of the move.

    Yields:
        Lines of text.
    """
    moves = len(explanation.decision_point.actions)
    phrase = _TEXTS[explanation.texts.language]["judged"]
    yield phrase.format(
        move=_move_text(assessment, explanation.texts), cost=assessment.cost, place=assessment.rank, moves=moves
    )
    yield from _reason_lines(assessment, explanation.texts)
    if assessment.rank > 1:
        yield from contrast_lines(explanation, assessment)


def _reason_lines(assessment: MoveAssessment, texts: PreferenceTexts) -> Iterator[str]:
    yield from (f"  {_citation(constraint)}" for constraint in assessment.violations)
    if not assessment.reasons:
        yield f"  {_TEXTS[texts.language]['no_reasons']}"
    yield from _preference_table(merge_instances(assessment.reasons, texts))
    if assessment.max_plays_left is not None:
        yield f"  {_TEXTS[texts.language]['at_most'].format(count=assessment.max_plays_left)}"


def _candidate_lines(explanation: Explanation) -> Iterator[str]:
    phrases, candidates = _TEXTS[explanation.texts.language], explanation.candidates
    yield phrases["candidates"].format(
        label=explanation.texts.label_text(explanation.chosen.label), count=len(candidates)
    )
    shown = candidates[:MAX_LISTED_MOVES]
    names = [_move_text(assessment, explanation.texts) for assessment in shown]
    width = max(map(_display_width, names))
    for assessment, name in zip(shown, names, strict=True):
        mark = ">" if assessment.rank == explanation.chosen.rank else " "
        differences = ", ".join(
            f"{line.weight:+d} {line.name}"
            for line in merge_instances(explanation.differences(assessment), explanation.texts)
        )
        cost = "–" if assessment.violations else str(assessment.cost)
        yield f"{mark} {_pad(name, width)}  {cost:>5}  {differences}".rstrip()
    if len(candidates) > len(shown):
        yield f"  {phrases['more'].format(count=len(candidates) - len(shown))}"


def _dropped_lines(explanation: Explanation) -> Iterator[str]:
    phrases, dropped = _TEXTS[explanation.texts.language], explanation.dropped
    yield phrases["dropped"].format(count=len(dropped))
    for assessment in dropped[:MAX_LISTED_MOVES]:
        yield f"  {_move_text(assessment, explanation.texts)}"
        yield from (f"    {_citation(constraint)}" for constraint in assessment.violations)
    if len(dropped) > MAX_LISTED_MOVES:
        yield f"  {phrases['more'].format(count=len(dropped) - MAX_LISTED_MOVES)}"


def _citation(constraint: Constraint) -> str:
    return f"{constraint.location.file}:{constraint.location.line}: {constraint.text}"


def _made_lines(explanation: Explanation, made: MoveAssessment) -> Iterator[str]:
    phrases, moves = _TEXTS[explanation.texts.language], len(explanation.decision_point.actions)
    if made.rank == explanation.chosen.rank:
        yield phrases["same"]
        return
    share = phrases["made_label"].format(
        label=explanation.texts.label_text(made.label), share=_percentage(made.probability)
    )
    label_suffix = share if made.probability is not None else ""
    yield (
        phrases["made"].format(move=_move_text(made, explanation.texts), cost=made.cost, place=made.rank, moves=moves)
        + label_suffix
    )
    yield from _reason_lines(made, explanation.texts)
    yield ""
    yield from contrast_lines(explanation, made)


def merge_instances(
    instances: Iterable[FiredPreference | PreferenceDifference], texts: PreferenceTexts
) -> list[PreferenceLine]:
    """Merge the instances of a preference with equal weights.

    Args:
        instances: Preferences that fired, or differences.
        texts: Texts of the preferences.

    Returns:
        One line for each preference and weight, the largest total first.
    """
    names_by_share: dict[tuple[str, int], list[str]] = {}
    for instance in instances:
        share = instance.weight if isinstance(instance, FiredPreference) else instance.cost_difference
        names_by_share.setdefault((functor(instance.name), share), []).append(instance.name)
    lines = [
        PreferenceLine(share * len(names), name if len(names) == 1 else f"{name} × {len(names)}", texts.sentence(names))
        for (name, share), names in names_by_share.items()
    ]
    return sorted(lines, key=lambda line: -abs(line.weight))


def _preference_table(lines: Sequence[PreferenceLine]) -> Iterator[str]:
    width = max((_display_width(line.name) for line in lines), default=0)
    for line in lines:
        yield f"  {line.weight:+5d}  {_pad(line.name, width)}  {line.text}"


def _move_text(assessment: MoveAssessment, texts: PreferenceTexts) -> str:
    return texts.move_text(assessment.label, assessment.action)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - _display_width(text))


def _display_width(text: str) -> int:
    """Return the width of a text in columns of a terminal; Chinese characters take two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)

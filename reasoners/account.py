"""An explanation as text, in English or Chinese: the tables of the paper's figures 3 and 4, with reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

from abl_cards.logic import Constraint
from reasoners.explanation import Difference, Explanation, Reason, Verdict
from reasoners.opinion import SEATS
from reasoners.phrases import Phrasebook, functor

MOST_LISTED = 12
"""Candidates and dropped moves; the JSON form has them all."""
MOST_LABELS = 8
"""Labels with their probabilities; the JSON form has them all."""
_LISTED = {"en": ", ", "zh": "、"}
_BAR = 20  # characters for a probability of one

_ENGLISH = {
    "chosen": "chosen: {move}   cost {cost}, the lowest of {moves} moves",
    "only": "chosen: {move}   cost {cost}, the only move",
    "runner_up": "runner-up: {move}   cost {cost}, place {place}",
    "why_not": "why not {move}: it costs {more} more",
    "tie": "why not {move}: it costs the same and comes later in wire order",
    "worse": "why not {move}: it is inconsistent with the knowledge base",
    "candidates": "candidates of {label}: {count}",
    "more": "… and {count} more",
    "dropped": "inconsistent with the knowledge base: {count}",
    "made": "the move that was made: {move}   cost {cost}, place {place} of {moves}",
    "same": "the move that was made is the chosen one",
    "judged": "{move}   cost {cost}, place {place} of {moves}",
    "no_reasons": "no preference fired",
    "labels": "labels by probability: {count} to choose among",
    "answered": "; could be answered by {names}",
    "ahead": "; over imagined deals: expected points, and the probability before",
    "solved": "; solved in {deals} likely deals: expected points, deals that are won, and the probability before",
    "more_labels": "… and {count} more, {share} together",
    "likeliest": "chosen: {move}   cost {cost}, the lowest of {count} card sets of {label}, the most probable label",
    "only_set": "chosen: {move}   cost {cost}, the only card set of {label}, the most probable label",
    "drawn": "chosen: {move}   cost {cost}, drawn from {count} card sets of {label}, the most probable label",
    "less_likely": "why not {move}: {label} is less probable, {other} against {share}; difference in cost: {more:+d}",
    "not_drawn": "why not {move}: the preferences were not asked; difference in cost: {more:+d}",
    "made_label": "   {label} at {share}",
    "at_most": "plays to go after it: at most {count} (an upper bound; so are preferences that count them)",
}
_CHINESE = {
    "chosen": "选择：{move}   代价 {cost}，{moves} 种出法中最低",
    "only": "选择：{move}   代价 {cost}，唯一的出法",
    "runner_up": "次选：{move}   代价 {cost}，第 {place} 位",
    "why_not": "为什么不选 {move}：代价高 {more}",
    "tie": "为什么不选 {move}：代价相同，但在列表中靠后",
    "worse": "为什么不选 {move}：与知识库不一致",
    "candidates": "{label} 的候选动作：{count}",
    "more": "……还有 {count} 种",
    "dropped": "与知识库不一致而舍去：{count}",
    "made": "实际出牌：{move}   代价 {cost}，{moves} 种中第 {place} 位",
    "same": "实际出牌就是所选出法",
    "judged": "{move}   代价 {cost}，{moves} 种中第 {place} 位",
    "no_reasons": "没有触发任何偏好",
    "labels": "伪动作按概率排列：共 {count} 个可选",
    "answered": "；能被压住的概率：{names}",
    "ahead": "；在假想牌局上的期望得分，以及前瞻之前的概率",
    "solved": "；在 {deals} 副可能的牌局中精确求解：期望得分、获胜的牌局数，以及求解之前的概率",
    "more_labels": "……还有 {count} 个，共 {share}",
    "likeliest": "选择：{move}   代价 {cost}，概率最高的伪动作 {label} 的 {count} 种出法中最低",
    "only_set": "选择：{move}   代价 {cost}，概率最高的伪动作 {label} 的唯一出法",
    "drawn": "选择：{move}   代价 {cost}，从概率最高的伪动作 {label} 的 {count} 种出法中随机抽取",
    "less_likely": "为什么不选 {move}：{label} 的概率较低，{other} 对 {share}；代价差 {more:+d}",
    "not_drawn": "为什么不选 {move}：没有考虑偏好；代价差 {more:+d}",
    "made_label": "   {label} 的概率 {share}",
    "at_most": "此后出完手牌：至多 {count} 手（上界；按手数计的偏好也以此为准）",
}
_HEADINGS = {"en": _ENGLISH, "zh": _CHINESE}


@dataclass(frozen=True)
class Line:
    """Instances of one preference, drawn together."""

    share: int
    name: str
    words: str


def account(explanation: Explanation) -> str:
    """The explanation as text, without the state.

    The shares of each list add up to the cost, or to the difference, above it.
    """
    return "\n".join(_lines(explanation))


def _lines(explanation: Explanation) -> Iterator[str]:
    say, book = _HEADINGS[explanation.book.language], explanation.book
    chosen = explanation.chosen
    if explanation.opinion is not None:
        yield from _labels(explanation)
        yield ""
    yield _choice(explanation)
    yield from _reasons(chosen, book)
    if explanation.runner_up is not None:
        other = explanation.runner_up
        yield ""
        yield say["runner_up"].format(move=_move(other, book), cost=other.cost, place=other.place)
        yield from _reasons(other, book)
        yield ""
        yield from why_not(explanation, other)
    yield ""
    yield from _candidates(explanation)
    if explanation.dropped:
        yield ""
        yield from _dropped(explanation)
    if explanation.made is not None:
        yield ""
        yield from _made(explanation, explanation.made)


def _labels(explanation: Explanation) -> Iterator[str]:
    """The most probable labels, with bars, as in the paper's figure 4."""
    book, labels = explanation.book, explanation.labels
    say, shown = _HEADINGS[book.language], labels[:MOST_LABELS]
    seats = [SEATS[book.language][name] for name in ((shown[0].answers if shown else None) or ())]
    answered = say["answered"].format(names=_LISTED[book.language].join(seats)) if seats else ""
    looked = any(each.ahead and each.ahead.points is not None for each in shown)
    deals = max((each.ahead.deals for each in shown if each.ahead), default=0)
    told = say["solved"].format(deals=deals) if deals else say["ahead"] if looked else ""
    yield say["labels"].format(count=len(labels)) + answered + told
    names = [book.label(each.label) for each in shown]
    width = max(map(_width, names), default=0)
    for each, name in zip(shown, names, strict=True):
        mark, share = ">" if each.label == explanation.chosen.label else " ", each.probability or 0.0
        answers = "".join(f"{_share(answer):>6}" for answer in (each.answers or {}).values())
        told = f"{_percent(share):>7}{answers}{_foresight(each) if looked else ''}"
        yield f"{mark} {_padded(name, width)}  {told}  {'█' * round(_BAR * share)}".rstrip()
    rest = labels[MOST_LABELS:]
    if rest:
        together = _percent(sum(each.probability or 0.0 for each in rest))
        yield f"  {say['more_labels'].format(count=len(rest), share=together)}"


def _choice(explanation: Explanation) -> str:
    chosen, moves, opinion = explanation.chosen, len(explanation.moment.actions), explanation.opinion
    sets = sum(not verdict.violates for verdict in explanation.candidates) or len(explanation.candidates)
    key = "chosen" if moves > 1 else "only"
    if opinion is not None and moves > 1:
        key = "only_set" if sets == 1 else "drawn" if opinion.drawn else "likeliest"
    book = explanation.book
    say, label = _HEADINGS[book.language][key], book.label(chosen.label)
    return say.format(move=_move(chosen, book), cost=chosen.cost, moves=moves, label=label, count=sets)


def _share(answer: float | None) -> str:
    return "–" if answer is None else f"{answer:.0%}"


def _foresight(verdict: Verdict) -> str:
    ahead = verdict.ahead
    points = "–" if ahead is None or ahead.points is None else f"{ahead.points:+.2f}"
    wins = f" {f'{ahead.wins}/{ahead.deals}':>7}" if ahead and ahead.deals else ""
    return f"{points:>7}{wins} {_percent(ahead.proposed if ahead else None):>7}"


def _percent(share: float | None) -> str:
    return f"{share or 0.0:.1%}"


def why_not(explanation: Explanation, other: Verdict) -> Iterator[str]:
    """What speaks for the chosen move against another, as lines."""
    chosen, more = explanation.chosen, other.cost - explanation.chosen.cost
    key = "worse" if other.violates else "tie" if more == 0 else "why_not"
    if explanation.opinion is not None and not other.violates:
        key = "less_likely" if other.label != chosen.label else "not_drawn" if explanation.opinion.drawn else key
    shares = {"share": _percent(chosen.probability), "other": _percent(other.probability)}
    book = explanation.book
    say, label = _HEADINGS[book.language][key], book.label(other.label)
    yield say.format(move=_move(other, book), more=more, label=label, **shares)
    yield from (f"  {_citation(each)}" for each in other.violates)
    yield from _table(draw_together(explanation.difference(other), explanation.book))


def judgement(explanation: Explanation, verdict: Verdict) -> Iterator[str]:
    """What the knowledge base makes of one move, and what speaks for the chosen one instead, as lines."""
    moves = len(explanation.moment.actions)
    say = _HEADINGS[explanation.book.language]["judged"]
    yield say.format(move=_move(verdict, explanation.book), cost=verdict.cost, place=verdict.place, moves=moves)
    yield from _reasons(verdict, explanation.book)
    if verdict.place > 1:
        yield from why_not(explanation, verdict)


def _reasons(verdict: Verdict, book: Phrasebook) -> Iterator[str]:
    yield from (f"  {_citation(each)}" for each in verdict.violates)
    if not verdict.reasons:
        yield f"  {_HEADINGS[book.language]['no_reasons']}"
    yield from _table(draw_together(verdict.reasons, book))
    if verdict.at_most is not None:
        yield f"  {_HEADINGS[book.language]['at_most'].format(count=verdict.at_most)}"


def _candidates(explanation: Explanation) -> Iterator[str]:
    say, candidates = _HEADINGS[explanation.book.language], explanation.candidates
    yield say["candidates"].format(label=explanation.book.label(explanation.chosen.label), count=len(candidates))
    shown = candidates[:MOST_LISTED]
    names = [_move(verdict, explanation.book) for verdict in shown]
    width = max(map(_width, names))
    for verdict, name in zip(shown, names, strict=True):
        mark = ">" if verdict.place == explanation.chosen.place else " "
        tells = ", ".join(
            f"{line.share:+d} {line.name}" for line in draw_together(explanation.difference(verdict), explanation.book)
        )
        cost = "–" if verdict.violates else str(verdict.cost)
        yield f"{mark} {_padded(name, width)}  {cost:>5}  {tells}".rstrip()
    if len(candidates) > len(shown):
        yield f"  {say['more'].format(count=len(candidates) - len(shown))}"


def _dropped(explanation: Explanation) -> Iterator[str]:
    say, dropped = _HEADINGS[explanation.book.language], explanation.dropped
    yield say["dropped"].format(count=len(dropped))
    for verdict in dropped[:MOST_LISTED]:
        yield f"  {_move(verdict, explanation.book)}"
        yield from (f"    {_citation(each)}" for each in verdict.violates)
    if len(dropped) > MOST_LISTED:
        yield f"  {say['more'].format(count=len(dropped) - MOST_LISTED)}"


def _citation(constraint: Constraint) -> str:
    return f"{constraint.location.file}:{constraint.location.line}: {constraint.text}"


def _made(explanation: Explanation, made: Verdict) -> Iterator[str]:
    say, moves = _HEADINGS[explanation.book.language], len(explanation.moment.actions)
    if made.place == explanation.chosen.place:
        yield say["same"]
        return
    share = say["made_label"].format(label=explanation.book.label(made.label), share=_percent(made.probability))
    told = share if made.probability is not None else ""
    yield say["made"].format(move=_move(made, explanation.book), cost=made.cost, place=made.place, moves=moves) + told
    yield from _reasons(made, explanation.book)
    yield ""
    yield from why_not(explanation, made)


def draw_together(found: Iterable[Reason | Difference], book: Phrasebook) -> list[Line]:
    """One line for the instances of a preference with the same share, the largest first."""
    alike: dict[tuple[str, int], list[str]] = {}
    for each in found:
        share = each.weight if isinstance(each, Reason) else each.more
        alike.setdefault((functor(each.name), share), []).append(each.name)
    lines = [
        Line(share * len(names), name if len(names) == 1 else f"{name} × {len(names)}", book.sentence(names))
        for (name, share), names in alike.items()
    ]
    return sorted(lines, key=lambda line: -abs(line.share))


def _table(lines: Sequence[Line]) -> Iterator[str]:
    width = max((_width(line.name) for line in lines), default=0)
    for line in lines:
        yield f"  {line.share:+5d}  {_padded(line.name, width)}  {line.words}"


def _move(verdict: Verdict, book: Phrasebook) -> str:
    return book.move(verdict.label, verdict.action)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _width(text: str) -> int:
    """Columns of a terminal: Chinese characters take two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)

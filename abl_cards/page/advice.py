"""What an agent would do, and why; why not another move: as plain values, in one language."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from abl_cards.agents import Reasoned
from abl_cards.errors import GameError
from abl_cards.games import Choices, Decisions, Engine, Moment, Moves, Tables
from abl_cards.games.moment import is_play
from abl_cards.games.words.composing import composed_of
from abl_cards.games.words.finding import find_options
from abl_cards.games.words.plays import PASS, option_json, read_play
from abl_cards.page.course import play_pair
from abl_cards.page.whole import Whole, whole_play
from abl_cards.page.words import cards_laid
from reasoners.account import draw_together
from reasoners.explanation import Difference, Explanation, Reason, Verdict, explain

MOST_REASONS, MOST_LABELS, MOST_NEXT = 12, 6, 2


def hint(engine: Engine, player: Reasoned, moment: Moment, language: str, tables: Tables) -> dict[str, Any]:
    """The best move, the next best, what speaks for and against each, and what the agent goes by besides.

    Where plays are laid card by card the cards are those of the whole play, with the reasons of every step.
    """
    opinion = player.opinion(moment)
    found = explain(engine, player.judge, moment, language, opinion)
    others = _next_best(found)
    labels = found.labels[:MOST_LABELS] if opinion is not None else ()
    best = verdict_json(found, found.chosen)
    if engine.rules.composing and is_play(moment.decision):
        whole = whole_play(engine, tables, player, language)
        letters, cards = engine.rules.letters, cards_laid(whole.moves.cards[0])
        best |= {"cards": [letters.texts[card] for card in cards], "value": letters.write(cards) or PASS,
                 "steps": steps_json(whole)}  # fmt: skip
    return {
        "best": best,
        "next": [verdict_json(found, each) | {"difference": difference(found, each)} for each in others],
        "moves": len(moment.actions),
        "labels": [label_json(found, each) for each in labels],
        "estimate": None if opinion is None else estimate(engine, opinion),
        "imagined": None if opinion is None else imagined(engine, opinion),
    }  # fmt: skip


def steps_json(whole: Whole) -> list[dict[str, Any]]:
    """The steps of a play that is laid card by card, where there are several."""
    return [verdict_json(each.found, each.verdict) for each in whole.steps] if len(whole.steps) > 1 else []


def _next_best(found: Explanation) -> list[Verdict]:
    """The best moves of other labels, best first."""
    seen, others = {found.chosen.label}, list[Verdict]()
    for row in found.scores.order:
        label = found.moment.labels[row]
        if label not in seen and len(others) < MOST_NEXT:
            seen.add(label)
            others.append(found.verdict(row))
    return others or ([found.runner_up] if found.runner_up is not None else [])


def why(
    engine: Engine, player: Reasoned, moment: Moment, value: Any, language: str, tables: Tables
) -> dict[str, Any]:  # fmt: skip
    """Whether a move of somebody's own is legal, by which rules, and what it costs more than the best."""
    found = explain(engine, player.judge, moment, language, player.opinion(moment))
    decision = moment.decision
    if isinstance(decision, Choices):
        (option,) = find_options(decision, [value])
        if isinstance(option, GameError):
            raise option
        (row,) = np.flatnonzero(moment.lists.cards[:, 0] == option).tolist()
        return {"best": verdict_json(found, found.chosen), "readings": [_judged(found, row)]}
    parts = _parts(engine, decision, value)
    if parts is not None and len(parts) > 1:
        whole = whole_play(engine, tables, player, language, parts)
        text = play_pair(engine, int(parts[-1].form[0]), len(value))[language == "zh"]
        return {"best": verdict_json(found, found.chosen),
                "readings": [{"label": text, "legal": True, "steps": steps_json(whole)}]}  # fmt: skip
    readings = []
    for reading in engine.readings(moment, json.dumps(value)):
        judged = {} if reading.row is None else _judged(found, reading.row)
        readings.append({"label": found.book.label(reading.label), "legal": reading.row is not None,
                         "why": reading.why.to_json()} | judged)  # fmt: skip
    return {"best": verdict_json(found, found.chosen), "readings": readings}


def _parts(engine: Engine, decision: Decisions, value: Any) -> list[Moves] | None:
    """The steps by which somebody's cards are laid one after the other; None where they are no such play."""
    if not engine.rules.composing or not isinstance(value, list) or len(value) < 2:
        return None
    return composed_of(decision, 0, read_play(engine.rules, value).cards)


def _judged(found: Explanation, row: int) -> dict[str, Any]:
    verdict = found.verdict(row)
    return {"legal": True, "verdict": verdict_json(found, verdict), "difference": difference(found, verdict)}


def verdict_json(found: Explanation, verdict: Verdict) -> dict[str, Any]:
    """A move with what speaks for and against it."""
    place = found.scores.order[verdict.place - 1]
    row, rules = found.moment.lists.cards[place], found.book.engine.rules
    plays, letters = is_play(found.moment.decision), rules.letters
    cards = cards_laid(row) if plays else []
    value = verdict.action.to_json() if plays else option_json(rules)[int(row[0])]  # as it is offered, and chosen
    ahead = verdict.ahead
    return {
        "text": found.book.move(verdict.label, verdict.action), "value": value,
        "cards": [letters.texts[card] for card in cards], "place": verdict.place, "cost": verdict.cost,
        "probability": verdict.probability, "points": None if ahead is None else ahead.points,
        "violates": [each.text for each in verdict.violates],
        "reasons": _lines(found, verdict.reasons),
    }  # fmt: skip


def difference(found: Explanation, verdict: Verdict) -> list[dict[str, Any]]:
    """What tells a move from the chosen one."""
    return _lines(found, found.difference(verdict))


def _lines(found: Explanation, reasons: Iterable[Reason | Difference]) -> list[dict[str, Any]]:
    """Preferences with their shares, the largest first; instances of one together."""
    lines = draw_together(reasons, found.book)[:MOST_REASONS]
    return [{"words": each.words, "weight": each.share, "name": each.name} for each in lines]


def label_json(found: Explanation, verdict: Verdict) -> dict[str, Any]:
    """A label with its probability, and what looking ahead found."""
    ahead = verdict.ahead
    return {
        "text": found.book.label(verdict.label), "probability": verdict.probability,
        "points": None if ahead is None else ahead.points, "before": None if ahead is None else ahead.proposed,
        "answers": None if verdict.answers is None else dict(verdict.answers),
    }  # fmt: skip


def imagined(engine: Engine, opinion: Any) -> list[list[list[str]]] | None:
    """The first of the deals that an agent has looked ahead on: by deal, the hands of the others."""
    if opinion.imagined is None:
        return None
    texts, order = engine.rules.letters.texts, range(len(engine.rules.pack))
    return [
        [[texts[kind] for kind in order for _ in range(int(hand[kind]))] for hand in deal] for deal in opinion.imagined
    ]


def estimate(engine: Engine, opinion: Any) -> dict[str, Any] | None:
    """What an agent expects in the hands that it does not see: copies by seat and card."""
    told = opinion.estimate
    if told is None:
        return None
    texts, unseen = engine.rules.letters.texts, told.facts.unseen[0]
    kinds = [kind for kind in range(len(texts)) if unseen[kind]]
    return {
        "cards": [texts[kind] for kind in kinds],
        "hands": [[round(float(told.copies[place, kind]), 3) for kind in kinds] for place in range(len(told.left))],
        "left": told.left,
    }  # fmt: skip

"""In what do two folders of one game differ? A position or a record that tells, else a proof that nothing does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

import numpy as np

from abl_cards.agents import Greedy, Random
from abl_cards.games import GameError
from abl_cards.games.engine import FolderEngine
from abl_cards.games.reading.questions import QUESTIONS
from abl_cards.games.reading.rules import FACTS, Rules
from abl_cards.logic import Circuit, KBError, Signature
from abl_cards.logic.check import COST, VIOLATED
from abl_cards.logic.miter import Search, Verdict, differing
from abl_cards.selftest.cases import Case, failure_of, legal_labels
from abl_cards.selftest.games import play_out, step
from abl_cards.selftest.positions import position
from abl_cards.selftest.possible import possible
from abl_cards.streams import mix_all

STATES, MATCHES, STEPS = 300, 12, 300
"""Positions that cover the rules; matches that are played, and decisions of them that are looked at."""
MOST_EACH, MOST_COSTS = 3, 4
"""Cases of a step of play; moves in a case."""
SEED = 5


@dataclass(frozen=True)
class Difference:
    """Where two folders differ."""

    said: str
    certain: bool  # else it could not be decided
    case: dict[str, Any] | None = None  # one that tells them apart, and holds in the first


def difference(first: FolderEngine, second: FolderEngine, seconds: float) -> Difference | None:
    """Of two engines of a game; None where it is proved that they do not differ. Raises GameError, KBError."""
    for case in _candidates(first, second):
        if said := _tells(case, first, second):
            return Difference(said, True, dict(case.value))
    return _of_facts(first.rules, second.rules) or _of_circuits(first, second, seconds)


def _tells(case: Case, first: FolderEngine, second: FolderEngine) -> str:
    """What is said of a case that holds in the first engine, and not in the second; else nothing."""
    return "" if _fails(case, first) else _fails(case, second)


def _fails(case: Case, engine: FolderEngine) -> str:
    try:
        return failure_of(case, engine)
    except (GameError, KBError) as problem:
        return str(problem)


# --- cases ------------------------------------------------------------------------------------------------------------


def _candidates(first: FolderEngine, second: FolderEngine) -> Iterator[Case]:
    """Cases that hold in the first, as far as they are chosen because the second differs."""
    ours, theirs = ((engine.rules.pack.kinds, engine.rules.table.seats) for engine in (first, second))
    if ours == theirs:
        for decisions in _met(first):
            yield from islice(_positions(first, second, decisions), MOST_EACH)
    for record in play_out(first, Random(), MATCHES, SEED):
        yield Case(0, {"record": record})
    yield from _names(first, second)


def _names(first: FolderEngine, second: FolderEngine) -> Iterator[Case]:
    """What labels are called, and how they follow each other."""
    unlike = [label for label in first.labels if label in second.labels and first.name(label) != second.name(label)]
    if unlike:
        yield Case(0, {"words": {label: str(first.name(label)) for label in unlike[:MOST_COSTS]}})
    if len(first.labels) != len(second.labels):
        yield Case(0, {"order": [], "number": len(first.labels)})
    place = {label: number for number, label in enumerate(second.labels)}
    for one, two in pairwise(first.labels):
        if place.get(one, 0) > place.get(two, len(place)):
            yield Case(0, {"order": [one, two]})


def _met(engine: FolderEngine) -> Iterator[Any]:
    """Decisions as they come up in matches of random and of greedy play, then such as the rules cover."""
    for player in (Random(), Greedy(engine.traits)):
        tables = engine.tables(mix_all(np.arange(MATCHES).astype(np.uint64), SEED))
        for _ in range(STEPS):
            playing = tables.playing()
            if playing.size:
                yield tables.decisions(playing)
            if not step(tables, player):
                break
    yield engine.sample_decisions(STATES, SEED)


def _positions(first: FolderEngine, second: FolderEngine, ours: Any) -> Iterator[Case]:
    """Where the labels differ, or the lists, or what the moves cost."""
    kept, adopted = second.adopt(ours)
    theirs: Any = adopted
    ours = ours.at(np.flatnonzero(kept))
    if first.labels == second.labels:
        for row in np.flatnonzero((ours.legal != theirs.legal).any(axis=0)).tolist():
            moment = first.look(ours, row)
            yield Case(0, {"state": dict(moment.state), "labels": legal_labels(first, moment)})
    mine, other = ours.moves(), theirs.moves()
    ends = np.diff(mine.start), np.diff(other.start)
    for row in np.flatnonzero(ends[0] != ends[1]).tolist():
        yield Case(0, {"state": dict(first.look(ours, row).state), "moves": int(ends[0][row])})
    if np.array_equal(mine.start, other.start):
        costs, others = first.judge().costs(ours, mine), second.judge().costs(theirs, other)
        unlike = (costs[0] != others[0]) | (costs[1] != others[1])
        for row in dict.fromkeys(mine.decision[unlike].tolist()):
            yield _costs(first, ours, row, slice(*mine.start[row : row + 2].tolist()), costs[0], unlike)


def _costs(engine: FolderEngine, decisions: Any, row: int, moves: slice, costs: Any, unlike: Any) -> Case:
    """A position with what some moves cost, one that the other rules judge otherwise among them."""
    moment = engine.look(decisions, row)
    told = [[action.to_json(), cost] for action, cost in zip(moment.actions, costs[moves].tolist(), strict=True)]
    chosen = [pair for pair, differs in zip(told, unlike[moves].tolist(), strict=True) if differs][:MOST_COSTS]
    return Case(0, {"state": dict(moment.state), "costs": chosen})


# --- proofs -----------------------------------------------------------------------------------------------------------


_ORDERS = {"order/2", "listed/2", "index/2"}
"""Facts whose arguments are only compared with one another: what counts is the order that they lead to."""


def _of_facts(first: Rules, second: Rules) -> Difference | None:
    """Where the descriptions differ."""
    if (first.labels, first.pack.kinds) != (second.labels, second.pack.kinds):
        return Difference("labels or cards come in another order", True)
    if not np.array_equal(first.book.lists, second.book.lists):
        return Difference("moves are listed in another order", True)
    if (first.kb.words, first.kb.groups) != (second.kb.words, second.kb.groups):
        return Difference("preferences have other words or groups", True)
    for name in sorted({*FACTS} - _ORDERS):
        signature = Signature.parse(name)
        ours, theirs = (set(rules.kb.facts(signature.name, signature.arity)) for rules in (first, second))
        for facts, what in ((ours - theirs, "only without the edit"), (theirs - ours, "only with the edit")):
            for arguments in sorted(facts, key=str)[:1]:
                return Difference(f"{signature.name}({','.join(map(str, arguments))}) {what}", True)
    return None


def _of_circuits(first: FolderEngine, second: FolderEngine, seconds: float) -> Difference | None:
    """Where the answers to a question differ in a state that there may be."""
    open_questions = []
    for name, question in QUESTIONS.items():
        ours, theirs = _circuit(first.rules, question.outputs), _circuit(second.rules, question.outputs)
        if ours is None and theirs is None:
            continue
        nothing = ours or theirs
        assert nothing is not None
        found = _search(ours or _without(nothing), theirs or _without(nothing), first.rules, seconds)
        if found.verdict is Verdict.FOUND:
            where = ", ".join(sorted(map(str, found.state))) or "nothing is true"
            return Difference(f"{question.what}: differs where {where}", True, _case(first, second, found))
        if found.verdict is Verdict.UNKNOWN:
            open_questions.append(name)
    if open_questions:
        return Difference(f"not decided in {seconds:g} s: {', '.join(open_questions)}", False)
    return None


def _case(first: FolderEngine, second: FolderEngine, found: Search) -> dict[str, Any] | None:
    """A position like the one that was found, if it tells the two apart."""
    state = position(first.rules, found.state)
    if state is None:
        return None
    try:
        moment = first.moment(state)
        costs = first.judge().costs(moment.decision, moment.lists)[0].tolist()
    except GameError:
        return None
    told = [[action.to_json(), cost] for action, cost in zip(moment.actions, costs, strict=True)]
    for expected in ({"labels": legal_labels(first, moment)}, {"moves": len(told)}, {"costs": told}):
        if _tells(Case(0, {"state": state, **expected}), first, second):
            return {"state": state, **expected}
    return None


def _search(first: Circuit, second: Circuit, rules: Rules, seconds: float) -> Search:
    return differing(first, second, possible(rules), seconds)


def _circuit(rules: Rules, outputs: tuple[str, ...]) -> Circuit | None:
    derived = rules.derived | {COST, VIOLATED}
    known = [name for name in outputs if Signature.parse(name) in derived]
    return rules.kb.circuit(*known) if known else None


def _without(circuit: Circuit) -> Circuit:
    """A circuit of no outputs."""
    from abl_cards.games.questions import with_outputs

    return with_outputs(circuit, [])

"""In what do two folders of one game differ? A position or a record that tells, else a proof that nothing does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Greedy, Random
from abl_cards.errors import GameError
from abl_cards.games import Engine
from abl_cards.games.hidden import Estimate
from abl_cards.games.moment import is_play
from abl_cards.games.questions import with_outputs
from abl_cards.games.reading.forms import Form
from abl_cards.games.reading.questions import QUESTIONS
from abl_cards.games.reading.rules import Rules
from abl_cards.games.words.replay import left_behind
from abl_cards.logic import Circuit, KBError, Signature, Term
from abl_cards.logic.check import COST
from abl_cards.logic.circuit import TRUE
from abl_cards.logic.miter import Search, Verdict, differing
from abl_cards.logic.statements import VIOLATED
from abl_cards.positions import play_matches, situations
from abl_cards.selftest.cases import Case, failure_of, legal_labels
from abl_cards.selftest.games import play_out, step
from abl_cards.selftest.positions import position
from abl_cards.selftest.reached import Reached
from abl_cards.selftest.sights import cards_of, hints_about, known_hands, view_of
from abl_cards.selftest.watching import WatchedTables
from abl_cards.streams import mix_all

STATES, MATCHES, STEPS = 300, 12, 300
"""Positions that cover the rules; matches that are played, and decisions of them that are looked at."""
MOST_EACH, MOST_COSTS = 3, 8
"""Cases of a step of play; moves in a case."""
SEED = 5
UNMET = "states that play does not come to, as far as matches show"


@dataclass(frozen=True)
class Difference:
    """Where two folders differ."""

    said: str
    certain: bool  # else it could not be decided
    case: dict[str, Any] | None = None  # one that tells them apart, and holds in the first


def difference(first: Engine, second: Engine, seconds: float) -> Difference | None:
    """Of two engines of a game; None where it is proved that they do not differ. Raises GameError, KBError."""
    for case in _candidates(first, second):
        if said := _tells(case, first, second):
            return Difference(said, True, dict(case.value))
    found = _of_descriptions(first, second) or _of_circuits(first, second, seconds)
    return found if found is None or found.certain else _elsewhere(first, second) or found


def _elsewhere(first: Engine, second: Engine) -> Difference | None:
    """A difference in random states, whatever they remember: where play comes to one, it has not been seen."""
    for case in _positions(first, second, first.sample_decisions(STATES, SEED)) if _alike(first, second) else ():
        if said := _tells(case, first, second):
            return Difference(f"{UNMET}: {said}", True)
    return None


def _tells(case: Case, first: Engine, second: Engine) -> str:
    """What is said of a case that holds in the first engine, and not in the second; else nothing."""
    return "" if _fails(case, first) else _fails(case, second)


def _fails(case: Case, engine: Engine) -> str:
    try:
        return failure_of(case, engine)
    except (GameError, KBError) as problem:
        return str(problem)


# --- cases ------------------------------------------------------------------------------------------------------------


def _candidates(first: Engine, second: Engine) -> Iterator[Case]:
    """Cases that hold in the first, as far as they are chosen because the second differs."""
    if _alike(first, second):
        for decisions in _met(first):
            yield from islice(_positions(first, second, decisions), MOST_EACH)
    records = list(play_out(first, Random(), MATCHES, SEED))
    left = left_behind(first.rules, records)
    yield from (Case(0, {"record": each, "after": memory}) for each, memory in zip(records, left, strict=True))
    yield from _remembered(first, records)
    yield from _names(first, second)


def _alike(first: Engine, second: Engine) -> bool:
    """Whether they have the same cards and seats, so that states of one are states of the other."""
    ours, theirs = ((engine.rules.pack.kinds, engine.rules.table.seats) for engine in (first, second))
    return ours == theirs


def _remembered(engine: Engine, records: Sequence[Mapping[str, Any]]) -> Iterator[Case]:
    """What who is to act sees at some places of a record, all that the rules remember with it, and what is believed."""
    for record in records[:MOST_EACH]:
        for before in np.linspace(1, len(record["acts"]), MOST_COSTS).astype(int).tolist():
            moment = engine.moment(record, before)
            seen, hints = json.loads(json.dumps(moment.state)), hints_about(engine, moment)
            case = {"record": record, "before": before, "sees": seen}
            yield Case(0, case | ({"hints": hints} if any(hints.values()) else {}))


def _names(first: Engine, second: Engine) -> Iterator[Case]:
    """What labels are called, and how they follow each other; what learners are told."""
    if view_of(first) != view_of(second):
        yield Case(0, {"view": view_of(first)})
    unlike = [label for label in first.labels if label in second.labels and first.name(label) != second.name(label)]
    if unlike:
        yield Case(0, {"words": {label: str(first.name(label)) for label in unlike[:MOST_COSTS]}})
    if len(first.labels) != len(second.labels):
        yield Case(0, {"order": [], "number": len(first.labels)})
    place = {label: number for number, label in enumerate(second.labels)}
    for one, two in pairwise(first.labels):
        if place.get(one, 0) > place.get(two, len(place)):
            yield Case(0, {"order": [one, two]})


def _met(engine: Engine) -> Iterator[Any]:
    """Decisions and choices of matches of random and of greedy play, then random ones that play may come to."""
    for player in (Random(), Greedy(engine.traits)):
        tables = engine.tables(mix_all(np.arange(MATCHES).astype(np.uint64), SEED))
        for _ in range(STEPS):
            playing, choosing = tables.playing(), tables.choosing()
            if playing.size:
                yield tables.decisions(playing)
            if choosing.size:
                yield tables.choices(choosing)
            if not step(tables, player):
                break
    kept = engine.rules.kb.kept
    if _met not in kept:  # once for many edits of a folder
        kept[_met] = engine.sample_situations(situations(engine, 0), STATES, SEED)
    yield kept[_met]


def _positions(first: Engine, second: Engine, ours: Any) -> Iterator[Case]:
    """Where the labels differ, or the lists, or what the moves cost."""
    kept, adopted = second.adopt(ours)
    theirs: Any = adopted
    ours = ours.at(np.flatnonzero(kept))
    if first.labels == second.labels and is_play(ours):
        for row in np.flatnonzero((ours.legal != theirs.legal).any(axis=0)).tolist():
            moment = first.look(ours, row)
            yield Case(0, {"state": dict(moment.state), "labels": legal_labels(first, moment)})
    for row in _other_knowledge(ours, theirs):
        moment = first.look(ours, row)
        yield Case(0, {"state": dict(moment.state), "known": known_hands(first, moment)})
    mine, other = ours.moves(), theirs.moves()
    ends = np.diff(mine.start), np.diff(other.start)
    for row in np.flatnonzero(ends[0] != ends[1]).tolist():
        yield Case(0, {"state": dict(first.look(ours, row).state), "moves": int(ends[0][row])})
    if np.array_equal(mine.start, other.start):
        for estimate in (None, *_estimates(first, ours)):
            costs, others = first.judge().costs(ours, mine, estimate), second.judge().costs(theirs, other, estimate)
            unlike = (costs[0] != others[0]) | (costs[1] != others[1])
            for row in dict.fromkeys(mine.decision[unlike].tolist()):
                case = _costs(first, ours, row, slice(*mine.start[row : row + 2].tolist()), costs[0], unlike)
                yield case if estimate is None else Case(0, {**case.value, "estimate": cards_of(first, estimate[row])})


def _estimates(engine: Engine, decisions: Any) -> list[Estimate]:
    """Whole cards that the other hands are taken to hold, where any preference asks for such."""
    judge = engine.judge()
    if judge.preferences(estimated=True) == judge.preferences():
        return []
    return [np.rint(engine.sample_estimate(decisions, SEED))]


def _other_knowledge(ours: Any, theirs: Any) -> list[int]:
    """The rows where other cards are known of other hands."""
    mine, other = ours.hidden(), theirs.hidden()
    unlike = (mine.at_least != other.at_least) | (mine.at_most != other.at_most)
    return np.flatnonzero(unlike.any(axis=(1, 2))).tolist()


def _costs(engine: Engine, decisions: Any, row: int, moves: slice, costs: Any, unlike: Any) -> Case:
    """A position with what some moves cost: half of them judged otherwise by the other rules, as far as there are."""
    moment = engine.look(decisions, row)
    told = [[action.to_json(), cost] for action, cost in zip(moment.actions, costs[moves].tolist(), strict=True)]
    telling = np.flatnonzero(unlike[moves])[: MOST_COSTS // 2].tolist()
    others = [number for number in range(len(told)) if number not in telling]
    chosen = sorted([*telling, *others[:: max(1, len(others) // MOST_COSTS)][: MOST_COSTS - len(telling)]])
    return Case(0, {"state": dict(moment.state), "costs": [told[number] for number in chosen]})


# --- proofs -----------------------------------------------------------------------------------------------------------


def _of_descriptions(first: Engine, second: Engine) -> Difference | None:
    """Where what the engine reads once differs: not as it is written, but as it comes out."""
    ours, theirs = _described(first), _described(second)
    for what, value in ours.items():
        if value != theirs[what]:
            return Difference(f"{what} differ", True)
    return None


def _described(engine: Engine) -> dict[str, object]:
    """All that play, words and views go by beside circuits, in values that can be compared."""
    rules, traits = engine.rules, engine.traits
    names = rules.cells.names
    return {
        "cards": (rules.pack.kinds, rules.pack.deck.tobytes(), rules.letters.texts),
        "seats": rules.table,
        "labels": rules.labels,
        "forms": [_form(form, names) for form in rules.forms.forms],
        "lists of moves": [array.tobytes() if isinstance(array, np.ndarray) else array for array in rules.book],
        "orders of the plays": rules.ranking.tobytes(),
        "kinds of plays": (traits.kind.tobytes(), traits.bomb.tobytes()),
        "fluents": (rules.fluents, sorted(map(str, rules.kb.facts("init", 1)))),
        "names of plays": [str(engine.name(label)) for label in engine.labels],
        "words of preferences": (rules.kb.words, rules.kb.groups),
        "choices": (rules.words.options, rules.words.stages, rules.secret),
        "random numbers": (rules.words.lots, rules.kb.facts("lots", 2)),
        "views": (str(engine.observation), rules.recent, rules.open_hands),
    }


def _form(form: Form, names: Sequence[Term]) -> tuple[object, ...]:
    """A form but for the name of its kind, which counts where kinds are compared alone."""
    groups = tuple((names[group.cell], group.count, group.natural, group.only) for group in form.groups)
    kickers = form.kickers and (form.kickers.groups, form.kickers.size)
    return form.name, form.label, groups, form.wilds, form.suit, form.mixed, kickers, form.apart


def _of_circuits(first: Engine, second: Engine, seconds: float) -> Difference | None:
    """Where the answers to a question differ in a state that there may be, if any in one that play comes to."""
    open_questions, unmet, reached = [], "", _reached(first)
    for name, question in QUESTIONS.items():
        ours, theirs = _circuit(first.rules, question.outputs), _circuit(second.rules, question.outputs)
        if ours is None and theirs is None:
            continue
        nothing = ours or theirs
        assert nothing is not None
        run = partial(differing, ours or _without(nothing), theirs or _without(nothing), seconds=seconds)
        found, met = reached.search(name, run)
        if found.verdict is Verdict.FOUND and not met:
            unmet = unmet or question.what
        elif found.verdict is Verdict.FOUND:
            where = ", ".join(sorted(map(str, found.state))) or "nothing is true"
            return Difference(f"{question.what}: differs where {where}", True, _case(first, second, found))
        if found.verdict is Verdict.UNKNOWN:
            open_questions.append(name)
    if open_questions:
        return Difference(f"not decided in {seconds:g} s: {', '.join(open_questions)}", False)
    return Difference(f"{unmet}: differs, but only in {UNMET}", True) if unmet else None


def _reached(engine: Engine) -> Reached:
    """What play by an engine's rules brings together; played once a knowledge base.

    Where rules differ in play at all, play by one of them comes to a state in which they do.
    """
    kept = engine.rules.kb.kept
    if _reached not in kept:
        found = Reached(engine.rules)

        def begin(keys: NDArray[np.uint64]) -> WatchedTables:
            tables = WatchedTables(engine.rules, len(keys), found)
            tables.begin_match(np.arange(len(keys)), keys)
            return tables

        play_matches(engine, begin, 0, found.decides)
        kept[_reached] = found
    known: Reached = kept[_reached]
    return known


def _case(first: Engine, second: Engine, found: Search) -> dict[str, Any] | None:
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


def _circuit(rules: Rules, outputs: tuple[str, ...]) -> Circuit | None:
    derived = rules.derived | {COST, VIOLATED}
    known = [name for name in outputs if Signature.parse(name) in derived]
    if not known:
        return None
    circuit = rules.kb.circuit(*known)
    return circuit if _more_than_one_episode(circuit) else _without(circuit, "match_over")


def _more_than_one_episode(circuit: Circuit) -> bool:
    """Whether a match may go on; without a word about its end it is one episode, as it is where it is always over."""
    ends = [
        (name, literal)
        for (name, _), literal in zip(circuit.outputs, circuit.output_literals.tolist(), strict=True)
        if name in ("match_over", "won", "drawn")
    ]
    return any((name, literal) != ("match_over", TRUE) for name, literal in ends)


def _without(circuit: Circuit, *names: str) -> Circuit:
    """A circuit without the outputs of some names, or without any."""
    return with_outputs(circuit, [atom for atom in circuit.outputs if names and atom[0] not in names])

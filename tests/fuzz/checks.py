"""Checks of a random folder: lists of plays against a naive reading of its facts, and unsynchronised tables."""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.registry import make_agent
from abl_cards.asp.terms import Atom, Term
from abl_cards.circuit.oracle import Oracle, true_atoms
from abl_cards.core.errors import GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.rule_errors import TableError
from abl_cards.games.engine import Engine
from abl_cards.games.notation import render_view
from abl_cards.games.preferences.preference_inputs import GamePreferenceInputs
from abl_cards.games.tables import compute_lead_mask, compute_response_mask
from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import NO_CARD
from abl_cards.reasoners.hidden_hands.hands import draw_deals, prior_estimate, uniform_estimate
from tests.fuzz.naive import Acting, Cards, Naive
from tests.games.random_play import match_keys, random_moves

Play = tuple[Term, Cards]
"""A form and the cards that make it."""

STATES, TABLES, STEPS = 50, 64, 200
_LOOKS = 20  # steps between two comparisons of lists
_RECORDS, _AHEAD = 6, 5  # episodes to replay, and steps of imagined tables
ROWS = 2  # decisions of a comparison
_DYNAMIC = ("move", "legal", "includes", "acts_as")


@dataclass(frozen=True)
class Reader:
    """Readings of a folder: by clingo, and the naive one."""

    engine: Engine
    oracle: Oracle
    naive: Naive
    ever: dict[Term, set[Term]]
    query_atoms: list[Atom]

    @classmethod
    def of(cls, engine: Engine) -> Reader:
        """Ground the folder and read its facts."""
        rules = engine.rules
        oracle = Oracle(rules.kb)
        atoms = oracle.solve([]).atoms or frozenset()
        ever: dict[Term, set[Term]] = defaultdict(set)
        for context in rules.cells.acts_as:
            for kind, cells in zip(rules.pack.kinds, context, strict=True):
                ever[kind] |= {rules.cells.names[cell] for cell in cells if cell >= 0}
        query_atoms = [atom for atom in oracle._names.values() if atom.name in _DYNAMIC]
        return cls(engine, oracle, Naive(atoms), ever, query_atoms)

    def inputs(self, decisions: Decisions) -> NDArray[np.uint8]:
        """Return the inputs of the play query, an array [inputs, decisions]."""
        rules = self.engine.rules
        every = replace(rules.play_query.circuit, inputs=rules.kb.input_atoms)
        return GamePreferenceInputs(rules).make_shared_writer(every)(decisions)

    def read(self, decisions: Decisions, rows: NDArray[np.uint8], row: int) -> Expected:
        """Return the expected lists of one decision."""
        rules, naive = self.engine.rules, self.naive
        true_inputs = true_atoms(rows, rules.kb.input_atoms, row)
        atoms = self.oracle.solve(true_inputs, self.query_atoms).atoms or frozenset()
        now: dict[Term, set[Term]] = defaultdict(set)
        for name, arguments in atoms:
            if name == "acts_as":
                now[arguments[0]].add(arguments[1])
        if "acts_as" not in {atom.name for atom in self.query_atoms}:
            now = self.ever
        acting = Acting(now, self.ever)
        hand = {kind: int(n) for kind, n in zip(rules.pack.kinds, decisions.view.hand[row], strict=True)}
        included = {arguments[0] for name, arguments in atoms if name == "includes"}
        legal = {arguments[0] for name, arguments in atoms if name == "legal"}
        moves = {arguments[0] for name, arguments in atoms if name == "move"}
        leading = bool(decisions.to_beat[row] < 0)
        sets = {
            (form, cards)
            for label in legal
            for form in naive.labels[label]
            if form in moves
            for cards in naive.sets(form, hand, acting, leading)
            if included <= set(cards)
        }
        labels = {naive.label[form] for form, _ in sets} if included else legal
        return Expected(labels, sets, hand, acting, dict(count_input_cards(true_inputs)), included)


@dataclass(frozen=True)
class Expected:
    """Expected lists of a decision, labels and card sets by form, with its inputs."""

    legal: set[Term]
    sets: set[tuple[Term, Cards]]
    hand: dict[Term, int]
    acting: Acting
    input_counts: dict[Term, int]
    included: set[Term]

    def counts(self) -> dict[Term, int]:
        """Count the cards of the hand that act as each cell."""
        totals: Counter[Term] = Counter()
        for card, copies in self.hand.items():
            for cell in self.acting.now[card]:
                totals[cell] += copies
        return {cell: copies for cell, copies in totals.items() if copies}


def count_input_cards(atoms: list[Atom]) -> Iterator[tuple[Term, int]]:
    """Yield the number of cards of each cell that the inputs report."""
    most: Counter[Term] = Counter()
    for name, arguments in atoms:
        if name in ("held", "wild"):
            by_suit = len(arguments) == 3
            own = f"card({arguments[0]},{arguments[1]})" if by_suit else arguments[0]
            cell = "wild" if name == "wild" else own
            most[cell] = max(most[cell], int(arguments[-1]))
    yield from most.items()


def differences(reader: Reader, decisions: Decisions, rows: list[int]) -> Iterator[str]:
    """Yield differences between the engine's lists of some decisions and the naive reading."""
    if not rows:
        return
    rules, inputs = reader.engine.rules, reader.inputs(decisions)
    lists = (
        decisions.moves()
        if not decisions.view.has_hand_sizes
        else decisions.select(np.arange(len(decisions.view))).moves()
    )
    for row in rows:
        expected = reader.read(decisions, inputs, row)
        legal = {rules.labels[label] for label in np.flatnonzero(decisions.legal_mask[:, row])}
        span = range(lists.start[row], lists.start[row + 1])
        listed = [(rules.forms.forms[lists.form[move]].name, _cards(reader, lists.cards[move])) for move in span]
        place = f"{decisions.state_text(row)}"
        if legal != expected.legal:
            more, fewer = _some(legal - expected.legal), _some(expected.legal - legal)
            yield f"{place}: legal labels {more} too many, {fewer} too few"
        if len(set(listed)) < len(listed):
            yield f"{place}: {_some({entry for entry, n in Counter(listed).items() if n > 1})} listed twice"
        if set(listed) != expected.sets:
            more, fewer = _some(set(listed) - expected.sets), _some(expected.sets - set(listed))
            yield f"{place}: {more} too many, {fewer} too few"
        if any(form != "pass" and not cards for form, cards in listed):
            yield f"{place}: an empty play"
        counts = expected.counts()
        wrong = {cell for cell, copies in expected.input_counts.items() if counts.get(cell, 0) < copies}
        if wrong:
            yield f"{place}: told of more cards of {_some(wrong)} than there are"
        yield from (
            f"{place}: {problem}" for problem in _check_labels(reader, decisions.select(np.array([row])), listed)
        )


def _check_labels(reader: Reader, decisions: Decisions, plays: list[Play]) -> Iterator[str]:
    """Check each label of a decision alone: its first card set, a random one, and its list."""
    rules = reader.engine.rules
    by_label: dict[int, set[Play]] = defaultdict(set)
    for form, cards in plays:
        by_label[rules.forms.label_index[reader.naive.label[form]]].add((form, cards))
    for label, mine in sorted(by_label.items()):
        chosen = np.array([label], np.int16)
        keys = match_keys(1, label)
        for moves in (decisions.first_moves(chosen), decisions.sample_moves(chosen, keys)):
            laid = rules.forms.forms[int(moves.form[0])].name, _cards(reader, moves.cards[0])
            if laid not in mine:
                yield f"{rules.label_texts[label]} is laid down as {_text(laid)}"
        alone = decisions.moves(chosen)
        if len(alone.form) != len(mine):
            yield f"{rules.label_texts[label]} has {len(alone.form)} card sets alone, {len(mine)} in all"


def _cards(reader: Reader, cards: NDArray[np.uint8]) -> Cards:
    kinds = reader.engine.rules.pack.kinds
    return tuple(sorted((kinds[card] for card in cards if card != NO_CARD), key=str))


def _some(things: Iterable[object]) -> str:
    texts = sorted(map(_text, things))
    return ", ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "") or "none"


def _text(thing: object) -> str:
    return f"{thing[0]} {' '.join(map(str, thing[1]))}" if isinstance(thing, tuple) and len(thing) == 2 else str(thing)


class Stopped(Exception):
    """The rules leave a table without a move, and the naive reading agrees."""


def play(reader: Reader, seed: int, tables: int = TABLES, steps: int = STEPS, rows: int = ROWS) -> Iterator[str]:
    """Play unsynchronised tables: about two in three take each step, and finished matches start again.

    At intervals, compare the lists of ``rows`` decisions with the naive reading.
    """
    engine = reader.engine
    recorder = engine.new_recorder(tables)
    room = engine.start_matches(match_keys(tables, seed), recorder)
    records: list[dict[str, Any]] = []
    random = np.random.default_rng(seed)
    player, kb = make_agent("random", engine), make_agent("kb", engine)
    for step in range(steps):
        turn = random.random(tables) < 2 / 3
        playing = np.flatnonzero(turn & np.isin(np.arange(tables), room.rows_to_play()))
        choosing = np.flatnonzero(turn & np.isin(np.arange(tables), room.rows_to_choose()))
        keys, mover = splitmix64_array(room.keys, room.num_decisions), kb if step % _LOOKS == 1 else player
        try:
            if playing.size:
                decisions = room.decisions(playing)
                if step % _LOOKS == 0:
                    chosen = random.permutation(len(playing))[:rows].tolist()
                    yield from differences(reader, decisions, chosen)
                    run_other_kernels(engine, room, decisions)
                    yield from check_state_text(engine, decisions)
                room.play(playing, mover.play(decisions, keys[playing]))
            if choosing.size:
                choices = room.choices(choosing)
                if step % _LOOKS == 0:
                    yield from check_state_text(engine, choices)
                room.choose(choosing, mover.choose(choices, keys[choosing]))
        except TableError as problem:
            yield from _check_stop(reader, room, playing, str(problem))
            return
        over = np.flatnonzero(room.winner != -1)
        if over.size:
            records += [record for table in over[:2] for record in recorder.pop_records(int(table))]
            room.begin_match(over, splitmix64_array(room.keys[over], step))

    yield from (f"replay: {problem}" for problem in engine.replay(records[:_RECORDS]).mismatches)


def run_other_kernels(engine: Engine, tables: Tables, decisions: Decisions) -> None:
    """Run the other kernels on decisions, without a check of their results."""
    decisions.observe()
    playing, known = decisions.rows, decisions.information_set()
    keys = tables.keys[playing]
    prior_estimate(known, decisions.belief_log_odds())
    deals = draw_deals(uniform_estimate(known), known, keys, 2)
    if engine.rules.trick_query is None:
        contexts = np.repeat(decisions.context, 2 * deals.shape[2])
        compute_response_mask(engine.rules, contexts, deals.reshape(-1, deals.shape[3]))
        compute_lead_mask(engine.rules, contexts, deals.reshape(-1, deals.shape[3]))
    with contextlib.suppress(GameError):  # some forms cannot be counted
        engine.min_plays(decisions.context, tables.open_hands(playing)[:, 0])
    imagined = Tables.determinize(decisions, np.arange(len(playing)), tables.hidden_hands(playing))
    for _ in range(_AHEAD):
        if (here := imagined.rows_to_play()).size:
            imagined.play(here, random_moves(imagined.decisions(here), imagined.keys[here]))
    render_view(engine.rules, engine.decision_point_at(decisions))


def check_state_text(engine: Engine, decisions: Decisions | Choices) -> Iterator[str]:
    """Write the state of a decision or choice and read it again; compare the actions and the text."""
    seen = engine.decision_point_at(decisions)
    try:
        again = engine.read_decision_point(seen.state)
    except GameError as problem:
        yield f"{seen.state} is refused: {problem}"
        return
    here, there = set(map(str, again.actions)), set(map(str, seen.actions))
    if here != there:
        yield f"{seen.state} read back: {_some(here - there)} too many, {_some(there - here)} too few"
    if (written := engine.decision_point_at(again.decision).state) != seen.state:
        yield f"{seen.state} read back is written {written}"


def _check_stop(reader: Reader, tables: Tables, playing: NDArray[np.int64], message: str) -> Iterator[str]:
    """Yield an error of the engine if each table alone has a move; raise Stopped if the rules are the cause.

    The rules are the cause if a table has no move, or if the hand lacks the cards of a legal label.
    """
    alone = [tables.decisions(np.array([table])) for table in playing if table in set(tables.rows_to_play().tolist())]
    read = [reader.read(one, reader.inputs(one), 0) for one in alone]
    made = [{reader.naive.label[form] for form, _ in expected.sets} for expected in read]
    if (
        any(not labels or expected.legal - labels for expected, labels in zip(read, made, strict=True))
        or "legal" not in message
    ):
        raise Stopped(message)
    yield f"play stops, though every table has a move: {message}"


def random_states(reader: Reader, seed: int, states: int = STATES) -> Iterator[str]:
    """Yield the differences in the lists of random states."""
    decisions = reader.engine.sample_decisions(states, seed)
    yield from differences(reader, decisions, list(range(states)))

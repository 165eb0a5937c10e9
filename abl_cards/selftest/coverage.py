"""What never happens in thousands of games: rules that never fire, labels never laid, preferences never heard.

Every rule has a twin that says whether its body is true (``logic/tracing.py``). Tables play; wherever the engine asks a
question, the twins of the rules on the way to its answer are asked as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, Greedy, Random, agent
from abl_cards.games.engine import FolderEngine
from abl_cards.games.play.flow import Flow
from abl_cards.games.play.state import State
from abl_cards.games.play.tables import Tables
from abl_cards.games.play.walk import NO_CARD
from abl_cards.games.questions import with_outputs
from abl_cards.games.reading.questions import QUESTIONS
from abl_cards.games.reading.rules import Rules
from abl_cards.games.reading.variants import COMMON
from abl_cards.games.tables import MoveLists, Moves
from abl_cards.games.telling.columns import EVENTS, test_of
from abl_cards.games.telling.judging import FolderFacts
from abl_cards.games.telling.writer import Fill, Told, columns_of, lazily, rows_of
from abl_cards.logic import Circuit, KnowledgeBase, Signature, evaluate
from abl_cards.logic.files import lies_in
from abl_cards.logic.miter import Search, Verdict, holding
from abl_cards.logic.tracing import FIRED, TracedRule, traced
from abl_cards.selftest.games import step
from abl_cards.selftest.positions import position
from abl_cards.selftest.possible import possible
from abl_cards.streams import mix_all

TABLES = 400
"""Tables that play side by side."""
CANDIDATES = 4
"""Moves of a decision that are told to the preferences."""
POSSIBLE, IMPOSSIBLE, UNKNOWN = "possible", "impossible", "unknown"


@dataclass(frozen=True)
class Silent:
    """A rule that never fired."""

    rule: TracedRule
    verdict: str  # POSSIBLE: in this state; IMPOSSIBLE: proved; UNKNOWN: time ran out
    question: str = ""
    state: tuple[str, ...] = ()
    position: Mapping[str, Any] | None = None  # the state as `abl-cards legal` takes it, as far as it can be said there

    @property
    def is_common(self) -> bool:
        """Whether it stands in a file that games share."""
        return lies_in(self.rule.location.file, [COMMON])

    def to_json(self) -> dict[str, Any]:
        """As one object."""
        return {
            "location": str(self.rule.location), "rule": self.rule.text, "verdict": self.verdict,
            "question": self.question, "state": list(self.state), "position": self.position,
        }  # fmt: skip


@dataclass(frozen=True)
class Coverage:
    """What came up."""

    games: int
    rules: int  # that have a body
    silent: tuple[Silent, ...]
    labels: tuple[str, ...]  # never laid
    preferences: tuple[str, ...]  # never fired
    options: tuple[str, ...]  # never chosen

    def to_json(self) -> dict[str, Any]:
        """As one object."""
        return {
            "games": self.games, "rules": self.rules, "silent_rules": [each.to_json() for each in self.silent],
            "labels_never_laid": list(self.labels), "preferences_never_fired": list(self.preferences),
            "options_never_chosen": list(self.options),
        }  # fmt: skip


class Watch:
    """Which rules have fired so far, by the question on the way to whose answer they lie."""

    def __init__(self, rules: Rules) -> None:
        """Nothing has."""
        self.rules = rules
        self.kb, self.traced = traced(rules.kb)
        self.fired = np.zeros(len(self.traced), np.bool_)
        self.fired[[int(number) for (number,) in self.kb.facts(*FIRED)]] = True  # in every state
        self._depends = rules.folder.program(rules.profile).depends

    @cached_property
    def circuits(self) -> Mapping[str, Circuit]:
        """By question, the twins of the rules on the way to its outputs, in the order of the rules."""
        every = self.kb.circuit(str(FIRED)) if _derives(self.kb, FIRED) else None
        found = {}
        for name, question in QUESTIONS.items():
            reached = self._reached([Signature.parse(output) for output in question.outputs])
            mine = [atom for atom in (every.outputs if every else ()) if self.traced[int(atom[1][0])].head in reached]
            if every and mine:
                found[name] = with_outputs(every, mine)
        return found

    @cached_property
    def told(self) -> Mapping[str, Told]:
        """How the twins are asked."""
        words = self.rules.words
        return {name: Told.of(each, words, QUESTIONS[name].told) for name, each in self.circuits.items()}

    def _reached(self, outputs: list[Signature]) -> set[Signature]:
        reached, waiting = set(outputs), list(outputs)
        for output in waiting:
            for other in self._depends.get(output, ()):
                if other not in reached:
                    reached.add(other)
                    waiting.append(other)
        return reached

    def saw(self, question: str, n: int, fills: Mapping[str, Fill]) -> None:
        """The question is asked about n tables."""
        told = self.told.get(question)
        if told is not None and n:
            self.note(told.circuit, told.ask(n, {name: fills[name] for name in told.groups}))

    def note(self, circuit: Circuit, answers: NDArray[np.uint8]) -> None:
        """What twins have answered, [outputs, n]."""
        held_by: list[bool] = np.any(answers, axis=1).tolist()
        for (_, (number,)), held in zip(circuit.outputs, held_by, strict=True):
            self.fired[int(number)] |= held


def _derives(kb: KnowledgeBase, signature: Signature) -> bool:
    return any(Signature(atom.name, len(atom.args)) == signature for atom in kb.ground.atoms)


class WatchedFlow:
    """A flow that tells a watch what is asked between plays."""

    def __init__(self, flow: Flow, watch: Watch) -> None:
        """Everything else is the flow's."""
        self._flow, self._watch = flow, watch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._flow, name)

    def happens(self, event: str, state: State, which: NDArray[np.int64]) -> None:
        """Something has happened at some tables."""
        self._watch.saw("changes", len(which), self._flow.fills(state, which, event))
        self._flow.happens(event, state, which)

    def played(self, state: State, which: NDArray[np.int64]) -> None:
        """Seats have played or passed."""
        passed = state.laid[which] == self._flow.rules.forms.passing
        for event, some in (("play", which[~passed]), ("pass", which[passed])):
            self._watch.saw("changes", len(some), self._flow.fills(state, some, event))
        self._flow.played(state, which)

    def control(self, state: State, which: NDArray[np.int64]) -> Any:
        """Who is asked, and who leads."""
        self._watch.saw("control", len(which), self._flow.fills(state, which))
        return self._flow.control(state, which)

    def end(self, state: State, which: NDArray[np.int64]) -> Any:
        """What the episode is worth, and whether the match is over."""
        fills = self._flow.fills(state, which, EVENTS[-1])
        self._watch.saw("end", len(which), fills)
        self._watch.saw("roles", len(which), fills)
        return self._flow.end(state, which)


class WatchedTables(Tables):
    """Tables that tell a watch what is asked."""

    def __init__(self, rules: Rules, n: int, watch: Watch) -> None:
        """Tables with nothing on them."""
        super().__init__(rules, n)
        self._watch = watch
        self.flow = WatchedFlow(self.flow, watch)  # type: ignore[assignment]

    def play(self, which: NDArray[np.int64], moves: Moves) -> None:
        """Whose turn it is stands in a table that was made in advance: this is what the entry is looked up by."""
        state, forms = self.state, self.rules.forms
        seat, passing = state.seat[which], moves.form == forms.passing
        bit = (1 << seat.astype(np.int64)).astype(np.uint16)
        emptied = state.hands[which, seat].sum(axis=1) == (moves.cards != NO_CARD).sum(axis=1)
        passed = (np.where(passing, state.passed[which] | bit, 0), np.where(passing, bit, 0) | state.gone_by[which])
        act = [seat, np.where(passing, state.owner[which], seat), *passed, np.where(emptied, bit, 0) | state.out[which]]
        self._watch.saw(
            "course", len(which),
            {
                "act": columns_of(act),
                "move": lazily(lambda column: forms.label_of[moves.form] if column else moves.form),
                "fluents": rows_of(state.fluents, which),
            },
        )  # fmt: skip
        super().play(which, moves)


def play(engine: FolderEngine, games: int, seed: int, tell: Callable[[int], None]) -> Coverage:
    """Play so many games by random, greedy and the preferences in turn; raises GameError, KBError."""
    watch = Watch(engine.rules)
    watcher = _Watcher(engine, watch)
    players: tuple[Agent, ...] = (Random(), Greedy(engine.traits), agent("kb", engine))
    done = 0
    for number in range(-(-games // TABLES)):
        tables = min(TABLES, games - done)
        for share, player in zip(np.array_split(np.arange(tables), len(players)), players, strict=True):
            keys = mix_all(share.astype(np.uint64), seed + 1000 * number)
            if share.size:
                watcher.play(player, keys)
        done += tables
        tell(done)
    return watcher.coverage(games)


class _Watcher:
    """Plays, and notes what comes up."""

    def __init__(self, engine: FolderEngine, watch: Watch) -> None:
        self.engine, self.watch, self.rules = engine, watch, engine.rules
        self.laid = np.zeros(len(engine.labels), np.bool_)
        self.chosen = np.zeros(max(1, engine.choices), np.bool_)
        self.heard: set[str] = set()
        self._judge = engine.judge()
        circuit = watch.circuits.get("preferences")
        self._facts = FolderFacts(engine.rules)
        self._circuit = circuit
        self._shared = self._facts.of_decisions(circuit) if circuit else None
        self._moves = self._facts.of_moves(circuit) if circuit else None

    def play(self, player: Agent, keys: NDArray[np.uint64]) -> None:
        """One episode a key."""
        tables = WatchedTables(self.rules, len(keys), self.watch)
        tables.begin_match(np.arange(len(keys)), keys)
        while tables.episode.min() == 0:
            self._look(tables)
            if not step(tables, _Noting(player, self)):
                break

    def _look(self, tables: Tables) -> None:
        playing, choosing = tables.playing(), tables.exchanging()
        if playing.size:
            self._decides(tables.decisions(playing), ("play", "order", "beats", "hands"))
        if choosing.size:
            self._decides(tables.exchanges(choosing), ("option",))

    def _decides(self, decisions: Any, questions: tuple[str, ...]) -> None:
        for question in questions:
            self.watch.saw(question, len(decisions.which), decisions.fills)
        self._judged(decisions)

    def _judged(self, decisions: Any) -> None:
        """Some candidates of each decision, told to the preferences."""
        if self._circuit is None or self._shared is None or self._moves is None:
            return
        lists = _some(decisions.moves(), CANDIDATES)
        if not len(lists.form):
            return
        rows = self._shared(decisions)[:, lists.decision]
        rows |= self._moves(decisions, lists)(lists, slice(0, len(lists.form)))
        self.watch.note(self._circuit, evaluate(self._circuit, rows))

    def coverage(self, games: int) -> Coverage:
        """What did not come up."""
        rules = self.rules
        silent = tuple(self._silent())
        functors = {name for name in rules.kb.groups if not self._cost_fired(name)}
        stages = [str(option) for option, seen in zip(rules.words.options, self.chosen, strict=False) if not seen]
        labels = [label for label, seen in zip(self.engine.labels, self.laid, strict=True) if not seen]
        return Coverage(games, len(self.watch.traced), silent, tuple(labels), tuple(sorted(functors)), tuple(stages))

    def _cost_fired(self, functor: str) -> bool:
        """Whether a rule for the cost of this preference fired."""
        mark = f"cost({functor}"
        mine = [k for k, rule in enumerate(self.watch.traced) if rule.text.startswith((mark + ",", mark + "("))]
        return bool(self.watch.fired[mine].any()) if mine else True  # a fact always does

    def _silent(self) -> Iterator[Silent]:
        for number, rule in enumerate(self.watch.traced):
            if not self.watch.fired[number]:
                yield _witness(self.watch, number, rule)


def _witness(watch: Watch, number: int, rule: TracedRule, seconds: float = 10) -> Silent:
    """A state in which a rule fires, if there is one."""
    verdict = IMPOSSIBLE
    for name, circuit in watch.circuits.items():
        for atom in circuit.outputs:
            if atom[1] != (number,):
                continue
            alone = _told_only(with_outputs(circuit, [atom]), watch, name)
            found: Search = holding(alone, atom, possible(watch.rules), seconds)
            if found.verdict is Verdict.FOUND:
                where = position(watch.rules, found.state) if name in ("play", "preferences") else None
                return Silent(rule, POSSIBLE, QUESTIONS[name].what, tuple(sorted(map(str, found.state))), where)
            if found.verdict is Verdict.UNKNOWN:
                verdict = UNKNOWN
    return Silent(rule, verdict)


def _told_only(circuit: Circuit, watch: Watch, question: str) -> Circuit:
    """The circuit where what the question is never told is false."""
    known = watch.told[question]
    told = set(known.groups)
    words = watch.rules.words
    untold = {atom: False for atom in circuit.inputs if (test := test_of(words, atom)) and test.group not in told}
    return circuit.specialise(untold) if untold else circuit


class _Noting:
    """A player whose moves are noted."""

    def __init__(self, player: Agent, watcher: _Watcher) -> None:
        self._player, self._watcher = player, watcher

    def play(self, decisions: Any, keys: NDArray[np.uint64]) -> Any:
        """As the player does."""
        moves = self._player.play(decisions, keys)
        self._watcher.laid[decisions.labels_of(moves.form)] = True
        return moves

    def give(self, choices: Any, keys: NDArray[np.uint64]) -> Any:
        """As the player does."""
        given = self._player.give(choices, keys)
        # Plain players take the first option: where that is to refuse, somebody has to do something else.
        anything = Random().give(choices, mix_all(keys, 1))
        given = np.where(keys & np.uint64(1 << 20), given, anything).astype(given.dtype)
        self._watcher.chosen[given] = True
        return given


def _some(lists: MoveLists, most: int) -> MoveLists:
    """At most so many moves of each decision, evenly chosen."""
    sizes = np.diff(lists.start)
    kept = np.minimum(sizes, most)
    start = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    decision = np.repeat(np.arange(len(sizes)), kept)
    place = np.arange(start[-1]) - start[decision]
    rows = lists.start[decision] + place * sizes[decision] // np.maximum(1, kept[decision])
    return MoveLists(start, lists.form[rows], lists.cards[rows])

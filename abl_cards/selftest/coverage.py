"""What never happens in thousands of games: rules that never fire, labels never laid, preferences never heard."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent, Greedy, Random, agent
from abl_cards.games import Engine, Tables
from abl_cards.games.audience import Quiet
from abl_cards.games.questions import with_outputs
from abl_cards.games.reading.questions import QUESTIONS
from abl_cards.games.reading.variants import COMMON
from abl_cards.games.tables import MoveLists
from abl_cards.games.telling.columns import test_of
from abl_cards.games.telling.judging import FolderFacts
from abl_cards.logic import Circuit, evaluate
from abl_cards.logic.files import lies_in
from abl_cards.logic.miter import Verdict, holding
from abl_cards.logic.tracing import TracedRule
from abl_cards.seeds import seed64
from abl_cards.selftest.games import step
from abl_cards.selftest.positions import position
from abl_cards.selftest.reached import ASKED_OF_MOVES, questions_of
from abl_cards.selftest.watching import Watch, WatchedTables
from abl_cards.streams import mix_all

TABLES = 400
"""Tables that play side by side."""
CANDIDATES = 4
"""Moves of a decision that are told to the preferences."""
POSSIBLE, UNMET, IMPOSSIBLE, UNKNOWN = "possible", "unmet", "impossible", "unknown"


@dataclass(frozen=True)
class Silent:
    """A rule that never fired."""

    rule: TracedRule
    verdict: str  # POSSIBLE: in this state; UNMET: not in those of play; IMPOSSIBLE: proved; UNKNOWN: time ran out
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


def play(engine: Engine, games: int, seed: int, tell: Callable[[int], None]) -> Coverage:
    """Play so many games by random, greedy and the preferences in turn; raises GameError, KBError."""
    watch = Watch(engine.rules)
    watcher = _Watcher(engine, watch)
    players: tuple[Agent, ...] = (Random(), Greedy(engine.traits), agent("kb", engine))
    for number, player in enumerate(players):
        goal = games * (number + 1) // len(players)
        keys = mix_all(np.arange(min(TABLES, max(1, goal - watcher.ended))).astype(np.uint64), seed64(seed) + number)
        watcher.play(player, keys, goal, tell)
    return watcher.coverage(games)


class _Watcher(Quiet):
    """Plays, and notes what comes up."""

    def __init__(self, engine: Engine, watch: Watch) -> None:
        self.engine, self.watch, self.rules = engine, watch, engine.rules
        self.laid = np.zeros(len(engine.labels), np.bool_)
        self.picked = np.zeros(max(1, engine.choices), np.bool_)
        self.ended = 0
        self._judge = engine.judge()
        circuit = watch.circuits.get("preferences")
        self._facts = FolderFacts(engine.rules)
        self._circuit = circuit
        self._shared = self._facts.of_decisions(circuit) if circuit else None
        self._moves = self._facts.of_moves(circuit) if circuit else None

    def episode_ended(self, tables: Any, which: NDArray[np.int64]) -> None:
        """So many more."""
        self.ended += len(which)

    def play(self, player: Agent, keys: NDArray[np.uint64], goal: int, tell: Callable[[int], None]) -> None:
        """A match a key, and further ones, until so many episodes have ended in all."""
        tables = WatchedTables(self.rules, len(keys), self.watch)
        tables.listener, tables.patient = self, True
        tables.begin_match(np.arange(len(keys)), keys)
        noting = _Noting(player, self)
        while self.ended < goal:
            self._look(tables)
            step(tables, noting)
            over = np.flatnonzero(tables.winner != -1)
            if over.size:
                tables.begin_match(over, mix_all(tables.keys[over], 1))
            tell(min(goal, self.ended))

    def _look(self, tables: Tables) -> None:
        playing, choosing = tables.playing(), tables.choosing()
        if playing.size:
            self._decides(tables.decisions(playing))
        if choosing.size:
            self._decides(tables.choices(choosing))

    def _decides(self, decisions: Any) -> None:
        for question in questions_of(decisions):
            if question in ASKED_OF_MOVES:
                self.watch.reached.saw(question, len(decisions.which), decisions.fills)
            else:
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
        stages = [str(option) for option, seen in zip(rules.words.options, self.picked, strict=False) if not seen]
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
    """A state in which a rule fires, if there is one, that play comes to as far as is known."""
    unmet, verdict = "", IMPOSSIBLE
    for name, circuit in watch.circuits.items():
        for atom in circuit.outputs:
            if atom[1] != (number,):
                continue
            alone = _told_only(with_outputs(circuit, [atom]), watch, name)
            run = partial(holding, alone, atom, seconds=seconds)
            found, met = watch.reached.search(name, run)
            if found.verdict is Verdict.FOUND and not met:
                unmet = unmet or name
            elif found.verdict is Verdict.FOUND:
                where = position(watch.rules, found.state) if name in ("play", "preferences") else None
                return Silent(rule, POSSIBLE, QUESTIONS[name].what, tuple(sorted(map(str, found.state))), where)
            if found.verdict is Verdict.UNKNOWN:
                verdict = UNKNOWN
    if unmet and verdict != UNKNOWN:
        return Silent(rule, UNMET, QUESTIONS[unmet].what)
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

    def choose(self, choices: Any, keys: NDArray[np.uint64]) -> Any:
        """As the player does."""
        given = self._player.choose(choices, keys)
        # Plain players take the first option: where that is to refuse, somebody has to do something else.
        anything = Random().choose(choices, mix_all(keys, 1))
        given = np.where(keys & np.uint64(1 << 20), given, anything).astype(given.dtype)
        self._watcher.picked[given] = True
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

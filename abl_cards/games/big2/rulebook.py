"""The knowledge base of Big2, compiled: circuits for what a table asks, and the arrays that the kernels read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.answers import Answers, beats_of
from abl_cards.games.big2.knowledge import AXES, COPIES, FIRST, MOST_CARDS, RANK_COUNT, RULE_FILES, SEATS
from abl_cards.games.questions import Question, with_outputs
from abl_cards.games.race import Combinations, read_combinations
from abl_cards.games.rule_files import kb_error
from abl_cards.games.shapes import number, numbered_labels, one_each
from abl_cards.games.turns import turn_table
from abl_cards.logic import Atom, Circuit, KnowledgeBase

TRICK, EPISODE_END = ("acted", "passed", "out"), "episode_over"
"""What decides whose turn it is, and the predicate of the end."""

LEADING, NOTHING = -1, -2
"""What there is to beat when a seat leads, and when it does not play at all."""


class FactRows(NamedTuple):
    """Where the facts of a decision lie among the rows of a circuit; -1 where they do not matter."""

    held: NDArray[np.int32]  # [13, 5] rank, at least
    to_beat: NDArray[np.int32]  # [labels]
    leading: int


class Layout(NamedTuple):
    """The labels as arrays, the pass among them."""

    needs: NDArray[np.uint8]  # [labels, 13] main cards of each rank
    place: NDArray[np.int8]  # [labels, 13] ranks in the order they are laid down, -1 beyond the last
    kickers: NDArray[np.uint8]  # [labels] groups of kickers
    kicker_size: NDArray[np.uint8]  # [labels] cards in each
    spare: NDArray[np.bool_]  # [labels, 13] ranks they may be of
    key: NDArray[np.uint64]  # [labels] the main cards, four bits a rank


@dataclass(frozen=True)
class Rules:
    """Everything the engine knows of the rules; all of it read off one knowledge base."""

    kb: KnowledgeBase
    profile: str
    labels: tuple[str, ...]
    layout: Layout
    kinds: tuple[str, ...]  # [labels]
    bombs: NDArray[np.bool_]  # [labels]
    play: Circuit  # legal/1 of every label in index order
    facts: FactRows
    turns: NDArray[np.uint8]  # [2 seats, 4 passed, 4 out] see games/turns.py
    points: Question
    ranking: NDArray[np.int32]  # [labels] the place of each when they are sorted from weak to strong

    @cached_property
    def index(self) -> dict[str, int]:
        """The position of each label."""
        return {label: place for place, label in enumerate(self.labels)}

    @cached_property
    def answers(self) -> Answers:
        """Which label beats which."""
        return Answers.of(self.kb, self.labels)

    @cached_property
    def passing(self) -> int:
        """The label of a pass."""
        return self.index["pass"]

    @cached_property
    def cards(self) -> NDArray[np.int8]:
        """[labels] how many cards each takes."""
        layout = self.layout
        return (layout.needs.sum(axis=1) + layout.kickers * layout.kicker_size).astype(np.int8)

    @cached_property
    def combinations(self) -> Combinations:
        """What can be laid down, and what beats what: the circuit of beats/1 asked about every play once."""
        labels = tuple(label for label in self.labels if label != "pass")
        (beats,) = beats_of(self.kb, labels)
        return read_combinations(self.kb, labels, beats, RANK_COUNT, FIRST)


@cache
def rules_of(directory: Path | None = None, profile: str = RULE_FILES.default_profile) -> Rules:
    """Load, compile and lay out a knowledge base once a process; raises KBError."""
    return compile_rules(RULE_FILES.load(directory, profile), profile)


def compile_rules(kb: KnowledgeBase, profile: str) -> Rules:
    """The circuits and arrays of a loaded knowledge base; raises KBError."""
    labels = numbered_labels(kb)
    if labels[-1:] != ("pass",):
        raise kb_error("the last label is no pass", "keep label(…, pass) behind all the others in labels.lp")
    index = {label: place for place, label in enumerate(labels)}
    for label, form in kb.facts("form", 2):
        if label != form or str(label) not in index:
            raise kb_error(f"form({label},{form})", "every form is a label here, and is its own form")
    kinds, mains = one_each(kb, "kind", 2, 1), one_each(kb, "main", 2, 1)
    missing = [label for label in labels if (label,) not in kinds]
    if missing:
        raise kb_error(f"there is no kind/2 of {missing[0]}", "say in labels.lp what it may be compared with")
    bombs = {str(form) for (form,) in kb.facts("bomb", 1)}
    strength = [number(mains.get((label,), 0), f"main of {label}") + 100 * (label in bombs) for label in labels]
    play = with_outputs(kb.circuit("legal/1"), [Atom("legal", (label,)) for label in labels])
    outputs = {"points": (SEATS, (-1, 1), tuple(range(1, MOST_CARDS + 1)))}
    return Rules(
        kb=kb,
        profile=profile,
        labels=labels,
        layout=_layout(kb, labels, index),
        kinds=tuple(str(kinds[label,]) for label in labels),
        bombs=np.array([label in bombs for label in labels]),
        play=play,
        facts=fact_rows_of(play, labels),
        turns=turn_table(kb, AXES, EPISODE_END, TRICK),
        points=Question(kb.circuit("points/3"), AXES, outputs),
        ranking=np.argsort(np.argsort(strength, kind="stable")).astype(np.int32),
    )


def _layout(kb: KnowledgeBase, labels: tuple[str, ...], index: dict[str, int]) -> Layout:
    nothing = np.zeros((len(labels),) * 2, np.bool_)
    read = read_combinations(kb, labels, nothing, RANK_COUNT, FIRST)
    for label, cards in zip(labels, read.cards.tolist(), strict=True):
        if cards > MOST_CARDS or (cards == 0) != (label == "pass"):
            raise kb_error(f"{label} takes {cards} cards", f"1 to {MOST_CARDS}, and none for a pass: see needs/4")
    place = np.full((len(labels), RANK_COUNT), -1, np.int8)
    for form, at, rank, count in kb.facts("needs", 4):
        fact = f"needs({form},{at},{rank},{count})"
        if not 1 <= number(at, fact) <= RANK_COUNT:
            raise kb_error(f"{fact}: there is no place {at}", f"groups lie at places 1 to {RANK_COUNT}")
        place[index[str(form)], number(at, fact) - 1] = number(rank, fact) - FIRST
    if read.needs.max() > COPIES[-1]:
        most = labels[int(read.needs.max(axis=1).argmax())]
        raise kb_error(f"{most} takes more than {COPIES[-1]} cards of a rank", "see needs/4 in labels.lp")
    key = (read.needs.astype(np.uint64) << (4 * np.arange(RANK_COUNT)).astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    return Layout(read.needs, place, read.kickers, read.kicker_size, read.spare, key)


def fact_rows_of(circuit: Circuit, labels: tuple[str, ...]) -> FactRows:
    """Look up the facts of a decision among the inputs of a circuit, and no labels that the rules lack."""
    index = {label: place for place, label in enumerate(labels)}
    to_beat = np.full(len(labels), -1, np.int32)
    for (label,), row in circuit.input_rows("to_beat", 1).items():
        if str(label) in index:
            to_beat[index[str(label)]] = row
    return FactRows(ranked_rows(circuit, "held"), to_beat, circuit.input_rows("leading", 0).get((), -1))


def ranked_rows(circuit: Circuit, name: str) -> NDArray[np.int32]:
    """[13, 5] the rows of an input of rank and "at least"."""
    rows = np.full((RANK_COUNT, 5), -1, np.int32)
    for (rank, count), row in circuit.input_rows(name, 2).items():
        rows[int(rank) - FIRST, int(count)] = row
    return rows

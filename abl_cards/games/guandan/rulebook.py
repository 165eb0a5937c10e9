"""The knowledge base of Guandan, compiled: circuits for what a table asks, and the arrays that the kernels read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.answers import Answers
from abl_cards.games.guandan.combinations import combinations
from abl_cards.games.guandan.course import FactRows
from abl_cards.games.guandan.deck import RANK_OF_CARD, SUIT_OF_CARD
from abl_cards.games.guandan.expansion import Rulebook
from abl_cards.games.guandan.habits import PlayTraits
from abl_cards.games.guandan.hints import Hints, read_hints
from abl_cards.games.guandan.knowledge import (
    AXES,
    HANDS,
    KINDS,
    PROMOTION,
    RANKS,
    SEATS,
    SUITS_OF_CARDS,
    VALUES,
    load_kb,
)
from abl_cards.games.guandan.shapes import SUITS, VALUE_COUNT, Shapes, read_shapes
from abl_cards.games.guandan.wire import WIRE_TYPES, wire_rank, wire_type
from abl_cards.games.questions import Question, rows_by_number, with_outputs
from abl_cards.games.rule_files import kb_error
from abl_cards.games.shapes import functor, number
from abl_cards.games.turns import turn_table
from abl_cards.logic import Atom, Circuit, KnowledgeBase, evaluate

_TIER = 1000  # lies between the strengths of two tiers
_MOST_BITS = 31  # of the strengths that a seat has shown

TRICK, EPISODE_END = ("acted", "owner", "passed", "out"), "episode_over"
"""What decides whose turn it is, and the predicate of the end."""


@dataclass(frozen=True)
class Rules:
    """Everything the engine knows of the rules; all of it read off one knowledge base."""

    kb: KnowledgeBase
    profile: str
    shapes: Shapes
    play: Circuit  # legal/1 of every label, then move/1 of every form, both in index order
    facts: FactRows
    turns: NDArray[np.uint8]  # [seat, owner, passed, out] see games/turns.py
    book: Rulebook
    tiers: dict[str, int]  # by kind of form; above 0 it beats other kinds
    base_level: int  # where both teams start
    strength: NDArray[np.int32]  # [17, labels] by level: position of each label from weak to strong
    tribute: tuple[Circuit, FactRows]  # tribute/2 of every card of the 54-vector
    back: tuple[Circuit, FactRows]  # back/2 likewise
    payers: Question
    exchange: Question
    promotion: Question
    hands: Question
    play_traits: PlayTraits
    hints: Hints

    @property
    def labels(self) -> tuple[str, ...]:
        """The pseudo-actions in the order of masks and policies."""
        return self.shapes.labels

    @cached_property
    def answers(self) -> Answers:
        """By level, which label beats which; a label stands for its smallest form."""
        first = {form.label: form.name for form in reversed(self.shapes.forms)}
        levels = [Atom("level", (rank,)) if rank in RANKS else None for rank in range(VALUE_COUNT)]
        return Answers.of(self.kb, [first.get(label, name) for label, name in enumerate(self.labels)], levels)

    @cached_property
    def labels_by_action(self) -> dict[tuple[str, str, int], int]:
        """The label of each type, rank and number of cards of the protocol."""
        named = [(self.labels[form.label], form) for form in self.shapes.forms]
        return {(wire_type(label), wire_rank(label), form.size): form.label for label, form in named}

    @property
    def pass_form(self) -> int:
        """The form of a pass."""
        return self.shapes.form_index["pass"]


@cache
def rules_of(directory: Path | None = None, profile: str = "standard") -> Rules:
    """Load, compile and lay out a knowledge base once a process; raises KBError."""
    return compile_rules(load_kb(directory, profile), profile)


def compile_rules(knowledge: KnowledgeBase, profile: str) -> Rules:
    """The circuits and arrays of a loaded knowledge base."""
    shapes = read_shapes(knowledge)
    if "pass" not in shapes.form_index:
        raise kb_error("there is no form of a pass", "keep form(pass, pass) in labels.lp")
    play = _in_index_order(knowledge.circuit("legal/1", "move/1"), shapes)
    tiers = _tiers(knowledge, shapes)
    strength = _strengths(knowledge, shapes, tiers)
    book = _rulebook(knowledge, shapes, strength)
    return Rules(
        kb=knowledge,
        profile=profile,
        shapes=shapes,
        play=play,
        facts=fact_rows_of(play, shapes),
        turns=turn_table(knowledge, AXES, EPISODE_END, TRICK),
        book=book,
        tiers=tiers,
        base_level=_only_number(knowledge, "base_level"),
        strength=_label_ranking(shapes, strength),
        tribute=_card_circuit(knowledge, shapes, "tribute"),
        back=_card_circuit(knowledge, shapes, "back"),
        payers=Question(knowledge.circuit("payer/2", "refused/0"), AXES, {"payer": ((1, 2), SEATS), "refused": ()}),
        exchange=Question(knowledge.circuit("gives/2", "leads/1"), AXES, {"gives": (SEATS, SEATS), "leads": (SEATS,)}),
        promotion=Question(
            knowledge.circuit(*(f"{name}/{len(axes)}" for name, axes in PROMOTION.items())), AXES, PROMOTION
        ),
        hands=Question(knowledge.circuit("has/4", "lacks/4"), AXES, HANDS),
        play_traits=_play_traits(shapes, strength),
        hints=read_hints(knowledge, book.wild_suit),
    )


def _in_index_order(circuit: Circuit, shapes: Shapes) -> Circuit:
    wanted = [Atom("legal", (label,)) for label in shapes.labels] + [
        Atom("move", (form.name,)) for form in shapes.forms
    ]
    return with_outputs(circuit, wanted)


def _card_circuit(knowledge: KnowledgeBase, shapes: Shapes, output: str) -> tuple[Circuit, FactRows]:
    """Which cards of the 54-vector an output allows."""
    cards = [
        Atom(output, (int(rank), SUITS_OF_CARDS[suit])) for rank, suit in zip(RANK_OF_CARD, SUIT_OF_CARD, strict=True)
    ]
    circuit = with_outputs(knowledge.circuit(f"{output}/2"), cards)
    return circuit, fact_rows_of(circuit, shapes)


def fact_rows_of(circuit: Circuit, shapes: Shapes) -> FactRows:
    """Look up the facts about a hand and a trick among the inputs of a circuit, and no forms that the rules lack."""
    held = np.full((VALUE_COUNT, 9), -1, dtype=np.int32)
    suited = np.full((VALUE_COUNT, 4, 3), -1, dtype=np.int32)
    to_beat = np.full(len(shapes.forms), -1, dtype=np.int32)
    for (value, count), row in circuit.input_rows("held", 2).items():
        held[int(value), int(count)] = row
    for (value, suit, count), row in circuit.input_rows("held", 3).items():
        suited[int(value), max(0, SUITS.find(str(suit))), int(count)] = row
    for (form,), row in circuit.input_rows("to_beat", 1).items():
        if str(form) in shapes.form_index:
            to_beat[shapes.form_index[str(form)]] = row
    leading = circuit.input_rows("leading", 0).get((), -1)
    return FactRows(
        held,
        suited,
        rows_by_number(circuit, "wild", 3),
        rows_by_number(circuit, "level", VALUE_COUNT),
        leading,
        to_beat,
    )


def _strengths(knowledge: KnowledgeBase, shapes: Shapes, tiers: dict[str, int]) -> NDArray[np.int64]:
    """[17, forms] by level: the order of the plays, tier before strength; forms without strength are 0."""
    table = np.zeros((VALUE_COUNT, len(shapes.forms)), dtype=np.int64)
    circuit = knowledge.circuit("strength/2")
    rows = np.zeros((len(circuit.inputs), len(RANKS)), dtype=np.uint8)
    for (level,), row in circuit.input_rows("level", 1).items():
        rows[row, RANKS.index(int(level))] = 1
    for (_, (form, power)), truth in zip(circuit.outputs, evaluate(circuit, rows), strict=True):
        fact = f"strength({form},{power})"
        if str(form) not in shapes.form_index or abs(number(power, fact)) >= _TIER:
            raise kb_error(f"{fact} is no strength of a form", f"forms are declared by form/2, less than {_TIER}")
        table[np.array(RANKS)[truth == 1], shapes.form_index[str(form)]] = number(power, fact)
    return table + _TIER * np.array([tiers[form.kind] for form in shapes.forms])


def _play_traits(shapes: Shapes, strength: NDArray[np.int64]) -> PlayTraits:
    """Kind, ranks and strength of every form, for what the seats show by their plays."""
    kinds = [functor(form.kind) for form in shapes.forms]
    ranks = [sum(1 << rank for rank, _, _ in form.groups) for form in shapes.forms]
    return PlayTraits(
        np.array([KINDS.index(kind) if kind in KINDS else -1 for kind in kinds], np.int8),
        np.array(ranks, np.uint32),
        np.minimum(strength % _TIER, _MOST_BITS).astype(np.int8),
    )


def _tiers(knowledge: KnowledgeBase, shapes: Shapes) -> dict[str, int]:
    """The tier of every kind of form; a pass has none, which is the lowest."""
    tiers = {"pass": 0} | {str(kind): tier for kind, tier in knowledge.facts("tier", 2) if isinstance(tier, int)}
    missing = sorted({form.kind for form in shapes.forms} - tiers.keys())
    if missing:
        raise kb_error(f"no tier/2 for {', '.join(missing)}", "say in rules.lp which bombs beat it; 0 for none")
    return tiers


def _label_ranking(shapes: Shapes, strength: NDArray[np.int64]) -> NDArray[np.int32]:
    """Labels from weak to strong; where the rules leave two labels unordered, the earlier one counts as weaker."""
    weakest = np.full((len(shapes.labels), VALUE_COUNT), np.iinfo(np.int64).max)
    np.minimum.at(weakest, shapes.form_label, strength.T)
    return np.argsort(np.argsort(weakest.T, axis=1, kind="stable"), axis=1).astype(np.int32)


def _rulebook(knowledge: KnowledgeBase, shapes: Shapes, strength: NDArray[np.int64]) -> Rulebook:
    suits = [str(suit) for (suit,) in knowledge.facts("wild_suit", 1)]
    if len(suits) > 1 or not set(suits) <= set(SUITS):
        raise kb_error(f"wild_suit/1: {', '.join(suits)}", "one of s, h, c, d, or none for a game without wild cards")
    missing = [value for value in VALUES if f"single({value})" not in shapes.form_index]
    if missing:
        raise kb_error(f"there is no form single({missing[0]})", "a single card of every rank is a play: see labels.lp")
    singles = np.array([shapes.form_index[f"single({value})"] for value in VALUES])
    order = (np.argsort(strength[:, singles], axis=1, kind="stable") + VALUES[0]).astype(np.int8)
    wild_suit = SUITS.index(suits[0]) if suits else -1
    return Rulebook(
        shapes.layout,
        combinations(),
        wild_suit,
        3 ** max(0, wild_suit),
        order,
        _wire_order(shapes, strength),
        shapes.label_blocks,
    )


def _wire_order(shapes: Shapes, strength: NDArray[np.int64]) -> NDArray[np.int16]:
    places = {name: place for place, name in enumerate(dict.fromkeys(WIRE_TYPES.values()))}
    blocks = len(shapes.layout.label)
    types = [places.get(wire_type(shapes.labels[label]), len(places)) for label in shapes.layout.label]
    members = np.array([_any_form(shapes, block) for block in range(blocks)])
    order = [sorted(range(blocks), key=lambda block: (types[block], row[members[block]], block)) for row in strength]
    return np.array(order, dtype=np.int16)


def _only_number(knowledge: KnowledgeBase, name: str) -> int:
    facts = knowledge.facts(name, 1)
    if len(facts) != 1:
        raise kb_error(f"{len(facts)} facts {name}/1 where there must be one", f"write one fact {name}(...)")
    if facts[0][0] not in RANKS:
        raise kb_error(f"{name}({facts[0][0]}) is no rank", "levels are the ranks 2 to 14")
    return int(facts[0][0])


def _any_form(shapes: Shapes, block: int) -> int:
    layout = shapes.layout
    return int(max(layout.form[block], layout.tail_form[block].max(), layout.suit_form[block].max()))

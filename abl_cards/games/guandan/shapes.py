"""The facts of labels.lp as arrays: what the kernels read to lay down cards.

Labels whose forms differ only in the suit (straight flushes) or in the last group (the pair of a full house) are walked
together, because the wire protocol lists their card sets interleaved; such a family of forms is a *block*.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.rule_files import kb_error
from abl_cards.games.shapes import number, numbered_labels, one_each
from abl_cards.logic import KnowledgeBase, Term

SUITS = "shcd"
"""Suits of the rule files in hand order (rules/guandan.md, section 2)."""
VALUE_COUNT = 17
"""Ranks of the rule files are 2..16; arrays are indexed by them directly."""
LARGEST = 10
"""Cards in the largest group."""
GROUPS = 5
"""A form has at most five groups of equal rank."""

PLAIN, MIXED, SUITED, TAILED = range(4)


class Layout(NamedTuple):
    """The blocks as arrays; see the module."""

    label: NDArray[np.int16]  # [blocks]
    form: NDArray[np.int16]  # [blocks] the only form, or -1
    mode: NDArray[np.int8]  # [blocks] PLAIN, MIXED (two suits at least), SUITED (one form a suit) or TAILED
    groups: NDArray[np.int8]  # [blocks] groups that all its forms share
    value: NDArray[np.int8]  # [blocks, 5] their ranks
    size: NDArray[np.int8]  # [blocks, 5] their cards
    natural: NDArray[np.int8]  # [blocks, 5] how many of these must be real
    wilds: NDArray[np.int8]  # [blocks] wild cards that may stand for others
    tail_count: NDArray[np.int8]  # [blocks] cards of the last group, TAILED only
    tail_natural: NDArray[np.int8]  # [blocks, 17] of these natural, by the rank of the last group
    tail_form: NDArray[np.int16]  # [blocks, 17] the form by the rank of the last group, or -1
    suit_form: NDArray[np.int16]  # [blocks, 4] the form by suit, or -1


@dataclass(frozen=True)
class Form:
    """A shape that realises a label: its groups in order, and what wild cards may do in it."""

    name: str
    label: int
    kind: str
    groups: tuple[tuple[int, int, int], ...]  # (rank, cards, of which natural)
    wilds: int
    suit: str | None
    mixed: bool

    @property
    def size(self) -> int:
        """The number of cards."""
        return sum(count for _, count, _ in self.groups)


@dataclass(frozen=True)
class Shapes:
    """Labels, forms and blocks of one knowledge base."""

    labels: tuple[str, ...]
    forms: tuple[Form, ...]
    layout: Layout

    @cached_property
    def form_index(self) -> dict[str, int]:
        """The position of each form by its name."""
        return {form.name: index for index, form in enumerate(self.forms)}

    @cached_property
    def label_index(self) -> dict[str, int]:
        """The position of each label by its name."""
        return {label: index for index, label in enumerate(self.labels)}

    @cached_property
    def form_label(self) -> NDArray[np.int16]:
        """[forms] the label each form belongs to."""
        return np.array([form.label for form in self.forms], dtype=np.int16)

    @cached_property
    def label_size(self) -> NDArray[np.int8]:
        """[labels] the number of cards of a label's smallest form."""
        sizes = np.full(len(self.labels), 127, dtype=np.int8)
        np.minimum.at(sizes, self.form_label, np.array([form.size for form in self.forms], dtype=np.int8))
        return sizes

    @cached_property
    def label_blocks(self) -> NDArray[np.int16]:
        """[labels, 2] the first block of a label and the one after its last; blocks come in label order."""
        return np.stack(
            [np.searchsorted(self.layout.label, np.arange(len(self.labels)), side) for side in ("left", "right")],
            axis=1,
        ).astype(np.int16)


def read_shapes(kb: KnowledgeBase) -> Shapes:
    """The labels and forms a knowledge base declares; raises KBError where they cannot be laid out."""
    labels = numbered_labels(kb)
    forms = _forms(kb, labels)
    return Shapes(labels, forms, _layout(forms))


def _needs(kb: KnowledgeBase) -> dict[str, dict[int, tuple[int, int]]]:
    """The groups of each form by place: rank and cards."""
    needs: dict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
    for form, place, rank, count in kb.facts("needs", 4):
        fact = f"needs({form},{place},{rank},{count})"
        group = number(rank, fact), number(count, fact)
        if needs[str(form)].setdefault(number(place, fact), group) != group:
            raise kb_error(f"needs/4 has two groups at place {place} of {form}", "give each group a place of its own")
        if not 2 <= group[0] < VALUE_COUNT or not 1 <= group[1] <= LARGEST:
            raise kb_error(f"{fact} is no group of cards", f"ranks are 2 to {VALUE_COUNT - 1}, cards 1 to {LARGEST}")
    return needs


def _forms(kb: KnowledgeBase, labels: tuple[str, ...]) -> tuple[Form, ...]:
    index = {label: position for position, label in enumerate(labels)}
    kinds, wilds = one_each(kb, "kind", 2, 1), one_each(kb, "wilds", 2, 1)
    suits, needs = one_each(kb, "same_suit", 2, 1), _needs(kb)
    mixed = {str(form) for (form,) in kb.facts("mixed_suits", 1)}
    natural: dict[tuple[str, int], int] = defaultdict(int)
    for form, rank, count in kb.facts("natural", 3):
        fact = f"natural({form},{rank},{count})"
        key = str(form), number(rank, fact)
        natural[key] = max(natural[key], number(count, fact))
    forms = []
    for label, name in _pairs(kb.facts("form", 2)):
        if label not in index:
            raise kb_error(f"form({label},{name}): there is no label {label}", "number it by label/2")
        groups = tuple((rank, count, natural[name, rank]) for _, (rank, count) in sorted(needs[name].items()))
        if (name,) not in kinds or len(groups) > GROUPS:
            raise kb_error(f"form {name} needs one kind/2 and at most {GROUPS} groups", "see the header of labels.lp")
        cards = sum(count for _, count, _ in groups)
        if cards > LARGEST or (cards == 0) != (name == "pass"):
            raise kb_error(f"form {name} lays down {cards} cards", f"1 to {LARGEST}, and none for a pass: see needs/4")
        most = number(wilds.get((name,), 0), f"wilds of {name}")
        suit = suits.get((name,))
        forms.append(
            Form(
                name, index[label], str(kinds[name,]), groups, most, None if suit is None else str(suit), name in mixed
            )
        )
    return tuple(sorted(forms, key=lambda form: (form.label, form.size)))


def _pairs(facts: Iterable[tuple[Term, ...]]) -> list[tuple[str, str]]:
    return [(str(first), str(second)) for first, second in facts]


def _layout(forms: tuple[Form, ...]) -> Layout:
    families: dict[tuple[int, int], list[int]] = defaultdict(list)
    for index, form in enumerate(forms):
        families[form.label, form.size].append(index)
    layout = _empty_layout(len(families))
    for block, members in enumerate(families.values()):
        _fill_block(layout, block, members, forms)
    return layout


def _empty_layout(blocks: int) -> Layout:
    def zeros(*shape: int) -> NDArray[np.int8]:
        return np.zeros((blocks, *shape), dtype=np.int8)

    def absent(*shape: int) -> NDArray[np.int16]:
        return np.full((blocks, *shape), -1, dtype=np.int16)

    return Layout(
        label=absent(), form=absent(), mode=zeros(), groups=zeros(), value=zeros(GROUPS), size=zeros(GROUPS),
        natural=zeros(GROUPS), wilds=zeros(), tail_count=zeros(), tail_natural=zeros(VALUE_COUNT),
        tail_form=absent(VALUE_COUNT), suit_form=absent(len(SUITS)),
    )  # fmt: skip


def _fill_block(layout: Layout, block: int, members: list[int], forms: tuple[Form, ...]) -> None:
    first = forms[members[0]]
    shared = first.groups
    layout.label[block], layout.wilds[block] = first.label, first.wilds
    if first.suit is not None:
        layout.mode[block] = SUITED
        for index in members:
            suit = forms[index].suit or first.suit
            if suit not in SUITS or layout.suit_form[block, SUITS.index(suit)] >= 0:
                raise kb_error(
                    f"same_suit({forms[index].name},{suit}): no suit, or one that is taken", "use s, h, c, d once"
                )
            layout.suit_form[block, SUITS.index(suit)] = index
    elif len(members) == 1:
        layout.mode[block], layout.form[block] = MIXED if first.mixed else PLAIN, members[0]
    else:
        shared = first.groups[:-1]
        layout.mode[block] = TAILED
        layout.tail_count[block] = first.groups[-1][1]
        for index in members:
            value, _, natural = forms[index].groups[-1]
            layout.tail_form[block, value], layout.tail_natural[block, value] = index, natural
    layout.groups[block] = len(shared)
    for place, (value, count, natural) in enumerate(shared):
        layout.value[block, place], layout.size[block, place], layout.natural[block, place] = value, count, natural
    _check_family(layout, block, [forms[index] for index in members])


def _check_family(layout: Layout, block: int, family: list[Form]) -> None:
    """Forms that are walked together may differ in nothing else, or cards would go missing without a word."""
    first, mode = family[0], layout.mode[block]
    shared = first.groups[: layout.groups[block]]
    tail = first.groups[-1][1] if mode == TAILED else None
    alike = all(
        form.groups[: len(shared)] == shared
        and form.wilds == first.wilds
        and (form.suit is None) == (first.suit is None)
        and (mode == SUITED or not form.mixed or len(family) == 1)
        and (tail is None or form.groups[-1][1] == tail)
        for form in family
    )
    if not alike or (mode == SUITED and any(count != 1 for _, count, _ in shared)):
        raise kb_error(
            f"the forms of {first.name}'s label differ in more than their suit or their last group",
            "give forms of one label and size the same groups, natural/3 and wilds/2, or make them labels of their own",
        )

"""The facts of labels.lp as arrays, and clear refusals of facts that cannot be laid out."""

from collections.abc import Callable
from typing import cast

import numpy as np
import pytest

from abl_cards.games.guandan.knowledge import FACTS
from abl_cards.games.guandan.shapes import MIXED, SUITED, TAILED, Layout, Shapes, read_shapes
from abl_cards.games.shapes import arguments, functor
from abl_cards.logic import KBError, KnowledgeBase
from tests.brute_force.guandan import LABELS
from tests.games.guandan.states import engine

Fact = tuple[int | str, ...]
Facts = dict[str, list[Fact]]


class Book:
    """A knowledge base of nothing but facts."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def facts(self, name: str, arity: int) -> list[Fact]:
        """The facts of a predicate."""
        return [fact for fact in self._facts[name] if len(fact) == arity]


def all_facts() -> Facts:
    """The facts that come with the package, a fresh copy; terms as they print."""
    kb = engine().rules.kb
    return {
        name: [tuple(term if isinstance(term, int) else str(term) for term in fact) for fact in kb.facts(name, arity)]
        for name, arity in FACTS
    }


def shapes_of(facts: Facts) -> Shapes:
    """The shapes of some facts."""
    return read_shapes(cast(KnowledgeBase, Book(facts)))


def test_labels_and_forms() -> None:
    """168 labels; full houses have a form a pair, straight flushes one a suit, bombs of eight or more one a size."""
    shapes = engine().rules.shapes
    assert shapes.labels == LABELS
    often = np.bincount(shapes.form_label, minlength=168)
    for label, count in zip(LABELS, often, strict=True):
        expected = {"full_house": 14, "straight_flush": 4}.get(functor(label), 3 if label.endswith(",8)") else 1)
        assert count == expected, label
    assert [shapes.forms[index].name for index in (0, -1)] == ["single(2)", "pass"]
    assert all(shapes.forms[shapes.form_index[form.name]] == form for form in shapes.forms)


@pytest.mark.parametrize(
    ("form", "groups", "wilds"),
    [
        ("single(9)", ((9, 1, 1),), 0),
        ("pair(15)", ((15, 2, 2),), 2),
        ("full_house(3,16)", ((3, 3, 1), (16, 2, 2)), 2),
        ("plate(1)", ((14, 3, 0), (2, 3, 0)), 2),
        ("tube(12)", ((12, 2, 0), (13, 2, 0), (14, 2, 0)), 2),
        ("straight(1)", ((14, 1, 0), (2, 1, 0), (3, 1, 0), (4, 1, 0), (5, 1, 0)), 2),
        ("bomb(5,10)", ((5, 10, 0),), 2),
        ("joker_bomb", ((15, 2, 2), (16, 2, 2)), 0),
        ("pass", (), 0),
    ],
)
def test_forms_by_hand(form: str, groups: tuple[tuple[int, int, int], ...], wilds: int) -> None:
    """The groups of a form in their order: rank, cards, of these natural; and the wild cards it may hold."""
    found = next(one for one in engine().rules.shapes.forms if one.name == form)
    assert (found.groups, found.wilds) == (groups, wilds)
    assert found.size == sum(count for _, count, _ in groups)


def test_blocks() -> None:
    """Full houses are walked by their pair, straight flushes by their suit, straights show two suits."""
    shapes = engine().rules.shapes
    modes = {functor(shapes.labels[label]): mode for label, mode in zip(*shapes.layout[0:3:2], strict=True)}
    assert {name for name, mode in modes.items() if mode == TAILED} == {"full_house"}
    assert {name for name, mode in modes.items() if mode == SUITED} == {"straight_flush"}
    assert {name for name, mode in modes.items() if mode == MIXED} == {"straight"}
    assert (np.diff(shapes.label_blocks, axis=1).ravel() == [3 if name.endswith(",8)") else 1 for name in LABELS]).all()


def test_terms() -> None:
    """Names and arguments of labels and forms."""
    assert (functor("full_house(4,5)"), arguments("full_house(4,5)")) == ("full_house", (4, 5))
    assert (functor("pass"), arguments("pass")) == ("pass", ())
    assert arguments("straight_flush(3,h)") == (3, "h")


def replace(name: str, old: Fact, *new: Fact) -> Callable[[Facts], None]:
    """Damage: one fact becomes others."""

    def damage(facts: Facts) -> None:
        at = facts[name].index(old)
        facts[name][at : at + 1] = new

    return damage


def add(name: str, *new: Fact) -> Callable[[Facts], None]:
    """Damage: facts that were not there."""
    return lambda facts: facts[name].extend(new)


def untouched(facts: Facts) -> None:
    """No damage at all."""


MISFITS = {
    "a gap in the labels": (replace("label", (0, "single(2)")), "number the labels"),
    "two labels of one number": (replace("label", (1, "single(3)"), (0, "single(3)")), "says both"),
    "one label of two numbers": (add("label", (168, "single(2)")), "number the labels"),
    "labels that begin at 1": (replace("label", (0, "single(2)"), (168, "single(2)")), "number the labels"),
    "a form without a kind": (replace("kind", ("plate(3)", "plate")), "kind"),
    "six groups": (add("needs", ("straight(3)", 6, 8, 1)), "at most 5 groups"),
    "full houses with other wild cards": (
        replace("wilds", ("full_house(3,4)", 2), ("full_house(3,4)", 1)), "differ in more",
    ),
    "full houses with other triples": (
        replace("needs", ("full_house(3,4)", 1, 3, 3), ("full_house(3,4)", 1, 5, 3)), "differ in more",
    ),
    "full houses whose triples are natural": (add("natural", ("full_house(3,4)", 3, 2)), "differ in more"),
    "a full house of two suits": (add("mixed_suits", ("full_house(3,4)",)), "differ in more"),
    "a full house of one suit": (add("same_suit", ("full_house(3,4)", "s")), "differ in more|suit"),
    "straight flushes from other ranks": (
        replace("needs", ("straight_flush(3,s)", 1, 3, 1), ("straight_flush(3,s)", 1, 9, 1)), "differ in more",
    ),
    "straight flushes with other wild cards": (
        replace("wilds", ("straight_flush(3,s)", 2), ("straight_flush(3,s)", 0)), "differ in more",
    ),
    "a straight flush of any suit": (replace("same_suit", ("straight_flush(3,h)", "h")), "one that is taken"),
    "a pair of one suit": (add("same_suit", ("pair(3)", "s")), "differ in more"),
}  # fmt: skip


@pytest.mark.parametrize(("damage", "words"), MISFITS.values(), ids=MISFITS.keys())
def test_misfits_are_refused(damage: Callable[[Facts], None], words: str) -> None:
    """Forms that the kernels could not walk are refused in words that name the form and say what to do."""
    facts = all_facts()
    damage(facts)
    with pytest.raises(KBError, match=words):
        shapes_of(facts)


@pytest.mark.parametrize(
    "damage",
    [
        add("wilds", ("straight(3)", 0)),
        add("kind", ("plate(3)", "tube")),
        add("same_suit", ("straight_flush(3,s)", "h")),
        add("needs", ("pair(3)", 1, 4, 2)),
        replace("same_suit", ("straight_flush(3,s)", "s"), ("straight_flush(3,s)", "h")),
        add("label", (0, "single(99)")),
        add("form", ("single(99)", "single(2)")),
    ],
    ids=["wilds", "kind", "same_suit", "needs", "one suit twice", "label", "form"],
)
def test_contradictions_are_refused(damage: Callable[[Facts], None]) -> None:
    """Two facts where there must be one are refused: the circuit and the kernels would read them otherwise."""
    facts = all_facts()
    damage(facts)
    with pytest.raises(KBError):
        shapes_of(facts)


def test_undamaged_facts_are_read() -> None:
    """The damages above start from facts that fit."""
    facts = all_facts()
    untouched(facts)
    shapes, there = shapes_of(facts), engine().rules.shapes
    assert (shapes.labels, shapes.forms) == (there.labels, there.forms)
    for field in Layout._fields:
        assert (getattr(shapes.layout, field) == getattr(there.layout, field)).all()

"""Naive reading of facts: find the cards of a hand that make a form by trying all of them.

It follows docs/reference/predicates.md and shares no code with the kernels.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from abl_cards.asp.terms import Atom, Term
from abl_cards.games.description.pack import parse_rank_and_suit

Cards = tuple[Term, ...]
"""Cards by name, sorted by their text, equal ones several times."""


@dataclass(frozen=True)
class Acting:
    """Cells that cards act as, in one state and in any state."""

    now: Mapping[Term, Collection[Term]]
    ever: Mapping[Term, Collection[Term]]

    def wild(self, card: Term) -> bool:
        """Return whether the card is wild."""
        return "wild" in self.now[card]

    def real(self, card: Term, cell: Term) -> bool:
        """Return whether the card, also a wild one, may lie in a group of the cell as itself."""
        return cell in (self.ever[card] if self.wild(card) else self.now[card])

    def fits(self, card: Term, cell: Term) -> bool:
        """Return whether the card may lie in a group of the cell."""
        return self.real(card, cell) or (self.wild(card) and cell != "wild")


class Group(NamedTuple):
    """Group of a form: cell, size, least number of natural cards, and the only card allowed, if any."""

    cell: Term
    size: int
    natural: int
    only: Term | None


@dataclass
class Shape:
    """Facts about a form."""

    groups: list[Group] = field(default_factory=list)
    wilds: int = 0
    fewest_wilds: int = 0
    suit: Term | None = None
    mixed: bool = False
    kickers: tuple[int, int] | None = None  # groups, and cards in each
    carried: set[tuple[Term, int]] = field(default_factory=set)
    misread: set[tuple[Term, int]] = field(default_factory=set)
    apart: bool = False
    excluded: list[Shape] = field(default_factory=list)


class Naive:
    """Forms of a folder by their facts."""

    def __init__(self, atoms: Iterable[Atom]) -> None:
        """Read the facts among the atoms of an answer set."""
        facts: dict[str, list[tuple[Term, ...]]] = defaultdict(list)
        for name, arguments in atoms:
            facts[name].append(arguments)
        self.label = {form: label for label, form in facts["form"]}
        self.labels: dict[Term, list[Term]] = defaultdict(list)
        for label, form in facts["form"]:
            self.labels[label].append(form)
        self.shapes = {form: Shape() for form in self.label}
        self._read_groups(facts)
        cells = {cell for shape in self.shapes.values() for cell, *_ in [*shape.groups, *shape.carried]}
        self.last_two = set(sorted(cell for cell in cells if isinstance(cell, int))[-2:])

    def _read_groups(self, facts: Mapping[str, list[tuple[Term, ...]]]) -> None:
        shapes = self.shapes
        only = {(form, place): card for form, place, card in facts["only"]}
        natural: Counter[tuple[Term, Term]] = Counter()
        for form, cell, count in facts["natural"]:
            natural[form, cell] = max(natural[form, cell], int(count))
        for form, place, cell, count in sorted(facts["needs"], key=lambda fact: (str(fact[0]), int(fact[1]))):
            if form in shapes:
                group = Group(cell, int(count), natural[form, cell], only.get((form, place)))
                shapes[form].groups.append(group)
        for form, *least, most in facts["wilds"]:
            if form in shapes:
                shapes[form].wilds, shapes[form].fewest_wilds = int(most), int(least[0]) if least else 0
        for form, suit in facts["same_suit"]:
            shapes[form].suit = suit
        for (form,) in facts["mixed_suits"]:
            shapes[form].mixed = True
        for (form,) in facts["apart"]:
            shapes[form].apart = True
        for form, other in facts["excludes"]:
            if form in shapes and other in shapes:
                shapes[form].excluded.append(shapes[other])
        for form, groups, size in facts["kickers"]:
            shapes[form].kickers = int(groups), int(size)
        for name in ("kicker", "misread"):
            for form, cell, count in facts[name]:
                if form in shapes:
                    (shapes[form].carried if name == "kicker" else shapes[form].misread).add((cell, int(count)))
        own = {(form, cell) for form, cell, _ in facts["kicker"]}
        for form, pool in facts["uses_pool"]:
            shapes[form].carried |= {
                (cell, int(count))
                for name, cell, count in facts["kicker_pool"]
                if name == pool and (form, cell) not in own
            }

    def sets(self, form: Term, hand: Mapping[Term, int], acting: Acting, leading: bool) -> set[Cards]:
        """Return all sets of cards of a hand that make a form."""
        shape = self.shapes[form]
        if form == "pass":
            return {()}
        carried = {cell for cell, _ in shape.carried} if shape.kickers else set()
        useful = {
            card: copies
            for card, copies in hand.items()
            if copies and (
                any(acting.fits(card, group.cell) for group in shape.groups) or carried & set(acting.now[card])
            )
        }  # fmt: skip
        size = sum(group.size for group in shape.groups)
        size += shape.kickers[0] * shape.kickers[1] if shape.kickers else 0
        made = {cards for cards in _subsets(list(useful.items()), size) if self.makes(shape, cards, acting, leading)}
        return {
            cards for cards in made if not any(self.makes(other, cards, acting, leading) for other in shape.excluded)
        }

    def makes(self, shape: Shape, cards: Cards, acting: Acting, leading: bool) -> bool:
        """Return whether cards make a form; try all ways to distribute them among its groups and kickers."""
        if shape.mixed and len({parts[1] for card in cards if (parts := parse_rank_and_suit(card))}) < 2:
            return False
        return any(
            shape.wilds - spare >= shape.fewest_wilds and self._carries(shape, leftover, stood_for, acting, leading)
            for leftover, spare, stood_for in _share(shape, Counter(cards), shape.groups, shape.wilds, acting)
        )

    def _carries(
        self, shape: Shape, leftover: Counter[Term], stood_for: set[Term], acting: Acting, leading: bool
    ) -> bool:
        """Return whether the cards outside the groups are the kickers, none of a cell that wild cards stand in for."""
        if shape.kickers is None:
            return not leftover.total()
        groups, size = shape.kickers
        cells: Counter[Term] = Counter()
        may_be = {cell for cell, _ in shape.carried}
        for card, copies in leftover.items():
            mine = may_be & set(acting.now[card])
            if copies and len(mine) != 1:
                return False
            if copies:
                cells[next(iter(mine))] += copies
        allowed = shape.carried - (shape.misread if leading else set())
        fits = all(copies % size == 0 and (cell, copies // size) in allowed for cell, copies in cells.items())
        fits = fits and not stood_for & set(cells)
        together = shape.apart and len(self.last_two & set(cells)) == 2
        return fits and cells.total() == groups * size and not together


def _subsets(hand: list[tuple[Term, int]], size: int) -> Iterator[Cards]:
    """Yield all sets of a number of cards."""

    def choose(place: int, left: int) -> Iterator[list[Term]]:
        if left == 0:
            yield []
        elif place < len(hand):
            card, copies = hand[place]
            for count in range(min(copies, left) + 1):
                for rest in choose(place + 1, left - count):
                    yield [card] * count + rest

    for cards in choose(0, size):
        yield tuple(sorted(cards, key=str))


def _share(
    shape: Shape, cards: Counter[Term], groups: list[Group], spare: int, acting: Acting
) -> Iterator[tuple[Counter[Term], int, set[Term]]]:
    """Yield the leftover cards for each way to fill the groups with a limited number of wild cards.

    How many wild cards may still stand in, and the cells that others stand in for, come with them.
    """
    if not groups:
        yield cards, spare, set()
        return
    group, *others = groups
    for taken, stand_ins in _take(shape, group, [card for card in cards if cards[card]], cards, group.size, acting):
        if stand_ins <= spare and group.size - stand_ins >= group.natural:
            for leftover, left, stood_for in _share(shape, cards - taken, others, spare - stand_ins, acting):
                yield leftover, left, stood_for | ({group.cell} if stand_ins else set())


def _take(
    shape: Shape, group: Group, kinds: list[Term], cards: Counter[Term], left: int, acting: Acting
) -> Iterator[tuple[Counter[Term], int]]:
    """Yield all ways to take cards for a group, each with its number of wild cards for others."""
    if left == 0:
        yield Counter(), 0
        return
    if not kinds:
        return
    card, *others = kinds
    parts = parse_rank_and_suit(card)
    real = acting.real(card, group.cell) and (shape.suit is None or (parts is not None and parts[1] == shape.suit))
    stands_in = acting.wild(card) and group.cell != "wild"
    if group.only is not None:
        real = real and card == group.only
    most = min(cards[card], left)
    for own in range(most + 1 if real else 1):
        for standing in range(most - own + 1 if stands_in else 1):
            for taken, stand_ins in _take(shape, group, others, cards, left - own - standing, acting):
                yield taken + Counter({card: own + standing}), stand_ins + standing

"""Forms from the eyes of who counts plays: which cells they take how many cards of, and which cards those are.

A counter is chosen by what it rests on, which is checked here and in each counter; what it cannot count it refuses with
a reason. ``plays_left`` is the least number of plays that empties a hand when nobody answers: it leads every time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import WILD, Form, parse_rank_and_suit
from abl_cards.games.moves import OWN_SLOTS
from abl_cards.games.tables import largest_hand

RankSets = tuple[tuple[int, int], ...]
"""Ranks, as numbers of ``FormShapes.cells``, and how many cards of each, together one play."""


class UncountableError(Exception):
    """Why a counter does not know a game."""


@dataclass(frozen=True)
class FormShapes:
    """The forms of a game without their suits."""

    cells: tuple[int, ...]  # the *ranks*: cells that forms speak of
    kind_rank: NDArray[np.int64]  # [contexts, kinds] the rank that each card is of; behind the last for wild cards
    copies: NDArray[np.int64]  # [ranks] natural cards in the pack, in the context that has most
    num_wilds: int  # wild cards in the pack
    wilds_have_rank: bool  # whether every wild card is a card of some rank, too, and so a play of its own
    plain_forms: tuple[Form, ...]  # that carry nothing, and the pass is none
    kicker_forms: tuple[Form, ...]
    max_hand_size: int  # cards in a hand

    @cached_property
    def rank_of_cell(self) -> dict[int, int]:
        """The rank of each cell."""
        return {cell: rank for rank, cell in enumerate(self.cells)}

    def sets_of(self, form: Form) -> RankSets:
        """What a form takes."""
        return tuple(sorted((self.rank_of_cell[group.cell], group.count) for group in form.groups))

    @cached_property
    def plain_sets(self) -> frozenset[RankSets]:
        """What the forms that carry nothing take."""
        return frozenset(self.sets_of(form) for form in self.plain_forms)

    def set_sizes(self, ranks: Iterable[int]) -> tuple[int, ...]:
        """The sizes of the sets of all these ranks; raises UncountableError where one has a set that another lacks."""
        ranks = list(ranks)
        found = sorted({size for (rank, size), *more in self.plain_sets if not more and rank in ranks})
        for size in found:
            for rank in ranks:
                if self.copies[rank] + self.num_wilds >= size > 0 and ((rank, size),) not in self.plain_sets:
                    raise UncountableError(f"some ranks are played in sets of {size}, others are not")
        return tuple(found)


def read_shapes(rules: CompiledGame) -> FormShapes:
    """Raises UncountableError where suits matter, or a card is of two ranks."""
    forms = [form for form in rules.forms.forms if form.groups]
    carried = {cell for form in forms if form.kickers for cell in form.kickers.allowed}
    cells = tuple(sorted({group.cell for form in forms for group in form.groups} | carried))
    rank = _kind_ranks(rules, cells)
    contexts, wild = len(rank), len(cells)
    pack = rules.pack.copies.astype(np.int64)
    copies = np.stack([np.bincount(each, pack, wild + 1) for each in rank]).astype(np.int64)
    own = all(
        place < 0 or (rules.move_tables.wild_cards[context, at, OWN_SLOTS:] >= 0).any()
        for context in range(contexts)
        for at, place in enumerate(rules.move_tables.wild_cards[context, :, 0])
    )
    shapes = FormShapes(
        cells, rank, copies[:, :wild].max(axis=0), int(copies[:, wild].max()), own,
        tuple(form for form in forms if not form.kickers), tuple(form for form in forms if form.kickers),
        largest_hand(rules),
    )  # fmt: skip
    _check_suits(shapes, rules)
    return shapes


def _kind_ranks(rules: CompiledGame, cells: tuple[int, ...]) -> NDArray[np.int64]:
    acts = rules.cells.acts_as
    wild = rules.cells.index.get(WILD, -2)
    number = np.full(len(rules.cells) + 1, -1, np.int64)  # the last for no cell
    number[list(cells)] = np.arange(len(cells))
    if wild >= 0:
        number[wild] = len(cells)
    found = number[acts]  # [contexts, kinds, most]
    if ((found >= 0).sum(axis=2) > 1).any():
        raise UncountableError("suits matter in some plays, ranks in others")
    ranks: NDArray[np.int64] = found.max(axis=2)
    if (ranks < 0).any():
        _, kind = np.argwhere(ranks < 0)[0]
        raise UncountableError(f"no play has a {rules.pack.kinds[kind]} in it")
    return ranks


def _check_suits(shapes: FormShapes, rules: CompiledGame) -> None:
    """Raise UncountableError unless each form has the ranks of one that any cards of these ranks make, or of several.

    These are one of several suits, and one of each suit.
    """
    plain = [form for form in shapes.plain_forms if all(group.only_kind is None for group in form.groups)]
    loose = {shapes.sets_of(form) for form in plain if form.suit is None and not form.has_mixed_suits}
    suited: dict[RankSets, set[Term | None]] = defaultdict(set)
    for form in plain:
        suited[shapes.sets_of(form)].add(form.suit)
    for form in plain:
        if (
            form.has_mixed_suits
            and _suits_of_cells(rules, {group.cell for group in form.groups}) <= suited[shapes.sets_of(form)]
        ):
            loose.add(shapes.sets_of(form))
    for form in shapes.plain_forms:
        if shapes.sets_of(form) not in loose:
            raise UncountableError(f"suits matter in {form.name}")
    for form in shapes.kicker_forms:
        if form.suit is not None or form.has_mixed_suits or any(group.only_kind is not None for group in form.groups):
            raise UncountableError(f"suits matter in {form.name}")


def _suits_of_cells(rules: CompiledGame, cells: set[int]) -> set[Term]:
    """The suits of the cards that act as some cells, whatever is remembered."""
    acting = np.isin(rules.cells.acts_as, list(cells)).any(axis=(0, 2))
    parts = [parse_rank_and_suit(rules.pack.kinds[kind]) for kind in np.flatnonzero(acting)]
    return {part[1] for part in parts if part}

"""Forms without their suits, for counters of plays: the number of cards of each rank.

Each counter checks whether it supports the forms of a game, and raises UncountableError with the reason if not.
``plays_left`` is the minimum number of plays that empty a hand which leads every time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
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
"""Sets of equal cards that form one play: index of the rank in ``FormShapes.cells``, and number of cards."""


class UncountableError(Exception):
    """Game whose forms a counter does not support; the message is the reason."""


@dataclass(frozen=True)
class FormShapes:
    """Forms of a game without their suits.

    Attributes:
        cells: Cells that forms take; their indices are called *ranks* here.
        kind_rank: int64 [contexts, kinds], rank of each kind of card; ``len(cells)`` for wild cards.
        copies: int64 [ranks], number of natural cards in the pack, the maximum over contexts.
        num_wilds: Number of wild cards in the pack.
        wilds_have_rank: Every wild card is a card of some rank too, so it is a play of its own.
        plain_forms: Forms without kickers, without the pass.
        kicker_forms: Forms with kickers.
        max_hand_size: Maximum number of cards in a hand.
    """

    cells: tuple[int, ...]
    kind_rank: NDArray[np.int64]
    copies: NDArray[np.int64]
    num_wilds: int
    wilds_have_rank: bool
    plain_forms: tuple[Form, ...]
    kicker_forms: tuple[Form, ...]
    max_hand_size: int

    @cached_property
    def rank_of_cell(self) -> dict[int, int]:
        """Rank of each cell."""
        return {cell: rank for rank, cell in enumerate(self.cells)}

    def sets_of(self, form: Form) -> RankSets:
        """Return the sets that a form takes, without kickers."""
        return tuple(sorted((self.rank_of_cell[group.cell], group.count) for group in form.groups))

    @cached_property
    def plain_sets(self) -> frozenset[RankSets]:
        """Sets that the forms without kickers take."""
        return frozenset(self.sets_of(form) for form in self.plain_forms)

    def set_sizes(self, ranks: Iterable[int]) -> tuple[int, ...]:
        """Return the sizes of sets of equal cards that are plays of their own.

        Args:
            ranks: Ranks that must have the same sizes.

        Raises:
            UncountableError: A rank has sets of a size that another one lacks.
        """
        ranks = list(ranks)
        sizes = sorted({size for (rank, size), *more in self.plain_sets if not more and rank in ranks})
        for size in sizes:
            for rank in ranks:
                if self.copies[rank] + self.num_wilds >= size > 0 and ((rank, size),) not in self.plain_sets:
                    raise UncountableError(f"some ranks are played in sets of {size}, others are not")
        return tuple(sizes)


def read_shapes(rules: CompiledGame, left_out: Collection[Term] = ()) -> FormShapes:
    """Read the forms of a game without their suits.

    Args:
        rules: Compiled game.
        left_out: Names of forms to leave out.

    Raises:
        UncountableError: Suits matter, or a card has two ranks.
    """
    forms = [form for form in rules.forms.forms if form.groups and form.name not in left_out]
    if special := next((form for form in forms if form.min_wilds), None):
        raise UncountableError(f"there is no {special.name} without a wild card")
    kicker_cells = {cell for form in forms if form.kickers for cell in form.kickers.allowed}
    cells = tuple(sorted({group.cell for form in forms for group in form.groups} | kicker_cells))
    rank = _kind_ranks(rules, cells)
    contexts, wild_rank = len(rank), len(cells)
    pack = rules.pack.copies.astype(np.int64)
    copies = np.stack([np.bincount(context_ranks, pack, wild_rank + 1) for context_ranks in rank]).astype(np.int64)
    wilds_have_rank = all(
        card < 0 or (rules.move_tables.wild_cards[context, index, OWN_SLOTS:] >= 0).any()
        for context in range(contexts)
        for index, card in enumerate(rules.move_tables.wild_cards[context, :, 0])
    )
    shapes = FormShapes(
        cells, rank, copies[:, :wild_rank].max(axis=0), int(copies[:, wild_rank].max()), wilds_have_rank,
        tuple(form for form in forms if not form.kickers), tuple(form for form in forms if form.kickers),
        largest_hand(rules),
    )  # fmt: skip
    if (shapes.copies == 0).any() and rules.kb.facts("vacant", 1):
        raise UncountableError("wild cards lie where no card of the pack can")
    _check_suits(shapes, rules)
    for form in forms:
        if not set(form.excluded_forms) <= set(left_out):  # a form that is counted beside these takes the same cards
            raise UncountableError(f"{form.name} does not take all cards of its ranks (excludes/2)")
    return shapes


def _kind_ranks(rules: CompiledGame, cells: tuple[int, ...]) -> NDArray[np.int64]:
    acts = rules.cells.acts_as
    wild = rules.cells.index.get(WILD, -2)
    rank_of_cell = np.full(len(rules.cells) + 1, -1, np.int64)  # the last for no cell
    rank_of_cell[list(cells)] = np.arange(len(cells))
    if wild >= 0:
        rank_of_cell[wild] = len(cells)
    card_ranks = rank_of_cell[acts]  # [contexts, kinds, most]
    is_wild = (card_ranks == len(cells)).any(axis=2)
    if (is_wild & ((card_ranks >= 0).sum(axis=2) > 1)).any():
        raise UncountableError("a wild card is a play of its own too")
    if ((card_ranks >= 0).sum(axis=2) > 1).any():
        raise UncountableError("suits matter in some plays, ranks in others")
    ranks: NDArray[np.int64] = card_ranks.max(axis=2)
    if (ranks < 0).any():
        _, kind = np.argwhere(ranks < 0)[0]
        raise UncountableError(f"no play has a {rules.pack.kinds[kind]} in it")
    return ranks


def _check_suits(shapes: FormShapes, rules: CompiledGame) -> None:
    """Raise UncountableError if suits matter: some cards of the ranks of a form may not be played together.

    Suits do not matter if there is a form of any suits, or forms of each suit and one of mixed suits.
    """
    unrestricted = [form for form in shapes.plain_forms if all(group.only_kind is None for group in form.groups)]
    any_suit = {shapes.sets_of(form) for form in unrestricted if form.suit is None and not form.has_mixed_suits}
    suits_by_sets: dict[RankSets, set[Term | None]] = defaultdict(set)
    for form in unrestricted:
        suits_by_sets[shapes.sets_of(form)].add(form.suit)
    for form in unrestricted:
        if (
            form.has_mixed_suits
            and _suits_of_cells(rules, {group.cell for group in form.groups}) <= suits_by_sets[shapes.sets_of(form)]
        ):
            any_suit.add(shapes.sets_of(form))
    for form in shapes.plain_forms:
        if shapes.sets_of(form) not in any_suit:
            raise UncountableError(f"suits matter in {form.name}")
    for form in shapes.kicker_forms:
        if form.suit is not None or form.has_mixed_suits or any(group.only_kind is not None for group in form.groups):
            raise UncountableError(f"suits matter in {form.name}")


def _suits_of_cells(rules: CompiledGame, cells: set[int]) -> set[Term]:
    """Return the suits of the cards that act as some cells in any context."""
    acting = np.isin(rules.cells.acts_as, list(cells)).any(axis=(0, 2))
    parts = [parse_rank_and_suit(rules.pack.kinds[kind]) for kind in np.flatnonzero(acting)]
    return {part[1] for part in parts if part}

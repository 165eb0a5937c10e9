"""Counter for games in which a few plays are of named cards, such as a bomb of four red threes.

Any other counter serves the rest of the forms. A hand is emptied by some plays of named cards, and by other plays of
the remaining cards. So the fewest plays are the minimum over the named plays that the hand can hold together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Term
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import Form
from abl_cards.games.min_plays.plays_counter import MinPlaysCounter
from abl_cards.games.tables import largest_hand
from abl_cards.games.types import count_move_cards

_MAX_COMBINATIONS = 256  # combinations of named plays, as the other counter runs for each of them


@dataclass(frozen=True)
class NamedCardsCounter:
    """Counter for forms of named cards beside other forms.

    Attributes:
        others: Counter for the other forms.
        cards: uint8 [combinations, kinds], cards of named plays that are made together, at least one.
        num_plays: uint8 [combinations], number of these plays.
    """

    others: MinPlaysCounter
    cards: NDArray[np.uint8]
    num_plays: NDArray[np.uint8]

    def min_plays(self, hands: NDArray[np.uint8], context: NDArray[np.integer]) -> NDArray[np.uint8]:
        """Count the plays that empty each hand, as `MinPlaysCounter` describes."""
        plays = self.others.min_plays(hands, context)
        for cards, num_plays in zip(self.cards, self.num_plays, strict=True):
            rows = np.flatnonzero((hands >= cards).all(axis=1))
            if len(rows):
                rest = self.others.min_plays(hands[rows] - cards, context[rows])
                plays[rows] = np.minimum(plays[rows], rest + num_plays)
        return plays

    def min_plays_after(
        self, hands: NDArray[np.uint8], context: NDArray[np.integer], start: NDArray[np.int64], cards: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """Count the plays that empty the rest of a hand after each move, as `MinPlaysCounter` describes."""
        plays = self.others.min_plays_after(hands, context, start, cards)
        hand_of_move = np.repeat(np.arange(len(hands)), np.diff(start))
        for named, num_plays in zip(self.cards, self.num_plays, strict=True):
            holds_named = (hands >= named).all(axis=1)
            if not holds_named.any():
                continue
            rows, moves = np.flatnonzero(holds_named), np.flatnonzero(holds_named[hand_of_move])
            row_of_move = np.searchsorted(rows, hand_of_move[moves])
            rest = hands[rows] - named
            fits = (count_move_cards(cards[moves], rest.shape[1]) <= rest[row_of_move]).all(axis=1)
            offsets = np.concatenate([[0], np.bincount(row_of_move[fits], minlength=len(rows)).cumsum()])
            after = self.others.min_plays_after(rest, context[rows], offsets, np.ascontiguousarray(cards[moves[fits]]))
            plays[moves[fits]] = np.minimum(plays[moves[fits]], after + num_plays)
        return plays


def find_named_forms(rules: CompiledGame) -> dict[Term, NDArray[np.uint8]]:
    """Find the forms of named cards, where other forms take some of these whatever their suits.

    Args:
        rules: Compiled game.

    Returns:
        By name, copies of each card [kinds] that the forms take; each is one set of cards in all contexts.
    """
    forms = [form for form in rules.forms.forms if form.groups]
    used = np.isin(rules.cells.acts_as, [group.cell for form in forms for group in form.groups])
    has_several_cells = (used.sum(axis=2) > 1).any(axis=0)  # [kinds]
    named, find_sole_kind = {}, cache(partial(_find_sole_kind, rules))
    for form in forms:
        cards = _named_cards(form, find_sole_kind, len(rules.pack))
        has_only_kind = any(group.only_kind is not None for group in form.groups)
        if cards is not None and (has_only_kind or has_several_cells[cards > 0].any()):
            named[form.name] = cards
    return named


def _named_cards(
    form: Form, find_sole_kind: Callable[[int, int | None], int | None], num_kinds: int
) -> NDArray[np.uint8] | None:
    """Return the copies [kinds] of the only cards that a form takes; None if it takes several sets of cards."""
    if not form.groups or form.kickers or form.max_wilds or form.suit is not None or form.has_mixed_suits:
        return None
    cards = np.zeros(num_kinds, np.uint8)
    for group in form.groups:
        kind = find_sole_kind(group.cell, group.only_kind)
        if kind is None:
            return None
        cards[kind] += group.count
    return cards


def _find_sole_kind(rules: CompiledGame, cell: int, only_kind: int | None) -> int | None:
    """Return the only kind of card that a group of a cell takes in all contexts; None if it takes several."""
    acts, wild = rules.cells.acts_as == cell, rules.move_tables.wild_cards[:, :, 0]
    kinds = [only_kind] if only_kind is not None else np.flatnonzero(acts.any(axis=(0, 2))).tolist()
    is_real = len(kinds) == 1 and (acts[:, kinds[0]].any(axis=1) | (wild == kinds[0]).any(axis=1)).all()
    return kinds[0] if is_real else None


def combine_named_forms(rules: CompiledGame, sets: Sequence[NDArray[np.uint8]]) -> dict[bytes, int]:
    """Combine named plays that a hand can hold together.

    Args:
        rules: Compiled game.
        sets: Copies of each card [kinds] of each play.

    Returns:
        The fewest plays that make each union of cards, by its copies of each card; empty if there are too many unions.
    """
    copies, hand_size = rules.pack.copies.astype(np.int64), largest_hand(rules)
    combinations = {bytes(len(copies)): 0}
    for cards in sets:
        for union, num_plays in list(combinations.items()):
            total, count = np.frombuffer(union, np.uint8).astype(np.int64), num_plays
            while ((total := total + cards) <= copies).all() and total.sum() <= hand_size:
                count += 1
                key = total.astype(np.uint8).tobytes()
                combinations[key] = min(count, combinations.get(key, count))
                if len(combinations) > _MAX_COMBINATIONS:
                    return {}
    del combinations[bytes(len(copies))]
    return combinations

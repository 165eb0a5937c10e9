"""Facts of splits.lp as arrays: the tags that a rank can have, the pieces, and their prices."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import make_kb_error
from abl_cards.core import ErrorCode
from abl_cards.games.description import ArrayQuery, require_int, thermometer
from abl_cards.reasoners.splits.kernels import MAX_OPTIONS, USES
from abl_cards.reasoners.splits.rules import N_KINDS, TAGS, SplitRules

MAX_COPIES = 4
"""Most cards of a rank."""
PRICE_UNIT = 100.0
"""Price in the rules of one play."""


class MultiRankPieces(NamedTuple):
    """The pieces of several ranks, the longest first.

    Attributes:
        label: int16[pieces] Label.
        tag: int8[pieces] Tag of the cards.
        first_rank: int8[pieces] Lowest rank, from 0.
        last_rank: int8[pieces] Highest rank, from 0.
        price: float64[pieces] Price, in plays.
    """

    label: NDArray[np.int16]
    tag: NDArray[np.int8]
    first_rank: NDArray[np.int8]
    last_rank: NDArray[np.int8]
    price: NDArray[np.float64]


class SplitTables(NamedTuple):
    """Arrays for the search of splits.

    Attributes:
        group_size: int8[15, 4] Cards in a group of a rank and tag; 0 where there is none.
        group_price: float64[15, 4] Price of the piece of one group, in plays.
        group_label: int16[15, 4] Label of the piece; -1 where there is none.
        n_ways: int8[15, 5] Number of ways to tag the cards of a rank, by the number of cards.
        way_groups: int8[15, 5, MAX_OPTIONS, 4] Groups of each tag in each way.
        pieces: Pieces of several ranks.
    """

    group_size: NDArray[np.int8]
    group_price: NDArray[np.float64]
    group_label: NDArray[np.int16]
    n_ways: NDArray[np.int8]
    way_groups: NDArray[np.int8]
    pieces: MultiRankPieces


def build_split_tables(rules: SplitRules) -> SplitTables:
    """Read the facts of splits.

    Args:
        rules: Rules of splits.

    Returns:
        Arrays for the search.

    Raises:
        KBError: The facts do not describe pieces that the search supports.
    """
    size = _sizes(rules)
    ways, way = _ways(rules, size)
    price, label, pieces = _pieces(rules, size)
    return SplitTables(size, price, label, ways, way, pieces)


def main_tags(rules: SplitRules) -> NDArray[np.int8]:
    """Return int8[labels] the tag of the main cards of each label; -1 for a pass and for labels without cards."""
    tags = np.full(len(rules.labels), -1, np.int8)
    for form, tag in rules.kb.facts("tags", 2):
        tags[_label_index(rules, form, f"tags({form},{tag})")] = _tag_index(tag, f"tags({form},{tag})")
    return tags


def kicker_tags(rules: SplitRules) -> NDArray[np.int8]:
    """Return int8[5] the tag of equal kickers by their number; -1 for numbers that do not occur."""
    tags = np.full(MAX_COPIES + 1, -1, np.int8)
    for size, tag in rules.kb.facts("kicker_tag", 2):
        fact = f"kicker_tag({size},{tag})"
        if not 1 <= require_int(size, fact) <= MAX_COPIES:
            remedy = f"1 to {MAX_COPIES} equal cards"
            raise make_kb_error(f"{fact}: no kickers are so many", remedy, ErrorCode.INVALID_ARGUMENT)
        tags[require_int(size, fact)] = _tag_index(tag, fact)
    return tags


def _tag_index(value: object, fact: str) -> int:
    if value not in TAGS:
        raise make_kb_error(f"{fact} is no tag", f"tags are {TAGS[0]} to {TAGS[-1]}", ErrorCode.INVALID_ARGUMENT)
    return TAGS.index(value)


def _label_index(rules: SplitRules, form: object, fact: str) -> int:
    """Return the index of a label with main cards."""
    index = rules.label_index.get(str(form))
    if index is None or not rules.plays[index].main:
        raise make_kb_error(f"{fact} is about no play", "name a label that has main cards", ErrorCode.UNKNOWN_NAME)
    return index


def _sizes(rules: SplitRules) -> NDArray[np.int8]:
    size = np.zeros((N_KINDS, len(TAGS)), np.int8)
    for tag, rank, cards in rules.kb.facts("group", 3):
        fact = f"group({tag},{rank},{cards})"
        if rank not in rules.kinds:
            remedy = f"ranks are {rules.kinds[0]} to {rules.kinds[-1]}"
            raise make_kb_error(f"{fact}: there is no rank {rank}", remedy, ErrorCode.UNKNOWN_NAME)
        index = rules.kinds.index(rank), _tag_index(tag, fact)
        if size[index]:
            message = f"{fact}: the groups of a rank and a tag are all of one size"
            raise make_kb_error(message, "see piece/2 in splits.lp", ErrorCode.CONFLICTING_FACTS)
        if not 1 <= require_int(cards, fact) <= MAX_COPIES:
            remedy = f"1 to {MAX_COPIES} cards"
            raise make_kb_error(f"{fact} is no group of cards", remedy, ErrorCode.INVALID_ARGUMENT)
        size[index] = require_int(cards, fact)
    return size


def _ways(rules: SplitRules, size: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Evaluate which tags of the cards of one rank are whole groups."""
    copies, axes = rules.copies, (rules.kinds, TAGS)
    cases = [
        (rank, tagged)
        for rank in range(N_KINDS)
        for tagged in product(range(copies[rank] + 1), repeat=len(TAGS))
        if sum(tagged) <= copies[rank]
    ]
    ranks, cards = np.array([rank for rank, _ in cases]), np.array([tagged for _, tagged in cases])
    facts = np.zeros((N_KINDS, len(TAGS), MAX_COPIES, len(cases)), np.uint8)
    facts[ranks, :, :, np.arange(len(cases))] = thermometer(cards.T, MAX_COPIES).transpose(2, 0, 1)
    tagged_axes = {"tagged": (*axes, tuple(range(1, MAX_COPIES + 1)))}
    query = ArrayQuery(rules.kb.circuit("torn/2"), tagged_axes, {"torn": axes})
    torn = query.evaluate(len(cases), tagged=facts)["torn"].any(axis=(0, 1))
    ways = np.zeros((N_KINDS, MAX_COPIES + 1), np.int8)
    way = np.zeros((N_KINDS, MAX_COPIES + 1, MAX_OPTIONS, len(TAGS)), np.int8)
    for rank, tagged in zip(ranks[~torn], cards[~torn], strict=True):
        num_cards = tagged.sum()
        if ways[rank, num_cards] == MAX_OPTIONS:
            message = "too many ways to tag the cards of a rank"
            raise make_kb_error(message, "see torn/2 in splits.lp", ErrorCode.GAME_TOO_LARGE)
        groups = tagged // np.maximum(size[rank], 1)
        if (groups * size[rank] != tagged).any() or (groups > np.array(USES) - 2).any():
            message = f"rank {rules.kinds[rank]}: the cards of a tag are no whole groups, or too many of them"
            raise make_kb_error(message, "see torn/2 and group/3 in splits.lp", ErrorCode.INVALID_ARGUMENT)
        way[rank, num_cards, ways[rank, num_cards]] = groups
        ways[rank, num_cards] += 1
    for rank, num_cards in np.argwhere(ways[:, 1:] == 0).tolist():
        if num_cards < copies[rank]:
            message = f"no way to tag {num_cards + 1} cards of rank {rules.kinds[rank]}"
            raise make_kb_error(message, "see torn/2 in splits.lp", ErrorCode.MISSING_FACT)
    return ways, way


def _pieces(
    rules: SplitRules, size: NDArray[np.int8]
) -> tuple[NDArray[np.float64], NDArray[np.int16], MultiRankPieces]:
    prices = {str(form): require_int(weight, f"price({form},{weight})") for form, weight in rules.kb.facts("price", 2)}
    price = np.zeros((N_KINDS, len(TAGS)))
    label = np.full((N_KINDS, len(TAGS)), -1, np.int16)
    larger_pieces = []
    for form, tag in rules.kb.facts("piece", 2):
        fact = f"piece({form},{tag})"
        index, tag_index = _label_index(rules, form, fact), _tag_index(tag, fact)
        ranks = [rank for rank, _ in rules.plays[index].main]
        if any(count != size[rank, tag_index] for rank, count in rules.plays[index].main):
            remedy = "one group of its tag at each of its ranks"
            raise make_kb_error(f"piece({form},{tag}) is no row of groups", remedy, ErrorCode.INVALID_ARGUMENT)
        if str(form) not in prices:
            remedy = "write price(F,100) :- piece(F,_). in splits.lp"
            raise make_kb_error(f"there is no price of {form}", remedy, ErrorCode.MISSING_FACT)
        if len(ranks) == 1:
            price[ranks[0], tag_index], label[ranks[0], tag_index] = prices[str(form)] / PRICE_UNIT, index
        else:
            larger_pieces.append((index, tag_index, ranks[0], ranks[-1], prices[str(form)] / PRICE_UNIT))
    larger_pieces.sort(key=lambda piece: (piece[2] - piece[3], piece))
    columns = list(zip(*larger_pieces, strict=True)) or [()] * len(MultiRankPieces._fields)
    kinds = (np.int16, np.int8, np.int8, np.int8, np.float64)
    return price, label, MultiRankPieces(*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)))

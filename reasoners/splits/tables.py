"""The facts of splits.lp as arrays: which tags a rank can have, what pieces there are, and what each costs."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import make_kb_error
from abl_cards.games.description import ArrayQuery, require_int, thermometer
from abl_cards.reasoners.splits.kernels import MAX_OPTIONS, USES
from abl_cards.reasoners.splits.rules import N_KINDS, TAGS, SplitRules

MAX_COPIES = 4
PRICE_UNIT = 100.0
"""Prices of the rules are in hundredths of what a play weighs."""


class MultiRankPieces(NamedTuple):
    """The pieces of several ranks, the longest first."""

    label: NDArray[np.int16]  # [pieces]
    tag: NDArray[np.int8]  # [pieces]
    first_rank: NDArray[np.int8]  # [pieces] lowest rank, from 0
    last_rank: NDArray[np.int8]  # [pieces] highest rank, from 0
    price: NDArray[np.float64]  # [pieces] in plays


class SplitTables(NamedTuple):
    """What the search reads."""

    group_size: NDArray[np.int8]  # [15, 4] cards in a group of this rank and tag, 0 where there are none
    group_price: NDArray[np.float64]  # [15, 4] of the piece of one such group, in plays
    group_label: NDArray[np.int16]  # [15, 4] its label, -1 where there is none
    n_ways: NDArray[np.int8]  # [15, 5] by cards held: how many ways there are to tag them
    way_groups: NDArray[np.int8]  # [15, 5, MAX_OPTIONS, 4] groups of each tag
    pieces: MultiRankPieces


def build_split_tables(rules: SplitRules) -> SplitTables:
    """Read a compiled knowledge base; raises KBError where its pieces are none that the search knows."""
    size = _sizes(rules)
    ways, way = _ways(rules, size)
    price, label, pieces = _pieces(rules, size)
    return SplitTables(size, price, label, ways, way, pieces)


def main_tags(rules: SplitRules) -> NDArray[np.int8]:
    """[labels] the tag of the main cards of each play, -1 for a pass and for plays that the profile lacks."""
    found = np.full(len(rules.labels), -1, np.int8)
    for form, tag in rules.kb.facts("tags", 2):
        found[_label_index(rules, form, f"tags({form},{tag})")] = _tag_index(tag, f"tags({form},{tag})")
    return found


def kicker_tags(rules: SplitRules) -> NDArray[np.int8]:
    """[5] by their number: the tag of so many equal kickers, -1 where none are so many."""
    found = np.full(MAX_COPIES + 1, -1, np.int8)
    for size, tag in rules.kb.facts("kicker_tag", 2):
        fact = f"kicker_tag({size},{tag})"
        if not 1 <= require_int(size, fact) <= MAX_COPIES:
            raise make_kb_error(f"{fact}: no kickers are so many", f"1 to {MAX_COPIES} equal cards")
        found[require_int(size, fact)] = _tag_index(tag, fact)
    return found


def _tag_index(value: object, fact: str) -> int:
    if value not in TAGS:
        raise make_kb_error(f"{fact} is no tag", f"tags are {TAGS[0]} to {TAGS[-1]}")
    return TAGS.index(value)


def _label_index(rules: SplitRules, form: object, fact: str) -> int:
    """The number of a label with cards of its own."""
    index = rules.label_index.get(str(form))
    if index is None or not rules.plays[index].main:
        raise make_kb_error(f"{fact} is about no play", "name a label that has main cards")
    return index


def _sizes(rules: SplitRules) -> NDArray[np.int8]:
    size = np.zeros((N_KINDS, len(TAGS)), np.int8)
    for tag, rank, cards in rules.kb.facts("group", 3):
        fact = f"group({tag},{rank},{cards})"
        if rank not in rules.kinds:
            raise make_kb_error(f"{fact}: there is no rank {rank}", f"ranks are {rules.kinds[0]} to {rules.kinds[-1]}")
        place = rules.kinds.index(rank), _tag_index(tag, fact)
        if size[place]:
            raise make_kb_error(
                f"{fact}: the groups of a rank and a tag are all of one size", "see piece/2 in splits.lp"
            )
        if not 1 <= require_int(cards, fact) <= MAX_COPIES:
            raise make_kb_error(f"{fact} is no group of cards", f"1 to {MAX_COPIES} cards")
        size[place] = require_int(cards, fact)
    return size


def _ways(rules: SplitRules, size: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Ask the circuit which tags of the cards of one rank are whole groups."""
    copies, axes = rules.copies, (rules.kinds, TAGS)
    asked = [
        (rank, tagged)
        for rank in range(N_KINDS)
        for tagged in product(range(copies[rank] + 1), repeat=len(TAGS))
        if sum(tagged) <= copies[rank]
    ]
    ranks, cards = np.array([rank for rank, _ in asked]), np.array([tagged for _, tagged in asked])
    facts = np.zeros((N_KINDS, len(TAGS), MAX_COPIES, len(asked)), np.uint8)
    facts[ranks, :, :, np.arange(len(asked))] = thermometer(cards.T, MAX_COPIES).transpose(2, 0, 1)
    tagged_axes = {"tagged": (*axes, tuple(range(1, MAX_COPIES + 1)))}
    question = ArrayQuery(rules.kb.circuit("torn/2"), tagged_axes, {"torn": axes})
    torn = question.evaluate(len(asked), tagged=facts)["torn"].any(axis=(0, 1))
    ways = np.zeros((N_KINDS, MAX_COPIES + 1), np.int8)
    way = np.zeros((N_KINDS, MAX_COPIES + 1, MAX_OPTIONS, len(TAGS)), np.int8)
    for rank, tagged in zip(ranks[~torn], cards[~torn], strict=True):
        held = tagged.sum()
        if ways[rank, held] == MAX_OPTIONS:
            raise make_kb_error("too many ways to tag the cards of a rank", "see torn/2 in splits.lp")
        groups = tagged // np.maximum(size[rank], 1)
        if (groups * size[rank] != tagged).any() or (groups > np.array(USES) - 2).any():
            told = f"rank {rules.kinds[rank]}: the cards of a tag are no whole groups, or too many of them"
            raise make_kb_error(told, "see torn/2 and group/3 in splits.lp")
        way[rank, held, ways[rank, held]] = groups
        ways[rank, held] += 1
    for rank, held in np.argwhere(ways[:, 1:] == 0).tolist():
        if held < copies[rank]:
            raise make_kb_error(
                f"no way to tag {held + 1} cards of rank {rules.kinds[rank]}", "see torn/2 in splits.lp"
            )
    return ways, way


def _pieces(
    rules: SplitRules, size: NDArray[np.int8]
) -> tuple[NDArray[np.float64], NDArray[np.int16], MultiRankPieces]:
    prices = {str(form): require_int(weight, f"price({form},{weight})") for form, weight in rules.kb.facts("price", 2)}
    price = np.zeros((N_KINDS, len(TAGS)))
    label = np.full((N_KINDS, len(TAGS)), -1, np.int16)
    several = []
    for form, tag in rules.kb.facts("piece", 2):
        fact = f"piece({form},{tag})"
        index, place = _label_index(rules, form, fact), _tag_index(tag, fact)
        ranks = [rank for rank, _ in rules.plays[index].main]
        if any(count != size[rank, place] for rank, count in rules.plays[index].main):
            raise make_kb_error(f"piece({form},{tag}) is no row of groups", "one group of its tag at each of its ranks")
        if str(form) not in prices:
            raise make_kb_error(f"there is no price of {form}", "write price(F,100) :- piece(F,_). in splits.lp")
        if len(ranks) == 1:
            price[ranks[0], place], label[ranks[0], place] = prices[str(form)] / PRICE_UNIT, index
        else:
            several.append((index, place, ranks[0], ranks[-1], prices[str(form)] / PRICE_UNIT))
    several.sort(key=lambda each: (each[2] - each[3], each))
    columns = list(zip(*several, strict=True)) or [()] * len(MultiRankPieces._fields)
    kinds = (np.int16, np.int8, np.int8, np.int8, np.float64)
    return price, label, MultiRankPieces(*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)))

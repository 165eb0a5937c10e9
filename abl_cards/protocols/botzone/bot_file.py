"""Dou dizhu bot in one file: the agent kb for Botzone; needs only Python.

`abl-cards bot doudizhu` writes this file with a compiled knowledge base in place of DATA: circuits, card sets and the
table of plays. It reads one line of JSON with all requests of the game and its own responses, and writes one line. All
rules are in the data. The functions evaluate it for all moves at once; an atom is an integer with one bit per move.
"""

# Platforms have old Pythons: no strict zip, no match, no new syntax of types outside of annotations.
# ruff: noqa: B905
from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING, Any

from abl_cards.protocols.botzone.bot_runtime import (
    LEADING,
    NOBODY,
    BotView,
    choose,
    count_numbers,
    decide,
    find_numbers,
    read_rules,
    respond,
    subtract,
)

DATA = ""

if TYPE_CHECKING:
    Rules = dict[str, Any]
    Cards = list[int]  # copies of each rank
    Acts = list[tuple[int, list[int]]]  # relative seat and cards: 0 this seat, 1 the next, 2 the previous

LETTERS = "3456789TJQKA2XD"
TEXT_ORDER = {letter: place for place, letter in enumerate("23456789ADJKQTX")}
UNKNOWN_FORM = -3
"""Form of a play that only other rules have; the bot passes."""


# --- cards ------------------------------------------------------------------------------------------------------------


class DoudizhuView(BotView):
    """View of a seat, whose plays have kickers; seats are counted from the landlord's."""

    def __init__(self, rules: Rules, seat: int, known_values: dict[str, int]) -> None:
        super().__init__(rules, seat, known_values)
        self.unseen, self.sizes, self.top = self.hand, [17, 17], NOBODY
        self.bottom = self.hand
        self.acts: Acts = []

    def input_values(self) -> dict[str, list[int]]:
        """Return the input values of circuits by group."""
        values = super().input_values()
        values.update(unseen=self.count_cells(self.unseen), sizes=self.sizes, trick=[self.to_beat, self.top])
        return values

    def consequences(self, left: list[Cards], moves: Any) -> dict[str, dict[int, list[int]]]:
        """Return the fewest plays that empty the hand after each move."""
        return {"emptying": {0: [self.plays_left(cards) for cards in left]}}

    def plays_left(self, cards: Cards) -> int:
        """Return the fewest plays that empty a hand."""
        if "counter" not in self.rules:
            self.rules["counter"] = BotMinPlays(self.rules["plays"])
        return self.rules["counter"].left(cards)

    def card_sets(self, form: int) -> list[Cards]:
        """Return the card sets of a form in the hand, in the order of their texts."""
        mains, kickers = super().card_sets(form), self.rules["kickers"][form]
        if not mains or not kickers:
            return mains
        num_groups, group_size, allowed, allowed_leading, are_apart = kickers
        if self.to_beat == LEADING:
            allowed = allowed_leading
        partial_sets = [(mains[0], num_groups, False)]
        for rank in range(15):
            extended = []
            for counts, left, joker in partial_sets:
                for groups in range(1, left + 1):
                    apart = are_apart and joker and rank == 14
                    if allowed[rank] >> groups & 1 and groups * group_size <= self.hand[rank] and not apart:
                        cards = list(counts)
                        cards[rank] += groups * group_size
                        extended.append((cards, left - groups, joker or rank == 13))
            partial_sets += extended
        return sorted(
            (counts for counts, left, _ in partial_sets if not left),
            key=lambda cards: [TEXT_ORDER[letter] for letter, count in zip(LETTERS, cards) for _ in range(count)],
        )


class BotMinPlays:
    """Fewest plays that empty a hand, as in abl_cards/games/min_plays/chain_search.py."""

    def __init__(self, data: Rules) -> None:
        self.chains = data["chains"]
        self.plane, self.shape = data["plane"], data["shape"]
        self.rest = zlib.decompress(base64.b64decode(data["rest"]))
        self.cache: dict[tuple[int, ...], int] = {}

    def left(self, counts: Cards) -> int:
        key = tuple(counts)
        if key not in self.cache:
            self.cache[key] = self._search(list(counts), 0, 0, 0, 99)
        return self.cache[key]

    def _leaf(self, counts: Cards, planes: int) -> int:
        features = [sum(count == value for count in counts[:13]) for value in (1, 2, 3, 4)]
        features[0] += counts[13] != counts[14]
        features += [int(counts[13] == counts[14] == 1), planes]
        index = 0
        for value, size in zip(features, self.shape):
            index = index * size + value
        return self.rest[index]

    def _search(self, counts: Cards, first_chain: int, num_played: int, planes: int, best: int) -> int:
        best = min(best, num_played + self._leaf(counts, planes))
        if num_played + 2 > best:
            return best
        for chain in range(first_chain, len(self.chains)):
            start, length, copies, trios = self.chains[chain]
            if any(counts[rank] < copies for rank in range(start, start + length)):
                continue
            kind = self.plane[planes][trios] if trios else planes
            if kind < 0:
                continue
            for rank in range(start, start + length):
                counts[rank] -= copies
            best = self._search(counts, chain, num_played + (not trios), kind, best)
            for rank in range(start, start + length):
                counts[rank] += copies
        return best


# --- Botzone's JSON ---------------------------------------------------------------------------------------------------


def answer(rules: Rules, message: Rules) -> int | list[int]:
    """Return the response to {"requests": […], "responses": […]}."""
    requests, responses = message["requests"], message.get("responses", [])
    own_cards = list(next(request["own"] for request in requests if "own" in request))
    if "publiccard" not in requests[-1] and "history" not in requests[-1]:
        return decide_bid(rules, own_cards, requests[-1].get("bid", []))
    turns = [(turn, request) for turn, request in enumerate(requests) if "history" in request]
    opening = turns[0][1]
    part, own_cards = _infer_role(opening, own_cards)
    acts: Acts = []
    for turn, request in turns:
        acts += [(1, request["history"][0]), (2, request["history"][1])]
        if turn < len(responses):
            acts.append((0, responses[turn]))
    acts = acts[2 - part :]  # the landlord makes the first play
    left = [card for card in own_cards if not any(seat == 0 and card in ids for seat, ids in acts)]
    view = make_view(rules, part, own_cards, acts)
    view.bottom = count_numbers(rules, opening.get("publiccard", []))
    return [] if view.to_beat == UNKNOWN_FORM else find_numbers(rules, decide(view), left)


def decide_bid(rules: Rules, own_cards: list[int], bids: list[int]) -> int:
    """Choose a bid after earlier bids."""
    if not rules["stages"] or len(bids) > 3:
        return 0  # not a list of an auction of three seats; a bid of 0 is legal after any other
    view = DoudizhuView(rules, len(bids), {f"bid({turn})": bid for turn, bid in enumerate(bids)})
    view.hand, view.stage = count_numbers(rules, own_cards), 0
    view.unseen = subtract(rules["pack"], view.hand)
    bid: int = rules["bids"][choose(view)]
    return bid


def _infer_role(opening: Rules, own_cards: list[int]) -> tuple[int, list[int]]:
    """Return the seat counted from the landlord, and the seat's cards, with the bottom cards for the landlord."""
    if "landlord" in opening and "pos" in opening:
        part = (opening["pos"] - opening["landlord"]) % 3
    elif len(own_cards) == 20:
        part = 0
    else:
        part = 2 if opening["history"][0] else 1
    if part == 0 and len(own_cards) == 17:
        own_cards = own_cards + [card for card in opening["publiccard"] if card not in own_cards]
    return part, own_cards


def make_view(rules: Rules, part: int, own_cards: list[int], acts: Acts) -> DoudizhuView:
    """Build the view of the seat before its move."""
    view = DoudizhuView(rules, part, {"landlord": 0})
    view.hand, view.acts = count_numbers(rules, own_cards), acts
    view.unseen = subtract(rules["pack"], view.hand)
    if part:
        view.sizes[2 - part] = 20
    last_play, top = [], 0
    for seat, ids in acts:
        counts = count_numbers(rules, ids)
        if seat == 0:
            view.hand = subtract(view.hand, counts)
        else:
            view.unseen = subtract(view.unseen, counts)
            view.sizes[seat - 1] -= len(ids)
        if ids:
            last_play, top = counts, seat
    view.top = top - 1
    view.to_beat = find_form(rules, last_play) if top else LEADING  # else no play yet, or two passes after the own play
    return view


def find_form(rules: Rules, cards: Cards) -> int:
    """Return the form of played cards; UNKNOWN_FORM if no form of the rules has them."""
    view = DoudizhuView(rules, 0, {})
    view.hand, view.to_beat = cards, LEADING
    for form in reversed(rules["lists"][0]):
        if sum(cards) == rules["sizes"][form] and cards in view.card_sets(form):
            return int(form)
    return UNKNOWN_FORM


if __name__ == "__main__":
    respond(read_rules(DATA), answer)

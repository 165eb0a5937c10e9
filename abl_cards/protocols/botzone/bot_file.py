"""Dou dizhu bot in one file: the agent kb for Botzone; needs only Python.

`abl-cards bot doudizhu` writes this file with a compiled knowledge base in place of DATA: circuits, card sets and the
table of plays. It reads one line of JSON with all requests of the game and its own responses, and writes one line. All
rules are in the data. The functions evaluate it for all moves at once; an atom is an integer with one bit per move.
"""

# Platforms have old Pythons: no strict zip, no match, no new syntax of types outside of annotations.
# ruff: noqa: B905
from __future__ import annotations

import base64
import json
import sys
import zlib
from typing import TYPE_CHECKING, Any

from abl_cards.protocols.botzone.bot_circuits import evaluate, find_cheapest

DATA = ""

if TYPE_CHECKING:
    Rules = dict[str, Any]
    Cards = list[int]  # copies of each rank

LETTERS = "3456789TJQKA2XD"
TEXT_ORDER = {letter: place for place, letter in enumerate("23456789ADJKQTX")}
UNKNOWN_LABEL = -1
"""Label of a play that only other rules have; the bot passes."""


# --- cards ------------------------------------------------------------------------------------------------------------


def count_ranks(ids: list[int]) -> Cards:
    """Count Botzone's numbers by rank: four numbers per rank from 3 on, 52 and 53 for the jokers."""
    counts = [0] * 15
    for card in ids:
        counts[card // 4 if card < 52 else card - 39] += 1
    return counts


def cards_text(counts: Cards) -> str:
    """Return the letters of cards from low to high."""
    return "".join(letter * count for letter, count in zip(LETTERS, counts))


def card_sets(rules: Rules, label: int, hand: Cards, leading: bool) -> list[Cards]:
    """Return all card sets of a label in a hand, in the order of their texts."""
    main, groups, group_size = rules["main"][label], rules["kickers"][label], rules["kicker_size"][label]
    if any(required > held for required, held in zip(main, hand)):
        return []
    if not groups:
        return [main]
    allowed = rules["allowed"][1 if leading else 0][label]
    partial_sets = [(main, groups, False)]
    for rank in range(15):
        extended = []
        for counts, left, joker in partial_sets:
            for num_groups in range(1, left + 1):
                apart = rules["apart"][label] and joker and rank == 14
                if allowed[rank] >> num_groups & 1 and num_groups * group_size <= hand[rank] and not apart:
                    cards = list(counts)
                    cards[rank] += num_groups * group_size
                    extended.append((cards, left - num_groups, joker or rank == 13))
        partial_sets += extended
    return sorted(
        (counts for counts, left, _ in partial_sets if not left),
        key=lambda card_set: [TEXT_ORDER[c] for c in cards_text(card_set)],
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


# --- decisions --------------------------------------------------------------------------------------------------------


def add_count_facts(name: str, counts: Cards, bits: int, inputs: dict[str, int]) -> None:
    """Add "at least N" facts of counts for the columns in bits."""
    for rank, count in enumerate(counts):
        for copies in range(1, count + 1):
            fact = f"{name}({rank + 3},{copies})"
            inputs[fact] = inputs.get(fact, 0) | bits


def evaluate_named(circuit: Rules, inputs: dict[str, int], num_columns: int) -> list[int]:
    """Evaluate a circuit for inputs by their texts; other inputs are false."""
    return evaluate(circuit, [inputs.get(name, 0) for name in circuit["inputs"]], num_columns)


def preference_outputs(
    rules: Rules, common: dict[str, int], candidates: list[tuple[list[str], Cards]], plays: BotMinPlays
) -> list[int]:
    """Evaluate the preferences for candidates, each given by its facts and the cards it leaves in the hand."""
    columns = len(candidates)
    ones = (1 << columns) - 1
    inputs = dict.fromkeys(common, ones)
    for column, (facts, left) in enumerate(candidates):
        bit = 1 << column
        add_count_facts("left", left, bit, inputs)
        for fact in [*facts, *(f"plays_left({n})" for n in range(1, plays.left(left) + 1))]:
            inputs[fact] = inputs.get(fact, 0) | bit
    return evaluate_named(rules["judge"], inputs, columns)


def find_cheapest_candidate(
    rules: Rules, common: dict[str, int], candidates: list[tuple[list[str], Cards]], plays: BotMinPlays
) -> int:
    """Return the index of the candidate of the lowest cost."""
    return find_cheapest(preference_outputs(rules, common, candidates, plays), rules["weights"], len(candidates))


def decide(rules: Rules, view: Rules) -> Cards:
    """Return the cards to play, as copies of each rank."""
    hand, leading = view["hand"], view["to_beat"] is None
    if view["to_beat"] == UNKNOWN_LABEL:
        return [0] * len(hand)
    inputs: dict[str, int] = {}
    add_count_facts("held", hand, 1, inputs)
    if leading:
        inputs["leading"] = 1
    else:
        inputs[f"to_beat({rules['labels'][view['to_beat']]})"] = 1
    legal = evaluate_named(rules["play"], inputs, 1)
    moves: list[tuple[int, Cards]] = []
    for label in rules["wire"]:
        if legal[label]:
            moves += [(label, cards) for cards in card_sets(rules, label, hand, leading)]
    add_count_facts("unseen", view["unseen"], 1, inputs)
    inputs["landlord(0)"] = inputs[f"asked({view['part']})"] = 1  # seats are counted from the landlord's
    if not leading:
        inputs[f"top({view['top']})"] = 1
    for seat_name in ("next", "previous"):
        for count in range(1, view["cards"][seat_name] + 1):
            inputs[f"cards({seat_name},{count})"] = 1
    candidates = []
    for label, cards in moves:
        left = [held - played for held, played in zip(hand, cards)]
        candidates.append(([f"play({rules['labels'][label]})"], left))
    best = rules.get("best", find_cheapest_candidate)  # bots with networks replace it
    arguments = (rules, inputs, candidates, BotMinPlays(rules["plays"]))
    return moves[best(*arguments) if best is find_cheapest_candidate else best(*arguments, view, moves)][1]


def decide_bid(rules: Rules, hand: Cards, bids: list[int]) -> int:
    """Choose a bid after earlier bids."""
    inputs = {f"bid({turn},{bid})": 1 for turn, bid in enumerate(bids)}
    inputs[f"asked({len(bids)})"] = 1
    add_count_facts("held", hand, 1, inputs)
    add_count_facts("unseen", [copies - held for copies, held in zip(rules["pack"], hand)], 1, inputs)
    for seat_name in ("next", "previous"):
        for count in range(1, 18):
            inputs[f"cards({seat_name},{count})"] = 1
    options = rules["may_bid"].get(",".join(map(str, bids)))
    if not options:
        return 0  # not a list of an auction of three seats; a bid of 0 is legal after any other
    candidates = [([f"chooses(bid({bid}))"], hand) for bid in options]
    chosen: int = options[find_cheapest_candidate(rules, inputs, candidates, BotMinPlays(rules["plays"]))]
    return chosen


def find_label(rules: Rules, cards: Cards) -> int:
    """Return the label of played cards; UNKNOWN_LABEL if no label of the rules has them."""
    for label in reversed(rules["wire"]):
        num_cards: int = sum(rules["main"][label]) + rules["kickers"][label] * rules["kicker_size"][label]
        if any(cards) and num_cards == sum(cards) and cards in card_sets(rules, label, cards, True):
            return int(label)
    return UNKNOWN_LABEL


# --- Botzone's JSON ---------------------------------------------------------------------------------------------------


def answer(rules: Rules, message: Rules) -> int | list[int]:
    """Return the response to {"requests": […], "responses": […]}."""
    requests, responses = message["requests"], message.get("responses", [])
    own_cards = list(next(request["own"] for request in requests if "own" in request))
    if "publiccard" not in requests[-1] and "history" not in requests[-1]:
        return decide_bid(rules, count_ranks(own_cards), requests[-1].get("bid", []))
    turns = [(turn, request) for turn, request in enumerate(requests) if "history" in request]
    opening = turns[0][1]
    part, own_cards = _infer_role(opening, own_cards)
    acts: list[tuple[int, list[int]]] = []  # relative seat and cards in order: 0 this seat, 1 the next, 2 the previous
    for turn, request in turns:
        acts += [(1, request["history"][0]), (2, request["history"][1])]
        if turn < len(responses):
            acts.append((0, responses[turn]))
    if part == 0:
        acts = acts[2:]  # the landlord makes the first play
    elif part == 1:
        acts = acts[1:]
    view = _make_view(rules, part, count_ranks(own_cards), acts)
    view["acts"], view["bottom"] = acts, count_ranks(opening.get("publiccard", []))
    chosen = decide(rules, view)
    left = list(own_cards)
    for seat, ids in acts:
        if seat == 0:
            left = [card for card in left if card not in ids]
    cards: list[int] = []
    for rank, count in enumerate(chosen):
        held = [card for card in left if (card // 4 if card < 52 else card - 39) == rank]
        cards += held[:count]
    return cards


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


def _make_view(rules: Rules, part: int, hand: Cards, acts: list[tuple[int, list[int]]]) -> Rules:
    """Build the view of the seat before its move."""
    left, cards = list(hand), {"next": 17, "previous": 17}
    if part:
        cards["previous" if part == 1 else "next"] = 20
    unseen = [copies - held for copies, held in zip(rules["pack"], hand)]
    to_beat: Cards | None = None
    top = 0
    for seat, ids in acts:
        counts = count_ranks(ids)
        if seat == 0:
            left = [held - played for held, played in zip(left, counts)]
        else:
            unseen = [held - played for held, played in zip(unseen, counts)]
            cards["next" if seat == 1 else "previous"] -= len(ids)
        if ids:
            to_beat, top = counts, seat
    if top == 0:
        to_beat = None  # no play yet, or two passes after the own play
    return {
        "hand": left, "unseen": unseen, "part": part, "cards": cards, "top": "next" if top == 1 else "previous",
        "to_beat": None if to_beat is None else find_label(rules, to_beat),
    }  # fmt: skip


def main() -> None:
    """Answer one line of the standard input."""
    rules = json.loads(zlib.decompress(base64.b64decode(DATA)))
    print(json.dumps({"response": answer(rules, json.loads(sys.stdin.readline()))}))


if __name__ == "__main__":
    main()

"""A bot of Dou dizhu in one file that needs nothing but Python: the agent kb for Botzone.

`abl-cards bot doudizhu` writes this file anew with a compiled knowledge base in the place of DATA: circuits, card sets
and the table of plays. It reads one line of JSON, all the requests of the game and its own responses, and answers with
one. Everything it knows of the rules is in that data; the functions below evaluate it for all the moves at once, every
atom a number with one bit a move.
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
"""The label of a play that only other rules know: nothing is known to beat it, so the bot passes."""


# --- cards ------------------------------------------------------------------------------------------------------------


def count_ranks(ids: list[int]) -> Cards:
    """Copies of each rank of Botzone's numbers: four to a rank from 3 on, 52 and 53 the jokers."""
    counts = [0] * 15
    for number in ids:
        counts[number // 4 if number < 52 else number - 39] += 1
    return counts


def cards_text(counts: Cards) -> str:
    """The cards from low to high."""
    return "".join(letter * count for letter, count in zip(LETTERS, counts))


def card_sets(rules: Rules, label: int, hand: Cards, leading: bool) -> list[Cards]:
    """All card sets of a label that a hand has, in the order of their texts."""
    main, groups, size = rules["main"][label], rules["kickers"][label], rules["kicker_size"][label]
    if any(need > held for need, held in zip(main, hand)):
        return []
    if not groups:
        return [main]
    allowed = rules["allowed"][1 if leading else 0][label]
    found = [(main, groups, False)]
    for rank in range(15):
        more = []
        for counts, left, joker in found:
            for number in range(1, left + 1):
                apart = rules["apart"][label] and joker and rank == 14
                if allowed[rank] >> number & 1 and number * size <= hand[rank] and not apart:
                    laid = list(counts)
                    laid[rank] += number * size
                    more.append((laid, left - number, joker or rank == 13))
        found += more
    return sorted(
        (counts for counts, left, _ in found if not left), key=lambda each: [TEXT_ORDER[c] for c in cards_text(each)]
    )


class BotMinPlays:
    """The plays that a hand still needs; see abl_cards/games/min_plays/chain_search.py."""

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
        at = [sum(count == number for count in counts[:13]) for number in (1, 2, 3, 4)]
        at[0] += counts[13] != counts[14]
        at += [int(counts[13] == counts[14] == 1), planes]
        place = 0
        for number, size in zip(at, self.shape):
            place = place * size + number
        return self.rest[place]

    def _search(self, counts: Cards, first: int, num_played: int, planes: int, best: int) -> int:
        best = min(best, num_played + self._leaf(counts, planes))
        if num_played + 2 > best:
            return best
        for number in range(first, len(self.chains)):
            start, length, copies, trios = self.chains[number]
            if any(counts[rank] < copies for rank in range(start, start + length)):
                continue
            kind = self.plane[planes][trios] if trios else planes
            if kind < 0:
                continue
            for rank in range(start, start + length):
                counts[rank] -= copies
            best = self._search(counts, number, num_played + (not trios), kind, best)
            for rank in range(start, start + length):
                counts[rank] += copies
        return best


# --- decisions --------------------------------------------------------------------------------------------------------


def add_count_facts(name: str, counts: Cards, bits: int, inputs: dict[str, int]) -> None:
    """Add the facts "at least N" of some counts for the columns in bits."""
    for rank, count in enumerate(counts):
        for number in range(1, count + 1):
            fact = f"{name}({rank + 3},{number})"
            inputs[fact] = inputs.get(fact, 0) | bits


def evaluate_named(circuit: Rules, inputs: dict[str, int], num_columns: int) -> list[int]:
    """The outputs by the texts of inputs, the others of which are false."""
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
    """The number of the candidate with the lowest cost."""
    return find_cheapest(preference_outputs(rules, common, candidates, plays), rules["weights"], len(candidates))


def decide(rules: Rules, view: Rules) -> Cards:
    """The cards to play, as copies of each rank."""
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
            moves += [(label, laid) for laid in card_sets(rules, label, hand, leading)]
    add_count_facts("unseen", view["unseen"], 1, inputs)
    inputs["landlord(0)"] = inputs[f"asked({view['part']})"] = 1  # seats are counted from the landlord's
    if not leading:
        inputs[f"top({view['top']})"] = 1
    for who in ("next", "previous"):
        for number in range(1, view["cards"][who] + 1):
            inputs[f"cards({who},{number})"] = 1
    candidates = []
    for label, laid in moves:
        left = [held - gone for held, gone in zip(hand, laid)]
        candidates.append(([f"play({rules['labels'][label]})"], left))
    best = rules.get("best", find_cheapest_candidate)  # a bot with networks has its own
    told = (rules, inputs, candidates, BotMinPlays(rules["plays"]))
    return moves[best(*told) if best is find_cheapest_candidate else best(*told, view, moves)][1]


def decide_bid(rules: Rules, hand: Cards, bids: list[int]) -> int:
    """Choose a bid after earlier bids."""
    inputs = {f"bid({turn},{bid})": 1 for turn, bid in enumerate(bids)}
    inputs[f"asked({len(bids)})"] = 1
    add_count_facts("held", hand, 1, inputs)
    add_count_facts("unseen", [full - held for full, held in zip(rules["pack"], hand)], 1, inputs)
    for who in ("next", "previous"):
        for number in range(1, 18):
            inputs[f"cards({who},{number})"] = 1
    options = rules["may_bid"].get(",".join(map(str, bids)))
    if not options:
        return 0  # a list that no auction of three seats sends; a bid of 0 is legal after any other
    candidates = [([f"chooses(bid({bid}))"], hand) for bid in options]
    chosen: int = options[find_cheapest_candidate(rules, inputs, candidates, BotMinPlays(rules["plays"]))]
    return chosen


def find_label(rules: Rules, cards: Cards) -> int:
    """Return the label of cards that were led or played; UNKNOWN_LABEL where no label of these rules has them."""
    for label in reversed(rules["wire"]):
        size: int = sum(rules["main"][label]) + rules["kickers"][label] * rules["kicker_size"][label]
        if any(cards) and size == sum(cards) and cards in card_sets(rules, label, cards, True):
            return int(label)
    return UNKNOWN_LABEL


# --- Botzone's JSON ---------------------------------------------------------------------------------------------------


def answer(rules: Rules, message: Rules) -> int | list[int]:
    """The response to {"requests": […], "responses": […]}."""
    requests, responses = message["requests"], message.get("responses", [])
    own = list(next(request["own"] for request in requests if "own" in request))
    if "publiccard" not in requests[-1] and "history" not in requests[-1]:
        return decide_bid(rules, count_ranks(own), requests[-1].get("bid", []))
    turns = [(turn, request) for turn, request in enumerate(requests) if "history" in request]
    opening = turns[0][1]
    part, own = _infer_role(opening, own)
    acts: list[tuple[int, list[int]]] = []  # [seat counted from us, ids] in order: 1 the next, 2 the previous, 0 we
    for turn, request in turns:
        acts += [(1, request["history"][0]), (2, request["history"][1])]
        if turn < len(responses):
            acts.append((0, responses[turn]))
    if part == 0:
        acts = acts[2:]  # nobody has played before the landlord leads
    elif part == 1:
        acts = acts[1:]
    view = _make_view(rules, part, count_ranks(own), acts)
    view["acts"], view["bottom"] = acts, count_ranks(opening.get("publiccard", []))
    chosen = decide(rules, view)
    left = list(own)
    for seat, ids in acts:
        if seat == 0:
            left = [number for number in left if number not in ids]
    cards: list[int] = []
    for rank, count in enumerate(chosen):
        held = [number for number in left if (number // 4 if number < 52 else number - 39) == rank]
        cards += held[:count]
    return cards


def _infer_role(opening: Rules, own: list[int]) -> tuple[int, list[int]]:
    """Our part, and our cards with the bottom ones where they are ours."""
    if "landlord" in opening and "pos" in opening:
        part = (opening["pos"] - opening["landlord"]) % 3
    elif len(own) == 20:
        part = 0
    else:
        part = 2 if opening["history"][0] else 1
    if part == 0 and len(own) == 17:
        own = own + [card for card in opening["publiccard"] if card not in own]
    return part, own


def _make_view(rules: Rules, part: int, hand: Cards, acts: list[tuple[int, list[int]]]) -> Rules:
    """Build the view of the seat before its move."""
    left, cards = list(hand), {"next": 17, "previous": 17}
    if part:
        cards["previous" if part == 1 else "next"] = 20
    unseen = [full - held for full, held in zip(rules["pack"], hand)]
    to_beat: Cards | None = None
    top = 0
    for seat, ids in acts:
        laid = count_ranks(ids)
        if seat == 0:
            left = [held - gone for held, gone in zip(left, laid)]
        else:
            unseen = [held - gone for held, gone in zip(unseen, laid)]
            cards["next" if seat == 1 else "previous"] -= len(ids)
        if ids:
            to_beat, top = laid, seat
    if top == 0:
        to_beat = None  # nobody has played yet, or two have passed over our play
    return {
        "hand": left, "unseen": unseen, "part": part, "cards": cards, "top": "next" if top == 1 else "previous",
        "to_beat": None if to_beat is None else find_label(rules, to_beat),
    }  # fmt: skip


def main() -> None:
    """Answer one line."""
    rules = json.loads(zlib.decompress(base64.b64decode(DATA)))
    print(json.dumps({"response": answer(rules, json.loads(sys.stdin.readline()))}))


if __name__ == "__main__":
    main()

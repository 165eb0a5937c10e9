"""Tractor bot in one file: the agent kb for Botzone; needs only Python.

`abl-cards bot tractor` writes this file with a compiled knowledge base in place of DATA: circuits, roles of cards by
level and trump suit, and all forms. It reads one line of JSON with all requests of the round and its own responses, and
writes one line. All rules are in the data.
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
    Cards = list[int]  # copies of each kind

AT_LEAST, EQUAL, BIT = range(3)
NOBODY, LEADING, NO_TRICK = -1, -1, -2
PACK_SIZE = 54


class TractorView:
    """View of the seat at a decision; seats, kinds, cells, forms and fluents are numbers."""

    def __init__(self, rules: Rules, seat: int, global_state: Rules) -> None:
        self.rules, self.seat = rules, seat
        self.hand, self.gone, self.last = self.no_cards(), self.no_cards(), NOBODY
        self.on_table, self.leader, self.owner = [self.no_cards() for _ in range(rules["seats"])], seat, seat
        self.played = [self.no_cards() for _ in self.on_table]  # by seat, in earlier tricks
        self.to_beat, self.stage = NO_TRICK, NOBODY
        self.fluents = list(rules["nothing"])
        banking = global_state["banking"]
        values_by_name = {
            "level": rules["ranks"][global_state["level"]], "banker": banking["banker"],
            "trump": banking["major"] if banking["major"] in list("shcd") else NOBODY,
            "given": not global_state["first_round"], "total": global_state.get("total_score", 0),
            "bid": _bid_rank(banking),
        }  # fmt: skip
        for name, slot, values in rules["slots"]:
            value = values_by_name[name]
            if not values:
                self.fluents[slot] = int(value)
            elif value in values:
                self.fluents[slot] = values.index(value)
        self.context = 0
        for slot, size, lowest in rules["contexts"]:
            self.context = self.context * size + min(self.fluents[slot] - lowest, size - 1)

    def no_cards(self) -> Cards:
        return [0] * len(self.rules["acts"][0])

    def count_cells(self, cards: Cards) -> list[int]:
        """Count the cards that act as each cell."""
        counts = [0] * self.rules["cells"]
        for copies, acts in zip(cards, self.rules["acts"][self.context]):
            if copies:
                for cell in acts:
                    counts[cell] += copies
        return counts

    def input_values(self) -> dict[str, list[int]]:
        """Return the input values of circuits by group."""
        seats = len(self.on_table)
        unseen = [2 - held - gone - sum(laid[kind] for laid in self.on_table)
                  for kind, (held, gone) in enumerate(zip(self.hand, self.gone))]  # fmt: skip
        top = (self.owner - self.seat) % seats - 1 if self.to_beat >= 0 else NOBODY
        laying = [sum(laid) for laid in self.on_table]
        return {
            "hand": self.count_cells(self.hand), "size": [sum(self.hand)], "unseen": self.count_cells(unseen),
            "gone": self.count_cells(
                [gone + sum(laid[kind] for laid in self.on_table) for kind, gone in enumerate(self.gone)]
            ),
            "lies": [count for laid in self.on_table for count in self.count_cells(laid)], "laying": laying,
            "leader": [self.leader], "seat": [self.seat], "fluents": self.fluents, "trick": [self.to_beat, top],
            "act": [self.last, self.owner],
            "event": [NOBODY, self.stage, NOBODY, self.seat if self.stage >= 0 else NOBODY],
            "choice": [NOBODY], "move": [NOBODY, NOBODY], "taking": [0], "left": self.count_cells(self.hand),
        }  # fmt: skip


def _bid_rank(banking: Rules) -> int:
    """Return the rank of the strongest shown cards: 0 for one card, 1 for two, 3 for two jokers."""
    if banking["snatched"] < 0:
        return 0 if banking["called"] >= 0 else NOBODY
    return 1 if banking["major"] in list("shcd") else 3


def evaluate_query(
    query: Rules, groups: dict[str, list[int]], varying: dict[str, dict[int, list[int]]], num_moves: int
) -> list[int]:
    """Evaluate a query for several moves; ``groups`` has fixed inputs, ``varying`` those that differ by move."""
    ones, inputs, bits_by_value = (1 << num_moves) - 1, [], {}
    for group, column, comparison, value in query["tests"]:
        if column in varying.get(group, ()):
            key = group, column
            if key not in bits_by_value:
                by_value: dict[int, int] = {}
                for move, input_value in enumerate(varying[group][column]):
                    by_value[input_value] = by_value.get(input_value, 0) | 1 << move
                bits_by_value[key] = by_value
            if comparison == EQUAL:
                inputs.append(bits_by_value[key].get(value, 0))
            else:
                inputs.append(sum(bits for input_value, bits in bits_by_value[key].items() if input_value >= value))
            continue
        input_value = groups[group][column] if group else NOBODY
        holds = input_value == value if comparison == EQUAL else input_value >= value
        if not group or comparison == BIT:
            holds = False
        inputs.append(ones if holds else 0)
    return evaluate(query["circuit"], inputs, num_moves)


# --- plays ------------------------------------------------------------------------------------------------------------


def legal_moves(view: TractorView) -> list[tuple[int, list[int]]]:
    """Return the legal moves: forms with the kinds of their cards, in the order of lists."""
    rules, query = view.rules, view.rules["play"]
    answers, moves = evaluate_query(query, view.input_values(), {}, 1), []
    lists = rules["lists"][view.context] if len(rules["lists"]) > 1 else rules["lists"][0]
    kind_of: dict[int, int] = {}
    for kind, acts in enumerate(rules["acts"][view.context]):
        for cell in acts:
            kind_of[cell] = kind
    for form in lists:
        label, needs = rules["forms"][form]
        if answers[label] and answers[query["answer"][form]]:
            kinds = [kind_of.get(cell, NOBODY) for cell, count in needs for _ in range(count)]
            if NOBODY not in kinds and all(kinds.count(kind) <= view.hand[kind] for kind in kinds):
                moves.append((form, kinds))
    return moves


def trick_takers(view: TractorView, moves: list[tuple[int, list[int]]]) -> list[int]:
    """Return outputs with one bit per move: the seat that would take the trick, and whether the play goes on."""
    first_cell, per_move_counts, columns = view.seat * view.rules["cells"], [], []
    for _, kinds in moves:
        laid = list(view.on_table[view.seat])
        for kind in kinds:
            laid[kind] += 1
        per_move_counts.append(view.count_cells(laid))
        columns.append(sum(laid))
    groups = view.input_values()
    groups["act"] = [view.seat, view.owner]
    varying = {
        "lies": {
            first_cell + cell: [counts[cell] for counts in per_move_counts] for cell in range(view.rules["cells"])
        },
        "laying": {view.seat: columns},
        "move": {0: [form for form, _ in moves], 1: [view.rules["forms"][form][0] for form, _ in moves]},
    }
    return evaluate_query(view.rules["takes"], groups, varying, len(moves))


def find_best_move(view: TractorView, moves: list[tuple[int, list[int]]]) -> int:
    """Return the index of the move of the lowest cost."""
    return 0 if len(moves) == 1 else find_cheapest(preference_outputs(view, moves), view.rules["weights"], len(moves))


def preference_outputs(view: TractorView, moves: list[tuple[int, list[int]]]) -> list[int]:
    """Evaluate the preferences for moves."""
    rules, left = view.rules, []
    for _, kinds in moves:
        hand = list(view.hand)
        for kind in kinds:
            hand[kind] -= 1
        left.append(view.count_cells(hand))
    takes = trick_takers(view, moves)[rules["takes"]["outputs"].index(view.seat)]
    varying = {
        "left": {cell: [counts[cell] for counts in left] for cell in range(rules["cells"])},
        "move": {0: [form for form, _ in moves], 1: [rules["forms"][form][0] for form, _ in moves]},
        "taking": {0: [takes >> move & 1 for move in range(len(moves))]},
    }
    return evaluate_query(rules["judge"], view.input_values(), varying, len(moves))


def decide(view: TractorView) -> list[int]:
    """Return the kinds of the cards to play, composed part by part."""
    played: list[int] = []
    choose_move = view.rules.get("best", find_best_move)
    num_cards = sum(view.on_table[view.leader]) if view.to_beat >= 0 else 0
    if num_cards == sum(view.hand):
        return [kind for kind, copies in enumerate(view.hand) for _ in range(copies)]
    while True:
        moves = legal_moves(view)
        chosen = moves[choose_move(view, moves)]
        kinds = chosen[1]
        if not kinds:
            return played
        continues = trick_takers(view, [chosen])[view.rules["takes"]["outputs"].index("more")]
        for kind in kinds:
            view.hand[kind] -= 1
            view.on_table[view.seat][kind] += 1
        played += kinds
        if not continues or not any(view.hand):
            return played


# --- choices ----------------------------------------------------------------------------------------------------------


def choose(view: TractorView) -> str:
    """Return the option of the lowest cost."""
    rules = view.rules
    answers = evaluate_query(rules["choosing"], view.input_values(), {}, 1)
    allowed = {option for option, answer in zip(rules["choosing"]["outputs"], answers) if answer}
    options = [index for index in range(len(rules["options"])) if index in allowed]
    if len(options) == 1:
        return rules["options"][options[0]]
    left = []
    for option in options:
        hand, kind = list(view.hand), rules["given"][option]
        if kind >= 0 and hand[kind]:
            hand[kind] -= 1
        left.append(view.count_cells(hand))
    varying = {
        "left": {cell: [counts[cell] for counts in left] for cell in range(rules["cells"])},
        "choice": {0: options},
    }
    costs = evaluate_query(rules["judge"], view.input_values(), varying, len(options))
    return rules["options"][options[find_cheapest(costs, rules["weights"], len(options))]]


def declared_kinds(view: TractorView, option: str, level: str) -> list[int]:
    """Return the kinds of the cards that an option shows."""
    if "(" not in option:
        return []
    suit = option[option.index("(") + 1 : -1]
    kind = view.rules["kinds"].index(suit if len(suit) > 1 else suit + level)
    return [kind] if option.startswith("declare") else [kind, kind]


# --- Botzone's JSON ---------------------------------------------------------------------------------------------------


def add_cards(rules: Rules, cards: Cards, ids: list[int], copies: int = 1) -> None:
    """Add copies of cards by their numbers."""
    for card in ids:
        cards[rules["numbers"][card % PACK_SIZE]] += copies


def find_numbers(rules: Rules, kinds: list[int], held: list[int]) -> list[int]:
    """Return numbers of kinds among held ones."""
    chosen_numbers: list[int] = []
    for kind in kinds:
        chosen_numbers.append(
            next(n for n in held if n not in chosen_numbers and rules["numbers"][n % PACK_SIZE] == kind)
        )
    return chosen_numbers


def answer(rules: Rules, message: Rules) -> list[int]:
    """Return the response to {"requests": […], "responses": […]}."""
    requests, responses = message["requests"], message.get("responses", [])
    current, seat = requests[-1], next(earlier["playerpos"] for earlier in requests if "playerpos" in earlier)
    held = [card for earlier in requests if earlier["stage"] != "play" for card in earlier["deliver"]]
    view = TractorView(rules, seat, current["global"])
    if current["stage"] == "play":
        for request, response in zip(requests, responses):
            if request["stage"] == "cover":
                held = [card for card in held if card not in response]
        return _play(view, [earlier for earlier in requests if earlier["stage"] == "play"], held)
    add_cards(rules, view.hand, held)
    view.stage = rules["stages"].index("declare" if current["stage"] == "deal" else "bury")
    if current["stage"] == "deal":
        return find_numbers(rules, declared_kinds(view, choose(view), current["global"]["level"]), held)
    buried: list[int] = []
    for _ in current["deliver"]:
        kind = rules["given"][rules["options"].index(choose(view))]
        if kind < 0:
            break
        buried.append(kind)
        view.hand[kind] -= 1
    return find_numbers(rules, buried, held)


def _play(view: TractorView, requests: list[Rules], held: list[int]) -> list[int]:
    rules, seats = view.rules, len(view.on_table)
    for request in requests[1:]:
        trick, _, leader, _ = request["history"]
        view.leader = leader
        for index, ids in enumerate(trick):
            seat = (leader + index) % seats
            view.on_table[seat] = view.no_cards()
            add_cards(rules, view.on_table[seat], ids)
            add_cards(rules, view.gone, ids)
            add_cards(rules, view.played[seat], ids)
            if seat == view.seat:
                held = [card for card in held if card not in ids]
        view.last = view.owner = (leader + len(trick) - 1) % seats
        _update_fluents(view)
    _, trick, _, view.leader = requests[-1]["history"]
    add_cards(rules, view.hand, held)
    view.on_table, view.owner = [view.no_cards() for _ in range(seats)], view.leader
    for index, ids in enumerate(trick):
        view.last = (view.leader + index) % seats
        add_cards(rules, view.on_table[view.last], ids)
    view.to_beat = 0 if trick else LEADING
    if trick:
        takes = evaluate_query(rules["takes"], _trick_inputs(view), {}, 1)
        view.owner = next(
            seat for seat, takes_it in zip(rules["takes"]["outputs"], takes) if takes_it and seat != "more"
        )
    return find_numbers(rules, decide(view), held)


def _trick_inputs(view: TractorView) -> dict[str, list[int]]:
    """Return the inputs of the trick after the last play."""
    groups = view.input_values()
    groups["act"] = [view.last, view.owner]
    return groups


def _update_fluents(view: TractorView) -> None:
    """Set the fluents that the trick has revealed."""
    updates = view.rules["learns"]
    for (slot, value), holds in zip(updates["outputs"], evaluate_query(updates, _trick_inputs(view), {}, 1)):
        if holds:
            view.fluents[slot] = value


def main() -> None:
    """Answer one line of the standard input."""
    rules = json.loads(zlib.decompress(base64.b64decode(DATA)))
    print(json.dumps({"response": answer(rules, json.loads(sys.stdin.readline()))}))


if __name__ == "__main__":
    main()

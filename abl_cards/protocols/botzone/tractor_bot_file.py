"""A bot of Tractor in one file that needs nothing but Python: the agent kb for Botzone.

`abl-cards bot tractor` writes this file anew with a compiled knowledge base in the place of DATA: circuits, what cards
count for by level and trump suit, and the plays that there are. It reads one line of JSON, all the requests of the
round and its own responses, and answers with one. What it knows of the rules is in that data.
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
        self.played = [self.no_cards() for _ in self.on_table]  # by seat, in the tricks before this one
        self.to_beat, self.stage = NO_TRICK, NOBODY
        self.fluents = list(rules["nothing"])
        banking = global_state["banking"]
        known = {
            "level": rules["ranks"][global_state["level"]], "banker": banking["banker"],
            "trump": banking["major"] if banking["major"] in list("shcd") else NOBODY,
            "given": not global_state["first_round"], "total": global_state.get("total_score", 0),
            "bid": _bid_rank(banking),
        }  # fmt: skip
        for name, slot, values in rules["slots"]:
            value = known[name]
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
        found = [0] * self.rules["cells"]
        for copies, acts in zip(cards, self.rules["acts"][self.context]):
            if copies:
                for cell in acts:
                    found[cell] += copies
        return found

    def input_values(self) -> dict[str, list[int]]:
        """Return the input values of circuits by group."""
        seats = len(self.on_table)
        unseen = [2 - mine - gone - sum(lies[kind] for lies in self.on_table)
                  for kind, (mine, gone) in enumerate(zip(self.hand, self.gone))]  # fmt: skip
        top = (self.owner - self.seat) % seats - 1 if self.to_beat >= 0 else NOBODY
        laying = [sum(lies) for lies in self.on_table]
        return {
            "hand": self.count_cells(self.hand), "size": [sum(self.hand)], "unseen": self.count_cells(unseen),
            "gone": self.count_cells(
                [gone + sum(lies[kind] for lies in self.on_table) for kind, gone in enumerate(self.gone)]
            ),
            "lies": [count for lies in self.on_table for count in self.count_cells(lies)], "laying": laying,
            "leader": [self.leader], "seat": [self.seat], "fluents": self.fluents, "trick": [self.to_beat, top],
            "act": [self.last, self.owner],
            "event": [NOBODY, self.stage, NOBODY, self.seat if self.stage >= 0 else NOBODY],
            "choice": [NOBODY], "move": [NOBODY, NOBODY], "taking": [0], "left": self.count_cells(self.hand),
        }  # fmt: skip


def _bid_rank(banking: Rules) -> int:
    """The rung of the strongest that was shown: a card, two, or two jokers."""
    if banking["snatched"] < 0:
        return 0 if banking["called"] >= 0 else NOBODY
    return 1 if banking["major"] in list("shcd") else 3


def evaluate_query(
    query: Rules, groups: dict[str, list[int]], varying: dict[str, dict[int, list[int]]], num_moves: int
) -> list[int]:
    """The answers for some moves: numbers by group, those of columns that vary by move."""
    ones, inputs, known = (1 << num_moves) - 1, [], {}
    for group, column, how, value in query["tests"]:
        if column in varying.get(group, ()):
            key = group, column
            if key not in known:
                by_value: dict[int, int] = {}
                for move, number in enumerate(varying[group][column]):
                    by_value[number] = by_value.get(number, 0) | 1 << move
                known[key] = by_value
            if how == EQUAL:
                inputs.append(known[key].get(value, 0))
            else:
                inputs.append(sum(bits for number, bits in known[key].items() if number >= value))
            continue
        number = groups[group][column] if group else NOBODY
        holds = number == value if how == EQUAL else number >= value
        if not group or how == BIT:
            holds = False
        inputs.append(ones if holds else 0)
    return evaluate(query["circuit"], inputs, num_moves)


# --- plays ------------------------------------------------------------------------------------------------------------


def legal_moves(view: TractorView) -> list[tuple[int, list[int]]]:
    """Return the legal moves: forms with the kinds of their cards, in the order of lists."""
    rules, question = view.rules, view.rules["play"]
    answers, found = evaluate_query(question, view.input_values(), {}, 1), []
    lists = rules["lists"][view.context] if len(rules["lists"]) > 1 else rules["lists"][0]
    kind_of: dict[int, int] = {}
    for kind, acts in enumerate(rules["acts"][view.context]):
        for cell in acts:
            kind_of[cell] = kind
    for form in lists:
        label, needs = rules["forms"][form]
        if answers[label] and answers[question["answer"][form]]:
            kinds = [kind_of.get(cell, NOBODY) for cell, count in needs for _ in range(count)]
            if NOBODY not in kinds and all(kinds.count(kind) <= view.hand[kind] for kind in kinds):
                found.append((form, kinds))
    return found


def trick_takers(view: TractorView, moves: list[tuple[int, list[int]]]) -> list[int]:
    """For each move, who would take the trick as it lies, as bits of seats; and whether there is more to lay."""
    first, lies, columns = view.seat * view.rules["cells"], [], []
    for _, kinds in moves:
        mine = list(view.on_table[view.seat])
        for kind in kinds:
            mine[kind] += 1
        lies.append(view.count_cells(mine))
        columns.append(sum(mine))
    groups = view.input_values()
    groups["act"] = [view.seat, view.owner]
    varying = {
        "lies": {first + cell: [each[cell] for each in lies] for cell in range(view.rules["cells"])},
        "laying": {view.seat: columns},
        "move": {0: [form for form, _ in moves], 1: [view.rules["forms"][form][0] for form, _ in moves]},
    }
    return evaluate_query(view.rules["takes"], groups, varying, len(moves))


def find_best_move(view: TractorView, moves: list[tuple[int, list[int]]]) -> int:
    """The number of the move that the preferences like best."""
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
        "left": {cell: [each[cell] for each in left] for cell in range(rules["cells"])},
        "move": {0: [form for form, _ in moves], 1: [rules["forms"][form][0] for form, _ in moves]},
        "taking": {0: [takes >> move & 1 for move in range(len(moves))]},
    }
    return evaluate_query(rules["judge"], view.input_values(), varying, len(moves))


def decide(view: TractorView) -> list[int]:
    """The kinds of the cards to play, part by part."""
    laid: list[int] = []
    weigh = view.rules.get("best", find_best_move)
    size = sum(view.on_table[view.leader]) if view.to_beat >= 0 else 0
    if size == sum(view.hand):
        return [kind for kind, copies in enumerate(view.hand) for _ in range(copies)]
    while True:
        moves = legal_moves(view)
        chosen = moves[weigh(view, moves)]
        kinds = chosen[1]
        if not kinds:
            return laid
        more = trick_takers(view, [chosen])[view.rules["takes"]["outputs"].index("more")]
        for kind in kinds:
            view.hand[kind] -= 1
            view.on_table[view.seat][kind] += 1
        laid += kinds
        if not more or not any(view.hand):
            return laid


# --- choices ----------------------------------------------------------------------------------------------------------


def choose(view: TractorView) -> str:
    """The option that the preferences like best."""
    rules = view.rules
    answers = evaluate_query(rules["choosing"], view.input_values(), {}, 1)
    allowed = {option for option, answer in zip(rules["choosing"]["outputs"], answers) if answer}
    options = [number for number in range(len(rules["options"])) if number in allowed]
    if len(options) == 1:
        return rules["options"][options[0]]
    left = []
    for option in options:
        hand, kind = list(view.hand), rules["given"][option]
        if kind >= 0 and hand[kind]:
            hand[kind] -= 1
        left.append(view.count_cells(hand))
    varying = {
        "left": {cell: [each[cell] for each in left] for cell in range(rules["cells"])},
        "choice": {0: options},
    }
    costs = evaluate_query(rules["judge"], view.input_values(), varying, len(options))
    return rules["options"][options[find_cheapest(costs, rules["weights"], len(options))]]


def declared_kinds(view: TractorView, option: str, level: str) -> list[int]:
    """The kinds of the cards that an option shows."""
    if "(" not in option:
        return []
    suit = option[option.index("(") + 1 : -1]
    kind = view.rules["kinds"].index(suit if len(suit) > 1 else suit + level)
    return [kind] if option.startswith("declare") else [kind, kind]


# --- Botzone's JSON ---------------------------------------------------------------------------------------------------


def add_cards(rules: Rules, cards: Cards, ids: list[int], copies: int = 1) -> None:
    """Put cards there by their numbers; or take them away."""
    for number in ids:
        cards[rules["numbers"][number % PACK_SIZE]] += copies


def find_numbers(rules: Rules, kinds: list[int], held: list[int]) -> list[int]:
    """Numbers of these kinds among those that are held."""
    found: list[int] = []
    for kind in kinds:
        found.append(next(n for n in held if n not in found and rules["numbers"][n % PACK_SIZE] == kind))
    return found


def answer(rules: Rules, message: Rules) -> list[int]:
    """The response to {"requests": […], "responses": […]}."""
    requests, responses = message["requests"], message.get("responses", [])
    now, seat = requests[-1], next(each["playerpos"] for each in requests if "playerpos" in each)
    held = [card for each in requests if each["stage"] != "play" for card in each["deliver"]]
    view = TractorView(rules, seat, now["global"])
    if now["stage"] == "play":
        for request, response in zip(requests, responses):
            if request["stage"] == "cover":
                held = [card for card in held if card not in response]
        return _play(view, [each for each in requests if each["stage"] == "play"], held)
    add_cards(rules, view.hand, held)
    view.stage = rules["stages"].index("declare" if now["stage"] == "deal" else "bury")
    if now["stage"] == "deal":
        return find_numbers(rules, declared_kinds(view, choose(view), now["global"]["level"]), held)
    buried: list[int] = []
    for _ in now["deliver"]:
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
        for place, ids in enumerate(trick):
            seat = (leader + place) % seats
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
    for place, ids in enumerate(trick):
        view.last = (view.leader + place) % seats
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
    """Remember what the trick has shown."""
    learns = view.rules["learns"]
    for (slot, value), holds in zip(learns["outputs"], evaluate_query(learns, _trick_inputs(view), {}, 1)):
        if holds:
            view.fluents[slot] = value


def main() -> None:
    """Answer one line."""
    rules = json.loads(zlib.decompress(base64.b64decode(DATA)))
    print(json.dumps({"response": answer(rules, json.loads(sys.stdin.readline()))}))


if __name__ == "__main__":
    main()

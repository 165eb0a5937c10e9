"""Runtime of the bots in one file: circuits, legal moves and preferences in pure Python; all rules are data.

``bot.py`` writes this module into each bot, before the functions that read a platform's messages. It evaluates circuits
for many moves at once: the value of an atom is an integer with one bit per move.
"""

# Platforms have old Pythons: no strict zip, no match, no new syntax of types outside of annotations.
# ruff: noqa: B905
from __future__ import annotations

import base64
import json
import sys
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Circuit = dict[str, Any]
    Rules = dict[str, Any]
    Cards = list[int]  # copies of each kind
    Moves = list[tuple[int, list[int]]]  # form, and copies of each kind
    Groups = dict[str, list[int]]  # columns of numbers by their group
    Varying = dict[str, dict[int, list[int]]]  # by group and column, a number for each move

NOBODY, LEADING, NO_TRICK = -1, -1, -2
PACK_SIZE = 54

# --- circuits ---------------------------------------------------------------------------------------------------------


def evaluate(circuit: Circuit, inputs: list[int], num_columns: int) -> list[int]:
    """Evaluate a circuit for several columns; inputs and outputs are integers with one bit per column."""
    ones = (1 << num_columns) - 1
    values = [ones, 0]  # of literals: of a node, and of its negation
    for value in inputs:
        values += [value, value ^ ones]
    first_gate_literal = len(values)
    values += [0, ones] * len(circuit["kinds"])
    if "gates" not in circuit:
        circuit["gates"] = _gate_ranges(circuit)
    for start, end, is_loop in circuit["gates"]:
        _evaluate_gates(circuit, start, end, values, first_gate_literal, ones)
        while is_loop:
            before = values[first_gate_literal + 2 * start : first_gate_literal + 2 * end]
            _evaluate_gates(circuit, start, end, values, first_gate_literal, ones)
            if values[first_gate_literal + 2 * start : first_gate_literal + 2 * end] == before:
                break
    return [values[literal] for literal in circuit["output_literals"]]


def _gate_ranges(circuit: Circuit) -> list[tuple[int, int, bool]]:
    """Return ranges of gates, with whether they are repeated to a fixpoint; also stores the literals by gate."""
    starts, literals = circuit["starts"], circuit["literals"]
    circuit["of"] = [literals[starts[gate] : starts[gate + 1]] for gate in range(len(circuit["kinds"]))]
    ranges, previous_end = [], 0
    for first, end in circuit["loops"]:
        ranges += [(previous_end, first, False), (first, end, True)]
        previous_end = end
    return [*ranges, (previous_end, len(circuit["kinds"]), False)]


def _evaluate_gates(
    circuit: Circuit, start: int, end: int, values: list[int], first_gate_literal: int, ones: int
) -> None:
    """Evaluate a range of gates in order."""
    kinds, literals_of = circuit["kinds"], circuit["of"]
    position = first_gate_literal + 2 * start
    for gate in range(start, end):
        kind = kinds[gate]
        if kind == 0:
            value = ones
            for literal in literals_of[gate]:
                value &= values[literal]
                if not value:
                    break
        elif kind == 1:
            value = 0
            for literal in literals_of[gate]:
                value |= values[literal]
                if value == ones:
                    break
        else:
            weights = circuit["weights"][circuit["starts"][gate] : circuit["starts"][gate + 1]]
            value = _evaluate_threshold(
                [values[literal] for literal in literals_of[gate]], weights, circuit["bounds"][gate], ones
            )
        values[position] = value
        values[position + 1] = value ^ ones
        position += 2


def _evaluate_threshold(values: list[int], weights: list[int], bound: int, ones: int) -> int:
    """Compare the sum of the weights of true inputs with a bound by binary addition, one bit per move."""
    if bound <= 0:
        return ones
    true_inputs = [(value, weight) for value, weight in zip(values, weights) if value]
    if sum(weight for _, weight in true_inputs) < bound:
        return 0
    width = max(sum(weights), bound).bit_length() + 1
    total = [ones if ((1 << width) - bound) >> bit & 1 else 0 for bit in range(width)]
    is_reached = 0
    for value, weight in true_inputs:
        carry = 0
        for bit in range(width):
            addend = value if weight >> bit & 1 else 0
            total[bit], carry = total[bit] ^ addend ^ carry, total[bit] & addend | carry & (total[bit] ^ addend)
        is_reached |= carry
    return is_reached


def compute_costs(outputs: list[int], weights: list[int | None], num_moves: int) -> tuple[int, list[int]]:
    """Return violating moves as bits and the cost of each move; a weight of None marks a violation."""
    total, violating = [0] * num_moves, 0
    for output, weight in zip(outputs, weights):
        if weight is None:
            violating |= output
            continue
        while output:
            low = output & -output
            total[low.bit_length() - 1] += weight
            output ^= low
    return violating, total


def find_cheapest(outputs: list[int], weights: list[int | None], num_moves: int) -> int:
    """Return the index of the move of the lowest cost; violating moves come last."""
    violating, total = compute_costs(outputs, weights, num_moves)
    return min(range(num_moves), key=lambda column: (violating >> column & 1, total[column], column))


# --- queries ----------------------------------------------------------------------------------------------------------


def evaluate_query(query: Rules, groups: Groups, varying: Varying, num_moves: int) -> list[int]:
    """Evaluate a query for several moves; ``groups`` has fixed inputs, ``varying`` those that differ by move."""
    ones, inputs, bits_by_value = (1 << num_moves) - 1, [], {}
    for group, column, is_equal, value in query["tests"]:
        if column in varying.get(group, ()):
            key = group, column
            if key not in bits_by_value:
                by_value: dict[int, int] = {}
                for move, input_value in enumerate(varying[group][column]):
                    by_value[input_value] = by_value.get(input_value, 0) | 1 << move
                bits_by_value[key] = by_value
            if is_equal:
                inputs.append(bits_by_value[key].get(value, 0))
            else:
                inputs.append(sum(bits for input_value, bits in bits_by_value[key].items() if input_value >= value))
        elif not group:  # an input that never holds
            inputs.append(0)
        else:
            input_value = groups[group][column]
            inputs.append(ones if (input_value == value if is_equal else input_value >= value) else 0)
    return evaluate(query["circuit"], inputs, num_moves)


class BotView:
    """View of the seat at a decision; seats, kinds, cells, forms and fluents are numbers.

    ``known_values`` are the values of fluents by name.
    """

    def __init__(self, rules: Rules, seat: int, known_values: dict[str, Any]) -> None:
        self.rules, self.seat, self.hand = rules, seat, [0] * len(rules["acts"][0])
        self.to_beat, self.stage = NO_TRICK, NOBODY
        self.fluents = list(rules["nothing"])
        for name, slot, values in rules["slots"]:
            value = known_values.get(name)
            if not values and value is not None:
                self.fluents[slot] = int(value)
            elif value in values:
                self.fluents[slot] = values.index(value)
        self.context = 0
        for slot, size, lowest in rules["contexts"]:
            self.context = self.context * size + min(self.fluents[slot] - lowest, size - 1)
        self.cells_of = rules["acts"][self.context]
        self.kind_of = {cell: kind for kind, cells in enumerate(self.cells_of) for cell in cells}

    def count_cells(self, cards: Cards) -> list[int]:
        """Count the cards that act as each cell."""
        counts = [0] * self.rules["cells"]
        for copies, cells in zip(cards, self.cells_of):
            if copies:
                for cell in cells:
                    counts[cell] += copies
        return counts

    def input_values(self) -> Groups:
        """Return the input values of circuits by group."""
        return {
            "hand": self.count_cells(self.hand), "size": [sum(self.hand)], "left": self.count_cells(self.hand),
            "seat": [self.seat], "fluents": self.fluents, "choice": [NOBODY], "move": [NOBODY, NOBODY],
            "event": [NOBODY, self.stage, NOBODY, self.seat if self.stage >= 0 else NOBODY],
        }  # fmt: skip

    def consequences(self, left: list[Cards], moves: Moves) -> Varying:
        """Return other inputs of moves, or of options where ``moves`` is empty, by the cards that they leave."""
        return {}

    def card_sets(self, form: int) -> list[Cards]:
        """Return the card sets of a form in the hand."""
        cards = [0] * len(self.hand)
        for cell, count in self.rules["forms"][form][1]:
            if cell not in self.kind_of:
                return []
            cards[self.kind_of[cell]] += count
        return [] if any(count > held for count, held in zip(cards, self.hand)) else [cards]

    def play(self, form: int, cards: Cards) -> bool:
        """Move cards from the hand to the table; return whether the play goes on."""
        self.hand = subtract(self.hand, cards)
        return False


def subtract(cards: Cards, others: Cards) -> Cards:
    """Subtract copies of each kind."""
    return [copies - taken for copies, taken in zip(cards, others)]


# --- decisions --------------------------------------------------------------------------------------------------------


def legal_moves(view: BotView) -> Moves:
    """Return the legal moves in the order of lists."""
    rules, play = view.rules, view.rules["play"]
    answers, moves = evaluate_query(play, view.input_values(), {}, 1), []
    for form in rules["lists"][min(view.context, len(rules["lists"]) - 1)]:
        if answers[rules["forms"][form][0]] and answers[play["answer"][form]]:
            moves += [(form, cards) for cards in view.card_sets(form)]
    return moves


def move_columns(view: BotView, moves: Moves) -> dict[int, list[int]]:
    """Return form and label of each move."""
    return {0: [form for form, _ in moves], 1: [view.rules["forms"][form][0] for form, _ in moves]}


def preference_outputs(view: BotView, moves: Moves) -> list[int]:
    """Evaluate the preferences for moves."""
    left = [subtract(view.hand, cards) for _, cards in moves]
    return _evaluate_preferences(view, left, moves, {"move": move_columns(view, moves)})


def _evaluate_preferences(view: BotView, left: list[Cards], moves: Moves, varying: Varying) -> list[int]:
    counts = [view.count_cells(cards) for cards in left]
    varying["left"] = {cell: [cells[cell] for cells in counts] for cell in range(view.rules["cells"])}
    varying.update(view.consequences(left, moves))
    return evaluate_query(view.rules["judge"], view.input_values(), varying, len(left))


def find_best_move(view: BotView, moves: Moves) -> int:
    """Return the index of the move of the lowest cost."""
    return 0 if len(moves) == 1 else find_cheapest(preference_outputs(view, moves), view.rules["weights"], len(moves))


def decide(view: BotView) -> Cards:
    """Lay the best moves, part by part where the rules compose plays; return all their cards."""
    hand, choose_move = view.hand, view.rules.get("best", find_best_move)  # bots with networks replace it
    goes_on = True
    while goes_on:
        moves = legal_moves(view)
        form, cards = moves[choose_move(view, moves)]
        goes_on = any(cards) and view.play(form, cards)
    return subtract(hand, view.hand)


def choose(view: BotView) -> int:
    """Return the index of the option of the lowest cost."""
    rules, choosing = view.rules, view.rules["choosing"]
    answers = evaluate_query(choosing, view.input_values(), {}, 1)
    options = sorted(option for option, answer in zip(choosing["outputs"], answers) if answer)
    if len(options) > 1:
        left = []
        for option in options:
            left.append(list(view.hand))
            kind = rules["given"][option]
            if kind >= 0 and view.hand[kind]:
                left[-1][kind] -= 1
        costs = _evaluate_preferences(view, left, [], {"choice": {0: options}})
        return options[find_cheapest(costs, rules["weights"], len(options))]
    return options[0]


# --- cards by number, and programs ------------------------------------------------------------------------------------


def count_numbers(rules: Rules, ids: list[int]) -> Cards:
    """Count cards by kind from their numbers."""
    counts = [0] * len(rules["acts"][0])
    for card in ids:
        counts[rules["numbers"][card % PACK_SIZE]] += 1
    return counts


def find_numbers(rules: Rules, cards: Cards, held: list[int]) -> list[int]:
    """Return numbers of cards among held ones; of equal cards the first."""
    numbers: list[int] = []
    for kind, copies in enumerate(cards):
        numbers += [number for number in held if rules["numbers"][number % PACK_SIZE] == kind][:copies]
    return numbers


def respond(rules: Rules, answer: Callable[[Rules, Rules], Any]) -> None:
    """Answer one line of the standard input."""
    print(json.dumps({"response": answer(rules, json.loads(sys.stdin.readline()))}))


def read_rules(data: str) -> Rules:
    """Read the rules that a program contains."""
    rules: Rules = json.loads(zlib.decompress(base64.b64decode(data)).decode())
    return rules

"""Tractor bot in one file: the agent kb for Botzone; needs only Python.

`abl-cards bot tractor` writes this file with a compiled knowledge base in place of DATA: circuits, roles of cards by
level and trump suit, and all forms. It reads one line of JSON with all requests of the round and its own responses, and
writes one line. All rules are in the data.
"""

# Platforms have old Pythons: no strict zip, no match, no new syntax of types outside of annotations.
# ruff: noqa: B905
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl_cards.protocols.botzone.bot_runtime import (
    LEADING,
    NOBODY,
    BotView,
    choose,
    count_numbers,
    decide,
    evaluate_query,
    find_numbers,
    move_columns,
    read_rules,
    respond,
    subtract,
)

DATA = ""

if TYPE_CHECKING:
    Rules = dict[str, Any]
    Cards = list[int]  # copies of each kind
    Moves = list[tuple[int, list[int]]]  # form, and copies of each kind


class TractorView(BotView):
    """View of a seat in tricks, in which plays are composed part by part."""

    def __init__(self, rules: Rules, seat: int, global_state: Rules) -> None:
        banking = global_state["banking"]
        known_values = {
            "level": rules["ranks"][global_state["level"]], "banker": banking["banker"],
            "trump": banking["major"] if banking["major"] in list("shcd") else NOBODY,
            "given": not global_state["first_round"], "total": global_state.get("total_score", 0),
            "bid": _bid_rank(banking),
        }  # fmt: skip
        super().__init__(rules, seat, known_values)
        self.gone, self.last = list(self.hand), NOBODY
        self.on_table, self.leader, self.owner = self.no_cards(), seat, seat
        self.played = self.no_cards()  # by seat, in earlier tricks

    def no_cards(self) -> list[Cards]:
        """Return empty cards by seat."""
        return [[0] * len(self.hand) for _ in range(self.rules["seats"])]

    def input_values(self) -> dict[str, list[int]]:
        """Return the input values of circuits by group."""
        gone = add_cards(self.gone, *self.on_table)
        unseen = [2 - held - out for held, out in zip(self.hand, gone)]
        top = (self.owner - self.seat) % len(self.on_table) - 1 if self.to_beat >= 0 else NOBODY
        values = super().input_values()
        values.update({
            "unseen": self.count_cells(unseen), "gone": self.count_cells(gone),
            "lies": [count for laid in self.on_table for count in self.count_cells(laid)],
            "laying": [sum(laid) for laid in self.on_table], "leader": [self.leader], "trick": [self.to_beat, top],
            "act": [self.last, self.owner], "taking": [0],
        })  # fmt: skip
        return values

    def trick_outputs(self, moves: Moves) -> list[int]:
        """Return outputs with one bit per move: the seat that would take the trick, and whether the play goes on."""
        laid = [add_cards(self.on_table[self.seat], cards) for _, cards in moves]
        counts, first_cell = [self.count_cells(cards) for cards in laid], self.seat * self.rules["cells"]
        varying = {
            "lies": {first_cell + cell: [cells[cell] for cells in counts] for cell in range(self.rules["cells"])},
            "laying": {self.seat: [sum(cards) for cards in laid]},
            "move": move_columns(self, moves),
        }
        groups = dict(self.input_values(), act=[self.seat, self.owner])
        return evaluate_query(self.rules["takes"], groups, varying, len(moves))

    def consequences(self, left: list[Cards], moves: Moves) -> dict[str, dict[int, list[int]]]:
        """Return whether each move would take the trick."""
        if not moves:
            return {}
        takes = self.trick_outputs(moves)[self.rules["takes"]["outputs"].index(self.seat)]
        return {"taking": {0: [takes >> move & 1 for move in range(len(moves))]}}

    def play(self, form: int, cards: Cards) -> bool:
        """Move cards from the hand to the table; return whether the play goes on."""
        goes_on = self.trick_outputs([(form, cards)])[self.rules["takes"]["outputs"].index("more")]
        super().play(form, cards)
        self.on_table[self.seat] = add_cards(self.on_table[self.seat], cards)
        return bool(goes_on) and any(self.hand)


def add_cards(*sets: Cards) -> Cards:
    """Add copies of each kind."""
    return [sum(copies) for copies in zip(*sets)]


def _bid_rank(banking: Rules) -> int:
    """Return the rank of the strongest shown cards: 0 for one card, 1 for two, 3 for two jokers."""
    if banking["snatched"] < 0:
        return 0 if banking["called"] >= 0 else NOBODY
    return 1 if banking["major"] in list("shcd") else 3


def declared_cards(view: TractorView, option: str, level: str) -> Cards:
    """Return the cards that an option shows."""
    cards = [0] * len(view.hand)
    if "(" in option:
        suit = option[option.index("(") + 1 : -1]
        kind = view.rules["kinds"].index(suit if len(suit) > 1 else suit + level)
        cards[kind] = 1 if option.startswith("declare") else 2
    return cards


# --- Botzone's JSON ---------------------------------------------------------------------------------------------------


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
    hand = view.hand = count_numbers(rules, held)
    view.stage = rules["stages"].index("declare" if current["stage"] == "deal" else "bury")
    if current["stage"] == "deal":
        option = rules["options"][choose(view)]
        return find_numbers(rules, declared_cards(view, option, current["global"]["level"]), held)
    for _ in current["deliver"]:
        kind = rules["given"][choose(view)]
        if kind < 0:
            break
        view.hand = [copies - (kind == card_kind) for card_kind, copies in enumerate(view.hand)]
    return find_numbers(rules, subtract(hand, view.hand), held)


def _play(view: TractorView, requests: list[Rules], held: list[int]) -> list[int]:
    rules, seats = view.rules, len(view.on_table)
    for request in requests[1:]:
        trick, _, view.leader, _ = request["history"]
        for index, ids in enumerate(trick):
            seat, cards = (view.leader + index) % seats, count_numbers(rules, ids)
            view.on_table[seat] = cards
            view.gone, view.played[seat] = add_cards(view.gone, cards), add_cards(view.played[seat], cards)
            if seat == view.seat:
                held = [card for card in held if card not in ids]
        view.last = view.owner = (view.leader + len(trick) - 1) % seats
        _update_fluents(view)
    _, trick, _, view.leader = requests[-1]["history"]
    view.hand, view.on_table, view.owner = count_numbers(rules, held), view.no_cards(), view.leader
    for index, ids in enumerate(trick):
        view.last = (view.leader + index) % seats
        view.on_table[view.last] = count_numbers(rules, ids)
    view.to_beat = 0 if trick else LEADING
    if trick:
        takes = evaluate_query(rules["takes"], view.input_values(), {}, 1)
        view.owner = next(
            seat for seat, takes_it in zip(rules["takes"]["outputs"], takes) if takes_it and seat != "more"
        )
    if trick and sum(view.on_table[view.leader]) == sum(view.hand):
        return held  # a play of all cards
    return find_numbers(rules, decide(view), held)


def _update_fluents(view: TractorView) -> None:
    """Set the fluents that the trick has revealed."""
    updates = view.rules["learns"]
    for (slot, value), holds in zip(updates["outputs"], evaluate_query(updates, view.input_values(), {}, 1)):
        if holds:
            view.fluents[slot] = value


if __name__ == "__main__":
    respond(read_rules(DATA), answer)

"""Registry of the inputs that rules may read.

An entry describes a group of columns: its name, width and inputs with their meanings. It also has the writers of its
values for a seat and for the referee, and the fields of JSON states that they need. Checks, queries, states and the
reference read the registry; ``register`` adds an entry.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from abl_cards.asp import Atom, Signature
from abl_cards.games.description.fluents import SINGLE_VALUED
from abl_cards.games.description.input_schema import (
    AT_LEAST,
    BIT,
    CARD,
    CELL,
    EQUAL,
    EVENT,
    FLUENT_SLOT,
    FORM,
    KIND,
    LABEL,
    LOT,
    NUMBER,
    OPTION,
    OTHER_SEAT,
    PLACE,
    SEAT,
    SHOWN_RANK,
    SHOWN_STRENGTH,
    STAGE,
    UNDEALT_PLACE,
    ColumnTest,
    ColumnWriter,
    InputGroup,
    InputSchema,
    RuleInput,
    StateNumber,
    TableColumns,
)
from abl_cards.games.types import LEADING

TAKES_SIGNATURE, DRAWS_SIGNATURE = Signature("takes", 1), Signature("draws", 1)
"""Outputs that games with tricks, and games with a stock, derive."""

GROUPS: dict[str, InputGroup] = {}
"""Groups of columns by name."""
INPUTS: dict[Signature, RuleInput] = {}
"""Inputs by signature, in the order of the reference; fluents are inputs too."""
STATE_NUMBERS: dict[str, StateNumber] = {}
"""Fields of JSON states that only one group needs, by name."""


def register(group: InputGroup) -> None:
    """Add a group of columns and its inputs.

    Args:
        group: Entry of the registry; a group of the same name is replaced.
    """
    group = replace(group, seat=group.seat or group.both, referee=group.referee or group.both)
    GROUPS[group.name] = group
    own: tuple[str, ...] = ()
    if group.state_number is not None:
        STATE_NUMBERS[group.state_number.name], own = group.state_number, (group.state_number.name,)
    for entry in group.inputs:
        fields, end_fields = entry.fields or group.fields + own, entry.end_fields or group.end_fields
        INPUTS[entry.signature] = replace(entry, group=group.name, fields=fields, end_fields=end_fields)


def _cells(text: str, words: str) -> tuple[RuleInput, RuleInput]:
    """Make the inputs ``held(R,N)`` and ``held(R,S,N)``."""
    return RuleInput(f"{text}(R,N)", (CELL, NUMBER), words), RuleInput(f"{text}(R,S,N)", (CELL, CELL, NUMBER))


_ACT_ARRAYS = "last_actor", "owner", "passed", "passed_in_trick", "seats_out"  # columns of the group act


def _result(view: TableColumns) -> ColumnWriter:
    state, seats = view.state, view.state.hands.shape[1]
    return view.each(
        lambda column, rows: (
            state.finish_order[rows, column] if column < seats else state.hands[rows, column - seats].sum(axis=1)
        )
    )


_ENTRIES = (
    InputGroup("fluents", (FLUENT_SLOT,), both=lambda view: view.fluent_values()),
    InputGroup("hand", (CELL,), (
        *_cells("held", "N cards of the own hand act as R, or as `card(R,S)`"),
        RuleInput("wild(N)", (NUMBER,), "N cards of the own hand act as `wild`", is_wild=True),
    ), seat=lambda view: view.cells(lambda: view.hand[:, None])),
    InputGroup("size", (), (RuleInput("holding(N)", (NUMBER,), "the hand has N cards"),),
               seat=lambda view: view.hand_size()),
    InputGroup("unseen", (CELL,), (
        *_cells("unseen", "N cards in other hands or aside, unseen by the seat, act as R, `card(R,S)` or `wild`"),
        RuleInput("unseen_wild(N)", (NUMBER,), is_wild=True),
    ), seat=lambda view: view.cells(lambda: view.unseen[:, None]), fields=("gone",)),
    InputGroup("gone", (CELL,), (
        *_cells("gone", "N cards laid down in the episode act as R, `card(R,S)` or `wild`"),
        RuleInput("gone_wild(N)", (NUMBER,), is_wild=True),
    ), seat=lambda view: view.cells(lambda: view.played_cards[:, None]), fields=("gone",)),
    InputGroup("face", (OTHER_SEAT, CELL), (
        RuleInput("face_up(W,R,N)", (OTHER_SEAT, CELL, NUMBER),
                  "N cards of the open hand of seat W act as R, or as `card(R,S)`"),
        RuleInput("face_up(W,R,S,N)", (OTHER_SEAT, CELL, CELL, NUMBER)),
    ), seat=lambda view: view.cells(lambda: view.hidden_hands), fields=("face",)),
    InputGroup("sizes", (OTHER_SEAT,), (
        RuleInput("cards(W,N)", (OTHER_SEAT, NUMBER), "the seat W holds N cards; W is a name of `who/2`"),
    ), seat=lambda view: view.all(lambda other: view.hidden_hand_sizes[:, other]), fields=("cards",)),
    InputGroup("trick", (), (
        RuleInput("leading", (), "there is nothing to beat", value=LEADING),
        RuleInput("to_beat(F)", (FORM,), "this form is to beat"),
        RuleInput("top(W)", (OTHER_SEAT,), "the play to beat is that of seat W", block=1),
    ), seat=lambda view: view.all(lambda column: view.top_other if column else view.to_beat)),
    InputGroup("seat", (), (RuleInput("asked(S)", (SEAT,), "S is the seat that decides"),),
               seat=lambda view: view.all(lambda _: view.seats), fields=("seat",)),
    InputGroup("acts", (), (
        RuleInput("acts(N)", (NUMBER,), "N plays and passes were made in the episode"),
    ), both=lambda view: view.each(lambda _, rows: view.state.num_acts[rows]), fields=("acts",), end_fields=("acts",)),
    InputGroup("lies", (SEAT, CELL), (
        RuleInput("in_trick(S,R,N)", (SEAT, CELL, NUMBER), "N of the cards that S has laid in this trick act as R; "
                  "a whole card is written `in_trick(S,card(R,T),N)` as well"),
        RuleInput("in_trick(S,R,Suit,N)", (SEAT, CELL, CELL, NUMBER)),
    ), both=lambda view: view.trick_cells(), fields=("trick", "in_trick"),
        end_fields=("trick", "in_trick")),
    InputGroup("laying", (SEAT,), (
        RuleInput("in_trick(S,N)", (SEAT, NUMBER), "S has laid N cards in this trick: one play or part of one, or all "
                  "its plays where seats play higher or pass"),
    ), both=lambda view: view.trick_sizes(), fields=("trick", "in_trick")),
    InputGroup("leader", (), (RuleInput("leader(S)", (SEAT,), "S leads this trick, or has led it"),),
               both=lambda view: view.each(lambda _, rows: view.state.leader[rows]), fields=("trick",),
               requires=TAKES_SIGNATURE),
    InputGroup("taking", (), (
        RuleInput("taking", (), "after the evaluated move the seat that decides holds the trick", value=1),
    ), requires=TAKES_SIGNATURE),
    InputGroup("move", (), (
        RuleInput("play(L)", (LABEL,), "the label and the form of the evaluated move", block=1),
        RuleInput("lays(F)", (FORM,)),
    )),
    InputGroup("left", (CELL,), (
        *_cells("left", "N cards that the evaluated move leaves in the hand act as R, `card(R,S)` or `wild`"),
        RuleInput("wild_left(N)", (NUMBER,), is_wild=True),
    )),
    InputGroup("emptying", (), (
        RuleInput("plays_left(N)", (NUMBER,), "N more plays empty the hand after the evaluated move: exact for hands "
                  "of at most 65,536 parts, else it may be an upper bound, which `explain` marks \"at most\" and "
                  "`kb check` reports"),
    )),
    InputGroup("choice", (), (RuleInput("chooses(Term)", (OPTION,), "this is the evaluated choice"),)),
    InputGroup("estimate", (OTHER_SEAT, CELL), (
        RuleInput("estimated(W,R,N)", (OTHER_SEAT, CELL, NUMBER),
                  "by the estimate, N cards of seat W act as R, `card(R,S)` or `wild`"),
        RuleInput("estimated(W,R,S,N)", (OTHER_SEAT, CELL, CELL, NUMBER)),
        RuleInput("estimated_wild(W,N)", (OTHER_SEAT, NUMBER), is_wild=True),
    )),
    InputGroup("act", (), (
        RuleInput("acted(S)", (SEAT,), "S has just played or passed", fields=("seat", "acted")),
        RuleInput("owner(S)", (SEAT,), "the play to beat is that of S", block=1),
        RuleInput("passed(S)", (SEAT,), "S has passed since the play to beat", fields=("seat", "passed"),
                  block=2, comparison=BIT),
        RuleInput("has_passed(S)", (SEAT,), "S has passed in this trick", fields=("seat", "has_passed"),
                  block=3, comparison=BIT),
        RuleInput("out(S)", (SEAT,), "S has laid its last card, also if it gets cards later; a seat that gives its "
                  "last card away is not out; when an episode is over, every seat is out (`finish/2`)",
                  fields=("seat", "cards"), block=4,
                  comparison=BIT),
    ), both=lambda view: view.each(lambda column, rows: getattr(view.state, _ACT_ARRAYS[column])[rows]),
        fields=("seat",)),
    InputGroup("plays", (SEAT,), (
        RuleInput("laid_down(S,N)", (SEAT, NUMBER), "S has made N plays in the episode"),
    ), referee=lambda view: view.each(lambda seat, rows: view.state.num_plays[rows, seat]),
        end_fields=("laid_down",)),
    InputGroup("hands", (SEAT, CELL), (
        RuleInput("holds(S,R,N)", (SEAT, CELL, NUMBER), "N cards in the hand of S act as R; a whole card is written "
                  "`holds(S,card(R,T),N)` as well"),
        RuleInput("holds(S,R,Suit,N)", (SEAT, CELL, CELL, NUMBER)),
    ), referee=lambda view: view.cells(lambda: view.state.hands)),
    InputGroup("aside", (CELL,), _cells("aside", "N cards that lie aside act as R, or as `card(R,S)`"),
               referee=lambda view: view.cells(lambda: view.state.aside[:, None]), end_fields=("gone",)),
    InputGroup("result", (SEAT,), (
        RuleInput("finish(P,S)", (PLACE, SEAT), "S was out in place P, from 1", end_fields=("finish",)),
        RuleInput("stuck(S,N)", (SEAT, NUMBER), "S is left with N cards", block=1),
    ), referee=_result),
    InputGroup("event", (), (
        RuleInput("event(E)", (EVENT,), "E is the current event"),
        RuleInput("stage(Stage)", (STAGE,), "the stage of the choice", block=1),
        RuleInput("chosen(Term)", (OPTION,), "the option that was chosen", block=2),
        RuleInput("by(S)", (SEAT,), "S is the seat of the choice or the draw", block=3, fields=("seat",)),
    )),
    InputGroup("lots", (LOT,), (
        RuleInput("lot(Name,I)", (LOT, NUMBER), "the random number of this name (`lots/2`) is I", comparison=EQUAL),
    ), referee=lambda view: view.each(lambda lot, rows: view.state.lots[rows, lot]), end_fields=("lots",)),
    InputGroup("stock", (), (
        RuleInput("stock(N)", (NUMBER,), "N cards are still to be drawn, those left over not counted"),
    ), both=lambda view: view.each(lambda _, rows: view.total_dealt - view.state.num_drawn[rows]),
        fields=("stock",), requires=DRAWS_SIGNATURE),
    InputGroup("drew", (), (RuleInput("drew(S)", (SEAT,), "S drew the last card"),),
               both=lambda view: view.each(lambda _, rows: view.state.last_drawer[rows]),
               fields=("drew",), requires=DRAWS_SIGNATURE),
    InputGroup("drawn", (), (
        RuleInput("drawn(Card)", (CARD,), "this card of the pack has just been drawn by the seat that decides; since "
                  "then nothing was chosen"),
    ), seat=lambda view: view.all(
        lambda _: np.where(view.state.last_drawer[view.rows] == view.seats, view.drawn_card(view.rows), -1)
    ), referee=lambda view: view.each(lambda _, rows: view.drawn_card(rows)), fields=("drawn",),
        requires=DRAWS_SIGNATURE),
    InputGroup("left_over", (UNDEALT_PLACE,), (
        RuleInput("left_over(I,Card)", (UNDEALT_PLACE, CARD), "the card at place I, from 1, among those that nobody "
                  "draws, wherever it is by now"),
    ), referee=lambda view: view.each(lambda place, rows: view.state.stock[rows, view.total_dealt + place]),
        requires=DRAWS_SIGNATURE),
    InputGroup("shown", (KIND, SHOWN_RANK), (
        RuleInput("laid(Kind,R)", (KIND, SHOWN_RANK), "hints: what the seat has laid down, led, passed over, with "
                  "strengths that are numbers from 0 to 63", comparison=AT_LEAST, value=1),
        RuleInput("led(Kind,P)", (KIND, SHOWN_STRENGTH), block=1, comparison=AT_LEAST, value=1),
        RuleInput("passed_over(Kind,P)", (KIND, SHOWN_STRENGTH), block=2, comparison=AT_LEAST, value=1),
    )),
)  # fmt: skip
for _entry in _ENTRIES:
    register(_entry)


def seat_groups() -> frozenset[str]:
    """Return the groups that a seat observes: its hand, the trick, and the fluents."""
    return frozenset(name for name, group in GROUPS.items() if group.seat)


def referee_groups() -> frozenset[str]:
    """Return the groups that the referee observes between plays."""
    return frozenset(name for name, group in GROUPS.items() if group.referee)


def group_widths(schema: InputSchema) -> dict[str, int]:
    """Return the number of columns of each group."""
    return {name: group.count_columns(schema) for name, group in GROUPS.items()}


def find_test(schema: InputSchema, atom: Atom) -> ColumnTest | None:
    """Find the test that defines an input.

    Args:
        schema: Numbering of the arguments of inputs.
        atom: Input.

    Returns:
        Test; None for an input that can never hold.
    """
    if atom not in schema.test_cache:
        schema.test_cache[atom] = _resolve_test(schema, atom)
    return schema.test_cache[atom]


def _resolve_test(schema: InputSchema, atom: Atom) -> ColumnTest | None:
    signature = Signature(atom[0], len(atom[1]))
    if signature in schema.fluents:
        fluent = schema.fluents[signature]
        fluent_slot = fluent.locate(atom[1])
        if fluent_slot is None:
            return None
        return ColumnTest(
            "fluents", fluent_slot.slot, EQUAL if fluent.value_type == SINGLE_VALUED else AT_LEAST, fluent_slot.value
        )
    entry = INPUTS.get(signature)  # None for a fluent of other rules
    return entry.find_test(schema, atom[1]) if entry else None


def find_group(schema: InputSchema, signature: Signature) -> str | None:
    """Return the group of columns of a predicate; None for a predicate that is not an input.

    Args:
        schema: Numbering of the arguments of inputs.
        signature: Name and number of arguments.
    """
    if signature in schema.fluents:
        return "fluents"
    return INPUTS[signature].group if signature in INPUTS else None

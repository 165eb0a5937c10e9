"""The knowledge base of Dou dizhu, compiled: circuits for what a table asks, and the arrays that the kernels read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.answers import Answers
from abl_cards.games.doudizhu.knowledge import AXES, BIDS, PARTS, RULE_FILES
from abl_cards.games.doudizhu.shapes import COUNT, FIRST, NO_CARD, ROW, Layout, Shapes, read_shapes
from abl_cards.games.questions import Question, one_hot, with_outputs
from abl_cards.games.rule_files import kb_error
from abl_cards.games.shapes import number
from abl_cards.games.turns import turn_table
from abl_cards.logic import Atom, Circuit, KnowledgeBase

TRICK, GAME_END = ("acted", "owner", "passed", "out"), "game_over"
"""What decides whose turn it is, and the predicate of the end."""

NOT_YET, REDEAL = -1, -2
"""Instead of a landlord: the bidding goes on; the cards are dealt anew."""

ORDER = "23456789ADJKQTX"
"""The letters of the ranks as texts are sorted: moves of one length and main rank come in this order."""
LETTERS = "3456789TJQKA2XD"
"""The letter of each rank, low to high."""


class FactRows(NamedTuple):
    """Where the facts of a decision lie among the rows of a circuit; -1 where they do not matter."""

    held: NDArray[np.int32]  # [15, 5] rank, at least
    to_beat: NDArray[np.int32]  # [labels]
    leading: int


class Book(NamedTuple):
    """What the kernels that lay down cards know of the rules."""

    layout: Layout
    main: NDArray[np.uint64]  # [labels, 3] the main cards as a row of a move list: bytes, 255 beyond the last
    wire: NDArray[np.int16]  # [labels] in the order of lists: a pass last
    alphabet: NDArray[np.int8]  # [15] ranks from 0 in the order of their letters


class Auction(NamedTuple):
    """What follows from the bids of the three seats, each a number 0..3, or 4 where it has not bid yet."""

    may_bid: NDArray[np.uint8]  # [5, 5, 5, 4] what the next seat may bid
    landlord: NDArray[np.int8]  # [5, 5, 5] seat, NOT_YET or REDEAL
    stake: NDArray[np.int8]  # [5, 5, 5] what the game is for


@dataclass(frozen=True)
class Rules:
    """Everything the engine knows of the rules; all of it read off one knowledge base."""

    kb: KnowledgeBase
    profile: str
    shapes: Shapes
    play: Circuit  # legal/1 of every label in index order
    facts: FactRows
    turns: NDArray[np.uint8]  # [3 seats, 3 owners, 8 passed, 8 out] see games/turns.py
    book: Book
    tiers: NDArray[np.int8]  # [labels] above 0 it beats other kinds; -1 for a label without a form
    ranking: NDArray[np.int32]  # [labels] the place of each when they are sorted from weak to strong
    doubling: NDArray[np.uint8]  # [labels] plays that double the stake
    auction: Auction
    score: Question  # doubled/1
    worth: NDArray[np.int64]  # [3] units of landlord, down, up

    @property
    def labels(self) -> tuple[str, ...]:
        """The pseudo-actions in the order of masks and policies."""
        return self.shapes.labels

    @cached_property
    def answers(self) -> Answers:
        """Which label beats which."""
        return Answers.of(self.kb, self.labels)

    @cached_property
    def passing(self) -> int:
        """The label of a pass."""
        return self.shapes.index["pass"]

    @property
    def bid_for(self) -> bool:
        """Whether the landlord is found by bidding."""
        return bool(self.auction.landlord[4, 4, 4] == NOT_YET)


@cache
def rules_of(directory: Path | None = None, profile: str = RULE_FILES.default_profile) -> Rules:
    """Load, compile and lay out a knowledge base once a process; raises KBError."""
    return compile_rules(RULE_FILES.load(directory, profile), profile)


def compile_rules(knowledge: KnowledgeBase, profile: str) -> Rules:
    """The circuits and arrays of a loaded knowledge base."""
    shapes = read_shapes(knowledge)
    if "pass" not in shapes.index:
        raise kb_error("there is no label of a pass", "keep label(308, pass) in labels.lp")
    legal = [Atom("legal", (label,)) for label in shapes.labels]
    play = with_outputs(knowledge.circuit("legal/1"), legal)
    tiers = _tiers(knowledge, shapes)
    strength = np.array([shape.strength for shape in shapes.shapes])
    doubles = {str(form) for (form,) in knowledge.facts("doubles", 1)}
    return Rules(
        kb=knowledge,
        profile=profile,
        shapes=shapes,
        play=play,
        facts=fact_rows_of(play, shapes),
        turns=turn_table(knowledge, AXES, GAME_END, TRICK),
        book=_book(shapes),
        tiers=tiers,
        ranking=np.argsort(np.argsort(100 * tiers.astype(np.int64) + strength, kind="stable")).astype(np.int32),
        doubling=np.array([label in doubles for label in shapes.labels], np.uint8),
        auction=_auction(knowledge.circuit("may_bid/1", "bids_over/0", "landlord/2", "redeal/0")),
        score=Question(knowledge.circuit("doubled/1"), AXES, {"doubled": (("spring", "anti_spring"),)}),
        worth=_worth(knowledge),
    )


def fact_rows_of(circuit: Circuit, shapes: Shapes) -> FactRows:
    """Look up the facts of a decision among the inputs of a circuit, and no labels that the rules lack."""
    held, to_beat = np.full((COUNT, 5), -1, np.int32), np.full(len(shapes.labels), -1, np.int32)
    for (value, count), row in circuit.input_rows("held", 2).items():
        held[int(value) - FIRST, int(count)] = row
    for (label,), row in circuit.input_rows("to_beat", 1).items():
        if str(label) in shapes.index:
            to_beat[shapes.index[str(label)]] = row
    return FactRows(held, to_beat, circuit.input_rows("leading", 0).get((), -1))


def _tiers(knowledge: KnowledgeBase, shapes: Shapes) -> NDArray[np.int8]:
    tiers = {"pass": 0} | {str(kind): number(tier, f"tier of {kind}") for kind, tier in knowledge.facts("tier", 2)}
    missing = sorted({shape.kind for shape in shapes.shapes if shape.kind is not None} - tiers.keys())
    if missing:
        raise kb_error(f"no tier/2 for {', '.join(missing)}", "say in rules.lp which bombs beat it; 0 for none")
    return np.array([-1 if shape.kind is None else tiers[shape.kind] for shape in shapes.shapes], np.int8)


def _book(shapes: Shapes) -> Book:
    """Lists come by type, then length, then rank, as the labels do; a pass comes last."""
    passing = shapes.index["pass"]
    order = [label for label in range(len(shapes.labels)) if label != passing]
    return Book(
        shapes.layout,
        _rows(shapes).view(np.uint64),
        np.array([*order, passing], np.int16),
        np.array([LETTERS.index(letter) for letter in ORDER], np.int8),
    )


def _rows(shapes: Shapes) -> NDArray[np.uint8]:
    """[labels, ROW] the main cards from low to high, NO_CARD beyond the last."""
    rows = np.full((len(shapes.labels), ROW), NO_CARD, np.uint8)
    for label, shape in enumerate(shapes.shapes):
        cards = [rank for rank, count in shape.main for _ in range(count)]
        rows[label, : len(cards)] = cards
    return rows


def _auction(circuit: Circuit) -> Auction:
    """Ask the circuit about all bids there can be."""
    shape = (5, 5, 5)
    bids = np.indices(shape).reshape(3, -1)
    outputs = {"may_bid": (BIDS,), "bids_over": (), "landlord": ((1, 2, 3), (1, 2, 3)), "redeal": ()}
    answer = Question(circuit, AXES, outputs).ask(bids.shape[1], bid=one_hot(np.where(bids == 4, -1, bids), 4))
    found = answer["landlord"].any(axis=1)
    seat = np.where(answer["redeal"], REDEAL, np.where(answer["bids_over"], found.argmax(axis=0), NOT_YET))
    may_bid = np.ascontiguousarray(np.moveaxis(answer["may_bid"].reshape(4, *shape), 0, -1))
    possible = _possible(may_bid, seat.reshape(shape))
    _check_auction(bids, seat, (possible.ravel(), may_bid.any(axis=-1).ravel()))
    if (possible.ravel() & (seat >= 0) & (found.sum(axis=0) != 1)).any():
        raise kb_error("some bids make no landlord, or two", "see landlord/2 and redeal in bidding.lp")
    stake = answer["landlord"].any(axis=0).argmax(axis=0) + 1
    return Auction(may_bid, seat.astype(np.int8).reshape(shape), stake.astype(np.int8).reshape(shape))


def _check_auction(
    bids: NDArray[np.int64], landlord: NDArray[np.int64], can: tuple[NDArray[np.bool_], NDArray[np.bool_]]
) -> None:
    """Raise KBError where the bidding goes on and nobody is left to bid, or has nothing to bid.

    Bids [3, n], landlord [n], and which bids can come about and be followed by another.
    """
    possible, followed = can
    asked = possible & (landlord == NOT_YET)
    if (asked & (bids < 4).all(axis=0)).any():
        raise kb_error("the bidding goes on after all three seats", "see bids_over in bidding.lp")
    if (asked & ~followed).any():
        raise kb_error("a seat is to bid and may bid nothing, not even 0", "see may_bid/1 in bidding.lp")
    if (possible & (landlord == REDEAL) & (bids == 4).all(axis=0)).any():
        raise kb_error("the cards are dealt anew before anybody bids, for ever", "see redeal in bidding.lp")


def _possible(may_bid: NDArray[np.uint8], landlord: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which bids can come about, seat by seat."""
    possible = np.zeros((5, 5, 5), np.bool_)
    possible[4, 4, 4] = True
    for place in range(3):
        for bids in np.argwhere(possible & (landlord == NOT_YET)):
            if (bids == 4).sum() == 3 - place:
                for bid in np.flatnonzero(may_bid[tuple(bids)]):
                    possible[(*bids[:place], bid, *bids[place + 1 :])] = True
    return possible


def _worth(knowledge: KnowledgeBase) -> NDArray[np.int64]:
    worth = {str(part): number(units, "worth") for part, units in knowledge.facts("worth", 2)}
    if worth.keys() != set(PARTS) or worth["landlord"] != worth["down"] + worth["up"]:
        raise kb_error("worth/2 must share the landlord's units among the peasants", "see share/2 of the profile")
    return np.array([worth[part] for part in PARTS])

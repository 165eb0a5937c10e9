"""Dou dizhu as Botzone plays it: FightTheLandlord, and FightTheLandlord2 where it is bid for.

Cards are numbers: four to a rank from the 3 on, 52 and 53 the jokers. A program is started for every decision, reads
one line ``{"requests": […], "responses": […]}``, what it was asked in this game and what it answered, and writes one
line ``{"response": …}``: a list of cards, empty for a pass, or a bid. The first request of play has its cards (``own``)
and the bottom cards (``publiccard``), with bids also ``landlord``, ``pos`` and ``finalbid``; each has ``history``, what
the two seats before it have done last.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games import Choices, Decisions, Engine, Tables
from abl_cards.games.audience import Quiet
from abl_cards.games.counting import counter_of
from abl_cards.games.counting.chains import ChainCounter
from abl_cards.games.counting.keys import PLACES, Key, counts_of, key_of, keys_of, row_keys
from abl_cards.games.game import GameError
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Indices, Judge, Moves
from abl_cards.logic import Atom, Circuit, evaluate
from abl_cards.logic.terms import parse_name

SEATS = 3
_HERE = 0  # the only table
LANDLORD, BID = "landlord", "bid"
"""Fluents of the folder: who plays alone, and what each seat has bid."""


def rank_of(number: int) -> int:
    """The rank from 0 of Botzone's number of a card."""
    return number // 4 if number < 52 else number - 39


def ids_of(key: Key, held: Sequence[int]) -> list[int]:
    """Cards of a key among some numbers, the low ones first."""
    found: list[int] = []
    for rank in range(PLACES):
        mine = [number for number in held if rank_of(number) == rank]
        found += mine[: int(key) >> 4 * rank & 15]
    return found


class BotzoneScript(Quiet):
    """Follows the game at one table, and puts it into the words of Botzone."""

    def __init__(self, rules: Rules) -> None:
        """Nothing has happened yet."""
        self._rules = rules
        self._bids = _bids_of(rules)
        self._bid_for = bool(rules.words.stages)
        self._tables: Tables | None = None
        self._requests: list[list[dict[str, Any]]] = []
        self._responses: list[list[Any]] = []
        self._held: list[list[int]] = []
        self._bottom: list[int] = []
        self._last: list[list[int]] = []
        self._opened: list[bool] = []

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """Give every card its number; where nobody bids, seat 0 has taken up the bottom cards when play begins."""
        self._tables = tables
        self._requests, self._responses = [[] for _ in range(SEATS)], [[] for _ in range(SEATS)]
        self._last, self._opened = [[] for _ in range(SEATS)], [False] * SEATS
        pool, state = list(range(54)), tables.state
        self._bottom = _take(pool, int(keys_of(state.aside[_HERE])))
        self._held = [_take(pool, int(keys_of(state.hands[_HERE, seat]))) for seat in range(SEATS)]

    def chosen(self, tables: Tables, which: Indices, card: NDArray[np.uint8]) -> None:
        """Note a bid."""
        seat = int(tables.seat[_HERE])
        self._ask(seat)
        self._responses[seat].append(self._bids[int(card[0])])

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """Note a play or a pass."""
        seat = int(tables.seat[_HERE])
        self._ask(seat)
        cards = ids_of(int(row_keys(moves.cards[:1])[0]), self._held[seat])
        self._held[seat] = [number for number in self._held[seat] if number not in cards]
        self._last[seat] = cards
        self._responses[seat].append(cards)

    def message(self) -> dict[str, Any]:
        """What the program of the seat to decide reads."""
        if self._tables is None:
            raise GameError("no game has begun")
        seat = int(self._tables.seat[_HERE])
        self._ask(seat)
        return {"requests": self._requests[seat], "responses": self._responses[seat]}

    def _ask(self, seat: int) -> None:
        """Write down the request of the decision at hand, once."""
        if len(self._requests[seat]) == len(self._responses[seat]) and self._tables is not None:
            self._requests[seat].append(self._request(self._tables, seat))

    def _remembered(self, tables: Tables, name: str) -> list[int]:
        """The numbers that a table remembers under the name of a fluent; -1 for none."""
        fluent = self._rules.fluents.named(name)
        assert fluent is not None
        return [int(number) for number in tables.state.fluents[_HERE, fluent.first : fluent.slots.stop]]

    def _request(self, tables: Tables, seat: int) -> dict[str, Any]:
        (landlord,) = self._remembered(tables, LANDLORD)
        bids = [bid for bid in self._remembered(tables, BID) if bid >= 0]
        if landlord < 0:
            return {"own": self._held[seat], "bid": bids}
        request: dict[str, Any] = {"history": [self._last[(seat + 1) % SEATS], self._last[(seat + 2) % SEATS]]}
        if self._opened[seat]:
            return request
        self._opened[seat] = True
        if seat == landlord:
            self._held[seat] = self._held[seat] + self._bottom
        if self._bid_for:
            request |= {"landlord": landlord, "pos": seat, "finalbid": max([*bids, 1])}
        return request | {"own": list(self._held[seat]), "publiccard": self._bottom}

    def choose(self, decisions: Any, answer: Any) -> int:
        """The number of a program's answer among the moves or the choices; raises GameError."""
        if not isinstance(answer, dict) or "response" not in answer:
            raise GameError(f'{_short(answer)} is no answer like {{"response":[0,1]}}')
        response = answer["response"]
        if isinstance(decisions, Choices):
            if type(response) is not int or response not in self._bids:
                raise GameError(f"{_short(response)} is no legal bid")
            option = self._bids.index(response)
            if not decisions.options[0, option]:
                raise GameError(f"{_short(response)} is no legal bid")
            return option
        return self._find(decisions, response)

    def _find(self, decisions: Decisions, response: Any) -> int:
        seat = int(self._tables.seat[_HERE]) if self._tables is not None else 0
        cards = response if isinstance(response, list) else None
        if (
            cards is None
            or any(card not in self._held[seat] for card in cards)
            or len(set(map(str, cards))) < len(cards)
        ):
            raise GameError(f"{_short(response)} are not cards that seat {seat} holds")
        key = key_of(rank_of(card) for card in cards)
        found = np.flatnonzero(row_keys(decisions.moves().cards) == np.uint64(key))
        if not found.size:
            raise GameError(f"{_short(response)} is no legal move of seat {seat}")
        return int(found[0])


def _bids_of(rules: Rules) -> tuple[int, ...]:
    """What each option bids."""
    return tuple(int(parse_name(option)[1][0]) for option in rules.words.options)


def _take(pool: list[int], key: Key) -> list[int]:
    """Take the cards of a key out of a pool of numbers."""
    found = ids_of(key, pool)
    for number in found:
        pool.remove(number)
    return found


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 120 else f"{text[:120]} …"


# --- the bot in one file ----------------------------------------------------------------------------------------------


def bot_source(rules: Rules, judge: Judge) -> str:
    """A program in one file that plays by these rules and preferences; it needs nothing but Python."""
    template = (files(__package__) / "bot_file.py").read_text("utf-8")
    data = base64.b64encode(zlib.compress(json.dumps(_data(rules, judge), separators=(",", ":")).encode(), 9)).decode()
    return template.replace('DATA = ""', f'DATA = "{data}"')


def _data(rules: Rules, judge: Judge) -> dict[str, Any]:
    counter = counter_of(rules)
    if not isinstance(counter, ChainCounter):
        raise GameError("a bot in one file counts plays without suits and wild cards")
    table = counter.counter.table
    circuit = judge.kb.circuit("cost/2", "violated/1")
    weights = [int(args[1]) if name == "cost" else None for name, args in circuit.outputs]
    kept = {(name, args) for name, args in judge.outputs}  # groups may have been left out
    weights = [weight if atom in kept else 0 for weight, atom in zip(weights, circuit.outputs, strict=True)]
    return {
        "profile": rules.profile,
        "labels": list(rules.label_texts),
        "wire": rules.book.blocks[rules.book.lists[0], 0].tolist(),
        **_plays(rules),
        "pack": rules.pack.copies.tolist(),
        "play": _circuit(rules.play.circuit),
        "judge": _circuit(circuit),
        "weights": weights,
        "may_bid": _may_bid(rules),
        "plays": {
            "chains": [_chain(key, trios) for key, trios in zip(counts_of(table.chain), table.trios, strict=True)],
            "plane": table.plane.tolist(),
            "shape": table.rest.shape,
            "rest": base64.b64encode(zlib.compress(table.rest.tobytes(), 9)).decode(),
        },
    }


def _plays(rules: Rules) -> dict[str, Any]:
    """By label: the main cards, groups of kickers and their size, what may be one, following and leading."""
    labels, names, place = len(rules.labels), rules.cells.names, rules.pack.number
    main, allowed = np.zeros((labels, PLACES), np.int64), np.zeros((2, labels, PLACES), np.int64)
    kickers, size, apart = (np.zeros(labels, np.int64) for _ in range(3))
    for form in rules.forms.forms:
        for group in form.groups:
            main[form.label, place[names[group.cell]]] += group.count
        apart[form.label] = form.apart
        if form.kickers:
            kickers[form.label], size[form.label] = form.kickers.groups, form.kickers.size
            for cell, bits in form.kickers.allowed.items():
                allowed[:, form.label, place[names[cell]]] = bits, bits & ~form.kickers.misread.get(cell, 0)
    found = {"main": main, "kickers": kickers, "kicker_size": size, "allowed": allowed, "apart": apart}
    return {name: values.tolist() for name, values in found.items()}


def _circuit(circuit: Circuit) -> dict[str, Any]:
    arrays = ("output_literals", "kinds", "starts", "literals", "weights", "bounds", "loops")
    return {"inputs": list(map(str, circuit.inputs))} | {name: getattr(circuit, name).tolist() for name in arrays}


def _chain(counts: NDArray[np.uint8], trios: np.int64) -> list[int]:
    """First rank, length, copies, and the length again where it is a chain of trios."""
    ranks = np.flatnonzero(counts)
    return [int(ranks[0]), len(ranks), int(counts[ranks[0]]), int(trios)]


def _may_bid(rules: Rules) -> dict[str, list[int]]:
    """What may be bid after each bidding that can come about, in the order of the options."""
    if not rules.words.stages:
        return {}
    asked = rules.told("asks/2")
    assert asked is not None
    found: dict[str, list[int]] = {}
    open_: list[list[int]] = [[]]
    while open_:
        bids = open_.pop()
        told = {Atom(BID, (seat, bid)) for seat, bid in enumerate(bids)}
        if not _true(asked.circuit, told):
            continue
        may = _true(rules.choosing.circuit, told | {Atom("stage", (rules.words.stages[0],))})
        options = [bid for bid, option in zip(_bids_of(rules), rules.words.options, strict=True)
                   if Atom("option", (option,)) in may]  # fmt: skip
        found[",".join(map(str, bids))] = options
        open_ += [[*bids, bid] for bid in options]
    return found


def _true(circuit: Circuit, told: set[Atom]) -> set[Atom]:
    """The outputs that hold when these inputs do, and no others."""
    rows = np.array([[atom in told] for atom in circuit.inputs], np.uint8).reshape(-1, 1)
    return {atom for atom, truth in zip(circuit.outputs, evaluate(circuit, rows)[:, 0], strict=True) if truth}


# --- whose game it is -------------------------------------------------------------------------------------------------

PLATFORM = "botzone"


@dataclass(frozen=True)
class Botzone:
    """A game that is played there: what programs of others read, and a program of ours."""

    engine: Engine

    @classmethod
    def of(cls, engine: Engine) -> Botzone | None:
        """None where the folder does not say ``platform(botzone)``."""
        if (PLATFORM,) not in engine.rules.kb.facts("platform", 1):
            return None
        return cls(engine)

    def script(self) -> BotzoneScript:
        """Somebody to follow a game."""
        return BotzoneScript(self.engine.rules)

    def bot_source(self, judge: Judge) -> str:
        """The agent kb as a program in one file, which needs nothing but Python."""
        return bot_source(self.engine.rules, judge)

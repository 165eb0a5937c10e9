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
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.audience import Quiet
from abl_cards.games.doudizhu.course import NO_BID, PACK, counts_of, key_of_row
from abl_cards.games.doudizhu.decisions import CHOICES, Decisions, Exchanges
from abl_cards.games.doudizhu.plays import counter_of
from abl_cards.games.doudizhu.replay import row_keys
from abl_cards.games.doudizhu.rulebook import NOT_YET, Rules
from abl_cards.games.doudizhu.shapes import COUNT, Key
from abl_cards.games.doudizhu.tables import Tables
from abl_cards.games.game import GameError
from abl_cards.games.tables import Indices, Judge, Moves
from abl_cards.logic import Circuit

SEATS = 3
_HERE = 0  # the only table


def rank_of(number: int) -> int:
    """The rank from 0 of Botzone's number of a card."""
    return number // 4 if number < 52 else number - 39


def ids_of(key: Key, held: Sequence[int]) -> list[int]:
    """Cards of a key among some numbers, the low ones first."""
    found: list[int] = []
    for rank in range(COUNT):
        mine = [number for number in held if rank_of(number) == rank]
        found += mine[: int(key) >> 4 * rank & 15]
    return found


class BotzoneScript(Quiet):
    """Follows the game at one table, and puts it into the words of Botzone."""

    def __init__(self, rules: Rules) -> None:
        """Nothing has happened yet."""
        self._rules = rules
        self._tables: Tables | None = None
        self._requests: list[list[dict[str, Any]]] = []
        self._responses: list[list[Any]] = []
        self._held: list[list[int]] = []
        self._bottom: list[int] = []
        self._last: list[list[int]] = []
        self._opened: list[bool] = []

    def episode_began(self, tables: Tables, which: Indices) -> None:
        """Give every card its number."""
        self._tables = tables
        self._requests, self._responses = [[] for _ in range(SEATS)], [[] for _ in range(SEATS)]
        self._last, self._opened = [[] for _ in range(SEATS)], [False] * SEATS
        pool, course = list(range(54)), tables.course
        bidding = course.landlord[_HERE] < 0
        self._bottom = _take(pool, int(course.bottom[_HERE]))
        self._held = []
        for seat in range(SEATS):
            mine = int(course.hands[_HERE, seat])
            if not bidding and seat == course.landlord[_HERE]:
                mine -= int(course.bottom[_HERE])
            self._held.append(_take(pool, mine))
        if not bidding:
            self._held[course.landlord[_HERE]] += self._bottom

    def card_given(self, tables: Tables, which: Indices, card: NDArray[np.uint8]) -> None:
        """Note a bid."""
        seat = int(tables.seat[_HERE])
        self._ask(seat)
        self._responses[seat].append(CHOICES[int(card[0])])

    def played(self, tables: Tables, which: Indices, moves: Moves) -> None:
        """Note a play or a pass."""
        seat = int(tables.seat[_HERE])
        self._ask(seat)
        cards = ids_of(int(key_of_row(moves.cards[0])), self._held[seat])
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

    def _request(self, tables: Tables, seat: int) -> dict[str, Any]:
        course = tables.course
        if course.landlord[_HERE] < 0:
            return {"own": self._held[seat], "bid": [int(bid) for bid in course.bids[_HERE] if bid != NO_BID]}
        request: dict[str, Any] = {"history": [self._last[(seat + 1) % SEATS], self._last[(seat + 2) % SEATS]]}
        if self._opened[seat]:
            return request
        self._opened[seat] = True
        if self._rules.bid_for:
            landlord = int(course.landlord[_HERE])
            if seat == landlord:
                self._held[seat] = self._held[seat] + self._bottom
            request |= {"landlord": landlord, "pos": seat, "finalbid": int(course.stake[_HERE])}
        return request | {"own": list(self._held[seat]), "publiccard": self._bottom}

    def choose(self, decisions: Any, answer: Any) -> int:
        """The number of a program's answer among the moves or the choices; raises GameError."""
        if not isinstance(answer, dict) or "response" not in answer:
            raise GameError(f'{_short(answer)} is no answer like {{"response":[0,1]}}')
        response = answer["response"]
        if isinstance(decisions, Exchanges):
            if (
                type(response) is not int
                or response not in CHOICES
                or not decisions.options[0, CHOICES.index(response)]
            ):
                raise GameError(f"{_short(response)} is no legal bid")
            return CHOICES.index(response)
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
        key = sum(1 << 4 * rank_of(card) for card in cards)
        found = np.flatnonzero(row_keys(decisions.moves().cards) == np.uint64(key))
        if not found.size:
            raise GameError(f"{_short(response)} is no legal move of seat {seat}")
        return int(found[0])


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
    layout, table = rules.book.layout, counter_of(rules).table
    circuit = judge.kb.circuit("cost/2", "violated/1")
    weights = [int(args[1]) if name == "cost" else None for name, args in circuit.outputs]
    kept = {(name, args) for name, args in judge.outputs}  # groups may have been left out
    weights = [weight if atom in kept else 0 for weight, atom in zip(weights, circuit.outputs, strict=True)]
    return {
        "profile": rules.profile,
        "labels": list(rules.labels),
        "wire": rules.book.wire.tolist(),
        "main": counts_of(layout.main).tolist(),
        "kickers": layout.kickers.tolist(),
        "kicker_size": layout.kicker_size.tolist(),
        "allowed": layout.allowed.tolist(),
        "apart": layout.apart.tolist(),
        "pack": counts_of(np.array([PACK], np.uint64))[0].tolist(),
        "play": _circuit(rules.play),
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


def _circuit(circuit: Circuit) -> dict[str, Any]:
    arrays = ("output_literals", "kinds", "starts", "literals", "weights", "bounds", "loops")
    return {"inputs": list(map(str, circuit.inputs))} | {name: getattr(circuit, name).tolist() for name in arrays}


def _chain(counts: NDArray[np.uint8], trios: np.int64) -> list[int]:
    """First rank, length, copies, and the length again where it is a chain of trios."""
    ranks = np.flatnonzero(counts)
    return [int(ranks[0]), len(ranks), int(counts[ranks[0]]), int(trios)]


def _may_bid(rules: Rules) -> dict[str, list[int]]:
    """What may be bid after each bidding that can come about, in the order of CHOICES."""
    found: dict[str, list[int]] = {}
    open_: list[list[int]] = [[]] if rules.bid_for else []
    while open_:
        bids = open_.pop()
        place = (*bids, *[NO_BID] * (SEATS - len(bids)))
        if rules.auction.landlord[place] != NOT_YET:
            continue
        options = [bid for bid in CHOICES if rules.auction.may_bid[place][bid]]
        found[",".join(map(str, bids))] = options
        open_ += [[*bids, bid] for bid in options]
    return found

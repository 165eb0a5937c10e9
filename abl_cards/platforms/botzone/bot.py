"""The agent kb as a program in one file: a template, and what it is filled with; here what that of Dou dizhu knows."""

from __future__ import annotations

import base64
import json
import zlib
from importlib.resources import files
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.counting import counter_of
from abl_cards.games.counting.chains import ChainCounter
from abl_cards.games.counting.keys import PLACES, counts_of
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Judge
from abl_cards.logic import Atom, Circuit, evaluate
from abl_cards.platforms.botzone.circuit_data import circuit_data, weights_of
from abl_cards.platforms.botzone.dialect import dialect_of
from abl_cards.platforms.botzone.landlord import BID, bids_of
from abl_cards.platforms.botzone.plain_python import with_module, without_annotations
from abl_cards.platforms.botzone.tractor import TRACTOR_GAME
from abl_cards.platforms.botzone.tractor_bot import tractor_data


def bot_source(rules: Rules, judge: Judge) -> str:
    """A program in one file that plays by these rules and preferences; it needs nothing but Python."""
    if dialect_of(rules) is TRACTOR_GAME:
        return _filled("tractor_bot_file.py", tractor_data(rules, judge))
    return _filled("bot_file.py", bot_data(rules, judge))


def _filled(template: str, known: dict[str, Any]) -> str:
    """A template with what it knows."""
    data = base64.b64encode(zlib.compress(json.dumps(known, separators=(",", ":")).encode(), 9)).decode()
    return bare_source(template).replace('DATA = ""', f'DATA = "{data}"')


def bare_source(template: str) -> str:
    """A template with the functions that all of them have in common, for old Pythons."""
    return without_annotations(with_module((files(__package__) / template).read_text("utf-8"), "bot_circuits"))


def bot_data(rules: Rules, judge: Judge) -> dict[str, Any]:
    """What the bot of Dou dizhu knows; raises GameError."""
    counter = counter_of(rules)
    if not isinstance(counter, ChainCounter):
        raise GameError("a bot in one file counts plays without suits and wild cards")
    table = counter.counter.table
    circuit, weights = weights_of(judge)
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
    return {"inputs": list(map(str, circuit.inputs))} | circuit_data(circuit)


def _chain(counts: NDArray[np.uint8], trios: np.int64) -> list[int]:
    """First rank, length, copies, and the length again where it is a chain of trios."""
    ranks = np.flatnonzero(counts)
    return [int(ranks[0]), len(ranks), int(counts[ranks[0]]), int(trios)]


def _may_bid(rules: Rules) -> dict[str, list[int]]:
    """Compute the legal bids after every list of earlier bids, reachable or not, in the order of the options.

    Other judges send lists that these rules cannot produce (``[3]``, ``[1,1]``); `option/1` is defined for them too.
    """
    if not rules.words.stages:
        return {}
    stage, bids = Atom("stage", (rules.words.stages[0],)), bids_of(rules)
    found: dict[str, list[int]] = {}
    for length in range(rules.table.seats + 1):
        for earlier in product(bids, repeat=length):
            facts = {Atom(BID, (seat, bid)) for seat, bid in enumerate(earlier)}
            outputs = _true(rules.choosing.circuit, facts | {stage})
            found[",".join(map(str, earlier))] = [
                bid
                for bid, option in zip(bids, rules.words.options, strict=True)
                if Atom("option", (option,)) in outputs
            ]
    return found


def _true(circuit: Circuit, told: set[Atom]) -> set[Atom]:
    """The outputs that hold when these inputs do, and no others."""
    rows = np.array([[atom in told] for atom in circuit.inputs], np.uint8).reshape(-1, 1)
    return {atom for atom, truth in zip(circuit.outputs, evaluate(circuit, rows)[:, 0], strict=True) if truth}

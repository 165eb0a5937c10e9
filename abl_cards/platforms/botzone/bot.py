"""The agent kb as a program in one file: what the template ``bot_file.py`` is filled with."""

from __future__ import annotations

import base64
import json
import zlib
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.counting import counter_of
from abl_cards.games.counting.chains import ChainCounter
from abl_cards.games.counting.keys import PLACES, counts_of
from abl_cards.games.game import GameError
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import Judge
from abl_cards.logic import Atom, Circuit, evaluate
from abl_cards.platforms.botzone.landlord import BID, bids_of
from abl_cards.platforms.botzone.plain_python import without_annotations


def bot_source(rules: Rules, judge: Judge) -> str:
    """A program in one file that plays by these rules and preferences; it needs nothing but Python."""
    template = (files(__package__) / "bot_file.py").read_text("utf-8")
    data = base64.b64encode(zlib.compress(json.dumps(_data(rules, judge), separators=(",", ":")).encode(), 9)).decode()
    return without_annotations(template).replace('DATA = ""', f'DATA = "{data}"')


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
        options = [bid for bid, option in zip(bids_of(rules), rules.words.options, strict=True)
                   if Atom("option", (option,)) in may]  # fmt: skip
        found[",".join(map(str, bids))] = options
        open_ += [[*bids, bid] for bid in options]
    return found


def _true(circuit: Circuit, told: set[Atom]) -> set[Atom]:
    """The outputs that hold when these inputs do, and no others."""
    rows = np.array([[atom in told] for atom in circuit.inputs], np.uint8).reshape(-1, 1)
    return {atom for atom, truth in zip(circuit.outputs, evaluate(circuit, rows)[:, 0], strict=True) if truth}

"""Export of the agent kb as a program in one file: templates, and the data of the Dou dizhu bot."""

from __future__ import annotations

import base64
import json
import zlib
from importlib.resources import files
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.asp import Atom
from abl_cards.circuit import Circuit, evaluate
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.min_plays import MAX_KINDS, ChainCounter, find_counter, key_counts
from abl_cards.games.preferences import PreferenceModel
from abl_cards.protocols.botzone.adapter import find_adapter
from abl_cards.protocols.botzone.circuit_data import circuit_to_json, preference_weights
from abl_cards.protocols.botzone.doudizhu import BID, option_bids
from abl_cards.protocols.botzone.plain_python import inline_module, strip_annotations
from abl_cards.protocols.botzone.tractor import TRACTOR_ADAPTER
from abl_cards.protocols.botzone.tractor_bot import tractor_data


def bot_source(rules: CompiledGame, preferences: PreferenceModel) -> str:
    """Return the source of a bot in one file, which plays by rules and preferences and needs only Python."""
    if find_adapter(rules) is TRACTOR_ADAPTER:
        return _fill_template("tractor_bot_file.py", tractor_data(rules, preferences))
    return _fill_template("bot_file.py", bot_data(rules, preferences))


def _fill_template(template: str, values: dict[str, Any]) -> str:
    """Return a template with compressed data inserted."""
    data = base64.b64encode(zlib.compress(json.dumps(values, separators=(",", ":")).encode(), 9)).decode()
    return template_source(template).replace('DATA = ""', f'DATA = "{data}"')


def template_source(template: str) -> str:
    """Return a template with the shared functions inlined, without annotations."""
    return strip_annotations(inline_module((files(__package__) / template).read_text("utf-8"), "bot_circuits"))


def bot_data(rules: CompiledGame, preferences: PreferenceModel) -> dict[str, Any]:
    """Return the data of the Dou dizhu bot; raises GameError if the rules are not supported."""
    counter = find_counter(rules)
    if not isinstance(counter, ChainCounter):
        raise GameError("a bot in one file counts plays without suits and wild cards", ErrorCode.UNSUPPORTED_GAME)
    table = counter.counter.table
    circuit, weights = preference_weights(preferences)
    return {
        "profile": rules.profile,
        "labels": list(rules.label_texts),
        "wire": rules.move_tables.blocks[rules.move_tables.block_order[0], 0].tolist(),
        **_label_arrays(rules),
        "pack": rules.pack.copies.tolist(),
        "play": _circuit_json(rules.play_query.circuit),
        "judge": _circuit_json(circuit),
        "weights": weights,
        "may_bid": _legal_bids(rules),
        "plays": {
            "chains": [
                _chain_row(key, trios) for key, trios in zip(key_counts(table.chain), table.trio_length, strict=True)
            ],
            "plane": table.extended_plane.tolist(),
            "shape": table.rest_plays.shape,
            "rest": base64.b64encode(zlib.compress(table.rest_plays.tobytes(), 9)).decode(),
        },
    }


def _label_arrays(rules: CompiledGame) -> dict[str, Any]:
    """Return arrays by label: main cards, number and size of kicker groups, and allowed kickers."""
    labels, names, index_of_kind = len(rules.labels), rules.cells.names, rules.pack.index
    main, allowed = np.zeros((labels, MAX_KINDS), np.int64), np.zeros((2, labels, MAX_KINDS), np.int64)
    kickers, size, has_kickers_apart = (np.zeros(labels, np.int64) for _ in range(3))
    for form in rules.forms.forms:
        for group in form.groups:
            main[form.label, index_of_kind[names[group.cell]]] += group.count
        has_kickers_apart[form.label] = form.has_kickers_apart
        if form.kickers:
            kickers[form.label], size[form.label] = form.kickers.num_groups, form.kickers.group_size
            for cell, bits in form.kickers.allowed.items():
                allowed[:, form.label, index_of_kind[names[cell]]] = bits, bits & ~form.kickers.misread.get(cell, 0)
    arrays = {"main": main, "kickers": kickers, "kicker_size": size, "allowed": allowed, "apart": has_kickers_apart}
    return {name: values.tolist() for name, values in arrays.items()}


def _circuit_json(circuit: Circuit) -> dict[str, Any]:
    return {"inputs": list(map(str, circuit.inputs))} | circuit_to_json(circuit)


def _chain_row(counts: NDArray[np.uint8], trios: np.int64) -> list[int]:
    """Return first rank, length, copies, and the length of a chain of trios, else 0."""
    ranks = np.flatnonzero(counts)
    return [int(ranks[0]), len(ranks), int(counts[ranks[0]]), int(trios)]


def _legal_bids(rules: CompiledGame) -> dict[str, list[int]]:
    """Compute the legal bids after every list of earlier bids, reachable or not, in the order of the options.

    Other judges send lists that these rules cannot produce (``[3]``, ``[1,1]``); `option/1` is defined for them too.
    """
    if not rules.schema.stages:
        return {}
    stage, bids = Atom("stage", (rules.schema.stages[0],)), option_bids(rules)
    bids_after: dict[str, list[int]] = {}
    for length in range(rules.seating.seats + 1):
        for earlier in product(bids, repeat=length):
            facts = {Atom(BID, (seat, bid)) for seat, bid in enumerate(earlier)}
            outputs = _true_outputs(rules.option_query.circuit, facts | {stage})
            bids_after[",".join(map(str, earlier))] = [
                bid
                for bid, option in zip(bids, rules.schema.options, strict=True)
                if Atom("option", (option,)) in outputs
            ]
    return bids_after


def _true_outputs(circuit: Circuit, true_inputs: set[Atom]) -> set[Atom]:
    """Return the outputs of a circuit that are true for a set of true inputs."""
    rows = np.array([[atom in true_inputs] for atom in circuit.inputs], np.uint8).reshape(-1, 1)
    return {atom for atom, truth in zip(circuit.outputs, evaluate(circuit, rows)[:, 0], strict=True) if truth}

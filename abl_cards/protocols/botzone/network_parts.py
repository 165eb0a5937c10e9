"""Parts of bots with networks: layers, and loading of rules and weights beside the program.

``network_bot.py`` writes this into the program of each bot; it needs numpy.
"""

# Platforms have old Pythons: no match, no new syntax of types outside of annotations.
from __future__ import annotations

import io
import json
import os
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from abl_cards.protocols.botzone.bot_runtime import BotView, compute_costs, preference_outputs, respond

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Moves = list[tuple[int, list[int]]]  # form, and copies of each kind
    BestMoves = dict[int, tuple[int, int]]  # cost and index of a move, by label
    Numbers = NDArray[np.float32]

REGRET_UNIT, MAX_REGRET = 30.0, 8.0


def relu(values: Numbers) -> Numbers:
    """Replace negative numbers by 0."""
    output: Numbers = np.maximum(values, 0)
    return output


class Weights:
    """Weights of networks by name."""

    def __init__(self, weights: dict[str, Numbers]) -> None:
        self.weights = weights

    def linear(self, name: str, features: Numbers) -> Numbers:
        """Apply a fully connected layer."""
        output: Numbers = features @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]
        return output


def read_npz(data: bytes) -> dict[str, Any]:
    """Return the arrays of an .npz by name; half precision becomes single precision."""
    arrays: dict[str, Any] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            array = np.lib.format.read_array(io.BytesIO(archive.read(name)), allow_pickle=False)
            arrays[name[: -len(".npy")]] = array.astype(np.float32) if array.dtype == np.float16 else array
    return arrays


def read_adjacent_file(name: str) -> bytes:
    """Read a file in the zip or the folder of this file."""
    content: bytes = __loader__.get_data(os.path.join(os.path.dirname(__file__), name))  # type: ignore[name-defined]
    return content


def find_best_moves(view: BotView, moves: Moves) -> BestMoves:
    """Return the move of the lowest cost of each label, without violating moves if others exist."""
    violating, costs = compute_costs(preference_outputs(view, moves), view.rules["weights"], len(moves))
    if violating == (1 << len(moves)) - 1:
        violating = 0
    best: BestMoves = {}
    for index, (form, _) in enumerate(moves):
        label = view.rules["forms"][form][0]
        if not violating >> index & 1 and (label not in best or costs[index] < best[label][0]):
            best[label] = costs[index], index
    return best


def respond_with_network(make_player: Callable[[dict[str, Any]], Any], answer: Callable[[Any, Any], Any]) -> None:
    """Answer one line of the standard input.

    Args:
        make_player: Function that makes a chooser of moves from weights.
        answer: Function that answers a request with the chooser.
    """
    rules = json.loads(read_adjacent_file("rules.json").decode())
    rules["best"] = make_player(read_npz(read_adjacent_file("weights.npz")))
    respond(rules, answer)

"""Random states that cover the rules: leading and following all types, 1 to 20 cards, all parts, bids and results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.doudizhu.course import LEADING, PACK, counts_of, keys_of, write_facts
from abl_cards.games.doudizhu.decisions import Decisions, decide
from abl_cards.games.doudizhu.knowledge import AXES, COPIES, FULL_HAND, MOST_CARDS, TAGS
from abl_cards.games.doudizhu.preferences import move_rows, situation_rows, write_moves, write_situation
from abl_cards.games.doudizhu.rulebook import Rules, fact_rows_of
from abl_cards.games.doudizhu.shapes import COUNT
from abl_cards.games.questions import at_least, atom_rows, one_hot
from abl_cards.logic import Circuit

MOST_COPIES = max(COPIES)
_LEAD_SHARE = 0.2
_DECK = np.repeat(np.arange(COUNT), COPIES)


def sample_hands(
    rules: Rules, states: int, seed: int, cards: int | None = None, leading: bool | None = None
) -> Decisions:
    """Random plays to decide; a number of cards makes every hand that large and evenly dealt."""
    random = np.random.default_rng(seed)
    hands = _even_hands(random, states, cards) if cards is not None else uneven_hands(random, states)
    to_beat = np.full(states, LEADING, np.int16)
    if not leading:
        to_beat = np.where(random.random(states) < _LEAD_SHARE, to_beat, _labels_to_beat(rules, states, random))
    parts = random.integers(0, 3, states).astype(np.int8)
    decisions = decide(rules, hands, to_beat.astype(np.int16))
    return replace(decisions, situation=decisions.situation._replace(part=parts))


def _even_hands(random: np.random.Generator, states: int, cards: int) -> NDArray[np.uint64]:
    return _keys(_DECK[random.random((states, len(_DECK))).argsort(axis=1)], np.full(states, cards))


def uneven_hands(random: np.random.Generator, states: int) -> NDArray[np.uint64]:
    """Hands that hold chains and bombs more often than chance would have it, as keys [states]."""
    noise = random.random((states, len(_DECK)))
    first, width = random.integers(0, 12, (states, 1)), random.integers(1, 9, (states, 1))
    likely = ((_DECK - first) % 13 < width) & (_DECK < 13) | (_DECK >= 13) & (random.random((states, 1)) < 0.5)
    noise -= likely & (random.random((states, 1)) < 0.7)  # the rest of the pack stays away while it can
    return _keys(_DECK[noise.argsort(axis=1)], random.integers(1, MOST_CARDS + 1, states))


def _keys(order: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Keys of the first cards of shuffled packs."""
    chosen = np.arange(order.shape[1]) < sizes[:, None]
    counts = np.zeros((len(order), COUNT), np.int64)
    for rank in range(COUNT):
        counts[:, rank] = ((order == rank) & chosen).sum(axis=1)
    return keys_of(counts)


def _labels_to_beat(rules: Rules, states: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Labels of all types, each type as likely as any other."""
    kinds: dict[str, list[int]] = {}
    for index, shape in enumerate(rules.shapes.shapes):
        if shape.kind is not None and index != rules.passing:
            kinds.setdefault(shape.kind, []).append(index)
    families = [np.array(members) for members in kinds.values()]
    return np.array([random.choice(families[kind]) for kind in random.integers(0, len(families), states)])


def sample_facts(rules: Rules, states: int, seed: int) -> NDArray[np.uint8]:
    """[every input, states]: in every column a play to decide, a legal move, a random trick, bids and a result."""
    decisions = sample_hands(rules, states, seed)
    random = np.random.default_rng([seed, 1])
    table = replace(rules.play, inputs=rules.kb.input_atoms)  # to look up where every input lies
    rows = np.empty((len(table.inputs) + 1, states), np.uint8)
    facts = fact_rows_of(table, rules.shapes)
    write_facts(facts, decisions.situation.hand, decisions.to_beat, 0, states, rows)
    _write_move(rules, table, decisions, random, rows)
    for name, values in _around(random, states).items():
        rows[atom_rows(table.inputs, name, AXES[name])] = values.reshape(-1, states)
    return rows[:-1]


def _write_move(
    rules: Rules, table: Circuit, decisions: Decisions, random: np.random.Generator, rows: NDArray[np.uint8]
) -> None:
    """Add what the others hold and a random legal move, in some states a bid; the plays left are any number."""
    n, hand = len(decisions.which), decisions.situation.hand
    top = np.where(decisions.to_beat == LEADING, -1, random.integers(0, 2, n)).astype(np.int8)
    others = random.integers(0, MOST_CARDS + 1, (n, 2)).astype(np.uint8)
    thinned = np.minimum(counts_of(np.uint64(PACK) - hand), random.integers(0, 5, (n, COUNT)))
    write_situation(situation_rows(table), keys_of(thinned), others, top, decisions.situation.part, 0, n, rows)
    labels = (decisions.legal * random.random(decisions.legal.shape)).argmax(axis=0).astype(np.int16)
    moves = decisions.try_random(labels, random.integers(0, 2**63, n).astype(np.uint64))
    bids = (random.random(n) < 0.1) | ~decisions.legal.any(axis=0) | (moves.form < 0)
    moves.form[bids], moves.cards[bids, 0] = -1, random.integers(0, 4, int(bids.sum()))
    plays, everywhere = random.integers(0, MOST_CARDS + 1, n).astype(np.uint8), np.arange(n)
    write_moves(move_rows(table, rules.shapes), *moves, plays, hand, everywhere, 0, n, rows)


def _around(random: np.random.Generator, states: int) -> dict[str, NDArray[np.uint8]]:
    """A trick, bids, a result, and tags of cards."""
    bids = np.where(random.random((3, states)) < 0.3, -1, random.integers(0, 4, (3, states)))
    return {
        "acted": one_hot(random.integers(0, 3, states), 3),
        "owner": one_hot(random.integers(0, 3, states), 3),
        "passed": random.integers(0, 2, (3, states)).astype(np.uint8),
        "out": (random.random((3, states)) < 0.1).astype(np.uint8),
        "bid": one_hot(bids, 4),
        "landlord_won": random.integers(0, 2, (1, states)).astype(np.uint8),
        "landlord_acts": at_least(random.integers(0, 3, states), 2),
        "peasant_acts": at_least(random.integers(0, 2, states), 1),
        "tagged": at_least(_tagged(random, states), MOST_COPIES),
        "dealt": at_least(_dealt(random, states), 4),
    }


def _tagged(random: np.random.Generator, states: int) -> NDArray[np.int64]:
    """[15, 4, states] cards of each rank and tag: a few of them, in one state of two as many as make whole groups."""
    cards = random.integers(0, MOST_COPIES + 1, (COUNT, len(TAGS), states))
    cards *= random.random(cards.shape) < 0.3
    groups = np.minimum(np.arange(len(TAGS)) + 1, np.array(COPIES)[:, None])[:, :, None]
    whole = np.where(random.random(states) < 0.5, groups, 1)
    fitting: NDArray[np.int64] = np.minimum(cards // whole * whole, np.array(COPIES)[:, None, None])
    return fitting


def _dealt(random: np.random.Generator, states: int) -> NDArray[np.int64]:
    """[3, 15, states] whole deals; in every other one up to two hands have a card more or less than they should."""
    order = random.random((states, len(_DECK))).argsort(axis=1)
    owner = np.repeat(np.arange(3), (MOST_CARDS, FULL_HAND, FULL_HAND))
    counts = np.zeros((3, COUNT, states), np.int64)
    for place, part in enumerate(owner):
        counts[part, _DECK[order[:, place]], np.arange(states)] += 1
    for _ in range(2):
        wrong = random.random(states) < 0.3
        counts[random.integers(0, 3, states), random.integers(0, COUNT, states), np.arange(states)] += wrong * (
            random.choice([-1, 1], states)
        )
    return np.clip(counts, 0, np.array(COPIES)[:, None])

"""Random states that cover the rules: leading and following all types, 1 to 26 cards, more runs than by chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.big2.decisions import Decisions, count_cards, decide, write_play
from abl_cards.games.big2.expansion import NO_CARD, write_counts, write_one
from abl_cards.games.big2.knowledge import AXES, MOST_CARDS, RANK_COUNT
from abl_cards.games.big2.plays import counter_of, keys_of
from abl_cards.games.big2.preferences import fact_rows_of_play, write_cards
from abl_cards.games.big2.rulebook import LEADING, Rules, fact_rows_of, ranked_rows
from abl_cards.games.questions import at_least, atom_rows, one_hot, rows_by_number

_LEAD_SHARE = 0.2
_PLANTED_SHARE = 0.4
_DECK, _COPY = np.repeat(np.arange(RANK_COUNT), 4), np.tile(np.arange(4), RANK_COUNT)


def sample_hands(
    rules: Rules, states: int, seed: int, cards: int | None = None, leading: bool | None = None
) -> Decisions:
    """Random plays to decide; a number of cards makes every hand that large and evenly dealt."""
    random = np.random.default_rng(seed)
    noise = random.random((states, len(_DECK)))
    sizes = random.integers(1, MOST_CARDS + 1, states) if cards is None else np.full(states, cards)
    if cards is None:
        first, width = random.integers(0, 13, (states, 1)), random.integers(1, 14, (states, 1))
        noise -= ((_DECK - first) % 13 < width) & (random.random((states, 1)) < 0.7)
        planted = _plants(rules, states, random) * (random.random((states, 1)) < _PLANTED_SHARE)
        noise -= 2 * (planted[:, _DECK] > _COPY)
        sizes = np.maximum(sizes, planted.sum(axis=1))
    order = _DECK[noise.argsort(axis=1)]
    hand = _counts(order, np.zeros(states, np.int64), sizes)
    other = _counts(order, sizes, sizes + random.integers(1, MOST_CARDS + 1, states))
    to_beat = np.full(states, LEADING, np.int16)
    if not leading:
        follows = random.random(states) >= _LEAD_SHARE
        to_beat[follows] = _labels_to_beat(rules, states, random)[follows]
    return decide(rules, hand, to_beat, other)


def _plants(rules: Rules, states: int, random: np.random.Generator) -> NDArray[np.int64]:
    """[states, 13] the cards of a play of any kind, so that hands hold the long ones too."""
    layout, labels = rules.layout, _labels_to_beat(rules, states, random)
    liked = random.random((states, RANK_COUNT)) * layout.spare[labels]
    place = np.argsort(np.argsort(-liked, axis=1), axis=1)
    kickers = (place < layout.kickers[labels][:, None]) * layout.kicker_size[labels][:, None].astype(np.int64)
    return layout.needs[labels].astype(np.int64) + kickers


def _counts(order: NDArray[np.int64], begin: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.uint8]:
    """[n, 13] the cards from one place of shuffled packs to another."""
    place = np.arange(order.shape[1])
    chosen = (place >= begin[:, None]) & (place < end[:, None])
    return np.stack([((order == rank) & chosen).sum(axis=1) for rank in range(RANK_COUNT)], axis=1).astype(np.uint8)


def _labels_to_beat(rules: Rules, states: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Labels of all kinds, each kind as likely as any other."""
    kinds: dict[str, list[int]] = {}
    for label, kind in enumerate(rules.kinds):
        if label != rules.passing:
            kinds.setdefault(kind, []).append(label)
    families = [np.array(members) for members in kinds.values()]
    return np.array([random.choice(families[kind]) for kind in random.integers(0, len(families), states)])


def sample_facts(rules: Rules, states: int, seed: int) -> NDArray[np.uint8]:
    """[every input, states]: in every column a play to decide, a legal move, a random trick and a result."""
    decisions = sample_hands(rules, states, seed)
    random = np.random.default_rng([seed, 1])
    table = replace(rules.play, inputs=rules.kb.input_atoms)  # to look up where every input lies
    rows = np.zeros((len(table.inputs) + 1, states), np.uint8)
    write_play(fact_rows_of(table, rules.labels), decisions.hand, decisions.to_beat, rows)
    write_counts(ranked_rows(table, "opposed"), decisions.other, rows)
    write_cards(rows_by_number(table, "cards", MOST_CARDS + 1), decisions.other.sum(axis=1), rows)
    labels = (decisions.legal * random.random(decisions.legal.shape)).argmax(axis=0).astype(np.int16)
    moves = decisions.try_random(labels, random.integers(0, 2**63, states).astype(np.uint64))
    can = (decisions.legal.any(axis=0) & (moves.form >= 0))[:, None]
    moves.cards[~can[:, 0]] = NO_CARD
    left = decisions.hand - count_cards(moves.cards)
    write_counts(ranked_rows(table, "left"), left, rows)
    write_cards(rows_by_number(table, "plays_left", MOST_CARDS + 1), counter_of(rules).plays_left(keys_of(left)), rows)
    write_one(fact_rows_of_play(table, rules), np.where(can[:, 0], moves.form, -1), rows)
    around = {
        "acted": one_hot(random.integers(0, 2, states), 2),
        "passed": (random.random((2, states)) < 0.3).astype(np.uint8),
        "out": (random.random((2, states)) < 0.3).astype(np.uint8),
        "stuck": at_least(random.integers(0, MOST_CARDS + 1, (2, states)), MOST_CARDS),
    }
    for name, values in around.items():
        rows[atom_rows(table.inputs, name, AXES[name])] = values.reshape(-1, states)
    return rows[:-1]

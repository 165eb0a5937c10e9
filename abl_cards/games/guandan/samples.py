"""Random states that cover the rules: all levels, leading and following all types, 0 to 2 wild cards, 1 to 27 cards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.guandan.course import LEADING
from abl_cards.games.guandan.decisions import Decisions, decide
from abl_cards.games.guandan.expansion import NO_CARD, NO_LABEL
from abl_cards.games.guandan.inputs import InputRows
from abl_cards.games.guandan.knowledge import AXES, KINDS, STRENGTHS, SUITS_OF_CARDS, VALUES
from abl_cards.games.guandan.rulebook import Rules
from abl_cards.games.hidden import share_out
from abl_cards.games.questions import at_least, atom_rows, one_hot
from abl_cards.games.shapes import functor
from abl_cards.games.tables import MoveLists

_LEAD_SHARE = 0.2


def sample_hands(
    rules: Rules, states: int, seed: int, cards: int | None = None, leading: bool | None = None
) -> Decisions:
    """Random plays to decide; a number of cards makes every hand that large and evenly dealt."""
    random = np.random.default_rng(seed)
    level = random.integers(2, 15, states).astype(np.int8)
    if cards is not None:
        hands = np.stack([_draw(random, np.full(54, 2), cards) for _ in range(states)])
    else:
        hands = np.stack([_uneven_hand(random, int(rank), rules.book.wild_suit) for rank in level])
    to_beat = np.full(states, LEADING, np.int16)
    if not leading:
        to_beat = np.where(random.random(states) < _LEAD_SHARE, to_beat, _forms_to_beat(rules, states, random))
    return decide(rules, hands, level, to_beat.astype(np.int16))


def _draw(random: np.random.Generator, deck: NDArray[np.integer], cards: int) -> NDArray[np.uint8]:
    return random.multivariate_hypergeometric(deck.astype(np.int64), min(cards, int(deck.sum()))).astype(np.uint8)


def _uneven_hand(random: np.random.Generator, level: int, wild_suit: int) -> NDArray[np.uint8]:
    """A hand that holds runs, bombs and wild cards more often than chance would have it."""
    size = int(random.integers(1, 28))
    wild = 4 * ((level - 1) % 13) + (0, 1, 3, 2)[wild_suit]
    wilds = min(int(random.integers(0, 3)), size) if wild_suit >= 0 else 0
    deck = np.full(54, 2)
    if random.random() < 0.7:  # only some ranks or suits: the rest of the deck stays away while it can
        ranks = (random.integers(0, 13) + np.arange(random.integers(1, 8))) % 13
        likely = np.isin(np.arange(54) // 4, ranks) | ((np.arange(54) >= 52) & (random.random() < 0.5))
        if random.random() < 0.3:
            likely &= (np.arange(54) % 4 == random.integers(0, 4)) | (np.arange(54) >= 52)
        deck = np.where(likely, 2, 0)
    deck[wild] = 0
    hand = _draw(random, deck, size - wilds)
    rest = np.full(54, 2) - hand
    rest[wild] = 0
    hand += _draw(random, rest, size - wilds - int(hand.sum()))
    hand[wild] = wilds
    return hand


def _forms_to_beat(rules: Rules, states: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Forms of all types, each type as likely as any other."""
    kinds: dict[str, list[int]] = {}
    for index, form in enumerate(rules.shapes.forms):
        if index != rules.pass_form:
            kinds.setdefault(functor(form.name), []).append(index)
    families = [np.array(members) for members in kinds.values()]
    return np.array([random.choice(families[kind]) for kind in random.integers(0, len(families), states)])


def sample_facts(rules: Rules, states: int, seed: int) -> NDArray[np.uint8]:
    """[every input, states]: in every column a play to decide, a legal move, a random trick, result and ladder."""
    random = np.random.default_rng([seed, 1])
    decisions = _surrounded(sample_hands(rules, states, seed), random)
    every = InputRows.of(replace(rules.play, inputs=rules.kb.input_atoms), rules)
    told = every.tell_decisions(decisions)
    every.tell_estimate(decisions, share_out(decisions.situation.unseen, 3, seed), told)
    rows = np.concatenate([told, np.zeros((1, states), np.uint8)])  # the last for what these rules do not ask
    _tell_move(every, decisions, random, rows)
    for name, values in (_between_episodes(random, states) | _public(random, states)).items():
        rows[atom_rows(rules.kb.input_atoms, name, AXES[name])] = values.reshape(-1, states)
    return rows[:-1]


def _surrounded(decisions: Decisions, random: np.random.Generator) -> Decisions:
    """The same hands among others of any size, and any of these has made the play to beat."""
    n = len(decisions.which)
    top = np.where(decisions.to_beat == LEADING, -1, random.integers(0, 3, n)).astype(np.int8)
    others = random.integers(0, 28, (n, 3)).astype(np.uint8)
    return replace(decisions, situation=decisions.situation._replace(cards=others, top=top))


def _tell_move(every: InputRows, decisions: Decisions, random: np.random.Generator, rows: NDArray[np.uint8]) -> None:
    """Add a random legal move, where there is one; the plays left after it are any number."""
    n = len(decisions.which)
    labels = (decisions.legal * random.random(decisions.legal.shape)).argmax(axis=0).astype(np.int16)
    moves = decisions.try_random(labels, random.integers(0, 2**63, n).astype(np.uint64))
    moves.form[~decisions.legal.any(axis=0)] = NO_LABEL
    moves.cards[moves.form < 0] = NO_CARD
    each = MoveLists(np.arange(n + 1), moves.form, moves.cards)
    every.tell_moves(decisions, each, np.arange(n), random.integers(0, 28, n).astype(np.uint8), rows)


def _public(random: np.random.Generator, states: int) -> dict[str, NDArray[np.uint8]]:
    """What everybody has seen: cards that changed hands before the play, and what a seat has shown since."""

    def some(share: float, *shape: int) -> NDArray[np.uint8]:
        return (random.random((*shape, states)) < share).astype(np.uint8)

    kinds, values, strengths = len(KINDS), len(VALUES), len(STRENGTHS)
    return {
        "received": some(0.01, 4, values, len(SUITS_OF_CARDS)),
        "returned": some(0.01, 4, values, len(SUITS_OF_CARDS)),
        "shown": some(0.2, 4),
        "laid": some(0.1, kinds, values),
        "led": some(0.1, kinds, strengths),
        "passed_over": some(0.1, kinds, strengths),
        "holding": at_least(random.integers(0, 29, states), 28),
    }


def _between_episodes(random: np.random.Generator, states: int) -> dict[str, NDArray[np.uint8]]:
    order = random.permuted(np.tile(np.arange(4), (states, 1)), axis=1).T
    standing = np.where(random.random((2, states)) < 0.5, 12, random.integers(0, 13, (2, states)))
    jokers = random.multinomial(2, np.full(4, 0.25), states).T
    return {
        "acted": one_hot(random.integers(0, 4, states), 4),
        "owner": one_hot(random.integers(0, 4, states), 4),
        "passed": random.integers(0, 2, (4, states)).astype(np.uint8),
        "out": random.integers(0, 2, (4, states)).astype(np.uint8),
        "finish": one_hot(order, 4),
        "big_jokers": at_least(jokers, 2),
        "paid": one_hot(np.where(random.random((4, states)) < 0.3, -1, random.integers(0, 15, (4, states))), 15),
        "standing": one_hot(standing, 13),
        "declarer": one_hot(random.integers(-1, 2, states), 2),
        "failures": at_least(random.integers(0, 5, (2, states)), 8),
        "resets": at_least(random.choice([0, 1, 48, 49, 50], states), 99),
    }

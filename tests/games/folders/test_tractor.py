"""Tractor as a folder of rules, beside the brute force: leads, follows, tricks, whole rounds both ways; clingo."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pytest

from abl_cards.agents import Random as RandomPlayer
from abl_cards.games import Tables, game
from abl_cards.games.reading.rules import Rules
from abl_cards.streams import mix_all
from tests.brute_force.tractor.follow import follows
from tests.brute_force.tractor.leads import Lead, all_leads, challenge
from tests.brute_force.tractor.random_play import (
    State,
    crowded_hands,
    random_order,
    random_round,
    random_state,
    random_throw,
    random_trick,
)
from tests.brute_force.tractor.rules import PROFILES
from tests.brute_force.tractor.trick import winner
from tests.effort import thorough
from tests.games.folders.states import rules_of
from tests.games.folders.tractor import Follow, every_answer, lay_throws, record_of, takers
from tests.games.folders.tractor_rounds import Watch
from tests.games.random_play import match_keys

FOLLOWS = 4_000 if thorough() else 300
TRICKS = 5_000 if thorough() else 500
ROUNDS = 1_000 if thorough() else 8
MOST_ANSWERS = 400
AT_ONCE = 200


@pytest.fixture(scope="module", params=PROFILES)
def rules(request: pytest.FixtureRequest) -> Rules:
    return rules_of("tractor", request.param)


def test_labels(rules: Rules) -> None:
    """A place each for singles, pairs and throws, and the runs of a suit and of the trumps."""
    kinds = [str(label).partition("(")[0] for label in rules.labels]
    tractors = 4 * 66 + (110 if rules.profile == "standard" else 66 + 2)
    assert [kinds.count(kind) for kind in ("single", "pair", "throw", "tractor")] == [64, 64, 64, tractors]


def test_follows(rules: Rules) -> None:
    """Every answer to a lead, and no other, can be laid."""
    draw, brute = Random(1), PROFILES[str(rules.profile)]
    for _ in range(0, FOLLOWS, AT_ONCE):
        states = [_short_state(draw, brute) for _ in range(AT_ONCE)]
        for state, found in zip(states, every_answer(rules, [Follow(*state) for state in states]), strict=True):
            assert found == follows(brute, state.order, state.lead, state.hand), state


def _short_state(draw: Random, brute: Any) -> State:
    """A lead and a hand with few enough answers to list them."""
    while True:
        state = random_state(draw, brute, *draw.choice([(25, 25), (12, 8)]))
        if len(list(islice(follows(brute, state.order, state.lead, state.hand), MOST_ANSWERS))) < MOST_ANSWERS:
            return state


def test_leads(rules: Rules) -> None:
    """Every choice of cards of one suit can be led, and nothing else."""
    draw, brute = Random(2), PROFILES[str(rules.profile)]
    leads = []
    for _ in range(FOLLOWS // 10):
        order = random_order(draw, brute)
        hand = crowded_hands(draw, order, draw.randint(1, 8), 2)[0] or ["S3"]
        leads.append(Follow(order, Lead("S", ()), hand))
    for lead, found in zip(leads, every_answer(rules, leads), strict=True):
        assert found == {tuple(sorted(each.cards)) for each in all_leads(lead.order, lead.hand)}, lead


def test_tricks(rules: Rules) -> None:
    draw, brute = Random(3), PROFILES[str(rules.profile)]
    tricks = [random_trick(draw, brute) for _ in range(TRICKS)]
    assert takers(rules, tricks) == [winner(*each) for each in tricks]


def test_throws(rules: Rules) -> None:
    """What lies after the challenge, and what a failed throw costs."""
    draw, brute = Random(5), PROFILES[str(rules.profile)]
    throws = [random_throw(draw, brute) for _ in range(TRICKS)]
    wanted = [challenge(brute, each.order, each.lead, each.others) for each in throws]
    assert lay_throws(rules, throws) == [(each.lead.cards, each.price) for each in wanted]


def test_rounds_are_refereed(rules: Rules) -> None:
    """Whole matches at random: what may be shown, buried and played, what lies after a throw, points and levels."""
    watch = Watch(PROFILES[str(rules.profile)])
    tables = Tables.begin(rules, match_keys(8, 4), watch)
    while watch.rounds < ROUNDS:
        keys = mix_all(tables.keys, tables.clock)
        if (which := tables.choosing()).size:
            tables.choose(which, RandomPlayer().choose(tables.choices(which), keys[which]))
        if (which := tables.playing()).size:
            tables.play(which, RandomPlayer().play(tables.decisions(which), keys[which]))
        if (over := np.flatnonzero(tables.winner != -1)).size:
            tables.begin_match(over, mix_all(tables.keys[over], 1))


def test_rounds_of_the_brute_force_are_played_again(rules: Rules) -> None:
    brute = PROFILES[str(rules.profile)]
    ranks = "23456789TJQKA"
    rounds = [
        random_round(seed, brute, ranks[seed % 13], None if seed % 13 == 0 else seed % 4) for seed in range(ROUNDS)
    ]
    replayed = game("tractor").engine(None, rules.profile).replay([record_of(rules, each) for each in rounds])
    assert (replayed.episodes, replayed.disagreements) == (ROUNDS, ())

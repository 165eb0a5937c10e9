"""Tractor as a folder of rules, beside the brute force: leads, follows, tricks, whole rounds both ways; clingo."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.baselines import RandomAgent as RandomPlayer
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled import CompiledGame, compile_game
from abl_cards.games.description.folder import Folder
from abl_cards.games.description.variants import KB_ROOT
from abl_cards.games.game import load
from abl_cards.games.tables.tables import Tables
from tests.brute_force.tractor.cards import Cards
from tests.brute_force.tractor.follow import follows
from tests.brute_force.tractor.leads import Lead, all_leads, challenge, lead_of
from tests.brute_force.tractor.random_play import (
    State,
    crowded_hands,
    random_order,
    random_round,
    random_state,
    random_throw,
    random_trick,
)
from tests.brute_force.tractor.rules import PROFILES, variant
from tests.brute_force.tractor.rules import Rules as BruteRules
from tests.brute_force.tractor.trick import winner
from tests.effort import amount, long
from tests.games.folders.states import rules_of
from tests.games.folders.tractor import Follow, every_answer, lay_throws, record_of, takers
from tests.games.folders.tractor_rounds import RefereeListener
from tests.games.random_play import match_keys

FOLLOWS = amount(15, 120, 4_000)
TRICKS = amount(15, 200, 5_000)
ROUNDS = amount(1, 3, 1_000)
MOST_ANSWERS = amount(150, 400)
AT_ONCE = amount(15, 40, 200)


@pytest.fixture(scope="module", params=PROFILES)
def rules(request: pytest.FixtureRequest) -> CompiledGame:
    return rules_of("tractor", request.param)


def test_number_of_labels_by_kind(rules: CompiledGame) -> None:
    """A place each for singles, pairs and throws, and the runs of a suit and of the trumps."""
    kinds = [str(label).partition("(")[0] for label in rules.labels]
    tractors = 4 * 66 + (110 if rules.profile == "standard" else 66 + 2)
    assert [kinds.count(kind) for kind in ("single", "pair", "throw", "tractor")] == [64, 64, 64, tractors]


def test_follows_equal_brute_force(rules: CompiledGame) -> None:
    """Exactly the legal answers to a lead can be played."""
    draw, brute = Random(1), PROFILES[str(rules.profile)]
    for _ in range(0, FOLLOWS, AT_ONCE):
        states = [_short_state(draw, brute) for _ in range(AT_ONCE)]
        for state, answers in zip(states, every_answer(rules, [Follow(*state) for state in states]), strict=True):
            assert answers == follows(brute, state.order, state.lead, state.hand), state


def _short_state(draw: Random, brute: Any) -> State:
    """A lead and a hand with few enough answers to list them."""
    while True:
        state = random_state(draw, brute, *draw.choice([(25, 25), (12, 8)]))
        if len(list(islice(follows(brute, state.order, state.lead, state.hand), MOST_ANSWERS))) < MOST_ANSWERS:
            return state


def test_leads_equal_brute_force(rules: CompiledGame) -> None:
    """Exactly the sets of cards of one suit can be led."""
    draw, brute = Random(2), PROFILES[str(rules.profile)]
    leads = []
    for _ in range(FOLLOWS // 5):
        order = random_order(draw, brute)
        hand = crowded_hands(draw, order, draw.randint(1, 8), 2)[0] or ["S3"]
        leads.append(Follow(order, Lead("S", ()), hand))
    for lead, plays in zip(leads, every_answer(rules, leads), strict=True):
        assert plays == {tuple(sorted(candidate.cards)) for candidate in all_leads(lead.order, lead.hand)}, lead


def test_trick_winners_equal_brute_force(rules: CompiledGame) -> None:
    draw, brute = Random(3), PROFILES[str(rules.profile)]
    tricks = [random_trick(draw, brute) for _ in range(TRICKS)]
    assert takers(rules, tricks) == [winner(*trick) for trick in tricks]


def test_throws_equal_brute_force(rules: CompiledGame) -> None:
    """Cards on the table after the challenge, and the price of a failed throw."""
    draw, brute = Random(5), PROFILES[str(rules.profile)]
    throws = [random_throw(draw, brute) for _ in range(TRICKS)]
    outcomes = [challenge(brute, throw.order, throw.lead, throw.others) for throw in throws]
    assert lay_throws(rules, throws) == [(throw.lead.cards, throw.price) for throw in outcomes]


def test_rounds_match_the_referee(rules: CompiledGame) -> None:
    """Random matches: legal cards to show, bury and play, cards after a throw, points and levels."""
    play_refereed(rules, PROFILES[str(rules.profile)], ROUNDS)


def play_refereed(rules: CompiledGame, brute: BruteRules, rounds: int) -> None:
    """Play a number of random rounds against the referee."""
    referee_listener = RefereeListener(brute)
    tables = Tables.begin(rules, match_keys(min(8, rounds), 4), referee_listener)
    while referee_listener.rounds < rounds:
        keys = splitmix64_array(tables.keys, tables.num_decisions)
        if (rows := tables.rows_to_choose()).size:
            tables.choose(rows, RandomPlayer().choose(tables.choices(rows), keys[rows]))
        if (rows := tables.rows_to_play()).size:
            tables.play(rows, RandomPlayer().play(tables.decisions(rows), keys[rows]))
        if (over := np.flatnonzero(tables.winner != -1)).size:
            tables.begin_match(over, splitmix64_array(tables.keys[over], 1))


SWITCHES: Mapping[str, tuple[str, dict[str, str], dict[str, Any]]] = {
    "revokes and flip": (
        "botzone",
        {"one_card.": "one_card. revokes.", "undeclared(random)": "undeclared(flip)"},
        {"revokes": True, "undeclared": "flip"},
    ),
    "revokes": ("botzone", {"one_card.": "one_card. revokes."}, {"revokes": True}),
    "flip": ("standard", {"undeclared(redeal)": "undeclared(flip)"}, {"undeclared": "flip"}),
    "power": ("standard", {"kitty(double)": "kitty(power)"}, {"kitty": "power"}),
    "free": ("standard", {"price(try)": "price(none). must_play(5;10)"}, {"price": "none", "must_play": "5T"}),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "revokes and flip" else long) for name in SWITCHES]
)
def test_follows_with_switched_rules_equal_brute_force(name: str, tmp_path: Path) -> None:
    """Rules with one switch changed, or two at once, agree with the brute force."""
    profile, texts, changes = SWITCHES[name]
    rules, brute = turned(tmp_path, profile, texts), variant(PROFILES[profile], **changes)
    draw = Random(6)
    states = [_short_state(draw, brute) for _ in range(AT_ONCE)]
    for state, answers in zip(states, every_answer(rules, [Follow(*state) for state in states]), strict=True):
        assert answers == follows(brute, state.order, state.lead, state.hand), state
    play_refereed(rules, brute, ROUNDS)


def turned(path: Path, profile: str, texts: Mapping[str, str]) -> CompiledGame:
    """A copy of the folder with another profile."""
    shutil.copytree(KB_ROOT / "tractor", path / "tractor")
    file = path / "tractor" / "profiles" / f"{profile}.lp"
    text = file.read_text()
    for old, new in texts.items():
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    return compile_game(Folder(path / "tractor"), profile)


def test_level_card_counts_in_the_thrown_suit(tmp_path: Path) -> None:
    """D6, by a switch: it counts as the highest card of the suit led, and the throw does not fail."""
    rules = turned(tmp_path, "botzone", {"one_card.": "one_card. letters."})
    brute = variant(PROFILES["botzone"], letters=True)
    order = brute.order("2", "H")
    (plays,) = every_answer(rules, [Follow(order, Lead("S", ()), ["S5", "S2", "C2", "SB"])])
    assert ("S2", "S5") in plays
    assert not {cards for cards in plays if {"S5", "C2"} <= set(cards) or {"S5", "SB"} <= set(cards)}
    lead = lead_of(brute, order, ["S5", "S2"])
    assert lead
    answers: list[Cards] = [("S9", "SA"), ("H3", "H4"), ("C3", "C4")]
    assert takers(rules, [(order, lead, answers)]) == [winner(order, lead, answers)] == [2]


@long
def test_any_number_of_cards_may_be_buried(tmp_path: Path) -> None:
    """D5, by a switch: rounds end when a hand is empty."""
    rules = turned(tmp_path, "botzone", {"one_card.": "one_card. buries_any."})
    tables = Tables.begin(rules, match_keys(8, 4))
    for _ in range(1500):
        if tables.num_episodes.min() > 0:
            break
        keys = splitmix64_array(tables.keys, tables.num_decisions)
        if (rows := tables.rows_to_choose()).size:
            tables.choose(rows, RandomPlayer().choose(tables.choices(rows), keys[rows]))
        if (rows := tables.rows_to_play()).size:
            tables.play(rows, RandomPlayer().play(tables.decisions(rows), keys[rows]))
    assert tables.num_episodes.min() > 0


def test_records_of_the_brute_force_replay(rules: CompiledGame) -> None:
    brute = PROFILES[str(rules.profile)]
    ranks = "23456789TJQKA"
    rounds = [
        random_round(seed, brute, ranks[seed % 13], None if seed % 13 == 0 else seed % 4) for seed in range(ROUNDS)
    ]
    replayed = load("tractor").engine(None, rules.profile).replay([record_of(rules, one_round) for one_round in rounds])
    assert (replayed.episodes, replayed.mismatches) == (ROUNDS, ())

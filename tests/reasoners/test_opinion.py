"""Explanations of agents with an opinion, and the map of the hands they expect; no network is needed for that."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from abl_cards.cards import CARD_NAMES
from abl_cards.games import Moment, game
from abl_cards.games.moment import is_play
from abl_cards.games.words.card_grid import NO_KIND, card_grid
from abl_cards.positions import met_in_play
from reasoners.account import MOST_LABELS, account
from reasoners.explanation import explain
from reasoners.hands import counting
from reasoners.heat_map import NOWHERE, heat_map
from reasoners.minimiser import Minimiser
from reasoners.opinion import HandEstimate, Opinion, seat_names


@pytest.fixture(scope="module")
def engine() -> Any:
    return game("guandan").engine()


@pytest.fixture(scope="module")
def moments(engine: Any) -> list[Moment]:
    decisions = met_in_play(engine, 40, seed=8)
    return [engine.look(decisions, row) for row in range(len(decisions.which))]


def opinion_of(engine: Any, moment: Moment, seed: int) -> Opinion:
    """Random probabilities of the legal labels, and the move that the minimiser makes of the likeliest."""
    assert is_play(moment.decision)
    legal = moment.decision.legal[:, 0] > 0
    weights = np.where(legal, np.random.default_rng(seed).exponential(size=len(legal)), 0)
    chances = weights / weights.sum()
    with np.errstate(divide="ignore"):
        logarithms = np.log(chances).astype(np.float32)
    moves = Minimiser(engine.judge()).realise(moment.decision, chances[None])
    same = (moment.lists.cards == moves.cards[0]).all(axis=1) & (moment.lists.form == moves.form[0])
    return Opinion(int(same.argmax()), logarithms, estimate=estimate_of(moment))


GRID = card_grid(game("guandan").engine().rules.letters)


def estimate_of(moment: Moment) -> HandEstimate:
    assert is_play(moment.decision)
    facts = moment.decision.hidden()
    return HandEstimate(counting(facts)[0], facts, True, seat_names([0, 1, 0, 1]), GRID)


def test_labels_go_by_probability_and_card_sets_by_cost(engine: Any, moments: list[Moment]) -> None:
    for seed, moment in enumerate(moments):
        found = explain(engine, engine.judge(), moment, opinion=opinion_of(engine, moment, seed))
        chances = [each.probability or 0.0 for each in found.labels]
        assert chances == sorted(chances, reverse=True)
        assert sum(chances) == pytest.approx(1, abs=1e-5)
        assert {each.label for each in found.labels} == set(moment.labels)
        assert found.chosen == found.candidates[0] == found.labels[0]
        assert found.chosen.place == 1
        if len(found.labels) > 1:
            assert found.runner_up == found.labels[1]


def test_every_label_is_shown_by_its_cheapest_card_set(engine: Any, moments: list[Moment]) -> None:
    for seed, moment in enumerate(moments[:10]):
        found = explain(engine, engine.judge(), moment, opinion=opinion_of(engine, moment, seed))
        assert found.opinion is not None
        costs, _ = engine.judge().costs(moment.decision, moment.lists, found.opinion.told)
        for each in found.labels:
            same = [cost for cost, label in zip(costs, moment.labels, strict=True) if label == each.label]
            assert each.cost == min(same)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_account_names_the_probabilities(language: str, engine: Any, moments: list[Moment]) -> None:
    """In both languages; the shares of labels that are not shown are added up."""
    long = 0
    for seed, moment in enumerate(moments):
        found = explain(engine, engine.judge(), moment, language, opinion_of(engine, moment, seed))
        labels = account(found).split("\n\n")[0].split("\n")
        assert len(labels) == 1 + min(len(found.labels), MOST_LABELS + 1)
        label = found.chosen.label
        assert labels[1].startswith(f"> {label if language == 'en' else engine.name(label)}")
        shares = [float(share) for line in labels[1:] for share in re.findall(r"([\d.]+)%", line)]
        assert sum(shares) == pytest.approx(100, abs=1)
        long += len(found.labels) > MOST_LABELS
    assert long


def test_a_drawn_card_set_is_not_called_the_cheapest(engine: Any) -> None:
    state = {"level": "8", "hand": ["H4", "H4", "C4", "D4", "SA"], "to_beat": ["Pair", "3", ["S3", "D3"]]}
    moment = engine.moment(state)
    logarithms = np.where(np.array(engine.labels) == "pair(4)", np.float32(0), np.float32(-np.inf))
    row = max(place for place, label in enumerate(moment.labels) if label == "pair(4)")
    text = account(explain(engine, engine.judge(), moment, opinion=Opinion(row, logarithms, drawn=True)))
    assert "drawn from " in text
    assert "the lowest" not in text
    (marked,) = [line for line in text.splitlines() if line.startswith("> Pair")]
    assert str(moment.actions[row]) in marked


def test_equal_labels_go_by_their_number() -> None:
    logarithms = np.full(5, -np.inf, np.float32)
    logarithms[[1, 3]] = np.log(0.5)
    assert Opinion(0, logarithms).place.tolist() == [2, 0, 3, 1, 4]


def test_seats_are_called_by_what_they_are() -> None:
    assert seat_names([0, 1, 0, 1]) == ("next", "partner", "previous")
    assert seat_names([0, 1, 2, 3]) == ("next", "opposite", "previous")
    assert seat_names([0, 1, 1]) == ("next", "previous")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_map_shows_every_card_once_a_seat(language: str, moments: list[Moment]) -> None:
    estimate = estimate_of(moments[5])
    lines = list(heat_map(estimate, language))
    cells = [piece for line in lines for piece in line if piece.heat is not None]
    assert len(cells) == 3 * len(CARD_NAMES)
    shown = sum(float(piece.text) for piece in cells if NOWHERE not in piece.text)
    assert shown == pytest.approx(estimate.copies.sum(), abs=0.6)
    assert all(len("".join(piece.text for piece in line)) <= 80 for line in lines[1:])


def test_an_estimate_that_is_not_projected_hides_nothing(moments: list[Moment]) -> None:
    """Copies where there can be none are shown, for the agent believes in them."""
    fine = estimate_of(moments[5])
    assert not fine.possible.all()
    raw = HandEstimate(np.ones_like(fine.copies), fine.facts, False, fine.names, GRID)
    text = "\n".join("".join(piece.text for piece in line) for line in heat_map(raw, "en"))
    assert text.count("1.00") == 3 * len(CARD_NAMES)
    assert "as the network says" in text


def test_cards_without_suits_are_one_row() -> None:
    letters = game("doudizhu").engine().rules.letters
    grid = card_grid(letters)
    assert grid.heads == grid.texts == letters.texts
    assert grid.rows == ("",)
    assert grid.kinds.tolist() == [list(range(len(letters.texts)))]
    assert (GRID.kinds != NO_KIND).sum() == len(GRID.texts)

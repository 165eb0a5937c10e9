"""Candidates of decisions with more card sets than can be listed: legal, cheap, and the same by rank as by suit."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.preferences import candidates
from abl_cards.games.preferences.candidates import list_candidates
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.types import NO_CARD, MoveLists
from abl_cards.reasoners.abduction.minimiser import Minimiser
from tests.effort import amount
from tests.games.moves.test_own_kickers import WINGS

PREFERENCES = """
#include <notions>.
preference(break_set, structure). says(break_set, en, "Keep {1} whole.").
cost(break_set(R,N), 3*N) :- broken(R,N), rank(R).
preference(spend, structure). says(spend, en, "Shed {1}."). cost(spend(R,N), 4*R-9) :- spent(R,N), rank(R).
preference(long, structure). says(long, en, "Shed many."). cost(long(N), -5*N) :- play(plane(_,N)).
"""
SUITED = (
    PREFERENCES
    + """
preference(red, structure). says(red, en, "Keep the card b."). cost(red(R), R) :- left(card(R,b),1), held(card(R,b),1).
#external left(card(R,b),1) : rank(R). #external held(card(R,b),1) : rank(R).
"""
)


@pytest.fixture(scope="module", params=["by rank", "by suit"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = tmp_path_factory.mktemp("candidates") / "wings"
    folder.mkdir()
    (folder / "game.lp").write_text(WINGS.replace("deals(S,14)", "deals(S,26)"), "utf-8")
    (folder / "preferences.lp").write_text({"by rank": PREFERENCES, "by suit": SUITED}[request.param], "utf-8")
    engine = load(str(folder)).engine()
    assert engine.preference_model().distinguishes_suits == (request.param == "by suit")
    return engine


def leads(engine: Engine, tables: int, cards: int) -> Decisions:
    """Return leads from hands of so many cards."""
    begun = engine.start_matches(np.arange(tables).astype(np.uint64))
    random = np.random.default_rng(cards)
    hands = begun.state.hands
    for hand in hands.reshape(-1, hands.shape[2]):
        hand[:] = random.multivariate_hypergeometric(hand.astype(np.int64), cards)
    return begun.decisions(np.arange(tables))


def best_costs(engine: Engine, decisions: Decisions, lists: MoveLists) -> NDArray[np.int64]:
    """Return the lowest cost of each label [n, labels] among candidates."""
    cost, is_consistent = engine.preference_model().costs(decisions, lists)
    assert is_consistent.all()
    best = np.full((len(decisions.rows), len(engine.labels)), 1 << 30)
    np.minimum.at(best, (lists.decision_index, decisions.labels_of(lists.form)), cost)
    return best


def keys_of(lists: MoveLists) -> set[tuple[int, int, bytes]]:
    cards = np.sort(lists.cards, axis=1)
    return {
        (decision, form, row.tobytes())
        for decision, form, row in zip(lists.decision_index.tolist(), lists.form.tolist(), cards, strict=True)
    }


def test_searched_candidates_are_legal_and_cheap(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    decisions = leads(engine, amount(20, 200, 200), 16)
    whole = decisions.moves()
    monkeypatch.setattr(candidates, "MAX_COMPARED", 64)
    monkeypatch.setattr(candidates, "_MAX_DISTINCT", 64)
    monkeypatch.setattr(candidates, "_MAX_OF_LABEL", 16)
    found = list_candidates(engine.preference_model(), decisions)
    assert len(found.form) < len(whole.form) / 3
    assert keys_of(found) <= keys_of(whole)
    exact, searched = best_costs(engine, decisions, whole), best_costs(engine, decisions, found)
    legal = exact < 1 << 30
    assert ((searched < 1 << 30) == legal).all()
    assert (searched >= exact).all()
    assert (searched == exact)[legal].mean() > 0.95
    assert (searched.min(axis=1) == exact.min(axis=1)).mean() >= 0.95
    chosen = Minimiser(engine).best(decisions)
    cost, _ = engine.preference_model().costs(decisions, MoveLists(np.arange(len(chosen.form) + 1), *chosen))
    assert (cost == exact.min(axis=1)).mean() >= 0.95


def test_merging_suits_does_not_change_the_best_move(engine: Engine) -> None:
    decisions = leads(engine, 30, 12)
    model = engine.preference_model()
    whole, distinct = decisions.moves(), list_candidates(model, decisions, distinct_only=True)
    if model.distinguishes_suits:
        assert len(distinct.form) == len(whole.form)
    else:
        assert len(distinct.form) < len(whole.form) / 2
    minimiser = Minimiser(engine)
    expected = whole.select(minimiser.order(decisions, whole)[whole.start[:-1]])
    chosen = minimiser.best(decisions)
    assert (chosen.form == expected.form).all()
    assert (chosen.cards == expected.cards).all()


def test_best_moves_do_not_depend_on_other_rows(engine: Engine) -> None:
    decisions, minimiser = leads(engine, 40, 26), Minimiser(engine)
    together = minimiser.best(decisions)
    for row in range(0, 40, 13):
        alone = minimiser.best(decisions.select(np.array([row])))
        assert alone.form[0] == together.form[row]
        assert (alone.cards[0] == together.cards[row]).all()


def test_addable_cards_equal_those_of_larger_card_sets(engine: Engine) -> None:
    decisions = leads(engine, 6, 13)
    hand, random = decisions.view.hand, np.random.default_rng(3)
    lists = decisions.moves()
    for _ in range(amount(3, 30, 30)):
        chosen = random.binomial(hand, 0.15).astype(np.uint8)
        expected = np.zeros(hand.shape, np.bool_)
        for row, cards in zip(lists.decision_index.tolist(), lists.cards, strict=True):
            counts = np.bincount(cards[cards != NO_CARD], minlength=hand.shape[1])
            if (counts >= chosen[row]).all():
                expected[row] |= counts > chosen[row]
        assert (decisions.addable_cards(chosen) == expected).all()
        by_rank = np.stack([decisions._card_sets.find_extensions(row, -1, chosen[row]) for row in range(len(hand))])
        assert not (expected & ~by_rank).any()  # forms that exclude others may leave a card too many
        assert (expected != by_rank).mean() < 0.02


def test_play_composed_card_by_card_is_legal(engine: Engine) -> None:
    decisions = leads(engine, 12, 26)
    label = np.array([engine.labels.index("plane(1,2)")], np.int16)
    rows = np.flatnonzero(decisions.legal_mask[label[0]])
    assert rows.size
    one, random = decisions.select(rows[:1]), np.random.default_rng(5)
    chosen = np.zeros_like(one.view.hand)
    while (addable := one.addable_cards(chosen, label))[0].any():
        chosen[0, random.choice(np.flatnonzero(addable[0]))] += 1
    form = engine.rules.forms.forms[one.first_moves(label).form[0]]
    ranks = Counter(np.repeat(np.arange(chosen.shape[1]), chosen[0]) // 4)
    assert chosen.sum() == form.num_cards == 10
    assert ranks[0] >= 3
    assert ranks[1] >= 3
    assert max(ranks.values()) <= 5


def test_decisions_beyond_the_list_bound_are_played(engine: Engine) -> None:
    """26 cards of 60 have millions of card sets; none of them is an error, and each play is legal."""
    decisions = leads(engine, 8, 26)
    _, is_cut = decisions.first_card_sets(1 << 14)
    assert is_cut.sum() > 4
    found = list_candidates(None, decisions)
    hand = decisions.view.hand
    for row, cards in zip(found.decision_index.tolist(), found.cards, strict=True):
        assert (np.bincount(cards[cards != NO_CARD], minlength=hand.shape[1]) <= hand[row]).all()
    point = engine.decision_point_at(decisions, int(np.flatnonzero(is_cut)[0]))
    assert not point.is_complete
    assert len(point.actions) == len(point.labels) == len(point.move_lists.form)


def test_addable_cards_without_kickers(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    rules = """
    #include <pack52>. #include <seats>. #include <climbing>.
    seat(0..1). deals(S,5) :- seat(S). leads(0). over :- out(_). match_over.
    label(one(R)) :- rank(R). label(pass). form(L,L) :- label(L).
    kind(one(R),one) :- rank(R). kind(pass,pass). needs(one(R),1,R,1) :- rank(R). strength(one(R),R) :- rank(R).
    #external held(R,1) : rank(R). playable(one(R)) :- held(R,1). playable(pass).
    """
    (tmp_path / "plain" / "game.lp").write_text(rules, "utf-8")
    engine = load(str(tmp_path / "plain")).engine()
    one, two = candidates._list_additions(engine.rules)
    assert one.sum(axis=1).tolist() == [3] * 13
    assert (two.sum(axis=1) == 2).all()

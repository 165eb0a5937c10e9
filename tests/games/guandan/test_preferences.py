"""The circuits of the preferences against clingo, on facts that are written down a second time here."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.asp.terms import Atom
from abl_cards.circuit.oracle import Oracle
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.notation import convert_decisions
from abl_cards.games.preferences.preferences import CompiledPreferences
from abl_cards.games.sampling import sample_estimate
from abl_cards.games.tables.decision_point import DecisionPoint
from abl_cards.matches.sampled_positions import sample_from_play
from abl_cards.protocols.common.cards import Card, hand_to_cards
from abl_cards.protocols.contest.match_state import read_levels
from tests.edited import STRICT, edited
from tests.effort import amount, long

PAIRS = amount(18, 84)
SPOKEN_OF = {
    "level", "lays", "play", "held", "wild", "left", "wild_left", "unseen", "unseen_wild", "cards", "leading",
    "to_beat", "top", "plays_left", "estimated", "estimated_wild",
}  # fmt: skip
"""Facts that preferences use; the rules have more."""


def engine_of(folder: Path | None = None) -> Engine:
    """The engine of a folder, by default of the game's own."""
    loaded = load("guandan").engine(folder)
    assert isinstance(loaded, Engine)
    return loaded


def level_of(decision: Any) -> int:
    """The level of a decision."""
    return int(read_levels(decision.rules, decision.view.state.fluents[decision.rows])[0])


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return engine_of(edited(tmp_path_factory.mktemp("kb") / "strict", more=STRICT))


def preferences(engine: Engine, **more: Any) -> CompiledPreferences:
    return engine.preference_model(**more)


def rank_and_suit(card: Card) -> tuple[int, str]:
    if card >= 52:
        return card - 37, "joker"
    return (14 if card < 4 else card // 4 + 1), "shdc"[card % 4]


def hand_facts(cards: list[Card], level: int, names: tuple[str, str, str]) -> set[Atom]:
    """``held(R,N)``, ``held(R,S,N)`` and ``wild(N)``, or the same by other names."""
    by_rank, suited, wild = names
    facts = set()
    ranks: Counter = Counter()
    kinds: Counter = Counter()
    wilds = 0
    for card in cards:
        rank, suit = rank_and_suit(card)
        if (rank, suit) == (level, "h"):
            wilds += 1
            continue
        ranks[rank] += 1
        kinds[rank, suit] += 1
    for rank, count in ranks.items():
        facts |= {Atom(by_rank, (rank, n)) for n in range(1, count + 1)}
    if suited:
        for (rank, suit), count in kinds.items():
            facts |= {Atom(suited, (rank, suit, n)) for n in range(1, count + 1)}
    return facts | {Atom(wild, (n,)) for n in range(1, wilds + 1)}


def facts_of(engine: Engine, moment: DecisionPoint, row: int) -> set[Atom]:
    """Return the facts of vocabulary.lp for a decision and a move, from the arrays of the decision alone."""
    decision: Any = moment.decision
    level, view = level_of(decision), decision.view
    hand = hand_to_cards(view.hand[0])
    laid = [int(card) for card in moment.move_lists.cards[row] if card != 255]
    left = list((Counter(hand) - Counter(laid)).elements())
    form = engine.rules.forms.forms[moment.move_lists.form[row]].name
    facts = {Atom("level", (level,)), Atom("lays", (form,)), Atom("play", (moment.labels[row],))}
    facts |= hand_facts(hand, level, ("held", "held", "wild"))
    facts |= hand_facts(left, level, ("left", "left", "wild_left"))
    facts |= hand_facts(hand_to_cards(view.unseen[0]), level, ("unseen", "", "unseen_wild"))
    who = ("next", "partner", "previous")
    for name, count in zip(who, view.hidden_hand_sizes[0].tolist(), strict=True):
        facts |= {Atom("cards", (name, n)) for n in range(1, count + 1)}
    if decision.to_beat[0] < 0:
        facts.add(Atom("leading"))
    else:
        facts |= {Atom("to_beat", (engine.rules.forms.forms[decision.to_beat[0]].name,))}
        facts |= {Atom("top", (who[view.top_other[0]],))}
    remaining = np.bincount(left, minlength=54).astype(np.uint8)
    plays = int(engine.min_plays(decision.context, remaining[None])[0])
    return facts | {Atom("plays_left", (n,)) for n in range(1, plays + 1)}


def beliefs(estimate: np.ndarray, level: int) -> set[Atom]:
    """``estimated(W,R,N)`` and ``estimated_wild(W,N)`` of one decision's estimate [3, 54]."""
    facts = set()
    for who, hand in zip(("next", "partner", "previous"), estimate.astype(float), strict=True):
        ranks: Counter = Counter()
        for card in range(54):
            rank, suit = rank_and_suit(Card(card))
            ranks["wild" if (rank, suit) == (level, "h") else rank] += hand[card]
        for rank, copies in ranks.items():
            numbers = range(1, int(np.floor(copies + 0.5)) + 1)
            facts |= {
                Atom("estimated_wild", (who, n)) if rank == "wild" else Atom("estimated", (who, rank, n))
                for n in numbers
            }
    return facts


def test_costs_and_constraints_equal_clingo(strict: Engine) -> None:
    """Costs of moves in played positions and random hands; consistent and inconsistent moves occur.

    Every other decision comes with an estimate of the other hands.
    """
    judge, oracle = preferences(strict), Oracle(strict.rules.kb)
    known = set(strict.rules.kb.input_atoms)
    random = np.random.default_rng(0)
    seen: Counter = Counter()
    positions: list[Any] = [sample_from_play(strict, PAIRS // 3, seed=1), strict.sample_decisions(PAIRS // 6, seed=1)]
    for decisions in positions:
        estimates = sample_estimate(strict.rules, decisions, seed=1)
        for row in range(len(decisions.rows)):
            moment = strict.decision_point_at(decisions, row)
            decision: Any = moment.decision
            estimate = estimates[[row]] if row % 2 else None
            costs, consistent = judge.costs(decision, moment.move_lists, estimate)
            rows = judge.inputs(decision, moment.move_lists, estimate)
            refused = np.flatnonzero(~consistent)
            for move in (random.integers(len(costs)), random.choice(refused if len(refused) else len(costs))):
                facts = facts_of(strict, moment, int(move))
                facts |= set() if estimate is None else beliefs(estimate[0], level_of(decision))
                inputs = {judge.kb.input_atoms[place] for place in np.flatnonzero(rows[:, move])}
                assert facts & known == {fact for fact in inputs if fact.name in SPOKEN_OF}
                assert facts <= known | {fact for fact in facts if fact.name == "cards"}
                answer = oracle.solve(facts & known, atoms=())
                assert (answer.atoms is not None) == consistent[move], moment.actions[move]
                assert not consistent[move] or answer.cost == costs[move], moment.actions[move]
                seen[bool(consistent[move])] += 1
    assert seen.total() == PAIRS
    assert min(seen[True], seen[False]) > 0


def test_beliefs_require_an_estimate() -> None:
    """Beliefs fire with an estimate, but not without one or with an empty one."""
    engine = engine_of()
    judge = preferences(engine)
    decisions: Any = sample_from_play(engine, amount(150, 300), seed=5)
    lists, estimate = decisions.moves(), sample_estimate(engine.rules, decisions, seed=5)
    beliefs = np.array(
        [judge.kb.preference_groups.get(str(a[0]).partition("(")[0]) == "beliefs" for _, a in judge.outputs]
    )
    none, empty, informed = (
        np.concatenate([fired for _, fired in judge.evaluate(decisions, lists, given)], axis=1)
        for given in (None, np.zeros_like(estimate), estimate)
    )
    assert (none == empty).all()
    assert not none[beliefs].any()
    assert informed[beliefs].any(axis=1).all()  # each of them
    assert (informed[~beliefs] == none[~beliefs]).all()
    assert (judge.costs(decisions, lists)[0] == judge.costs(decisions, lists, np.zeros_like(estimate))[0]).all()


def test_estimates_of_any_float_type_are_rounded() -> None:
    engine = engine_of()
    judge = preferences(engine)
    decisions = engine.sample_decisions(1, seed=0)
    level = level_of(decisions)
    rank = 5 if level != 5 else 6
    estimate = np.zeros((1, 3, 54))
    estimate[0, 1, 4 * (rank - 1) : 4 * rank] = 0.375  # 1.5 in all
    estimate[0, 2, 52] = 0.49
    lists = decisions.moves()
    rows = judge.inputs(decisions, lists, estimate)
    input_texts = {str(judge.kb.input_atoms[place]) for place in np.flatnonzero(rows[:, 0])}
    assert {text for text in input_texts if text.startswith("estimated")} == {
        f"estimated(partner,{rank},1)", f"estimated(partner,{rank},2)",
    }  # fmt: skip
    with pytest.raises(ValueError, match=r"estimate must be \[1, 3, 54\], not \[3, 54\]"):
        judge.costs(decisions, lists, estimate[0])


def test_excluded_groups_cost_nothing() -> None:
    engine = load("president").engine()
    everything = preferences(engine)
    decisions = engine.sample_decisions(100, seed=2)
    lists = decisions.moves()
    whole, _ = everything.costs(decisions, lists)
    total = np.zeros_like(whole)
    groups = sorted(set(everything.kb.preference_groups.values()))
    for group in groups:
        others = preferences(engine, exclude=[group])
        assert all(
            everything.kb.preference_groups[str(args[0]).partition("(")[0]] != group
            for name, args in others.outputs
            if name == "cost"
        )
        total += whole - others.costs(decisions, lists)[0]
    assert (total == whole).all()
    none, _ = preferences(engine, exclude=groups).costs(decisions, lists)
    assert not none.any()
    with pytest.raises(GameError, match=f"'{groups[0]}'") as raised:  # as the nearest name
        preferences(engine, exclude=[groups[0] + "x"])
    assert raised.value.code == ErrorCode.UNKNOWN_PREFERENCE


def test_preferences_of_another_folder(strict: Engine, tmp_path: Path) -> None:
    """They judge as they do at a table of their own; the rules of the table stay."""
    engine = engine_of()
    decisions: Any = sample_from_play(engine, 50, seed=3)
    _, theirs = convert_decisions(strict.rules, decisions)
    lists = decisions.moves()
    borrowed = preferences(engine, directory=strict.rules.kb.files[0].parent)
    for ours, other in zip(
        borrowed.costs(decisions, lists), preferences(strict).costs(theirs, theirs.moves()), strict=True
    ):
        assert (ours == other).all()
    with pytest.raises(GameError, match="nowhere") as error:
        preferences(engine, directory=tmp_path / "nowhere")
    assert error.value.code == ErrorCode.FILE_NOT_READABLE


@long
def test_preferences_of_rules_with_other_forms(tmp_path: Path) -> None:
    """Forms unknown to the table are never the play to beat."""
    rule = "form(bomb(R,8), bomb(R,8..%s))"
    more = edited(tmp_path / "more", {"labels.lp": (rule % "10", rule % "11")})
    engine = engine_of()
    decisions = engine.sample_decisions(50, seed=4)
    lists = decisions.moves()
    theirs, ours = (preferences(engine, directory=folder).costs(decisions, lists)[0] for folder in (more, None))
    assert (theirs == ours).all()

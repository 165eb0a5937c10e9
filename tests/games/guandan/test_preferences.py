"""The circuits of the preferences against clingo, on facts that are written down a second time here."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.cards import Card, cards_of
from abl_cards.games import GameError, Moment, game
from abl_cards.games.guandan.engine import GuandanEngine, engine_of
from abl_cards.games.guandan.plays import PlayCounter
from abl_cards.games.preferences import Preferences
from abl_cards.logic import Atom, KBError, Oracle
from abl_cards.positions import met_in_play
from tests.edited import STRICT, edited

PAIRS = 240


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> GuandanEngine:
    return engine_of(edited(tmp_path_factory.mktemp("kb") / "strict", more=STRICT))


def preferences(engine: GuandanEngine, **more: Any) -> Preferences:
    return engine.judge(**more)


def rank_and_suit(card: Card) -> tuple[int, str]:
    if card >= 52:
        return card - 37, "joker"
    return (14 if card < 4 else card // 4 + 1), "shdc"[card % 4]


def hand_facts(cards: list[Card], level: int, names: tuple[str, str, str]) -> set[Atom]:
    """``held(R,N)``, ``held(R,S,N)`` and ``wild(N)``, or the same by other names."""
    by_rank, suited, wild = names
    found = set()
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
        found |= {Atom(by_rank, (rank, n)) for n in range(1, count + 1)}
    if suited:
        for (rank, suit), count in kinds.items():
            found |= {Atom(suited, (rank, suit, n)) for n in range(1, count + 1)}
    return found | {Atom(wild, (n,)) for n in range(1, wilds + 1)}


def facts_of(engine: GuandanEngine, moment: Moment, row: int) -> set[Atom]:
    """Everything vocabulary.lp says of a decision and a move, from the arrays of the decision alone."""
    decision: Any = moment.decision
    level = int(decision.hands.level[0])
    situation = decision.situation
    hand = cards_of(situation.hand[0])
    laid = [int(card) for card in moment.lists.cards[row] if card != 255]
    left = list((Counter(hand) - Counter(laid)).elements())
    form = engine.rules.shapes.forms[moment.lists.form[row]].name
    found = {Atom("level", (level,)), Atom("lays", (form,)), Atom("play", (moment.labels[row],))}
    found |= hand_facts(hand, level, ("held", "held", "wild"))
    found |= hand_facts(left, level, ("left", "left", "wild_left"))
    found |= hand_facts(cards_of(situation.unseen[0]), level, ("unseen", "", "unseen_wild"))
    who = ("next", "partner", "previous")
    for name, count in zip(who, situation.cards[0].tolist(), strict=True):
        found |= {Atom("cards", (name, n)) for n in range(1, count + 1)}
    if decision.to_beat[0] < 0:
        found.add(Atom("leading"))
    else:
        found |= {Atom("to_beat", (engine.rules.shapes.forms[decision.to_beat[0]].name,))}
        found |= {Atom("top", (who[situation.top[0]],))}
    rest = np.bincount(left, minlength=54).astype(np.uint8)
    plays = int(PlayCounter.of(engine.rules).plays_left(rest[None], decision.hands.level)[0])
    return found | {Atom("plays_left", (n,)) for n in range(1, plays + 1)}


def test_costs_and_constraints_are_those_of_clingo(strict: GuandanEngine) -> None:
    """On moves of positions met in play and of crowded random hands; both sides of consistency come up."""
    judge, oracle = preferences(strict), Oracle(strict.rules.kb)
    known = set(strict.rules.kb.input_atoms)
    random = np.random.default_rng(0)
    seen: Counter = Counter()
    positions: list[Any] = [met_in_play(strict, PAIRS // 3, seed=1), strict.sample_decisions(PAIRS // 6, seed=1)]
    for decisions in positions:
        for row in range(len(decisions.which)):
            moment = strict.look(decisions, row)
            decision: Any = moment.decision
            costs, consistent = judge.costs(decision, moment.lists)
            for move in random.integers(0, len(costs), 2):
                facts = facts_of(strict, moment, int(move))
                assert facts <= known | {fact for fact in facts if fact.name == "cards"}
                answer = oracle.solve(facts & known, among=())
                assert (answer.atoms is not None) == consistent[move], moment.actions[move]
                assert not consistent[move] or answer.cost == costs[move], moment.actions[move]
                seen[bool(consistent[move])] += 1
    assert seen.total() == PAIRS
    assert min(seen[True], seen[False]) > 0


def test_a_group_left_out_costs_nothing() -> None:
    engine = engine_of()
    everything = preferences(engine)
    decisions = engine.sample_decisions(100, seed=2)
    lists = decisions.moves()
    whole, _ = everything.costs(decisions, lists)
    total = np.zeros_like(whole)
    groups = sorted(set(everything.kb.groups.values()))
    for group in groups:
        rest = preferences(engine, without=[group])
        assert all(
            everything.kb.groups[str(args[0]).partition("(")[0]] != group
            for name, args in rest.outputs
            if name == "cost"
        )
        total += whole - rest.costs(decisions, lists)[0]
    assert (total == whole).all()
    none, _ = preferences(engine, without=groups).costs(decisions, lists)
    assert not none.any()
    with pytest.raises(GameError, match=f"did you mean '{groups[0]}'"):
        preferences(engine, without=[groups[0] + "x"])


def test_preferences_of_another_folder(strict: GuandanEngine, tmp_path: Path) -> None:
    """They judge as they do at a table of their own; the rules of the table stay."""
    engine = engine_of()
    decisions: Any = met_in_play(engine, 50, seed=3)
    _, theirs = strict.adopt(decisions)
    lists = decisions.moves()
    borrowed = preferences(engine, directory=strict.rules.kb.files[0].parent)
    for ours, other in zip(
        borrowed.costs(decisions, lists), preferences(strict).costs(theirs, theirs.moves()), strict=True
    ):
        assert (ours == other).all()
    with pytest.raises(KBError, match="no directory"):
        preferences(engine, directory=tmp_path / "nowhere")


def test_preferences_of_rules_with_other_forms(tmp_path: Path) -> None:
    """Forms that the table does not know never lie there."""
    rule = "form(bomb(R,8), bomb(R,8..%s))"
    more = edited(tmp_path / "more", {"labels.lp": (rule % "10", rule % "11")})
    engine = engine_of()
    decisions = engine.sample_decisions(50, seed=4)
    lists = decisions.moves()
    theirs, ours = (preferences(engine, directory=folder).costs(decisions, lists)[0] for folder in (more, None))
    assert (theirs == ours).all()


def test_sorts_are_of_the_vocabulary() -> None:
    """Every predicate whose arguments have a sort is there, with so many arguments."""
    engine = game("guandan").engine()
    text = "".join(file.read_text("utf-8") for file in engine_of().rules.kb.files)
    for signature, sorts in engine.sorts.items():
        assert len(sorts) == signature.arity
        assert f"{signature.name}(" in text

"""What seats know and believe of hidden hands."""

from __future__ import annotations

import numpy as np

from abl_cards.games import Decisions, Tables
from abl_cards.games.play.habits import note_acts
from abl_cards.games.play.view import View
from abl_cards.games.reading.rules import Rules
from abl_cards.games.telling.knowledge import hidden, hints
from abl_cards.streams import mix_all
from reasoners import hands


def test_has_and_lacks_are_lowered_by_what_is_laid_down(gifts: Rules) -> None:
    state = gifts.tables(3)
    state.hands[:, 1], state.hands[:, 2], state.aside[:] = [0, 0, 2, 0, 1], [1, 0, 0, 0, 2], [0, 0, 0, 0, 1]
    state.fluents[:] = gifts.fluents.nothing
    said = gifts.fluents.named("said")
    assert said is not None
    state.fluents[:2, said.first + 1] = said.values.index(3)
    state.fluents[2, said.first + 1] = said.values.index("none")
    counted = gifts.fluents.named("round")
    assert counted is not None
    state.fluents[:, counted.first] = 2
    state.played[1, 1, 2] = 1
    known = hidden(gifts, View(gifts, state, np.arange(3), np.zeros(3, np.int8)))
    assert known.at_least[:, 0, 2].tolist() == [1, 0, 0]
    assert known.at_most[:, 0, 2].tolist() == [2, 2, 0]
    assert known.at_most[:, 0, 4].tolist() == [1, 1, 1]  # lacks(1,5,2)
    assert known.at_most[:, 1, 4].tolist() == [4, 4, 4]
    assert known.aside.tolist() == [1, 1, 1]


def test_hints_follow_habits(gifts: Rules) -> None:
    state = gifts.tables(1)
    state.hands[0, :, 0] = 4
    state.fluents[:] = gifts.fluents.nothing
    form = {str(form.name): np.array([number], np.int16) for number, form in enumerate(gifts.forms.forms)}
    note_acts(gifts, state, np.arange(1), form["set(2,1)"])  # seat 0 leads a single 2
    state.seat[:], state.to_beat[:], state.owner[:] = 1, form["set(2,1)"], 0
    note_acts(gifts, state, np.arange(1), form["pass"])
    view = View(gifts, state, np.arange(1), np.array([2], np.int8))
    found = hints(gifts, view)[0] * 10  # of the seats 0 and 1
    assert np.round(found).tolist() == [[3, -20, 0, 0, 0], [0, 0, -7, -7, -7]]


def test_cards_aside_are_nobodys(gifts: Rules) -> None:
    tables = Tables.begin(gifts, np.arange(16, dtype=np.uint64))
    asked = tables.choosing()
    tables.choose(asked, tables.choices(asked).options.argmax(axis=1).astype(np.uint8))
    which = tables.playing()
    decisions: Decisions = tables.decisions(which)
    known, truth = decisions.hidden(), tables.others(which)
    assert (known.aside == 2).all()
    assert known.consistent(truth).all()
    estimate = hands.reckon(known, decisions.hints())
    assert known.consistent(estimate, 1e-3).all()
    dealt = hands.draw(estimate, known, mix_all(np.arange(len(which), dtype=np.uint64), 1), 5)
    assert all(known.consistent(dealt[:, draw]).all() for draw in range(5))
    assert known.consistent(hands.most_probable(estimate, known)).all()
    assert known.consistent(hands.expected(estimate, known), 1e-3).all()

"""Dou dizhu as a folder plays as its package does, side by side from the same cards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.agents import agent
from abl_cards.games import game
from abl_cards.streams import mix_all
from tests.games.random_play import match_keys

FOLDER = Path(__file__).with_name("doudizhu2")
NO_CARD, LOWEST = 255, 3
"""The package numbers cards by their ranks, from 3 on; the folder from 0 on."""


def _same(old: Any, new: Any, what: str) -> None:
    assert np.array_equal(np.asarray(old), np.asarray(new)), what


def _same_cards(old: Any, new: Any) -> None:
    width = min(old.shape[1], new.shape[1])
    _same(old[:, :width], np.where(new == NO_CARD, NO_CARD, new + LOWEST)[:, :width], "cards")


@pytest.mark.parametrize(
    ("profile", "player"),
    [
        ("rlcard", "random"),
        ("contest", "greedy"),
        ("botzone_bidding", "random"),
        ("douzero", "kb"),
        ("openspiel", "kb"),
    ],
)
def test_the_folder_plays_as_the_package(profile: str, player: str) -> None:
    old, new = game("doudizhu").engine(None, profile), game(str(FOLDER)).engine(None, profile)
    assert old.labels == new.labels
    keys = match_keys(10, 15)
    before, after = old.tables(keys), new.tables(keys)
    first, second, judges = agent(player, old), agent(player, new), (old.judge(), new.judge())
    for step in range(1000):
        choosing, playing = before.exchanging(), before.playing()
        _same(choosing, after.exchanging(), "who chooses")
        _same(playing, after.playing(), "who plays")
        if choosing.size:
            options, asked = after.exchanges(choosing), before.exchanges(choosing)
            _same(asked.options, options.options, "options")
            lots = mix_all(before.keys[choosing], before.clock[choosing])
            chosen = second.give(options, lots)
            _same(first.give(asked, lots), chosen, "choices")
            before.give(choosing, chosen)
            after.give(choosing, chosen)
            continue
        if not playing.size:
            break
        theirs, mine = before.decisions(playing), after.decisions(playing)
        _compare(before, after, theirs, mine)
        if step % 5 == 0:
            _compare_lists(judges, theirs, mine)
        lots = mix_all(before.keys[playing], before.clock[playing])
        laid, moves = first.play(theirs, lots), second.play(mine, lots)
        _same_cards(laid.cards, moves.cards)
        before.play(playing, laid)
        after.play(playing, moves)
    every = np.arange(len(keys))
    _same(before.outcome(every), after.outcome(every), "outcome")
    _same(before.winner, after.winner, "winner")
    _same(before.clock, after.clock, "clock")
    _same(old.rewards(before, every), new.rewards(after, every), "rewards")


def _compare(before: Any, after: Any, theirs: Any, mine: Any) -> None:
    which = theirs.which
    _same(before.seat[which], after.seat[which], "seats")
    _same(before.open_hands(which), after.open_hands(which), "hands")
    _same(before.roles(which), after.roles(which), "roles")
    for name in ("legal", "label_to_beat", "ranking"):
        _same(getattr(theirs, name), getattr(mine, name), name)
    for name in ("observe", "hints"):
        _same(getattr(theirs, name)(), getattr(mine, name)(), name)
    known = theirs.hidden(), mine.hidden()
    for name in ("unseen", "left", "at_least", "at_most"):
        _same(getattr(known[0], name), getattr(known[1], name), name)


def _compare_lists(judges: Any, theirs: Any, mine: Any) -> None:
    lists = theirs.moves(), mine.moves()
    _same(lists[0].start, lists[1].start, "lists")
    _same(theirs.labels_of(lists[0].form), mine.labels_of(lists[1].form), "labels")
    _same_cards(lists[0].cards, lists[1].cards)
    fired = []
    for judge, decisions, found in zip(judges, (theirs, mine), lists, strict=True):
        order = np.argsort([str(atom) for atom in judge.outputs])
        fired.append(np.concatenate([part for _, part in judge.fired(decisions, found)], axis=1)[order])
    _same(fired[0], fired[1], "preferences")

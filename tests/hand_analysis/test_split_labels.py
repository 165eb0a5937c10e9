"""Tests of labels from played games: the winner's plays, with separate kickers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.hand_analysis.split_labels import PlayedGames, TaggedHands, play_games, read_played_games
from abl_cards.reasoners.splits.kernels import NO_TAG
from abl_cards.reasoners.splits.rules import SplitRules, load_split_rules
from abl_cards.reasoners.splits.splits import Splitter
from tests.games.doudizhu.decided import hand_text


@cache
def rules() -> SplitRules:
    return load_split_rules(profile="douzero")


def text(tagged: TaggedHands, row: int) -> tuple[str, str]:
    tags = tagged.tags[row]
    return hand_text(int(tagged.hands[row])), "".join(map(str, tags[tags != NO_TAG]))


def test_winning_hands_are_tagged_completely() -> None:
    played = play_games(rules(), make_agent("kb", load("doudizhu").engine(profile="douzero")), 40, 3)
    won = played.tag_winning_hands()
    assert len(played) == len(won) == 40
    assert Splitter.of(rules()).consistent(won.hands, won.tags).all()
    assert (played.hands[np.arange(40), played.winner] == won.hands).all()


def test_kickers_are_tagged_as_separate_groups() -> None:
    hands = ["33344455667788999922", "34567788TTTTJJJJ2", "56QQQQKKKKAAAA2XD"]
    plays = [
        [0, "3334445566"],
        [1, ""],
        [2, ""],
        [0, "999977"],
        [1, ""],
        [2, ""],
        [0, "88"],
        [1, ""],
        [2, ""],
        [0, "22"],
    ]
    acts = [[seat, cards or "pass"] for seat, cards in plays]
    dealt = [hands[0][:-3], *hands[1:]]
    played = read_played_games(rules(), [{"hands": dealt, "aside": hands[0][-3:], "acts": acts, "finish": [0, 1, 2]}])
    assert text(played.tag_winning_hands(), 0) == (hands[0], "22222211110011333311")
    assert played.is_lead.tolist() == [True] * 4


def test_from_counts_converts_arrays_to_tags() -> None:
    cards = np.zeros((2, 15, 4), np.uint8)
    cards[0, 0] = 1, 2, 0, 0
    cards[0, 13, 3] = cards[0, 14, 3] = 1
    cards[1, 4, 2], cards[1, 2, 0] = 3, 1
    tagged = TaggedHands.from_counts(cards)
    assert text(tagged, 0) == ("333XD", "01133")
    assert text(tagged, 1) == ("5777", "0222")


def test_winning_hands_are_tagged_by_their_plays() -> None:
    cards = np.zeros((4, 15, 4), np.uint8)
    cards[0, 0, 0] = cards[1, 1, 0] = cards[3, 3, 0] = 1
    cards[2, 2, 1] = 2
    played = PlayedGames(
        hands=np.zeros((2, 3), np.uint64), winner=np.array([0, 1], np.int8), game=np.array([0, 0, 0, 1], np.int32),
        seat=np.array([0, 1, 0, 1], np.int8), is_lead=np.ones(4, np.bool_), cards=cards,
    )  # fmt: skip
    assert [text(played.tag_winning_hands(), row) for row in range(2)] == [("355", "011"), ("6", "0")]
    assert len(played.select_games(1, 2).game) == 1
    assert text(played.select_games(1, 2).tag_winning_hands(), 0) == ("6", "0")


def test_invalid_game_is_reported_with_its_number() -> None:
    with pytest.raises(GameError, match="record 1: ") as caught:
        read_played_games(rules(), [{"hands": ["3", "4", "5"], "plays": []}])
    assert caught.value.code == ErrorCode.INVALID_RECORD


def test_douzero_games_are_tagged(douzero_records: list[Mapping[str, Any]]) -> None:
    assert len(douzero_records) == 60
    played = read_played_games(rules(), douzero_records)
    won = played.tag_winning_hands()
    assert text(won, 0) == ("334556677779TQQKA", "11011113333001100")
    assert Splitter.of(rules()).consistent(won.hands, won.tags).all()
    assert played.is_lead.sum() > 60

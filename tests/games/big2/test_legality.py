"""Labels and masks of Big2 against the brute force, and cases of the wrap and affiliation rules."""

from __future__ import annotations

from functools import cache

import pytest

from abl_cards.core.errors import GameError
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.notation import legal_labels
from abl_cards.games.types.moves import LEADING
from tests.brute_force import big2 as brute
from tests.effort import amount


@cache
def engine() -> Engine:
    return load("big2").engine()


def places() -> list[int]:
    """The labels of the shapes."""
    return [engine().labels.index(combo.label) for combo, _ in brute.SHAPES]


def moves(hand: str, to_beat: str | None = None) -> list[str]:
    (answer,) = engine().legal_moves([{"hand": hand, "to_beat": to_beat}])
    assert not isinstance(answer, GameError), answer
    return answer


def test_labels_are_the_shapes_of_the_brute_force_and_pass() -> None:
    assert len(engine().labels) == 423
    assert {combo.label for combo, _ in brute.SHAPES} | {"pass"} == set(engine().labels)
    assert len(brute.SHAPES) == 422


def test_masks_equal_brute_force() -> None:
    """Masks of random states; of 200,000 with --hypothesis-profile=thorough."""
    decisions = engine().sample_decisions(amount(3_000, 12_000, 200_000), seed=3)
    combos = {place: combo for place, (combo, _) in zip(places(), brute.SHAPES, strict=True)}
    to_beat = [combos[label] if label >= 0 else None for label in decisions.label_to_beat.tolist()]
    expected = brute.legal_labels(decisions.view.hand, to_beat)
    assert (decisions.legal_mask[places()] == expected).all()
    assert (decisions.legal_mask[engine().labels.index("pass")] == (decisions.label_to_beat != LEADING)).all()
    assert expected.any(axis=1).all()  # the sample covers every label


def test_move_lists_equal_brute_force() -> None:
    count = amount(5, 60)
    decisions = engine().sample_decisions(count, seed=4)
    lists = decisions.moves()
    combos = {place: combo for place, (combo, _) in zip(places(), brute.SHAPES, strict=True)}
    for row in range(count):
        label = int(decisions.label_to_beat[row])
        expected = sorted(
            "".join(letter * count for letter, count in zip(brute.LETTERS, laid, strict=True))
            for _, laid in brute.moves(tuple(decisions.view.hand[row].tolist()), combos[label] if label >= 0 else None)
        )
        rows = range(lists.start[row], lists.start[row + 1])
        listed = [engine().notate_move(int(lists.form[move]), lists.cards[move]).to_json() for move in rows]
        assert sorted("" if laid == "pass" else laid for laid in listed) == expected


@pytest.mark.parametrize(
    ("cards", "tail", "length"),
    [
        ("A2345", "5", 5), ("23456", "6", 5), ("TJQKA", "A", 5), ("JQKA2", "2", 5), ("A23456789TJQ", "Q", 12),
        ("23456789TJQK", "K", 12), ("3456789TJQKA", "A", 12), ("3456789TJQKA2", "2", 13),
    ],
)  # fmt: skip
def test_runs_of_singles(cards: str, tail: str, length: int) -> None:
    rank = brute.LETTERS.index(tail) + 3
    assert "".join(sorted(cards, key=brute.LETTERS.index)) in moves(cards)
    (labels,) = legal_labels(engine().rules, [{"hand": cards, "to_beat": None}])
    assert not isinstance(labels, GameError)
    assert f"combo({rank},{length},1,0)" in labels


@pytest.mark.parametrize(
    ("cards", "label"),
    [
        ("2233", "combo(3,2,2,0)"), ("AA2233", "combo(3,3,2,0)"), ("AA22", "combo(15,2,2,0)"),
        ("222333", "combo(3,2,3,0)"), ("AAA222333", "combo(3,3,3,0)"), ("KKAA22", "combo(15,3,2,0)"),
    ],
)  # fmt: skip
def test_short_runs_across_the_end(cards: str, label: str) -> None:
    (labels,) = legal_labels(engine().rules, [{"hand": cards, "to_beat": None}])
    assert not isinstance(labels, GameError)
    assert label in labels


@pytest.mark.parametrize(
    "cards", ["KA234", "QKA23", "JQKA23", "KKAA2233", "345", "3456", "33334444", "3333444455", "333355"]
)
def test_card_sets_that_are_not_plays_are_not_listed(cards: str) -> None:
    assert "".join(sorted(cards, key=brute.LETTERS.index)) not in moves(cards)


def test_runs_across_the_end_rank_lowest() -> None:
    assert "34567" in moves("34567", "A2345")
    assert moves("A2345", "34567") == ["pass"]
    assert "3456A" not in moves("A23456", "23456")
    assert "4455" in moves("4455", "2233")


def test_legal_affiliations() -> None:
    assert "33344456" in moves("33344456")
    assert "33344455" not in moves("33344455")  # the two singles are of one rank
    assert "3334445566" in moves("3334445566")
    assert "3334445555" not in moves("3334445555")
    assert "333444566" not in moves("333444566")  # a single and a pair
    assert "3334" in moves("3334444")  # split off a bomb
    assert "33344" in moves("3334444")
    assert "333444555666" in moves("333444555666")
    (labels,) = legal_labels(engine().rules, [{"hand": "333444555666", "to_beat": None}])
    assert not isinstance(labels, GameError)
    assert "combo(6,4,3,0)" in labels
    assert "combo(5,3,3,1)" not in labels  # 666 as three singles
    assert "33345222" in moves("22233345")


def test_wrapped_chain_cannot_be_its_own_affiliation() -> None:
    answer = moves("AAA22233344", None)
    assert all(move.count("A") <= 3 and move.count("2") <= 3 for move in answer)
    assert "333AAA222" in answer
    assert not any(len(move) == 12 for move in answer)


@pytest.mark.parametrize(
    ("to_beat", "cards", "beaten"),
    [
        ("5", "6", True), ("5", "66", False), ("55", "666", False), ("5556", "7773", True), ("5556", "77733", False),
        ("5559", "6663", True), ("5", "3333", True), ("4444", "3333", False), ("3333", "4444", True),
        ("3333", "KA", False), ("34567", "45678", True), ("34567", "456789", False), ("45678", "3333", True),
        ("33344456", "555777QK", False), ("33344456", "555666QK", True), ("333444", "555666", True), ("2", "A", False),
    ],
)  # fmt: skip
def test_beating_plays(to_beat: str, cards: str, beaten: bool) -> None:
    answer = moves(cards, to_beat)
    assert answer[-1] == "pass"
    assert ("".join(sorted(cards, key=brute.LETTERS.index)) in answer) == beaten


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ({"hand": "3X"}, "hand: 'X' is no card"), ({"hand": "33333"}, "not that many 3"), ({"hand": ""}, "no cards"),
        ({"hand": "3", "to_beat": "34"}, "to_beat: 34 "),
        ({"hand": "3333", "to_beat": "3"}, "5 copies of 3 in total; the pack has 4"),
        ({}, "a state is"), ({"hand": "3", "profile": "snap"}, "profile"), ({"hand": 3}, "hand: 3 is no cards"),
    ],
)  # fmt: skip
def test_errors_of_invalid_states_name_the_field(state: dict, says: str) -> None:
    (answer,) = engine().legal_moves([state])
    assert isinstance(answer, GameError)
    assert says in str(answer)


def test_profile_without_runs_across_the_end() -> None:
    straight = load("big2").engine(None, "straight")
    assert len(straight.labels) < 423
    assert not any(
        label.startswith("combo(5,5,1")
        for label in legal_labels(straight.rules, [{"hand": "A2345", "to_beat": None}])[0]  # type: ignore[union-attr]
    )


def test_move_lists_are_ordered_by_type_and_length() -> None:
    assert moves("3334456789", "3") == [*"456789", "pass"]
    expected = ["3", "4", "33", "44", "333", "3334", "33344", "3344"]
    assert moves("33344") == expected


def test_only_pass_is_legal_without_a_beating_play() -> None:
    assert moves("3", "2") == ["pass"]

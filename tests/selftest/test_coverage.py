"""What never comes up is found, with a state in which it would."""

from pathlib import Path

import pytest

from abl_cards.games import Engine
from abl_cards.selftest.coverage import IMPOSSIBLE, POSSIBLE, Coverage, play
from tests.selftest.conftest import engine_of

MORE = """
preference(rare, g). says(rare, en, "Rare."). says(rare, zh, "少见。").
#external left(R,N) : rank(R), N = 1..4.
#external cards(W,N) : who(W,_), N = 0..52.
cost(rare, 1) :- left(3,4), left(4,4), left(5,4), left(6,4).
preference(never, g). says(never, en, "Never."). says(never, zh, "没有。").
cost(never, 1) :- left(3,4), not left(3,2).
preference(mild, g). says(mild, en, "Mild."). says(mild, zh, "平常。").
cost(mild, 1) :- left(3,1).
"""


def covered(engine: Engine, games: int = 60) -> Coverage:
    return play(engine, games, 1, lambda done: None)


def test_all_that_a_new_game_says_comes_up(engine: Engine) -> None:
    found = covered(engine)
    assert found.games == 60
    assert not found.labels
    assert [each.rule.text for each in found.silent if not each.is_common] == []
    assert {each.verdict for each in found.silent} <= {IMPOSSIBLE, POSSIBLE}


def test_what_does_not_is_told_with_a_state_or_a_proof(folder: Path) -> None:
    (folder / "preferences.lp").write_text(MORE, "utf-8")
    found = covered(engine_of(folder))
    assert found.preferences == ("never", "rare")
    silent = {each.rule.text.partition("(")[2].partition(",")[0]: each for each in found.silent if not each.is_common}
    assert set(silent) == {"never", "rare"}
    assert silent["never"].verdict == IMPOSSIBLE
    assert silent["rare"].verdict == POSSIBLE
    assert {f"left({rank},4)" for rank in range(3, 7)} <= set(silent["rare"].state)
    assert found.to_json()["preferences_never_fired"] == ["never", "rare"]


@pytest.mark.parametrize("name", ["tricks", "heaps"])
def test_who_takes_a_trick_is_seen(name: str) -> None:
    """Rules about cards that lie fire as they are laid, one by one where a play is composed."""
    found = covered(engine_of(Path(__file__).parents[1] / "games" / "vocabulary" / name))
    assert [each.rule.text for each in found.silent if not each.is_common and each.verdict == POSSIBLE] == []


def test_whose_turn_it_is_after_the_last_card_is_seen(engine: Engine) -> None:
    """The table of turns is made in advance: its rules are asked again where an entry is used."""
    found = covered(engine)
    turns = [each for each in found.silent if Path(each.rule.location.file).name == "turns.lp"]
    assert all(each.rule.text.startswith(("locked", "turn(S) :- trick_over; owner(O)")) for each in turns)

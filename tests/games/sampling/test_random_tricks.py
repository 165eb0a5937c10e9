"""Random tricks are reachable in play, where the taker depends on the last actor and the owner."""

import shutil
from pathlib import Path

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.description.folder import Folder
from abl_cards.games.description.pack import parse_rank_and_suit
from abl_cards.games.game import Game
from abl_cards.games.sampling.samples import sample_decisions, sample_input_rows

TRICKS = Path(__file__).parents[1] / "vocabulary" / "tricks"
TAKES = """
higher :- acted(S), owner(O), in_trick(S,R,T,1), in_trick(O,Q,T,1), R > Q.
takes(S) :- acted(S), higher, open.
takes(S) :- owner(S), not higher, open.
any(open,0). #external open.
next(open) :- event(deal).
#external event(deal).
"""
"""A higher card of the owner's suit takes the trick; before the deal no seat does."""


def rules_of(folder: Path) -> CompiledGame:
    shutil.copytree(TRICKS, folder)
    game = folder / "game.lp"
    lines = game.read_text("utf-8").splitlines()
    remaining = [line for line in lines if not line.startswith(("takes(", "beaten(", "later(", "starred", "place("))]
    game.write_text("\n".join([*remaining, TAKES]), "utf-8")
    return Game(Folder(folder)).engine().rules


def test_owner_of_random_tricks_equals_replayed_trick(tmp_path: Path) -> None:
    rules = rules_of(tmp_path / "tricks")
    decisions = sample_decisions(rules, 300, 1)
    state, seats = decisions.view.state, rules.seating.seats
    (slot,) = next(fluent.slots for fluent in rules.fluents.fluents if fluent.signature.name == "open")
    lengths = set()
    for table in range(300):
        cards = {seat: int(kinds.argmax()) for seat, kinds in enumerate(state.trick_cards[table]) if kinds.any()}
        lengths.add(len(cards))
        if not cards:
            assert state.to_beat[table] < 0
            assert state.owner[table] == state.leader[table] == state.seat[table]
            continue
        assert state.fluents[table, slot]
        turn = in_turn(rules, int(state.leader[table]))[: len(cards)]
        assert set(turn) == set(cards)
        owner = turn[0]
        for seat in turn[1:]:
            owner = seat if higher(rules, cards[seat], cards[owner]) else owner
        assert state.owner[table] == owner
        assert state.last_actor[table] == turn[-1]
    assert lengths == set(range(seats))


def test_input_rows_are_sampled_for_trick_games(tmp_path: Path) -> None:
    rules = rules_of(tmp_path / "tricks")
    assert sample_input_rows(rules, 200, 1).shape[1] == 200


def in_turn(rules: CompiledGame, first: int) -> list[int]:
    seats = [first]
    while len(seats) < rules.seating.seats:
        seats.append(rules.seating.next_seat[seats[-1]])
    return seats


def higher(rules: CompiledGame, one: int, other: int) -> bool:
    (rank, suit), (than, led) = (parse_rank_and_suit(rules.pack.kinds[kind]) or (0, "") for kind in (one, other))
    return suit == led != "" and int(rank) > int(than)

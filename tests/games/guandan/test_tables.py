"""Thousands of tables at once: no card is lost, one seat decides, and results depend on keys alone."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.games.notation import render_table
from abl_cards.games.state.state import CHOICE, EPISODE_OVER, MATCH_OVER, PLAY
from abl_cards.games.tables.listeners import ListenerList
from abl_cards.games.tables.tables import DealtEpisodes, Tables
from abl_cards.games.types.moves import Indices, Moves
from abl_cards.protocols.contest.levels import start_matches
from abl_cards.protocols.contest.match_state import card_options, fluent_values, read_team_levels
from tests.effort import amount, long
from tests.games.guandan.states import SOME_PROFILES, engine
from tests.games.random_play import match_keys, step

STEPS, TABLES = amount(300, 800), amount(6, 60)


class InvariantListener:
    """A listener that counts the cards and the events of every table."""

    def __init__(self, tables: int) -> None:
        self.played_cards = np.zeros((tables, 54), np.int64)
        self.orders: list[tuple[int, ...]] = []
        self.episodes = np.zeros(tables, np.int64)
        self.matches = np.zeros(tables, np.int64)
        self.plays = 0

    def on_draw(self, tables: Any, rows: Any) -> None:
        """Cards are dealt at once."""

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """Each seat holds 27 cards, together two packs."""
        self.played_cards[rows] = 0
        assert (tables.state.hands[rows].sum(axis=2) == 27).all()
        self.check(tables, rows)

    def on_choice(self, tables: Tables, rows: Indices, card: NDArray[np.uint8]) -> None:
        """The card is one of the seat's, and no wild card is paid."""
        self.check(tables, rows)
        kinds = np.argsort(card_options(tables.rules))[card]
        assert tables.state.hands[rows, tables.seat[rows], kinds].all()

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """The seat holds what it plays."""
        self.check(tables, rows)
        mine = tables.state.hands[rows, tables.seat[rows]].astype(np.int64)
        laid = np.zeros((len(rows), 256), np.int64)
        np.add.at(laid, (np.arange(len(rows))[:, None], moves.cards), 1)
        laid = laid[:, :54]
        assert (laid <= mine).all()
        self.played_cards[rows] += laid
        self.plays += len(rows)

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Store the orders of finish; all cards are on the table or in hands."""
        self.check(tables, rows)
        self.orders += [tuple(map(int, order)) for order in tables.state.finish_order[rows]]
        self.episodes[rows] += 1

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """Each match ends once."""
        self.matches[rows] += 1
        assert (tables.winner[rows] != -1).all()

    def check(self, tables: Tables, rows: Indices) -> None:
        """Check that held and played cards add up to two packs."""
        assert (tables.state.hands[rows].sum(axis=1) + self.played_cards[rows] == 2).all()


def assert_one_seat_decides(tables: Tables) -> None:
    """The seat to decide is in the game and holds cards, as the stage requires."""
    state = tables.state
    waiting = np.concatenate([tables.rows_to_play(), tables.rows_to_choose()])
    assert len(set(waiting)) == len(waiting)
    assert set(waiting) | set(np.flatnonzero(state.stage == MATCH_OVER)) == set(range(len(tables)))
    seats = tables.seat[waiting]
    assert ((seats >= 0) & (seats < 4)).all()
    assert (state.hands[waiting, seats].sum(axis=1) > 0).all()
    assert not (state.seats_out[waiting] >> seats & 1).any()
    assert set(np.unique(state.stage)) <= {PLAY, CHOICE, MATCH_OVER}


@long
def test_random_matches_keep_the_invariants() -> None:
    """Random matches to their end: no card is lost, one seat decides, orders are permutations, a team wins.

    Each play, pass, tribute and return is one decision. Episodes of each profile are played below, and matches to
    their end in test_replay.py.
    """
    matches = amount(12, 12, 120)
    invariant_listener, recorder = InvariantListener(matches), engine().new_recorder(matches)
    tables = engine().start_matches(match_keys(matches, 1), ListenerList((invariant_listener, recorder)))
    for number in range(100_000):
        if number % 20 == 0:
            assert_one_seat_decides(tables)
        if not step(tables):
            break
    assert (invariant_listener.matches == 1).all()
    assert set(np.unique(tables.winner)) == {0, 1}
    assert_events_match_tables(tables, invariant_listener)
    for table, clock in enumerate(tables.num_decisions.tolist()):
        assert clock == sum(len(one["acts"]) for one in recorder.pop_records(table))


@pytest.mark.parametrize("profile", SOME_PROFILES)
def test_first_episodes_keep_the_invariants(profile: str) -> None:
    """The first episodes of random matches: no card is lost, one seat decides, orders are permutations."""
    invariant_listener = InvariantListener(TABLES)
    tables = engine(profile).start_matches(match_keys(TABLES, 1), invariant_listener)
    for number in range(STEPS):
        if number % 20 == 0:
            assert_one_seat_decides(tables)
        step(tables)
    assert_events_match_tables(tables, invariant_listener)


def assert_events_match_tables(tables: Tables, invariant_listener: InvariantListener) -> None:
    """Check the events of the listener against the tables."""
    assert (invariant_listener.episodes == tables.num_episodes).all()
    assert (invariant_listener.matches == (tables.winner != -1)).all()
    assert all(sorted(order) == [0, 1, 2, 3] for order in invariant_listener.orders)
    assert len(invariant_listener.orders) == tables.num_episodes.sum() > len(tables)
    assert {(first + second) % 2 for first, second, *_ in invariant_listener.orders} == {0, 1}
    assert tables.num_decisions.sum() >= invariant_listener.plays


def records(profile: str, keys: NDArray[np.uint64], steps: int = STEPS) -> list[list[dict[str, Any]]]:
    """Return the records of random matches after a number of steps, by key."""
    recorder = engine(profile).new_recorder(len(keys))
    tables = engine(profile).start_matches(keys, recorder)
    for _ in range(steps):
        if not step(tables):
            break
    return [recorder.pop_records(table) for table in range(len(keys))]


@pytest.mark.parametrize("profile", ["standard", pytest.param("platform", marks=long)])
def test_matches_do_not_depend_on_other_tables(profile: str) -> None:
    """A match is the same alone, among others, and at another table."""
    keys = match_keys(amount(4, 8), 2)
    together = records(profile, keys)
    assert all(together)
    assert any(len(match) > 1 for match in together)
    assert together == records(profile, keys)
    assert together[::-1] == records(profile, keys[::-1])
    assert together[3:4] == records(profile, keys[3:4])
    assert len({str(match) for match in together}) == len(keys)


def test_restarting_a_match_does_not_affect_other_tables() -> None:
    """A table that starts over forgets the match before, and its neighbours go on as they would have."""
    keys = match_keys(3, 3)
    once = records("standard", keys)
    recorder = engine().new_recorder(3)
    tables = engine().start_matches(keys, recorder)
    for _ in range(STEPS // 2):
        step(tables)
    recorder.pop_records(1)
    tables.begin_match(np.array([1]), keys[1:2])
    assert (tables.num_episodes[1], tables.num_decisions[1], tables.winner[1]) == (0, 0, -1)
    for _ in range(STEPS):
        step(tables)
    assert recorder.pop_records(1) == once[1]
    assert recorder.pop_records(0)[: len(once[0])] == once[0]


def test_resumed_table_plays_one_episode() -> None:
    """A table that resumes with known cards plays one episode, promotes the teams, and stops."""
    keys = match_keys(5, 4)
    fresh = engine().start_matches(keys)
    rules = engine().rules
    start = DealtEpisodes(
        fresh.state.hands.copy(), np.zeros((5, 54), np.uint8), start_matches(rules, 5).fluents,
        fresh.seat[:, None].astype(np.int16), np.zeros((5, 4), np.int64), np.zeros(5, np.int32),
    )  # fmt: skip
    tables = Tables.resume(rules, start)
    tables.keys[:] = keys
    assert (tables.seat == fresh.seat).all()
    assert (tables.state.hands == fresh.state.hands).all()
    while tables.rows_to_play().size:
        step(tables)
    assert (tables.state.stage == EPISODE_OVER).all()
    assert (tables.num_episodes == 1).all()
    while (fresh.num_episodes == 0).any():
        step(fresh)
        just = np.flatnonzero(fresh.num_episodes == 1)
        before = fluent_values(rules, "finished", fresh.state.fluents[just])
        assert (before == tables.state.finish_order[just]).all()
        assert (
            read_team_levels(rules, fresh.state.fluents[just]) == read_team_levels(rules, tables.state.fluents[just])
        ).all()


def test_deals_are_fair() -> None:
    """Every seat gets every card and the first lead equally often; no two deals are equal."""
    count = 8_000
    tables = engine().start_matches(match_keys(count, 5))
    hands = tables.state.hands
    assert (hands.sum(axis=1) == 2).all()
    assert (hands.sum(axis=2) == 27).all()
    assert np.abs(hands.mean(axis=0) - 0.5).max() < 5 * (2 * 0.25 * 0.75 / count) ** 0.5
    assert np.abs(np.bincount(tables.seat, minlength=4) / count - 0.25).max() < 5 * (0.25 * 0.75 / count) ** 0.5
    assert len({hand.tobytes() for hand in hands}) == count


def test_episodes_of_a_match_have_different_deals() -> None:
    """The episodes of a match have other cards each."""
    (match,) = records("standard", match_keys(1, 6), 800)
    assert len({str(record["hands"]) for record in match}) == len(match) > 3


def test_rendered_table_shows_hands_seat_and_labels() -> None:
    """A table as text shows the hands, the seat to decide and as many legal labels as there are."""
    tables = engine().start_matches(match_keys(1, 8))
    for _ in range(30):
        text = render_table(engine().rules, tables, 0)
        assert f"> seat {tables.seat[0]}" in text
        if tables.rows_to_play().size:
            assert f"{tables.decisions(np.array([0])).legal_mask.sum()} legal labels" in text
        step(tables)

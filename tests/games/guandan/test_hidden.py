"""Deductions about hidden hands: hand-worked facts, facts against the truth, hints."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import abl_cards
from abl_cards.asp.errors import KBError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.state.state import PLAY
from abl_cards.games.tables.listeners import NullListener
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.information_set import InformationSet
from abl_cards.games.types.moves import Moves
from abl_cards.matches.records import read_valid_records
from abl_cards.protocols.common.cards import BIG_JOKER, format_card, parse_card
from abl_cards.protocols.contest.codec import RANK_TEXT, hand_texts
from abl_cards.protocols.contest.match_state import card_options, current_stage, table_level
from abl_cards.protocols.contest.tribute import TributeTracker
from abl_cards.reasoners.hidden_hands.hands import prior_estimate, project_estimate, sample_deals, uniform_estimate
from tests.edited import edited
from tests.effort import amount, long
from tests.games.guandan.scripted import HERE, choose, play, table_with_hands
from tests.games.guandan.states import engine
from tests.games.random_play import match_keys, step

SMALL = Path(__file__).parents[1] / "vocabulary" / "hints"
SAMPLE = Path(abl_cards.__file__).parent / "data" / "guandan_contest_sample.jsonl.gz"


STEPS, NUM_TABLES = amount(250, 500), amount(4, 10)


def bounds(tables: Tables, observer: int, seat: int, card: str) -> tuple[int, int]:
    """Return the bounds that one seat knows of another seat's copies of a card."""
    known = tables.information_set(HERE, np.array([observer], np.int8))
    place, number = (seat - observer) % 4 - 1, parse_card(card)
    return int(known.min_copies[0, place, number]), int(known.max_copies[0, place, number])


# --- facts, worked by hand --------------------------------------------------------------------------------------------


def test_no_bounds_before_tribute() -> None:
    tables = table_with_hands(engine().rules, ["S3 S4", "H3 H4", "C3 C4", "D3 D4"])
    known = tables.information_set(HERE)
    assert known.cards_left.tolist() == [[2, 2, 2]]
    assert not known.min_copies.any()
    assert (known.max_copies == known.unseen[:, None]).all()
    assert (known.unseen[0].sum(), known.unseen[0, parse_card("S3")]) == (6, 0)


def paid(level: str = "2", hands: tuple[str, str, str, str] | None = None, back: str = "S5") -> Tables:
    """Seat 3 has paid its king to seat 0 and got a card back; the twos are the level."""
    dealt = hands or ("S5 S9 HA SB", "HA C2 SB HR", "DA DK HR H3", "SK D8 H2 H2")
    tables = table_with_hands(engine().rules, dealt, level=level, previous=(0, 1, 2, 3))
    choose(tables, 3, "SK")
    choose(tables, 0, back)
    return tables


def test_payer_lacks_cards_above_its_tribute_except_wild_cards() -> None:
    tables = paid()
    for card in ("HA", "DA", "C2", "SB", "HR"):
        assert bounds(tables, 1, 3, card) == (0, 0), card
    assert bounds(tables, 1, 3, "H2") == (0, 2)  # the wild card is not paid
    assert bounds(tables, 1, 3, "D8") == (0, 1)
    assert bounds(tables, 1, 3, "DK") == (0, 1)  # another king may be there
    assert bounds(tables, 1, 2, "DA") == (0, 1)  # trivial bounds for a seat that did not pay


def test_bounds_rank_the_level_card_above_the_ace() -> None:
    hands = ("S5 S9 CK", "HA C3 SB HR", "DA DK HR H3", "SK D8 D9 D3")
    at_two, at_king = (paid(level, hands) for level in ("2", "K"))
    assert bounds(at_two, 1, 3, "DA")[1] == 0
    assert bounds(at_king, 1, 3, "DA")[1] == 1  # at level K a king is paid before an ace
    assert bounds(at_king, 1, 3, "HR")[1] == 0


def test_exchanged_card_is_known_until_played() -> None:
    tables = paid()
    assert bounds(tables, 1, 0, "SK") == (1, 1)
    assert bounds(tables, 2, 3, "S5") == (1, 1)
    assert bounds(tables, 0, 3, "S5") == (1, 1)
    play(tables, "3: S5\n0: SK")
    assert bounds(tables, 1, 0, "SK") == (0, 0)
    assert bounds(tables, 1, 3, "S5") == (0, 0)


def test_playing_one_copy_clears_the_known_copy() -> None:
    hands = ("S5 S5 S9 HA", "HA C2 SB HR", "DA DK HR H3", "SK SK D8 S3")
    tables = paid(hands=hands)
    assert bounds(tables, 1, 0, "SK") == (1, 2)
    assert bounds(tables, 1, 3, "SK") == (0, 2)
    play(tables, "3: S3\n0: SK")
    assert bounds(tables, 1, 0, "SK") == (0, 1)


def test_returned_tribute_card_moves_its_bounds() -> None:
    hands = ("S9 H9 D9 HA", "HA C2 SB HR", "DA DK HR H3", "S9 D8 S3 S4")
    tables = table_with_hands(engine().rules, hands, previous=(0, 1, 2, 3))
    choose(tables, 3, "S9")
    choose(tables, 0, "S9")
    assert bounds(tables, 1, 3, "S9") == (1, 2)
    assert bounds(tables, 1, 0, "S9") == (0, 2)  # it may have given that very card


def test_returning_above_a_ten_rules_out_lower_cards() -> None:
    hands = ("SQ HQ CK SB", "HA C3 SB HR", "DA DJ HR H9", "SK D8 D9 D3")
    tables = paid(hands=hands, back="SQ")
    assert bounds(tables, 1, 0, "DJ") == (0, 0)
    assert bounds(tables, 1, 0, "H9") == (0, 0)
    assert bounds(tables, 1, 0, "HQ")[1] == 1
    assert bounds(tables, 2, 3, "SQ") == (1, 1)


def test_returned_card_above_the_tribute_is_known() -> None:
    hands = ("SQ HQ HQ CK", "HA C3 SB HR", "DA CQ HR H9", "SJ D8 D9 D3")
    tables = table_with_hands(engine().rules, hands, previous=(0, 1, 2, 3))
    choose(tables, 3, "SJ")
    choose(tables, 0, "SJ")  # the jack that came is the lowest
    assert bounds(tables, 1, 3, "SQ") == (0, 0)
    assert bounds(tables, 1, 3, "SJ") == (1, 1)


def test_payer_of_a_big_joker_has_no_other() -> None:
    hands = ("S5 S9 HA SB", "HA C2 SB HR", "DA DK S4 H3", "HR D8 S7 S8")
    tables = table_with_hands(engine().rules, hands, previous=(0, 1, 2, 3))
    choose(tables, 3, "HR")
    choose(tables, 0, "S5")
    assert bounds(tables, 2, 3, "HR") == (0, 0)
    assert bounds(tables, 2, 3, "SB") == (0, 1 + 1)


@pytest.mark.parametrize(
    ("hands", "previous", "expected"),
    [
        (("S3 S4", "H3 H4", "C3 C4", "HR HR"), (0, 1, 2, 3), {3: 2}),
        (("S3 S4", "H3 HR", "C3 C4", "S5 HR"), (0, 2, 1, 3), {1: 1, 3: 1}),
        (("S3 S4", "HR HR", "C3 C4", "S5 S6"), (0, 2, 1, 3), {1: 2}),
    ],
)
def test_refusing_big_jokers_are_known(
    hands: tuple[str, ...], previous: tuple[int, int, int, int], expected: dict[int, int]
) -> None:
    tables = table_with_hands(engine().rules, hands, previous=previous)
    known = tables.information_set(HERE, np.array([0], np.int8))
    assert {place + 1: int(n) for place, n in enumerate(known.min_copies[0, :, BIG_JOKER]) if n} == expected
    others = [seat for seat in (1, 2, 3) if seat not in expected]
    assert uniform_estimate(known)[0, [seat - 1 for seat in others], BIG_JOKER].tolist() == [0.0] * len(others)


# --- facts and the truth ----------------------------------------------------------------------------------------------


class BoundsChecker(NullListener):
    """Listener that compares the deductions of every seat with the truth at every decision."""

    def __init__(self) -> None:
        self.decisions, self.told = 0, 0

    def on_play(self, tables: Any, rows: NDArray[np.int64], moves: Moves) -> None:
        for seat in range(4):
            seats = np.full(len(rows), seat, np.int8)
            known, truth = tables.information_set(rows, seats), tables.hidden_hands(rows, seats)
            assert known.is_consistent(truth).all()
            assert (known.max_copies <= known.unseen[:, None]).all()
            denied = known.max_copies < known.unseen[:, None]
            self.told += int((known.min_copies.any(axis=(1, 2)) | denied.any(axis=(1, 2))).sum())
        self.decisions += len(rows)


@pytest.mark.parametrize("profile", ["standard", pytest.param("platform", marks=long)])
def test_true_hands_satisfy_the_bounds(profile: str) -> None:
    bounds_checker = BoundsChecker()
    tables = engine(profile).start_matches(match_keys(NUM_TABLES, 6), bounds_checker)
    for _ in range(STEPS):
        step(tables)
    assert bounds_checker.decisions > 0.6 * NUM_TABLES * STEPS
    assert bounds_checker.told > bounds_checker.decisions / 2


def test_true_hands_of_records_satisfy_bounds_and_hints_reduce_error() -> None:
    class ErrorMeter(BoundsChecker):
        errors = np.zeros(3)

        def on_play(self, tables: Any, rows: NDArray[np.int64], moves: Moves) -> None:
            super().on_play(tables, rows, moves)
            known, truth = tables.information_set(rows), tables.hidden_hands(rows)
            plain = uniform_estimate(known.counts_only())
            guesses = plain, project_estimate(plain, known), prior_estimate(known, tables.belief_log_odds(rows))
            self.errors = self.errors + [((guess - truth) ** 2).sum() for guess in guesses]

    error_meter = ErrorMeter()
    assert not engine().replay(read_valid_records(SAMPLE), error_meter).mismatches
    by_counting, with_facts, with_hints = error_meter.errors
    assert with_facts < by_counting
    assert with_hints < 0.85 * with_facts


class TributeRecorder(NullListener):
    """Listener that stores paid and returned cards."""

    def __init__(self, tables: int) -> None:
        self.ledgers = [TributeTracker() for _ in range(tables)]

    def on_episode_start(self, tables: Any, rows: NDArray[np.int64]) -> None:
        for table in rows.tolist():
            self.ledgers[table] = TributeTracker()

    def on_choice(self, tables: Any, rows: NDArray[np.int64], options: NDArray[np.uint8]) -> None:
        kinds = np.argsort(card_options(tables.rules))[options]
        for table, kind in zip(rows.tolist(), kinds.tolist(), strict=True):
            self.ledgers[table].add(current_stage(tables, table), int(tables.seat[table]), kind)


def test_every_consistent_hand_would_pay_the_same_tribute() -> None:
    """The facts of a tribute are complete: every hand they allow would have paid the same card."""
    num_tables = amount(30, 60)
    payer, checked, payments = TributeRecorder(num_tables), 0, list[tuple[int, NDArray[np.int64], int]]()
    tables = engine().start_matches(match_keys(num_tables, 7), payer)
    for _ in range(STEPS):
        for table in np.flatnonzero((tables.state.num_acts == 0) & (tables.state.stage == PLAY)).tolist():
            tributes, here = payer.ledgers[table], np.array([table])
            pairs = zip(
                tributes.paid_tributes(tables, table) or [], tributes.returned_cards(tables, table) or [], strict=True
            )
            for (giver, taker, card), (_, _, returned) in pairs:
                known = tables.information_set(here, np.array([taker], np.int8))
                keys = splitmix64_array(np.zeros((1, 5), np.uint64), np.arange(5).reshape(-1, 5) + 5 * table)
                for deal in sample_deals(uniform_estimate(known), known, keys)[0]:
                    hand = deal[(giver - taker) % 4 - 1].astype(np.int64)
                    hand[returned] -= 1
                    hand[card] += 1
                    payments.append((table_level(tables, table), hand, card))
        step(tables)
    states = [
        {"level": RANK_TEXT[level], "hand": hand_texts(hand.astype(np.uint8), level), "stage": "tribute"}
        for level, hand, _ in payments
    ]
    for (_, _, card), answer in zip(payments, engine().legal_moves(states), strict=True):
        assert not isinstance(answer, Exception)
        assert ["tribute", "tribute", [format_card(card)]] in answer
        checked += 1
    assert checked > amount(50, 100)


# --- what a seat may see ----------------------------------------------------------------------------------------------


def test_bounds_do_not_depend_on_unseen_cards() -> None:
    tables = engine().start_matches(match_keys(amount(20, 60), 8))
    for number in range(STEPS):
        step(tables)
        if number % 40 != 20:
            continue
        rows = tables.rows_to_play()
        decisions = tables.decisions(rows)
        before = decisions.information_set(), decisions.belief_log_odds()
        seat, hands = tables.seat[rows].astype(np.int64), tables.state.hands.copy()
        anew = before[0].counts_only()
        deals = sample_deals(uniform_estimate(anew), anew, splitmix64_array(tables.keys[rows], number)[:, None])[:, 0]
        for place in range(3):
            tables.state.hands[rows, (seat + place + 1) % 4] = deals[:, place]
        after = decisions.information_set(), decisions.belief_log_odds()
        tables.state.hands[:] = hands
        assert (deals != tables.hidden_hands(rows)).any()
        assert same(before[0], after[0])
        assert (before[1] == after[1]).all()


def same(first: InformationSet, second: InformationSet) -> bool:
    """Return True if two information sets are equal."""
    pairs = (
        (first.unseen, second.unseen), (first.cards_left, second.cards_left), (first.min_copies, second.min_copies),
        (first.max_copies, second.max_copies),
    )  # fmt: skip
    return all(bool((one == other).all()) for one, other in pairs)


def test_bounds_of_record_decisions_equal_those_of_the_table() -> None:
    records = [record for record in read_valid_records(SAMPLE) if record["tribute"] or record["anti"]][:4]
    moves = [min(30 + 7 * number, len(record["plays"])) for number, record in enumerate(records)]
    decisions = engine().decisions_at_acts(records, moves)

    class InformationRecorder(NullListener):
        seen: dict[int, tuple[InformationSet, NDArray[np.float32]]]

        def __init__(self) -> None:
            self.seen = {}

        def on_play(self, tables: Any, rows: NDArray[np.int64], moves_made: Moves) -> None:
            for table in rows:
                if tables.state.num_acts[table] == act_numbers[table] - 1:
                    one = np.array([table])
                    self.seen[int(table)] = tables.information_set(one), tables.belief_log_odds(one)

    every = read_valid_records(SAMPLE)
    act_numbers = {every.index(record): move for record, move in zip(records, moves, strict=True)}
    act_numbers = {number: act_numbers.get(number, 0) for number in range(len(every))}
    information_recorder = InformationRecorder()
    engine().replay(every, information_recorder)
    for row, record in enumerate(records):
        known, hints = information_recorder.seen[every.index(record)]
        assert same(decisions.information_set().select(np.array([row])), known)
        assert (decisions.belief_log_odds()[row] == hints[0]).all()


# --- hints ------------------------------------------------------------------------------------------------------------


def hint(tables: Tables, observer: int, seat: int, card: str) -> float:
    """Return the points that the habits of a seat give a card."""
    log_odds = tables.belief_log_odds(HERE, np.array([observer], np.int8))
    return round(10 * float(log_odds[0, (seat - observer) % 4 - 1, parse_card(card)]), 3)


def test_hints_follow_plays_and_passes() -> None:
    hands = ["S3 S6 S8 H2 D9 DT C4", "S4 C4 HJ SB", "D6 D7 SQ C2", "C8 C8 D8 S9"]
    remaining = "SA HA CA DA SK HK DK CK SJ DJ CJ HT CT HQ CQ DQ C7 S7"
    tables = table_with_hands(engine().rules, [f"{hand} {remaining}" for hand in hands])
    assert [hint(tables, 1, 0, card) for card in ("S3", "SA", "SB", "H2")] == [0, 0, 0, 0]
    play(tables, "0: S3\n1: S4\n2: SQ\n3: pass\n0: pass\n1: SB\n2: pass")
    assert hint(tables, 1, 0, "S3") == -23  # rest_of_single
    assert hint(tables, 1, 0, "SB") == 0  # seat 0 passed over its partner's queen
    assert hint(tables, 1, 3, "SB") == -32  # no_joker: seat 3 passed over an enemy's queen
    assert hint(tables, 1, 3, "C2") == -29  # no_level_single
    assert hint(tables, 1, 3, "H2") == 0  # a wild card is none
    assert hint(tables, 0, 1, "SB") == -23 + 2  # keeps_high: it has come down to 20 cards
    assert hint(tables, 1, 2, "HR") == -32


def edited_engine(folder: Path) -> Engine:
    """The engine of a copy of the rules."""
    loaded = load("guandan").engine(folder)
    assert isinstance(loaded, Engine)
    return loaded


def test_edited_belief_weights_change_hints(tmp_path: Path) -> None:
    old = "belief(rest_of_single(R), R, -23) :- laid(single,R)."
    folder = edited(tmp_path / "kb", {"hands.lp": (old, old.replace("-23", "-7"))})
    tables = table_with_hands(edited_engine(folder).rules, ["S3 S4", "H3 H4", "C3 C4", "D3 D4"])
    play(tables, "0: S3")
    assert hint(tables, 1, 0, "H3") == -7


def test_belief_about_an_unknown_card_is_an_error(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SMALL, tmp_path / "kb"))
    text, old = (folder / "game.lp").read_text("utf-8"), "belief(spent(R),R,-3)"
    assert text.count(old) == 1
    (folder / "game.lp").write_text(text.replace(old, "belief(spent(R),joker,-3)"), "utf-8")
    with pytest.raises(KBError, match="is no cell"):
        load(str(folder)).engine()


def test_rules_without_hands_file_give_no_beliefs(tmp_path: Path) -> None:
    folder = edited(tmp_path / "kb")
    (folder / "hands.lp").unlink()
    tables = edited_engine(folder).start_matches(match_keys(5, 9))
    for _ in range(amount(15, 150)):
        step(tables)
    known = tables.information_set(tables.rows_to_play())
    assert not known.min_copies.any()
    assert not tables.belief_log_odds(tables.rows_to_play()).any()

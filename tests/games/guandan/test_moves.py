"""The lists of concrete moves: complete, exact, in wire order; and the realisations of one label."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.core import parallel
from abl_cards.core.errors import GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.binding import circuit_query
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.types.moves import LEADING, NO_CARD, MoveLists, Moves
from tests.brute_force.guandan import moves, moves_by_subsets, return_cards, tribute_cards, unordered
from tests.brute_force.states import State, mixed_states
from tests.effort import amount, long
from tests.games.guandan.states import PROFILES, States, decided, decisions_of, engine, listed, random_states, texts

STATES = amount(1_000, 3_000)


def check_lists(states: list[State], profile: str = "standard") -> None:
    """Lists agree with the brute force, in the same order."""
    rules = engine(profile).rules
    lists = decisions_of(rules, states).moves()
    for row, state in enumerate(states):
        assert listed(rules, lists, row) == moves(*state), state


@pytest.mark.parametrize("profile", PROFILES)
def test_lists_of_small_hands(profile: str) -> None:
    """Hands of 1 to 9 cards that lead and follow every type."""
    check_lists(mixed_states(seed=100 + PROFILES.index(profile), count=amount(8, 60), smallest=1, largest=9), profile)


def test_lists_of_hands_of_every_size() -> None:
    """Hands of 1 to 27 cards that lead and follow every type."""
    check_lists(mixed_states(seed=110, count=amount(18, 200), smallest=1, largest=27))


def test_lists_of_full_hands() -> None:
    """Hands of 27 cards."""
    check_lists(mixed_states(seed=111, count=amount(6, 40), smallest=27, largest=27))


def test_lists_equal_legal_subsets_of_the_hand() -> None:
    """Lists of small hands equal the legal subsets of the hand."""
    states = mixed_states(seed=112, count=amount(14, 100), smallest=1, largest=8)
    rules = engine().rules
    lists = decisions_of(rules, states).moves()
    for row, state in enumerate(states):
        actions = listed(rules, lists, row)
        assert len({unordered(action) for action in actions}) == len(actions), state
        assert {unordered(action) for action in actions} == moves_by_subsets(*state), state


def test_lists_of_json_states_equal_brute_force() -> None:
    """`legal_moves` answers states in JSON form with the same lists."""
    count = amount(24, 250)
    states = [state for state in mixed_states(seed=113, count=count, smallest=1, largest=20) if two_packs_hold(state)]
    assert len(states) > 0.4 * count
    json_states = [{"level": state.level, "hand": state.hand, "to_beat": state.to_beat} for state in states]
    for state, answer in zip(states, engine().legal_moves(json_states), strict=True):
        assert answer == moves(*state), state


def two_packs_hold(state: State) -> bool:
    """Return True if two packs contain both the hand and the play to beat."""
    seen = Counter(state.hand) + Counter(state.to_beat[2] if state.to_beat else [])
    return max(seen.values()) <= 2


def test_invalid_json_state_does_not_affect_others() -> None:
    """A bad state among good ones is answered by its error, and the others as if it were not there."""
    good = {"level": "8", "hand": ["H5", "D3"], "to_beat": ["Pair", "4", ["H4", "C4"]]}
    first, bad, last = engine().legal_moves([good, {"level": "1", "hand": ["H5"]}, good])
    assert first == last == [["PASS", "PASS", "PASS"]]
    assert isinstance(bad, GameError)


def test_tribute_and_return_lists_equal_brute_force() -> None:
    """Tribute cards agree with the brute force; so do return cards if the hand has a 2 to 10."""
    rules = engine().rules
    states = random_states(rules, amount(250, 400), seed=7)
    for stage, choices in (("tribute", tribute_cards), ("back", return_cards)):
        shown = ["  23456789TJQKA"[level] for level in states.levels]
        hands = [texts(hand, int(level)) for hand, level in zip(states.hands, states.levels, strict=True)]
        pairs = [(level, hand) for level, hand in zip(shown, hands, strict=True) if payable(hand, level, stage)]
        assert len(pairs) > 100
        answers = engine().legal_moves([{"level": level, "hand": hand, "stage": stage} for level, hand in pairs])
        for (level, hand), answer in zip(pairs, answers, strict=True):
            assert answer == [[stage, stage, [card]] for card in choices(hand, level)], (level, hand)


def payable(hand: list[str], level: str, stage: str) -> bool:
    """Return True for a hand with a choice in both implementations: not only wild cards, no fallback return."""
    naturals = [card for card in hand if card != "H" + level]
    return bool(naturals) and (
        stage == "tribute" or any(card[1] in "23456789T".replace(level, "") for card in naturals)
    )


def each_label(decisions: Decisions) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int16]]]:
    """The decisions where a label is legal, and the label for each; label by label."""
    for label, legal in enumerate(decisions.legal_mask):
        rows = np.flatnonzero(legal)
        if rows.size:
            yield rows, np.full(len(rows), label, np.int16)


def subset(decisions: Decisions, rows: NDArray[np.int64]) -> Decisions:
    """Select decisions and compute their masks again."""
    return Decisions(decisions.view.select(rows))


def rows_of(moves: Moves | MoveLists) -> list[tuple[int, bytes]]:
    """Return moves as comparable tuples."""
    return [(int(form), cards.tobytes()) for form, cards in zip(moves.form, moves.cards, strict=True)]


def test_moves_of_one_label_equal_their_part_of_the_list() -> None:
    """The list of a label is its part of the whole list, the first realisation heads it, a random one is in it."""
    rules = engine().rules
    decisions = decided(rules, random_states(rules, amount(40, 200), seed=8))
    whole = decisions.moves()
    moves_of_whole, labels_of_whole = rows_of(whole), rules.forms.label_of[whole.form]
    for rows, labels in each_label(decisions):
        part = subset(decisions, rows)
        lists = part.moves(labels)
        first = rows_of(part.first_moves(labels))
        drawn = rows_of(part.sample_moves(labels, splitmix64_array(rows.astype(np.uint64), int(labels[0]))))
        move_rows = rows_of(lists)
        for place, row in enumerate(rows):
            mine = move_rows[lists.start[place] : lists.start[place + 1]]
            span = np.arange(whole.start[row], whole.start[row + 1])
            assert mine == [moves_of_whole[move] for move in span[labels_of_whole[span] == labels[0]]]
            assert first[place] == mine[0]
            assert drawn[place] in mine


def test_a_label_is_legal_exactly_when_it_has_a_card_set() -> None:
    """Every legal label is in the list, and no other."""
    rules = engine().rules
    decisions = decided(rules, random_states(rules, STATES, seed=9))
    lists = decisions.moves()
    seen = np.zeros_like(decisions.legal_mask)
    seen[rules.forms.label_of[lists.form], np.repeat(np.arange(STATES), np.diff(lists.start))] = 1
    assert (seen == decisions.legal_mask).all()


def test_allowed_forms_are_exactly_those_with_card_sets() -> None:
    """Each form that the circuit allows has a card set of its own, and no other form has."""
    rules = engine().rules
    decisions = decided(rules, random_states(rules, 1_000, seed=10))
    lists = decisions.moves()
    seen = np.zeros_like(decisions.form_mask)
    seen[lists.form, np.repeat(np.arange(1_000), np.diff(lists.start))] = 1
    assert (seen == decisions.form_mask).all()
    assert ((lists.cards != NO_CARD).sum(axis=1) == rules.forms.num_cards[lists.form]).all()


@pytest.mark.parametrize(
    ("hand", "level", "label"),
    [
        ("S6 C6 D6", "2", "pair(6)"),
        ("SQ SQ CQ H2 H2", "2", "pair(12)"),
        ("S3 C3 S4 C4 S5 C5 D5 S6 S7 H8 H2", "2", "straight(3)"),
        ("S3 S3 H3 C3 S4 H4 SB SB H2", "2", "full_house(3)"),
        ("S3 S4 S5 S6 S7 H3 H4 H5 H6 H7 H2", "2", "straight_flush(3)"),
        ("S3 S3 H3 H3 C3 C3 D3 D3 H2 H2", "2", "bomb(3,8)"),
    ],
)
def test_random_realisations_are_uniform(hand: str, level: str, label: str) -> None:
    """Every card set of a label is drawn about equally often."""
    keys = np.arange(4_000, dtype=np.uint64)
    many = decisions_of(engine().rules, [State(hand.split(), level, None)] * len(keys))
    labels = np.full(len(keys), engine().labels.index(label), np.int16)
    drawn = Counter(rows_of(many.sample_moves(labels, keys)))
    choices = rows_of(subset(many, np.array([0])).moves(labels[:1]))
    assert set(drawn) == set(choices)
    expected = len(keys) / len(choices)
    chi_square = sum((count - expected) ** 2 / expected for count in drawn.values())
    freedom = len(choices) - 1
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5 + 6  # about one in 10,000 would fail, were it chance


def test_draws_depend_only_on_the_key() -> None:
    """Equal keys draw equal card sets; different keys draw different ones."""
    rules = engine().rules
    states = random_states(rules, 400, seed=12, smallest=20)
    states = States(states.hands, states.levels, np.full(400, LEADING, np.int16))
    decisions = decided(rules, states)
    labels = decisions.legal_mask.argmax(axis=0).astype(np.int16)
    keys = splitmix64_array(np.arange(400).astype(np.uint64), 5)
    once, again = (rows_of(decisions.sample_moves(labels, keys)) for _ in range(2))
    backwards = rows_of(subset(decisions, np.arange(400)[::-1]).sample_moves(labels[::-1].copy(), keys[::-1].copy()))
    assert once == again == backwards[::-1]
    assert once != rows_of(decisions.sample_moves(labels, splitmix64_array(keys, 1)))


def test_results_do_not_depend_on_batches_or_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """One decision at a time, all at once, alone or with several threads: the same masks, lists and draws."""
    rules, count = engine().rules, amount(300, 1_500)
    states = random_states(rules, count, seed=13)
    keys = splitmix64_array(np.arange(count).astype(np.uint64), 9)
    results = []
    for threads in (1, 2, 3):
        parallel._job_queue.cache_clear()
        for module in (parallel, circuit_query):
            monkeypatch.setattr(module, "NUM_THREADS", threads)
        decisions = decided(rules, states)
        labels = decisions.legal_mask.argmax(axis=0).astype(np.int16)
        lists = decisions.moves()
        drawn = decisions.sample_moves(labels, keys)
        results.append([decisions.legal_mask.tobytes(), *(field.tobytes() for field in (*lists, *drawn))])
    parallel._job_queue.cache_clear()
    assert results[0] == results[1] == results[2]
    for row in range(0, count, 50):
        alone = subset(decisions, np.array([row])).moves()
        assert rows_of(alone) == rows_of(lists)[lists.start[row] : lists.start[row + 1]]


DIGEST = """
from abl_cards.core.parallel import NUM_THREADS
from tests.games.guandan.test_moves import digest
print(NUM_THREADS == 3, digest())
"""


def digest() -> str:
    """Return the digest of the masks and lists of many states."""
    decisions = decided(engine().rules, random_states(engine().rules, 1_200, seed=14))
    return hashlib.sha256(decisions.legal_mask.tobytes() + decisions.moves().cards.tobytes()).hexdigest()


@long
def test_results_do_not_depend_on_the_threads_variable() -> None:
    """ABL_CARDS_THREADS changes only the speed, as the number of threads in one process (above)."""
    other = subprocess.run(
        [sys.executable, "-c", DIGEST],
        env=os.environ | {"ABL_CARDS_THREADS": "3" if parallel.NUM_THREADS != 3 else "2"},
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    assert other.stdout == f"{parallel.NUM_THREADS != 3} {digest()}\n"


def test_return_falls_back_to_the_lowest_rank() -> None:
    """Without a card of 2 to 10 that is no level card, the lowest rank but wild cards and jokers is returned."""
    cases = {
        ("J", "HJ SK SQ DQ SB"): ["SQ", "DQ"],
        ("Q", "SQ DK DK SA HR"): ["DK"],
        ("8", "S8 H8 SA SB"): ["SA"],
        ("8", "S8 H8 SB"): ["S8"],
    }
    for (level, hand), expected in cases.items():
        (answer,) = engine().legal_moves([{"level": level, "hand": hand.split(), "stage": "back"}])
        assert answer == [["back", "back", [card]] for card in expected]

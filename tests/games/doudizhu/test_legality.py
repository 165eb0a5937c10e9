"""Masks and lists of Dou dizhu against the brute force, for every source of kickers."""

from collections import Counter

import numpy as np
import pytest

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.min_plays.hand_keys import key_text, keys_from_counts
from abl_cards.games.tables.decisions import Decisions
from tests.brute_force import doudizhu as brute_force
from tests.brute_force.doudizhu import SOURCES, legal_masks, legal_plays, plays, readings
from tests.effort import amount
from tests.games.doudizhu.decided import decide, engine_of, hand, row_text

PLANES = {"rlcard": 21_822, "openspiel": 22_205, "douzero": 24_331, "botzone": 8_044}
FOURS = {"rlcard": (1_326, 858), "openspiel": (0, 0), "douzero": (1_339, 858), "botzone": (1_183, 858)}
TOTAL = {"rlcard": 27_471, "openspiel": 25_670, "douzero": 29_993, "botzone": 34_323}
READINGS = {"openspiel": 26_053, "douzero": 30_383}
"""Numbers of readings of sources where some cards can be read in several ways."""
EVERYWHERE = {
    "single": 15, "pair": 13, "trio": 13, "trio_single": 182, "trio_pair": 156, "single_chain": 36, "pair_chain": 52,
    "trio_chain": 45, "plane_pairs": 2_939, "bomb": 13, "rocket": 1,
}  # fmt: skip


def count_card_sets(rules: CompiledGame) -> Counter:
    """Count the card sets of each type: every label with a hand that contains all its cards."""
    labels = np.array([form.label for place, form in enumerate(rules.forms.forms) if place != rules.forms.pass_form])
    everything = np.tile(hand("3456789TJQKA2" * 4 + "XD"), (len(labels), 1))
    unmasked = decide(rules, everything, np.zeros(len(labels), np.int16))
    masks = (np.ones((len(rows), len(labels)), np.uint8) for rows in (rules.labels, rules.forms))
    decisions = Decisions.with_masks(unmasked.view, *masks)
    lists = decisions.moves(labels.astype(np.int16))
    types = [rules.label_texts[label].partition("(")[0] for label in labels]
    counts: Counter = Counter()
    for kind, length in zip(types, np.diff(lists.start), strict=True):
        counts[kind] += int(length)
    assert (
        len({(kind, row.tobytes()) for kind, row in zip(lists.decision_index, lists.cards, strict=True)})
        == counts.total()
    )
    return counts


@pytest.mark.parametrize("source", SOURCES)
def test_card_set_counts_equal_published_numbers_and_brute_force(source: str) -> None:
    """Every card set of every type, as published and as the brute force counts them."""
    counts = count_card_sets(engine_of(None, source).rules)
    assert EVERYWHERE.items() <= counts.items()
    assert counts["plane_singles"] == PLANES[source]
    assert (counts["four_singles"], counts["four_pairs"]) == FOURS[source]
    assert counts.total() == TOTAL[source]
    assert counts == Counter(play.type for play in plays(source))
    assert sum(1 for _ in readings(source)) == READINGS.get(source, TOTAL[source])
    shuttles = counts["shuttle"], counts["shuttle_singles"], counts["shuttle_pairs"]
    assert shuttles == ((38, 17_105, 3_630) if source == "botzone" else (0, 0, 0))


@pytest.mark.parametrize("source", SOURCES)
def test_masks_equal_brute_force(source: str) -> None:
    engine = engine_of(None, source)
    decisions = engine.sample_decisions(amount(80, 2_000), seed=11)
    to_beat = decisions.label_to_beat
    expected = legal_masks(keys_from_counts(decisions.view.hand), to_beat.astype(np.int64), source, engine.labels)
    assert (decisions.legal_mask == expected).all()
    assert expected[:, to_beat >= 0].any()


@pytest.mark.parametrize("source", SOURCES)
def test_move_lists_equal_brute_force_in_order(source: str) -> None:
    engine = engine_of(None, source)
    count = amount(3, 40)
    decisions = engine.sample_decisions(count, seed=12)
    one_each = {brute_force.label_of(play): play for play in plays(source)}
    lists = decisions.moves()
    for row in range(count):
        label = int(decisions.label_to_beat[row])
        rival = None if label < 0 else one_each[engine.labels[label]]
        card_texts = [row_text(cards) for cards in lists.cards[lists.start[row] : lists.start[row + 1]]]
        held = key_text(engine.rules.card_codes, int(keys_from_counts(decisions.view.hand[row])))
        expected = [play.cards for play in legal_plays(held, rival, source)]
        assert card_texts == expected + ([""] if rival else [])


@pytest.mark.parametrize("source", SOURCES)
def test_labels_are_legal_exactly_when_they_have_card_sets(source: str) -> None:
    """And what is drawn at random is one of them, each about as often as any other."""
    decisions = engine_of(None, source).sample_decisions(300, seed=13)
    lists = decisions.moves()
    has = np.zeros_like(decisions.legal_mask)
    has[decisions.labels_of(lists.form), lists.decision_index] = 1
    assert (has == decisions.legal_mask).all()


def test_random_card_sets_are_uniform() -> None:
    rules = engine_of().rules
    hands = np.tile(hand("33344456678889XD"), (20_000, 1))
    decisions = decide(rules, hands, np.full(20_000, -1, np.int16))
    label = rules.forms.label_index["plane_singles(3,2)"]
    labels = np.full(20_000, label, np.int16)
    drawn = Counter(
        row_text(cards) for cards in decisions.sample_moves(labels, np.arange(20_000).astype(np.uint64)).cards
    )
    one = decide(rules, hands[:1], np.full(1, -1, np.int16)).moves(labels[:1])
    assert set(drawn) == {row_text(cards) for cards in one.cards}
    mean = 20_000 / len(one.form)
    assert all(abs(count - mean) < 6 * mean**0.5 for count in drawn.values())


def test_first_309_labels_equal_those_of_rlcard() -> None:
    names = {source: engine_of(None, source).labels for source in SOURCES}
    assert {len(names[source]) for source in SOURCES if source != "botzone"} == {309}
    assert all(labels[:309] == names["rlcard"] for labels in names.values())
    assert names["rlcard"][308] == "pass"

"""Texts for players on the terminal: no code of a card, a label or an order in any language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from abl_cards.cli.bars import INTERVAL_WIDTH, interval_bar, loss_bar
from abl_cards.cli.player_texts import PlayerTexts
from abl_cards.games import load

CODE = re.compile(r"\w+\(|\b[SHDC][2-9TJQKA]\b|\bHR\b|\bSB\b|[⟦⟧_]|\bT\b")
LATIN = re.compile(r"[A-Za-z]{2}")


@pytest.mark.parametrize("name", ["hearts", "doudizhu", "tractor"])
def test_moves_and_positions_contain_no_codes(name: str) -> None:
    engine = load(name).engine()
    decisions = engine.sample_decisions(8, 5)
    for row in range(len(decisions.view)):
        point = engine.decision_point_at(decisions, row)
        for language in ("en", "zh"):
            texts = PlayerTexts(engine, language, ("kb",))
            moves = [texts.move(point, move) for move in range(min(12, len(point.actions)))]
            for text in (*texts.position_lines(point), *moves, texts.seat(0), texts.seat(1)):
                plain = texts.to_rich(text).plain
                assert plain
                assert not CODE.search(plain), plain
                assert language == "en" or not LATIN.search(plain.replace("kb", "")), plain


def test_cards_have_the_colours_of_their_suits() -> None:
    texts = PlayerTexts(load("hearts").engine(), "en")
    written = texts.to_rich("⟦HT⟧⟦ST⟧ and ⟦@2⟧, ⟦#1⟧")
    assert written.plain == "♥10 ♠10 and seat 2, side 2"
    assert ["red" in str(span.style) for span in written.spans] == [True, False]


def test_single_card_without_label_name_is_named_once(tmp_path: Path) -> None:
    """The ten was written as ``card HT: ♥10``, since its name has the letter."""
    (tmp_path / "variant.lp").write_text("% nameless · whist.\n\nparent(whist). leaves_out(words).\n", "utf-8")
    engine = load(str(tmp_path)).engine()
    point = engine.read_decision_point({"hand": ["HT", "HJ"], "trick": [], "turned": [["2", "H"]], "trump": "H"})
    texts = PlayerTexts(engine, "en")
    assert [texts.to_rich(texts.move(point, row)).plain for row in range(2)] == ["♥10", "♥J"]


def test_bar_widths_are_proportional_to_values() -> None:
    assert loss_bar(2.0, 2.0) == "█" * len(loss_bar(2.0, 2.0))
    assert len(loss_bar(-2.0, 2.0)) == len(loss_bar(2.0, 2.0)) == 2 * len(loss_bar(1.0, 2.0))
    bar = interval_bar(0.0, 0.5, 1.0)
    assert len(bar) == INTERVAL_WIDTH
    assert bar.index("●") == INTERVAL_WIDTH // 2
    assert interval_bar(0.9, 1.0, 1.0).endswith("─●")

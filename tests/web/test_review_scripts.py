"""Tests of pure functions of Review's scripts, by node; skipped without it."""

import csv
import io
from typing import Any

import pytest

from abl_cards.games.game import load
from abl_cards.web.texts import deck_json
from tests.web.test_scripts import run_script


def decision(place: int, loss: float, *points: float, seat: int = 0, mistake: bool = True) -> dict[str, Any]:
    tried = [{"points": value, "made": index == 0, "row": index} for index, value in enumerate(points)]
    return {"place": place, "seat": seat, "loss": loss, "mistake": mistake, "tried": tried,
            "made": points[0], "madeError": 0.5}  # fmt: skip


def test_glyphs_depend_on_loss_relative_to_the_stake() -> None:
    decisions = [decision(0, 3.0, 0, 10), decision(1, 2.99, 0, 1), decision(2, 1.49, 0, 1), decision(3, 9, 0, 9)]
    decisions[3]["mistake"] = False
    stake, limits, glyphs, strict, following = run_script(
        """import { glyphLimits, glyphOf, nextWithGlyph, stakeOf } from './review/glyphs.js';
        ---
        const stake = stakeOf(input.decisions);
        const glyphs = (least) => input.decisions.map((item) => glyphOf(item, least, stake));
        const marks = new Map(glyphs(0).map((glyph, place) => [place, glyph]).filter(([, glyph]) => glyph));
        const next = [[0, ''], [2, ''], [0, '??'], [0, '?!'], [0, 'x']]
          .map(([at, mark]) => nextWithGlyph(marks, mark, at));
        print([stake, glyphLimits(stake), glyphs(0), glyphs(2), next]);""",
        decisions=decisions,
    )
    assert stake == 10
    assert limits == [3.0, 1.5]
    assert glyphs == ["??", "?", "?!", ""]
    assert strict == ["??", "?", "", ""]
    assert following == [1, 0, 0, 2, None]


def test_timeline_scale_covers_its_values() -> None:
    series, value_range, ticks, xs, indices, ys, between = run_script(
        """import * as scale from './review/timeline_scale.js';
        ---
        const series = scale.sideSeries(input.decisions, [0, 2], { place: 9, value: 3 });
        const [low, high] = scale.valueRange(series);
        const made = scale.makeScale({ width: 458, height: 142, length: 11, low, high });
        print([series, [low, high], scale.niceTicks(low, high), [0, 5, 10].map(made.x),
          [-50, 46, 246, 9999].map(made.indexAt), [high, low].map(made.y), scale.valueAt(series, 3)]);""",
        decisions=[decision(1, 0, 2.0), decision(3, 0, 9.0, seat=1), decision(5, 0, -4.0, seat=2)],
    )
    assert [point["place"] for point in series] == [1, 5, 9]
    assert [point["value"] for point in series] == [2.0, -1.0, 3]  # the mean of the latest values of both seats
    assert series[0]["half"] == pytest.approx(0.98)
    assert series[1]["half"] == pytest.approx((2 * 0.98**2) ** 0.5 / 2)
    assert value_range[0] < -1 < 3 == value_range[1]
    assert set(ticks) >= {0, 2}
    assert xs == [46, 246, 446]
    assert indices == [0, 0, 5, 10]
    assert ys == [18, 118]
    assert between == 0.5


def test_the_table_of_decisions_is_csv() -> None:
    text = run_script(
        """import { decisionRows, toCsv } from './review/decisions_csv.js';
        ---
        print(toCsv(decisionRows({ ...input, glyphs: new Map([[3, '??']]), playerName: (seat) => `${seat} a, "b"`,
          moveText: (text) => text })));""",
        decisions=[{**decision(3, 1.25, -0.5, 1), "act": 4, "better": "pair\n5", "best": 1, "error": 0.1,
                    "agreed": False, "moves": 7}],
        tricks=[0, 0, 0, 2], errors=[None, None, None, 0.25],
    )  # fmt: skip
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert row["player"] == '0 a, "b"'
    assert row["best_move"] == "pair\n5"
    assert [row[name] for name in ("act", "trick", "points", "loss", "glyph", "hidden_cards_misplaced")] == [
        "4", "2", "-0.5", "1.25", "??", "0.25",
    ]  # fmt: skip


def test_tricks_begin_with_a_lead() -> None:
    frames = [
        {"plays": plays, "trick": [{}] * size}
        for plays, size in [(False, 0), (True, 0), (True, 1), (False, 0), (True, 2), (True, 0)]
    ]
    numbers, starts = run_script(
        """import { groupTricks, trickNumbers } from './review/lines.js';
        ---
        print([trickNumbers(input.frames), groupTricks(input.frames).map(({ trick, start }) => [trick, start])]);""",
        frames=frames,
    )
    assert numbers == [0, 1, 1, 1, 1, 2]
    assert starts == [[0, 0], [1, 1], [2, 5]]


@pytest.mark.parametrize("name", ["guandan", "doudizhu", "hearts"])
def test_each_card_has_its_own_grid_cell(name: str) -> None:
    deck = deck_json(load(name).engine().rules)
    grid = run_script(
        """import { makeGrid } from './review/estimate_grid.js';
        ---
        const { places, columns, rows, suits } = makeGrid(input.deck);
        print({ places: [...places], columns, rows, suits });""",
        deck=deck,
    )
    cells = [tuple(place) for _, place in grid["places"]]
    assert [text for text, _ in grid["places"]] != []
    assert {text for text, _ in grid["places"]} == set(deck)
    assert len(set(cells)) == len(deck)
    assert all(column < grid["columns"] and row < grid["rows"] for column, row in cells)


def test_recent_games_are_unique_and_bounded() -> None:
    games = run_script(
        """import { addGame, MAX_GAMES } from './review/recent_games.js';
        ---
        let games = [];
        for (let k = 0; k < MAX_GAMES + 3; k++) games = addGame(games, { text: JSON.stringify({ acts: k }) });
        games = addGame(games, { text: JSON.stringify({ acts: 5, branches: [1] }) });
        print([games.length === MAX_GAMES, games.map((game) => game.text)]);"""
    )
    assert games[0]
    assert games[1][0] == '{"acts":5,"branches":[1]}'
    assert games[1].count('{"acts":5}') == 0

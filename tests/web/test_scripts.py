"""Tests of scripts of the page without a browser, by node; skipped without it."""

from typing import Any

import pytest

from abl_cards.agents.registry import make_agent
from abl_cards.games.game import load
from abl_cards.matches import ReviewConfig, review_record, summarise_seats
from abl_cards.web.seats import Permission, TableSeat
from abl_cards.web.snapshot import make_view, make_welcome
from abl_cards.web.table import WebTable
from tests.env.steps import VOCABULARY
from tests.web.node import run_module
from tests.web.test_reviews import played


def run_script(script: str, **values: Any) -> Any:
    """Run a module with imports from the page's scripts; ``input`` holds the values, ``print`` takes the result."""
    imports, body = script.split("---")
    return run_module(imports, body, **values)


def test_seat_totals_follow_the_threshold() -> None:
    engine, (record, *_) = load("president").engine(), played("president")
    agent, greedy = make_agent("kb", engine), make_agent("greedy", engine)
    decisions = review_record(ReviewConfig(engine, agent, greedy, 8), record)
    shown = [{"seat": one.seat, "loss": one.loss, "mistake": one.is_mistake} for one in decisions]
    losses = sorted(one.loss for one in decisions if one.is_mistake)
    for least in (0.0, losses[len(losses) // 2], 99.0):
        strict = review_record(ReviewConfig(engine, agent, greedy, 8, min_loss=least), record)
        seats = summarise_seats(engine, record, strict)
        printed = run_script(
            """import { summariseSeats } from './review/summaries.js';
            import { fixedText } from './format.js';
            ---
            const seats = summariseSeats(input.seats, input.decisions, input.least);
            print(seats.map((seat) => [seat.seat, seat.mistakes, fixedText(seat.loss, 2)]));""",
            seats=[{"seat": seat.seat} for seat in seats], decisions=shown, least=least,
        )  # fmt: skip
        assert printed == [[seat.seat, seat.mistakes, f"{seat.loss:.2f}"] for seat in seats]


def test_fixed_text_rounds_as_python() -> None:
    numbers = [0.125, 0.375, -0.125, 2.5, 1.005, 0.1, 12.0, 0.0, -3.14159, 1e-9, 0.995]
    printed = run_script(
        "import { fixedText } from './format.js';---print(input.numbers.map((number) => fixedText(number, 2)));",
        numbers=numbers,
    )
    assert printed == [f"{number:.2f}" for number in numbers]


def test_review_command_has_all_options() -> None:
    method = {"agent": "abl", "rollout_agent": "kb", "deals": 40, "seed": "7", "language": "zh"}
    printed = run_script(
        "import { reviewCommand } from './review/summaries.js';---"
        "print([0, 0.5].map((least) => reviewCommand(input.review, input.method, least)));",
        review={"game": "guandan", "line": 3}, method=method,
    )  # fmt: skip
    command = "abl-cards review guandan FILE --line 3 --agent abl --rollout-agent kb --deals 40 --seed 7 --lang zh"
    assert printed == [command, f"{command} --min-loss 0.5"]


@pytest.mark.parametrize(
    ("text", "game"),
    [
        ('\n{"game":"hearts","acts":[]}\n{}', "hearts"),
        ('{"game":"chess"}', None),
        ("no record", None),
        ("", None),
        ('{"game":"mine"}', "/home/mine"),
    ],
)
def test_game_of_records_is_detected(text: str, game: str | None) -> None:
    printed = run_script(
        "import { gameOfRecords } from './review/record_game.js';---print(gameOfRecords(input.text, input.games));",
        text=text, games=[{"name": "guandan"}, {"name": "hearts"}, {"name": "/home/mine"}],
    )  # fmt: skip
    assert printed == game


STUBS = "globalThis.localStorage = { getItem: () => null }; globalThis.navigator = {};"


@pytest.mark.parametrize(("game", "aside"), [("tractor", 8), ("gandengyan", 0), (str(VOCABULARY / "kitty"), 3)])
def test_cards_aside_are_shown_beside_the_pile(game: str, aside: int) -> None:
    engine = load(game).engine()
    seats = [TableSeat("agent", str(seat)) for seat in range(engine.rules.seating.seats)]
    table = WebTable("t", ["", ""], engine, seats, 1, True)
    view, welcome = make_view(table, Permission(0)), make_welcome(table, Permission(0))
    assert bool(view["stock"]) == engine.rules.has_draws
    shown = run_script(
        f"{STUBS}---const {{ positionOfView }} = await import('./table/position.js');"
        "const { aside, stock } = positionOfView(input.view, input.welcome); print([aside, stock]);",
        view=view, welcome=welcome,
    )  # fmt: skip
    assert shown == [aside, view["stock"]]

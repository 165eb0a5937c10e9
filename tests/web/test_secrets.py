"""Tests that the seed of a table, which determines all hands, is secret until the match is over."""

import json
from typing import Any

import pytest

from abl_cards.core.errors import GameError
from abl_cards.web.seats import Permission
from abl_cards.web.snapshot import make_view, make_welcome, visible_seed
from abl_cards.web.table import WebTable
from tests.web.test_tables import decide

Run = Any
ALONE = ["person", "greedy", "greedy", "greedy"]
EVERY_RIGHT = [
    Permission(),
    Permission(0, is_owner=True, own_seat=0),
    Permission(1, own_seat=1),
    Permission(is_owner=True),
]


def table_of(page: Any, socket: Any) -> WebTable:
    table: WebTable = page.lobby.tables[socket.welcome["table"]]
    return table


def everything(table: WebTable) -> str:
    """Return everything that clients at a table receive."""
    rights = EVERY_RIGHT
    return json.dumps([[make_welcome(table, right), make_view(table, right), table.records(right)] for right in rights])


@pytest.mark.parametrize("seats", [ALONE, ["person"] * 4, ["person", "person", "kb", "kb"]])
@pytest.mark.parametrize("wish", [{}, {"seed": "77777777777777777777"}, {"seed": 2**31 - 1}])
def test_seed_is_hidden_before_the_end(with_page: Run, seats: list[str], wish: dict[str, Any]) -> None:
    async def test(page: Any) -> None:
        name, _ = await page.open(game="president", seats=seats, practice=False, **wish)
        table = page.lobby.tables[name]
        assert str(table.seed) not in everything(table)
        if not wish:
            assert table.seed.bit_length() > 64
        table.tables.winner[0] = 0  # the match is over
        assert [visible_seed(table, right) is not None for right in EVERY_RIGHT] == [False, True, False, True]

    with_page(test)


@pytest.mark.parametrize(
    ("seats", "seed", "shown"),
    [(ALONE, None, True), (ALONE, "5", True), (["person"] * 4, None, False), (["person"] * 4, "5", True)],
)
def test_practice_table_shows_the_seed_to_its_owner(
    with_page: Run, seats: list[str], seed: str | None, shown: bool
) -> None:
    """Show the seed to an owner who plays alone or has chosen it."""

    async def test(page: Any) -> None:
        table, token = await page.open(game="president", seats=seats, **({"seed": seed} if seed else {}))
        socket = await page.sit(table, token)
        assert (socket.welcome["seed"] is not None) == (socket.table["seed"] is not None) == shown
        assert seed is None or socket.welcome["seed"] == seed

    with_page(test)


def test_each_match_draws_a_new_seed_unless_one_was_chosen(with_page: Run) -> None:
    async def test(page: Any) -> None:
        drawn, chosen = await page.begin(seed=None, seats=ALONE), await page.begin(seed="9", seats=ALONE)
        seeds = []
        for socket in (drawn, chosen):
            table = table_of(page, socket)
            first = table.seed
            table.start_next_match(Permission(is_owner=True))
            seeds.append((first, table.seed, table.match_number))
        assert seeds[0][0] != seeds[0][1]
        assert seeds[1] == (9, 9, 1)

    with_page(test)


def test_text_seed_equals_numeric_seed(with_page: Run) -> None:
    async def test(page: Any) -> None:
        hands = []
        for seed in (2**31 - 2, str(2**31 - 2)):
            socket = await page.begin(seed=seed)
            hands.append(socket.table["hand"])
            assert socket.welcome["seed"] == str(seed)
        assert hands[0] == hands[1]

    with_page(test)


@pytest.mark.parametrize("seed", ["", "x", "-1", "1.5", 1.5, [], {}, True, -1, 2**128, str(2**128), "9" * 500, "٣"])
def test_invalid_seeds_are_rejected(with_page: Run, seed: Any) -> None:
    async def test(page: Any) -> None:
        answer = await page.post("/api/tables", {"game": "president", "seed": seed})
        assert (answer.status, "seed" in answer.json()["error"]) == (400, True)

    with_page(test)


def test_rule_problems_reveal_no_seed_and_no_cards(with_page: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(page: Any) -> None:
        for practice in (True, False):
            name, _ = await page.open(game="president", seats=["greedy", "person", "greedy", "greedy"],
                                      practice=practice, seed="4242424242")  # fmt: skip
            table = page.lobby.tables[name]
            table.seats[1] = table.seats[0]

            def fail(*args: Any) -> Any:
                raise GameError("seat 2 holds S3 and has no move")

            monkeypatch.setattr(table.seats[0].agent, "play", fail)
            table.problem = ""
            while not table.problem:
                table.run_agent()
            problems = [make_view(table, right)["problem"] for right in EVERY_RIGHT]
            assert all(problems)
            assert ["S3" in problem for problem in problems] == [False, practice, False, practice]
            assert not any("4242424242" in problem for problem in problems)

    with_page(test)


def test_records_of_unfinished_matches_have_no_seed(with_page: Run) -> None:
    async def test(page: Any) -> None:
        socket = await page.begin(seats=ALONE, practice=False, game="hearts")
        for _ in range(60):
            if socket.table["phase"] in ("end", "over"):
                break
            await decide(socket, socket.table)
            await socket.next()
        table = table_of(page, socket)
        assert not table.is_over
        records = table.records(Permission(is_owner=True))
        assert records
        assert not any("seed" in record for record in records)

    with_page(test)

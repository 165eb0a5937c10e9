"""Comparison of whole rounds of Tractor with the referee of the brute force, as a listener and on records."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.compiled.compiled_game import CompiledGame as EngineRules
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import NO_CARD, Indices, Moves
from tests.brute_force.tractor.cards import NONE, RANKS
from tests.brute_force.tractor.deal import shows
from tests.brute_force.tractor.referee import DEALT, KITTY, Round
from tests.brute_force.tractor.rules import Rules
from tests.brute_force.tractor.score import Match
from tests.games.folders.tractor import texts

JOKERS = {"small": "SB", "big": "HR"}


def fluent(rules: EngineRules, state: Any, table: int, name: str, key: int = 0) -> Any:
    """The value of a fluent at a table, None for none; of a count its number."""
    declared = rules.fluents.find(name)
    assert declared
    number = int(state.fluents[table, declared.first_slot + key])
    if declared.value_type != "one":
        return number
    return declared.values[number] if number >= 0 else None


def shown_by(option: Any, level: str) -> list[str]:
    """The cards that are shown by what is chosen: none for ``none``."""
    name, _, what = str(option).rstrip(")").partition("(")
    card = JOKERS.get(what, what.upper() + level)
    return {"none": [], "declare": [card], "overturn": [card, card]}[name]


class RefereeListener:
    """Listener that checks every step with a referee and counts every match."""

    def __init__(self, brute: Rules) -> None:
        """By these rules."""
        self.brute, self.rounds = brute, 0
        self._matches: dict[int, Match] = {}
        self._rounds: dict[int, Round] = {}
        self._kitty: dict[int, list[str]] = {}

    def on_episode_start(self, tables: Tables, rows: Indices) -> None:
        """A round begins, at the level and with the banker of the match."""
        for table in rows.tolist():
            match = self._matches.setdefault(table, Match(self.brute))
            rules, state = tables.rules, tables.state
            assert RANKS[fluent(rules, state, table, "level") - 2] == match.level
            assert fluent(rules, state, table, "banker") == match.banker or match.banker is None
            assert [RANKS[fluent(rules, state, table, "standing", side) - 2] for side in (0, 1)] == match.levels
            self._begin(tables, table)

    def _begin(self, tables: Tables, table: int) -> None:
        match = self._matches[table]
        self._rounds[table], self._kitty[table] = Round(self.brute, match.level, match.banker), []

    def on_draw(self, tables: Tables, rows: Indices) -> None:
        """Deal the drawn card; a seat without a decision had no card to show."""
        for table in rows.tolist():
            if sum(map(len, self._rounds[table].hands)) == DEALT:
                self._end_deal(tables, table)
                assert self._rounds[table].stage == "redeal"
                self._begin(tables, table)
            one = self._rounds[table]
            if one.stage == "show":
                self._pass(one)
            state = tables.state
            one.deal(tables.rules.card_codes.kind_texts[state.stock[table, state.num_drawn[table] - 1]])

    def _pass(self, one: Round) -> None:
        assert list(shows(self.brute, one.level, one.shown, one.hands[one.turn])) == [()]
        one.show([])

    def _end_deal(self, tables: Tables, table: int) -> None:
        one = self._rounds[table]
        if one.stage == "show":
            self._pass(one)
        if one.stage == "undeclared":
            kitty = [tables.rules.card_codes.kind_texts[kind] for kind in tables.state.stock[table, DEALT:]]
            seat = None if one.given else fluent(tables.rules, tables.state, table, "banker")
            one.undeclared((fluent(tables.rules, tables.state, table, "trump") or NONE).upper(), seat, kitty)

    def on_choice(self, tables: Tables, choosing: Indices, option: NDArray[np.uint8]) -> None:
        """Check shown cards, or collect buried ones."""
        rules, state = tables.rules, tables.state
        options = tables.choices(choosing).options
        for row, (table, number) in enumerate(zip(choosing.tolist(), option.tolist(), strict=True)):
            one, choice = self._rounds[table], rules.schema.options[number]
            if rules.schema.stages[state.choice[table]] == "declare":
                may = {
                    tuple(shown_by(rules.schema.options[index], one.level)) for index in np.flatnonzero(options[row])
                }
                assert may == set(shows(self.brute, one.level, one.shown, one.hands[one.turn]))
                assert one.turn == state.seat[table]
                one.show(shown_by(choice, one.level))
                continue
            if one.stage != "bury":
                self._end_deal(tables, table)
            assert (one.stage, one.turn) == ("bury", state.seat[table])
            kitty = self._kitty[table]
            kitty.append(rules.card_codes.kind_texts[rules.pack.index[choice]])
            if len(kitty) == KITTY:
                one.bury(kitty)

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Check the play and the remaining hands."""
        rules, state = tables.rules, tables.state
        for table, laid in zip(rows.tolist(), moves.cards, strict=True):
            one, seat = self._rounds[table], int(state.seat[table])
            assert (one.stage, one.turn) == ("play", seat)
            assert (fluent(rules, state, table, "trump") or NONE).upper() == one.trump
            for other in {0, 1, 2, 3} - {seat}:
                assert list(texts(rules, state.hands[table, other])) == sorted(one.hands[other])
            if one.trick:
                assert texts(rules, state.trick_cards[table, one.leader]) == tuple(sorted(one.trick[0]))
            one.play([rules.card_codes.kind_texts[kind] for kind in laid if kind != NO_CARD])

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Check the points and the levels after a round."""
        for table in rows.tolist():
            one = self._rounds[table]
            assert one.stage == "over"
            assert one.banker is not None
            assert tables.points[table].tolist() == one.result
            self._matches[table].end_round(one.banker, one.total)
            self.rounds += 1

    def on_match_end(self, tables: Tables, rows: Indices) -> None:
        """A match is over."""
        for table in rows.tolist():
            assert self._matches.pop(table).winner == tables.winner[table]

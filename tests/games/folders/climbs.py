"""Climbing games against a referee, episode by episode: every legal list, the turn, what lies there, the points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from abl_cards.core.rng import splitmix64_array
from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import LEADING
from tests.brute_force.hands import Sets
from tests.games.folders.states import listed, texts
from tests.games.random_play import match_keys, random_moves


class Climb(Protocol):
    """An independent game that receives one play at a time."""

    turn: int

    def choices(self) -> tuple[Sets, bool]:
        """Return the legal sets of cards by label, and whether passing is legal."""

    def play(self, cards: Sequence[str]) -> None:
        """Apply a play, or a pass without cards."""

    @property
    def points(self) -> list[int] | None:
        """The points of each seat; None while the game goes on."""


Begin = Callable[[Tables, int], Any]
"""Function that makes the referee of a table after the deal."""


def hand_texts(rules: CompiledGame, counts: np.ndarray) -> list[str]:
    """A hand as brute forces have it."""
    return [rules.card_codes.kind_texts[kind] for kind in np.repeat(np.arange(len(counts)), counts.astype(np.int64))]


def follow_climbs(
    rules: CompiledGame, episodes: int, seed: int, begin: Begin, lists: int = 10**9,
    compare: Callable[[Tables, int, Any], None] | None = None, choose: Callable[[Tables], None] | None = None,
) -> int:  # fmt: skip
    """Play random episodes, check every step with referees, and return the number of legal lists compared.

    ``lists`` bounds the number of lists, which are slow; ``compare`` checks more of a table after every play;
    ``choose`` makes the choices before the first one.
    """
    tables, compared = Tables.begin(rules, match_keys(episodes, seed)), 0
    tables.auto_next_episode = False
    if choose:
        choose(tables)
    referees = [begin(tables, table) for table in range(episodes)]
    while (playing := tables.rows_to_play()).size:
        decisions, state = tables.decisions(playing), tables.state
        keys = splitmix64_array(tables.keys[playing], tables.num_decisions[playing])
        moves = random_moves(decisions, keys)
        wanted = np.flatnonzero(keys % np.uint64(max(1, len(playing) * 3 // 40)) == 0)[: max(0, lists - compared)]
        if wanted.size:
            compared += _compare_lists(rules, decisions.select(wanted), [referees[playing[row]] for row in wanted])
        before = state.seat[playing].tolist()
        tables.play(playing, moves)
        for row, table in enumerate(playing.tolist()):
            referee = referees[table]
            assert referee.turn == before[row]
            referee.play(sorted(texts(rules, moves.cards[row])))
            if referee.points is None:
                assert tables.winner[table] == -1
                assert (referee.turn, referee.to_beat is None) == (state.seat[table], state.to_beat[table] == LEADING)
                if compare:
                    compare(tables, table, referee)
            else:
                assert tables.points[table].tolist() == referee.points
    assert all(referee.points is not None for referee in referees)
    return compared


def _compare_lists(rules: CompiledGame, decisions: Any, referees: list[Any]) -> int:
    """Compare the lists of some decisions with those of referees, label by label."""
    for row, (sets_by_label, referee) in enumerate(zip(listed(rules, decisions), referees, strict=True)):
        expected, passing = referee.choices()
        mask = {rules.label_texts[label] for label in np.flatnonzero(decisions.legal_mask[:, row])}
        assert mask == set(sets_by_label)
        assert (sets_by_label.pop("pass", None) is not None) == passing
        assert Counter(map(frozenset, sets_by_label.values())) == Counter(map(frozenset, expected.values()))
    return len(referees)

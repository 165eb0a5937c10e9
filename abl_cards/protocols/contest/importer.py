"""Import records of the contest into the engine; implements ``games/importers.py``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from abl_cards.core import GameError
from abl_cards.games import RecordImporter
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.tables import DecisionPoint, Decisions, Listener
from abl_cards.games.types import ReplayResult
from abl_cards.protocols.contest.decision_points import read_decision_point, read_episode_prefix, replay_prefixes
from abl_cards.protocols.contest.episode_order import ReplayState
from abl_cards.protocols.contest.match_state import check_game
from abl_cards.protocols.contest.replay import replay_records

_CONTEST_FIELDS = {"level", "ranks", "anti", "plays", "order"}
"""Fields of contest records that the project's own records lack."""


class ContestImporter:
    """See RecordImporter."""

    def can_read(self, record: Mapping[str, Any]) -> bool:
        """Return whether a record has the contest's fields."""
        return not {"acts", "hand"} & set(record) and bool(_CONTEST_FIELDS & set(record))

    def read_decision_point(self, rules: CompiledGame, record: Mapping[str, Any], move: int | None) -> DecisionPoint:
        """The decision before a play of a record, from 1; without a number the one that is to come."""
        check_game(rules)
        return read_decision_point(rules, record, move)

    def decisions_at_acts(
        self, rules: CompiledGame, records: Sequence[Mapping[str, Any]], moves: Sequence[int]
    ) -> Decisions:
        """The decisions of records before these plays, one a record; raises GameError."""
        check_game(rules)
        stories = [read_episode_prefix(record, move) for record, move in zip(records, moves, strict=True)]
        return replay_prefixes(rules, stories).decisions(np.arange(len(stories)))

    def replay(
        self,
        rules: CompiledGame,
        records: Sequence[Mapping[str, Any] | GameError],
        listener: Listener | None,
        carry_over: dict[str, Any],
    ) -> ReplayResult:
        """Play records again, one a line, and compare."""
        check_game(rules)
        return replay_records(rules, records, listener, carry_over.setdefault("standings", ReplayState()))

    def count_plays(self, record: Mapping[str, Any]) -> int:
        """Return the number of plays in a record."""
        plays = record.get("plays")
        return len(plays) if isinstance(plays, list) else 0


RECORD_IMPORTER: RecordImporter = ContestImporter()

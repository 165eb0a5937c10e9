"""Import records of the contest into the engine."""

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
    """Importer of contest records; implements RecordImporter."""

    def can_read(self, record: Mapping[str, Any]) -> bool:
        """Return whether a record has the contest's fields."""
        return not {"acts", "hand"} & set(record) and bool(_CONTEST_FIELDS & set(record))

    def read_decision_point(self, rules: CompiledGame, record: Mapping[str, Any], move: int | None) -> DecisionPoint:
        """Return the decision before a play of a record, from 1; None for the decision after the last play."""
        check_game(rules)
        return read_decision_point(rules, record, move)

    def decisions_at_acts(
        self, rules: CompiledGame, records: Sequence[Mapping[str, Any]], moves: Sequence[int]
    ) -> Decisions:
        """Return the decisions before plays of records, one row for each record; raises GameError."""
        check_game(rules)
        prefixes = [read_episode_prefix(record, move) for record, move in zip(records, moves, strict=True)]
        return replay_prefixes(rules, prefixes).decisions(np.arange(len(prefixes)))

    def replay(
        self,
        rules: CompiledGame,
        records: Sequence[Mapping[str, Any] | GameError],
        listener: Listener | None,
        carry_over: dict[str, Any],
    ) -> ReplayResult:
        """Replay records, one for each line, and return the mismatches."""
        check_game(rules)
        return replay_records(rules, records, listener, carry_over.setdefault("standings", ReplayState()))

    def count_plays(self, record: Mapping[str, Any]) -> int:
        """Return the number of plays in a record."""
        plays = record.get("plays")
        return len(plays) if isinstance(plays, list) else 0


RECORD_IMPORTER: RecordImporter = ContestImporter()

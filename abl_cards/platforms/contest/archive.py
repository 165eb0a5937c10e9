"""The contest's records, as the engine is asked to read those of others: see ``games/foreign.py``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from abl_cards.errors import GameError
from abl_cards.games import Decisions
from abl_cards.games.foreign import Archive
from abl_cards.games.moment import Moment
from abl_cards.games.reading.rules import Rules
from abl_cards.games.results import Replay
from abl_cards.games.tables import Listener
from abl_cards.platforms.contest.moments import of_record, read_told, tell
from abl_cards.platforms.contest.replay import replay
from abl_cards.platforms.contest.sequels import Standings
from abl_cards.platforms.contest.standings import check_game

_FIELDS = {"level", "ranks", "anti", "plays", "order"}
"""What the contest's records have, and ours have not."""


class ContestArchive:
    """See Archive."""

    def reads(self, record: Mapping[str, Any]) -> bool:
        """Whether it has the contest's fields."""
        return not {"acts", "hand"} & set(record) and bool(_FIELDS & set(record))

    def moment(self, rules: Rules, record: Mapping[str, Any], move: int | None) -> Moment:
        """The decision before a play of a record, from 1; without a number the one that is to come."""
        check_game(rules)
        return of_record(rules, record, move)

    def recorded(self, rules: Rules, records: Sequence[Mapping[str, Any]], moves: Sequence[int]) -> Decisions:
        """The decisions of records before these plays, one a record; raises GameError."""
        check_game(rules)
        stories = [read_told(record, move) for record, move in zip(records, moves, strict=True)]
        return tell(rules, stories).decisions(np.arange(len(stories)))

    def replay(
        self,
        rules: Rules,
        records: Sequence[Mapping[str, Any] | GameError],
        listener: Listener | None,
        kept: dict[str, Any],
    ) -> Replay:
        """Play records again, one a line, and compare."""
        check_game(rules)
        return replay(rules, records, listener, kept.setdefault("standings", Standings()))

    def acts(self, record: Mapping[str, Any]) -> int:
        """How many plays a record has."""
        plays = record.get("plays")
        return len(plays) if isinstance(plays, list) else 0


ARCHIVE: Archive = ContestArchive()

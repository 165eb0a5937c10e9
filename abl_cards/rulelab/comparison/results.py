"""Compare the results of the same episodes by two versions of rules: points, finish, and persistent fluents."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from abl_cards.core import GameError
from abl_cards.games import Engine
from abl_cards.matches import play_match

NUM_MATCHES = 8
"""Matches whose episodes are compared."""
_OWN_FIELDS = ("game", "profile", "agents", "seed")
_AGENT = "greedy"  # its moves do not depend on the preferences


@dataclass(frozen=True)
class ResultComparison:
    """Episodes by the first rules, replayed by the second ones.

    Attributes:
        episodes: Number of episodes.
        different: Number of episodes that the second rules do not confirm.
        example: The first difference, with the number of its episode from 1; empty where there is none.
    """

    episodes: int
    different: int
    example: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as JSON."""
        return asdict(self)


def compare_results(before: Engine, after: Engine, seed: int) -> ResultComparison | None:
    """Play matches by some rules, and replay their episodes by others with the same moves.

    Args:
        before: Engine that plays.
        after: Engine that replays; where its legal moves differ, so does the course of episodes.
        seed: Seed of the matches.

    Returns:
        The comparison; None if play by the first rules stops with an error.
    """
    records: list[dict[str, Any]] = []
    try:
        play_match(before, [_AGENT, _AGENT], NUM_MATCHES, seed, write_record=records.append)
    except GameError:
        return None
    plain = [{name: value for name, value in record.items() if name not in _OWN_FIELDS} for record in records]
    mismatches = after.replay(plain).mismatches
    example = f"episode {mismatches[0].line}: {mismatches[0].text}" if mismatches else ""
    return ResultComparison(len(plain), len({mismatch.line for mismatch in mismatches}), example)

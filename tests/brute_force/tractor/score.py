"""The end of a round, the next banker, and whole matches (§9)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tests.brute_force.tractor.cards import RANKS
from tests.brute_force.tractor.leads import Lead
from tests.brute_force.tractor.rules import Rules


def team(seat: int) -> int:
    return seat % 2


def kitty_times(rules: Rules, lead: Lead) -> int:
    """Return the multiplier of the kitty when the off-side takes the last trick with this lead."""
    longest = max(len(part.cards) for part in lead.parts)
    if rules.kitty == "botzone":
        return 2 * longest if lead.is_throw else longest
    return 2 * longest if rules.kitty == "double" else 2**longest


class Step(NamedTuple):
    """Winning side of a round and its levels."""

    banker_side: bool
    levels: int


def step(rules: Rules, total: int) -> Step:
    """Return the winner and the levels for a total of the off-side."""
    if total < 80:
        return Step(True, 3 if total <= 0 else 2 if total < 40 else 1)
    if rules.bank_only:
        return Step(False, (total - 80) // 40)
    return Step(False, min((total - 40) // 40, 3))


def payoffs(rules: Rules, banker: int, total: int) -> list[int]:
    """Return the result of a round by seat: the levels won for both winners, 0 for the losers."""
    won = step(rules, total)
    winners = team(banker) if won.banker_side else 1 - team(banker)
    return [won.levels if team(seat) == winners else 0 for seat in range(4)]


def next_banker(rules: Rules, banker: int, total: int) -> int:
    """The banker's partner if they held, else the seat after the banker (O16)."""
    return (banker + (2 if step(rules, total).banker_side else 1)) % 4


def raised(rules: Rules, level: str, levels: int, as_banker: bool) -> str:
    """Return a level after a win; must-play levels are not skipped, and only a win as banker leaves them."""
    if level in rules.must_play and not as_banker:
        return level
    for _ in range(levels):
        level = RANKS[min(RANKS.index(level) + 1, len(RANKS) - 1)]
        if level in rules.must_play:
            break
    return level


@dataclass
class Match:
    """Rounds from level 2 on; the first side that is at A and wins a round as banker has won."""

    rules: Rules
    levels: list[str] = field(default_factory=lambda: ["2", "2"])  # by team
    banker: int | None = None  # None in the first round
    winner: int | None = None  # the team that has won

    @property
    def level(self) -> str:
        """Return the level of the next round: that of the banker's side."""
        return self.levels[team(self.banker or 0)]

    def end_round(self, banker: int, total: int) -> None:
        """A round is over that this seat banked and in which the off-side came to this total."""
        won = step(self.rules, total)
        side = team(banker) if won.banker_side else 1 - team(banker)
        if won.banker_side and self.levels[side] == "A":
            self.winner = side
            return
        self.levels[side] = raised(self.rules, self.levels[side], won.levels, won.banker_side)
        self.banker = next_banker(self.rules, banker, total)

"""The result of a match as tables, in the language of the human who played in it; English where nobody did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from abl_cards.cli.console import print_table

if TYPE_CHECKING:
    from abl_cards.arena import MatchResult
    from abl_cards.games import Engine


@dataclass(frozen=True)
class _Words:
    agents: tuple[str, ...]
    roles: tuple[str, ...]
    whole: str
    left: str


_SAY = {
    "en": _Words(
        ("agent", "won", "share of games", "95 % interval"),
        ("as", "agent", "won", "of", "share", "95 % interval", "points a game"),
        "{0.games} games, {0.draws} drawn, {0.episodes} episodes, seed {0.seed}",
        "{left}; the match has no result",
    ),
    "zh": _Words(
        ("选手", "胜", "胜率", "95 % 区间"),
        ("身份", "选手", "胜", "局数", "胜率", "95 % 区间", "每局得分"),
        "共 {0.games} 场，平 {0.draws} 场，{0.episodes} 副牌，种子 {0.seed}",
        "{left}，这场比赛没有结果",
    ),
}


def no_result(left: Exception, language: str) -> str:
    """What is said when somebody has left the table."""
    return _SAY[language].left.format(left=left)


def print_result(result: MatchResult, engine: Engine, language: str) -> None:
    """What each agent won, by part too where the parts differ."""
    say, (low, high) = _SAY[language], result.interval
    names = (f"{result.agents[0]} (A)", f"{result.agents[1]} (B)")
    shares = (result.rate, 1 - result.rate), ((low, high), (1 - high, 1 - low))
    print_table(
        say.agents,
        [
            (name, str(wins), f"{rate:.1%}", f"{bounds[0]:.1%} – {bounds[1]:.1%}")
            for name, wins, rate, bounds in zip(names, result.wins, *shares, strict=True)
        ],
        right=(1, 2, 3),
    )
    if result.roles:
        print_table(
            say.roles,
            [
                (engine.spell("role", each.role, language), each.agent, str(each.wins), str(each.games),
                 f"{each.rate:.1%}", f"{each.interval[0]:.1%} – {each.interval[1]:.1%}", f"{each.points:+.2f}")
                for each in result.roles
            ],
            right=range(2, 7),
        )  # fmt: skip
    typer.echo(say.whole.format(result))

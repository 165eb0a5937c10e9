"""Print the result of a match as tables, in the language of a human player or in English."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from abl_cards.cli.bars import INTERVAL_WIDTH, has_room, interval_bar
from abl_cards.cli.console import make_console, print_table
from abl_cards.core import format_count, texts_by_language

if TYPE_CHECKING:
    from abl_cards.games import Engine
    from abl_cards.matches import MatchResult


_COLUMNS = texts_by_language({
    "agents": ("agent|won|share of games|95 % interval", "选手|胜|胜率|95 % 区间"),
    "roles": ("as|agent|won|of|share|95 % interval|points a game", "身份|选手|胜|局数|胜率|95 % 区间|每局得分"),
    "standings": ("agent|first places|95 % interval|place|95 % interval|points a game|95 % interval",
                  "选手|头名|95 % 区间|名次|95 % 区间|每局得分|95 % 区间"),
})  # fmt: skip
_TEXTS = texts_by_language({
    "summary": ("{games}, {0.draws} drawn, {episodes}, seed {0.seed}",
                "共 {0.games} 场，平 {0.draws} 场，{0.episodes} 副牌，种子 {0.seed}"),
    "player_left": ("{left}; the match has no result", "{left}，这场比赛没有结果"),
    "forfeit": ("game {0.game} lost by seat {0.seat}, {0.agent}: {0.kind}, {0.text}",
                "第 {0.game} 场，座位 {0.seat}（{0.agent}）判负：{0.kind}，{0.text}"),
})  # fmt: skip


def no_result_text(error: Exception, language: str) -> str:
    """Return the message for a match that a human player has left."""
    return _TEXTS[language]["player_left"].format(left=error)


def print_result(result: MatchResult, engine: Engine, language: str) -> None:
    """Print wins by agent, wins by role if roles differ, and places among more than two sides.

    Args:
        result: Result of a match.
        engine: Game of the match.
        language: "en" or "zh".
    """
    from abl_cards.games.notation import spell

    columns = {name: texts.split("|") for name, texts in _COLUMNS[language].items()}
    if len(result.agents) == 2:
        _print_shares(result, columns["agents"])
    if result.roles:
        print_table(
            columns["roles"],
            [
                (spell(engine.rules, "role", role.role, language), role.agent, str(role.wins), str(role.games),
                 f"{role.rate:.1%}", _format_interval(role.interval, ".1%"), f"{role.points:+.2f}")
                for role in result.roles
            ],
            right_aligned=range(2, 7),
        )  # fmt: skip
    if result.standings:
        print_table(
            columns["standings"],
            [
                (standing.agent, f"{standing.first:.1%}", _format_interval(standing.first_interval, ".1%"),
                 f"{standing.place:.2f}", _format_interval(standing.place_interval, ".2f"), f"{standing.points:+.2f}",
                 _format_interval(standing.points_interval, "+.2f"))
                for standing in result.standings
            ],
            right_aligned=range(1, 7),
        )  # fmt: skip
    games, episodes = format_count(result.games, "game"), format_count(result.episodes, "episode")
    for lapse in result.lapses:
        typer.echo(_TEXTS[language]["forfeit"].format(lapse))
    typer.echo(_TEXTS[language]["summary"].format(result, games=games, episodes=episodes))


def _print_shares(result: MatchResult, columns: Sequence[str]) -> None:
    low, high = result.interval
    names = (f"{result.agents[0]} (A)", f"{result.agents[1]} (B)")
    shares = (result.rate, 1 - result.rate), ((low, high), (1 - high, 1 - low))
    has_bars = has_room(make_console())
    print_table(
        [*columns, *(["0 %" + "50 %".center(INTERVAL_WIDTH - 8) + "100 %"] if has_bars else [])],
        [
            (name, str(wins), f"{rate:.1%}", _format_interval(bounds, ".1%"),
             *([interval_bar(bounds[0], rate, bounds[1])] if has_bars else []))
            for name, wins, rate, bounds in zip(names, result.wins, *shares, strict=True)
        ],
        right_aligned=(1, 2, 3),
    )  # fmt: skip


def _format_interval(bounds: tuple[float, float] | None, form: str) -> str:
    """Format two bounds; a dash for None."""
    return "–" if bounds is None else f"{bounds[0]:{form}} – {bounds[1]:{form}}"

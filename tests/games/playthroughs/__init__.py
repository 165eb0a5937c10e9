"""Golden playthroughs: whole episodes as text, so that a change of the rules shows up as a readable difference.

``python -m tests.games.playthroughs`` writes them anew; look at the difference before you commit it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.games.playthroughs.big2 import big2_game
from tests.games.playthroughs.folders import folder_game, round_of
from tests.games.playthroughs.guandan import episode

HERE = Path(__file__).parent

PLAYTHROUGHS: Mapping[str, Callable[[], str]] = {
    "big2_paper.txt": lambda: big2_game(("44556667789TTTTJJQQKKKAAA2", "33334455677888999JJQQKA222"), seed=1),
    "guandan_standard_first.txt": lambda: episode("standard", seed=1, number=0),
    "guandan_standard_single_tribute.txt": lambda: episode("standard", seed=6, number=1),
    "guandan_standard_double_tribute.txt": lambda: episode("standard", seed=4, number=1),
    "guandan_standard_refused_tribute.txt": lambda: episode("standard", seed=12, number=1),
    "guandan_standard_last.txt": lambda: episode("standard", seed=12, number=7),
    "guandan_platform_double_tribute.txt": lambda: episode("platform", seed=11, number=1),
    "president.txt": lambda: folder_game("president", seed=5),
    "whist.txt": lambda: folder_game("whist", seed=5),
    "hearts.txt": lambda: folder_game("hearts", seed=5),
    "paodekuai.txt": lambda: folder_game("paodekuai", seed=8),
    "bigtwo.txt": lambda: folder_game("bigtwo", seed=4),
    "doudizhu_contest.txt": lambda: folder_game("doudizhu", seed=2, profile="contest"),
    "tractor.txt": lambda: round_of("tractor", seed=3),
    "daifugo.txt": lambda: round_of("daifugo", seed=3, episodes=2),
    "tienlen_southern.txt": lambda: folder_game("tienlen", seed=18),
    "tienlen_northern.txt": lambda: folder_game("tienlen", seed=7, profile="northern"),
    "gongzhu.txt": lambda: round_of("gongzhu", seed=2),
    "wushik.txt": lambda: folder_game("wushik", seed=1),
    "wushik_called.txt": lambda: folder_game("wushik", seed=3, profile="called"),
    "gandengyan.txt": lambda: folder_game("gandengyan", seed=2),
    "spades.txt": lambda: round_of("spades", seed=2),
    "sixteen.txt": lambda: folder_game("sixteen", seed=1),
}
"""The files, and how each is made."""


def write_all() -> None:
    """Write all playthroughs."""
    for name, make in PLAYTHROUGHS.items():
        (HERE / name).write_text(make())

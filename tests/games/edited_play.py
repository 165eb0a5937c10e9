"""Play by edited rules in a process of its own, for a crash must not take the tests along.

Reads edits, one a line, and answers each with a line: what came of it. ``python -m tests.games.edited_play FOLDER``.
"""

from __future__ import annotations

import json
import shutil
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from abl_cards import garbage
from abl_cards.agents import Agent, Greedy, Random, agent
from abl_cards.cli.console import load_engine
from abl_cards.errors import GameError
from abl_cards.games import Engine, Tables, game
from abl_cards.games.reading.science import SPLITS
from abl_cards.logic import KBError, child
from abl_cards.logic.ground import TooManyRules
from abl_cards.output import write_in_full
from abl_cards.selftest.edits import Edit
from abl_cards.selftest.games import step
from abl_cards.streams import mix_all
from reasoners.hands import counting, draw, reckon
from reasoners.search import solve
from reasoners.search_tables import SearchTables
from reasoners.split_rules import SplitRules
from reasoners.splits import Splitter
from tests.games.doudizhu.decided import read_hand
from tests.games.random_play import match_keys
from tests.games.rule_edits import RuleEdit, copy_rules

REFUSED, STOPPED, PLAYED, BROKEN = "refused", "stopped", "played", "broken"
"""An error of check; play that stops with a message; play that goes on or ends; anything else."""
TABLES = 3
RANDOM = 200
"""Decisions by chance: in most games an episode ends within them, and what follows between two is met."""
HANDS = np.array([read_hand(text) for text in ("34445556789TA22XD", "33334444555678", "3")], np.uint64)


def outcome(folder: Path, edit: RuleEdit) -> tuple[str, str]:
    """What comes of an edit, and what is said about it; engines are kept by folder, so this one must be new."""
    copy_rules(edit.game, folder)
    edit.edit.apply(folder)
    try:
        return _outcome(folder, edit)
    except Exception:
        return BROKEN, traceback.format_exc()
    finally:
        shutil.rmtree(folder)


def _outcome(folder: Path, edit: RuleEdit) -> tuple[str, str]:
    played = game(edit.game)
    try:
        engine = load_engine(played, folder, edit.profile)
    except (KBError, GameError, TooManyRules) as problem:
        return REFUSED, str(problem)
    try:
        play_by(engine)
    except (KBError, GameError) as problem:
        return STOPPED, str(problem)
    return PLAYED, ""


def play_by(engine: Engine) -> None:
    """All that tables do: whole matches, lists, preferences, choices, what hands may be, records told again."""
    recorder = engine.recorder(TABLES)
    tables = engine.tables(match_keys(TABLES, 3), recorder)
    kb = agent("kb", engine)
    _go_on(tables, kb, 2)
    _go_on(tables, Random(), RANDOM)
    _look_around(engine, tables)
    _go_on(tables, Greedy(engine.traits), 40)
    _go_on(tables, kb, 2)
    engine.replay([record for table in range(TABLES) for record in recorder.records(table)])
    engine.sample_facts(60, 2)
    _reason(engine)


def _reason(engine: Engine) -> None:
    """What the reasoners of single games do with its rules."""
    if isinstance(engine, Engine) and SPLITS.lies_in(engine.rules.folder):
        Splitter.of(SplitRules.of(engine.rules)).preferred(HANDS)
    try:
        game = engine.as_race()
    except GameError:
        return
    solve(SearchTables(game.combinations), game.race("3344579", "566788T"), megabytes=1)


def _go_on(tables: Tables, player: Agent, steps: int) -> None:
    """So many decisions at every table."""
    for _ in range(steps):
        step(tables, player)
        over = np.flatnonzero(tables.winner != -1)
        if over.size:
            tables.begin_match(over, mix_all(tables.keys[over], 1))


def _look_around(engine: Engine, tables: Tables) -> None:
    """What can be asked about decisions in the middle of a game."""
    playing = tables.playing()
    if not playing.size:
        return
    decisions = tables.decisions(playing)
    decisions.moves()
    decisions.observe()
    known, keys = decisions.hidden(), tables.keys[playing]
    reckon(known, decisions.hints())
    deals = draw(counting(known), known, keys, 2)
    if engine.answerable:
        engine.answers(np.repeat(decisions.context, 2 * deals.shape[2]), deals.reshape(-1, deals.shape[3]))
    engine.plays_to_go(decisions.context, tables.open_hands(playing)[:, 0])
    state = engine.look(decisions).state
    engine.legal_moves([state])
    engine.legal_labels([state])
    imagined = engine.imagine(decisions, np.arange(len(playing)), tables.others(playing))
    _go_on_imagined(imagined)
    engine.draw(tables, int(playing[0]))


def _go_on_imagined(tables: Tables) -> None:
    player = Random()
    for _ in range(15):
        playing = tables.playing()
        if playing.size:
            tables.play(
                playing, player.play(tables.decisions(playing), mix_all(tables.keys[playing], tables.clock[playing]))
            )


def _read(value: list[Any]) -> RuleEdit:
    return RuleEdit(value[0], Edit(*value[1]))


def main() -> None:
    """Answer edits until there are no more; this process may crash, so it grounds them itself."""
    write_in_full()
    garbage.seldom()
    home = Path(sys.argv[1])
    child.build_in_child = child.build_here
    for number, line in enumerate(sys.stdin):
        print(json.dumps(outcome(home / str(number), _read(json.loads(line)))), flush=True)


if __name__ == "__main__":
    main()

"""Play by edited rules in a separate process, so that a crash does not stop the tests.

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

from abl_cards.agents.base import Agent
from abl_cards.agents.baselines import GreedyAgent, RandomAgent
from abl_cards.agents.registry import make_agent
from abl_cards.asp import sandbox
from abl_cards.asp.errors import KBError
from abl_cards.asp.ground_program import TooManyRules
from abl_cards.cli.console import load_engine
from abl_cards.core import gc_control
from abl_cards.core.errors import GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.core.stdio import ensure_complete_writes
from abl_cards.games.description.auxiliary_rules import SPLIT_RULES
from abl_cards.games.endgame import build_race
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.notation import legal_labels, render_table
from abl_cards.games.sampling import sample_input_rows
from abl_cards.games.tables import compute_response_mask
from abl_cards.games.tables.tables import Tables
from abl_cards.reasoners.hidden_hands.hands import draw_deals, prior_estimate, uniform_estimate
from abl_cards.reasoners.search.race_search import solve_race
from abl_cards.reasoners.search.tables import SearchTables
from abl_cards.reasoners.splits.rules import SplitRules
from abl_cards.reasoners.splits.splits import Splitter
from abl_cards.rulelab.testing.edits import Edit
from abl_cards.rulelab.testing.games import step_tables
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
    """Return the outcome and the message of an edit; engines are cached by folder, so the folder must be new."""
    copy_rules(edit.game, folder)
    edit.edit.apply(folder)
    try:
        return _outcome(folder, edit)
    except Exception:
        return BROKEN, traceback.format_exc()
    finally:
        shutil.rmtree(folder)


def _outcome(folder: Path, edit: RuleEdit) -> tuple[str, str]:
    played = load(edit.game)
    try:
        engine = load_engine(played, folder, edit.profile)
    except (KBError, GameError, TooManyRules) as problem:
        return REFUSED, str(problem)
    try:
        play_and_query(engine)
    except (KBError, GameError) as problem:
        return STOPPED, str(problem)
    return PLAYED, ""


def play_and_query(engine: Engine) -> None:
    """Play matches and use lists, preferences, choices, hidden hands and records."""
    recorder = engine.new_recorder(TABLES)
    tables = engine.start_matches(match_keys(TABLES, 3), recorder)
    kb = make_agent("kb", engine)
    _play_decisions(tables, kb, 2)
    _play_decisions(tables, RandomAgent(), RANDOM)
    _query_decisions(engine, tables)
    _play_decisions(tables, GreedyAgent(engine.label_traits), 40)
    _play_decisions(tables, kb, 2)
    engine.replay([record for table in range(TABLES) for record in recorder.pop_records(table)])
    sample_input_rows(engine.rules, 60, 2)
    _run_reasoners(engine)


def _run_reasoners(engine: Engine) -> None:
    """Run the reasoners of single games on the rules."""
    if isinstance(engine, Engine) and SPLIT_RULES.is_in(engine.rules.folder):
        Splitter.of(SplitRules.of(engine.rules)).best_by_rules(HANDS)
    try:
        game = build_race(engine.rules)
    except GameError:
        return
    solve_race(SearchTables(game.combinations), game.read_position("3344579", "566788T"), megabytes=1)


def _play_decisions(tables: Tables, player: Agent, steps: int) -> None:
    """Play a number of decisions at every table."""
    for _ in range(steps):
        step_tables(tables, player)
        over = np.flatnonzero(tables.winner != -1)
        if over.size:
            tables.begin_match(over, splitmix64_array(tables.keys[over], 1))


def _query_decisions(engine: Engine, tables: Tables) -> None:
    """Query decisions in the middle of a game."""
    playing = tables.rows_to_play()
    if not playing.size:
        return
    decisions = tables.decisions(playing)
    decisions.moves()
    decisions.observe()
    known, keys = decisions.information_set(), tables.keys[playing]
    prior_estimate(known, decisions.belief_log_odds())
    deals = draw_deals(uniform_estimate(known), known, keys, 2)
    if engine.rules.trick_query is None:
        compute_response_mask(
            engine.rules, np.repeat(decisions.context, 2 * deals.shape[2]), deals.reshape(-1, deals.shape[3])
        )
    engine.min_plays(decisions.context, tables.open_hands(playing)[:, 0])
    state = engine.decision_point_at(decisions).state
    engine.legal_moves([state])
    legal_labels(engine.rules, [state])
    imagined = Tables.determinize(decisions, np.arange(len(playing)), tables.hidden_hands(playing))
    _play_imagined(imagined)
    render_table(engine.rules, tables, int(playing[0]))


def _play_imagined(tables: Tables) -> None:
    player = RandomAgent()
    for _ in range(15):
        playing = tables.rows_to_play()
        if playing.size:
            tables.play(
                playing,
                player.play(
                    tables.decisions(playing), splitmix64_array(tables.keys[playing], tables.num_decisions[playing])
                ),
            )


def _read(value: list[Any]) -> RuleEdit:
    return RuleEdit(value[0], Edit(*value[1]))


def main() -> None:
    """Try edits until there are no more; this process may crash, so it also grounds them."""
    ensure_complete_writes()
    gc_control.reduce_gc()
    home = Path(sys.argv[1])
    sandbox.work_in_process()
    for number, line in enumerate(sys.stdin):
        print(json.dumps(outcome(home / str(number), _read(json.loads(line)))), flush=True)


if __name__ == "__main__":
    main()

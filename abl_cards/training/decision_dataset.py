"""Datasets of decisions for supervised training: from records, and from games of an agent against itself.

The label of a recorded decision is abduced from the concrete cards (the label that they realise).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import Agent
from abl_cards.core import derive_key, splitmix64_array
from abl_cards.games import Engine
from abl_cards.games.preferences import PreferenceModel
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import Indices, InformationSet, Moves
from abl_cards.learners import Examples
from abl_cards.matches import replay_confirmed
from abl_cards.reasoners.abduction import Minimiser, find_best_cards, plays_after
from abl_cards.reasoners.hidden_hands import prior_estimate

NUM_TABLES = 1024
"""Tables of self-play."""
_SAMPLE_INTERVAL = 3
_TABLE_DECISIONS = 2_048  # decisions with a choice of a table in a round: more than a match of many episodes has
_MIN_ROUND_TABLES = 32  # fewer take much longer for a decision


@dataclass(frozen=True)
class SupervisedDataset:
    """Decisions with labels and hidden hands, and the constraints from the information of their seats."""

    examples: Examples
    constraints: InformationSet
    context: NDArray[np.int16]  # [n] see Decisions.context
    source: Indices  # [n] the record or table each comes from

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> SupervisedDataset:
        """Select rows."""
        return SupervisedDataset(
            self.examples.at(rows), self.constraints.select(rows), self.context[rows], self.source[rows]
        )

    @classmethod
    def concatenate(cls, parts: Sequence[SupervisedDataset]) -> SupervisedDataset:
        """Concatenate datasets."""
        return cls(
            Examples.concatenate([part.examples for part in parts]),
            InformationSet.concatenate([part.constraints for part in parts]),
            np.concatenate([part.context for part in parts]),
            np.concatenate([part.source for part in parts]),
        )


class DecisionCollector(NullListener):
    """Listener that records every decision at tables."""

    def __init__(self, engine: Engine, judge: PreferenceModel) -> None:
        self._engine, self._judge = engine, judge
        self._parts: list[SupervisedDataset] = []

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Record the observations, the hidden hands, and the played labels."""
        decisions = tables.decisions(rows)
        best_cards = find_best_cards(self._engine, self._judge, decisions)
        plays = plays_after(self._engine, decisions, best_cards)
        others, constraints = tables.hidden_hands(rows), decisions.information_set()
        examples = Examples(
            observation=decisions.observe(),
            legal=best_cards.choosable,
            to_beat=decisions.label_to_beat,
            regret=best_cards.regret().astype(np.float16),
            plays_left=plays,
            prior=prior_estimate(constraints, decisions.belief_log_odds()).astype(np.float16),
            estimate=np.zeros(others.shape, np.float16),
            response_counts=np.zeros((*others.shape[:2], plays.shape[1]), np.uint8),
            hands=others,
            label=decisions.labels_of(moves.form),
        )
        self._parts.append(SupervisedDataset(examples, constraints, decisions.context, rows))

    def to_dataset(self) -> SupervisedDataset:
        """Return the decisions recorded so far."""
        return SupervisedDataset.concatenate(self._parts)


def dataset_from_records(
    engine: Engine,
    judge: PreferenceModel,
    records: Sequence[Mapping[str, Any]],
    file: Path,
    lines: Sequence[int] | None = None,
) -> SupervisedDataset:
    """Collect every decision of the records of a file; the source is the index of the record.

    Raises:
        GameError: The rules do not confirm a record.
    """
    collector = DecisionCollector(engine, judge)
    replay_confirmed(engine, records, collector, file, lines)
    return collector.to_dataset()


def collect_decisions(
    engine: Engine, judge: PreferenceModel, agent: Agent, num_decisions: int, seed: int, num_tables: int = NUM_TABLES
) -> SupervisedDataset:
    """Collect at least ``num_decisions`` decisions of self-play; the source is the index of the table."""
    made = 0

    def note(notes: DecisionCollector, playing: Tables, rows: Indices, moves: Moves) -> None:
        nonlocal made
        notes.on_play(playing, rows, moves)
        made += len(rows)

    return _collect_self_play(engine, judge, agent, seed, num_tables, note, lambda ended: made < num_decisions)


def collect_episodes(
    engine: Engine, judge: PreferenceModel, agent: Agent, num_episodes: int, seed: int
) -> SupervisedDataset:
    """Collect every third decision with a choice from at least ``num_episodes`` episodes of self-play."""

    def note(notes: DecisionCollector, playing: Tables, play_rows: Indices, moves: Moves) -> None:
        rows = np.flatnonzero(playing.decisions(play_rows).legal_mask.sum(axis=0) > 1)
        if rows.size:
            notes.on_play(playing, play_rows[rows], Moves(moves.form[rows], moves.cards[rows]))

    return _collect_self_play(
        engine, judge, agent, seed, min(num_episodes, NUM_TABLES), note, lambda ended: ended < num_episodes
    )


class _EpisodeCounter(NullListener):
    """Counter of ended episodes."""

    def __init__(self) -> None:
        self.count = 0

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Add the ended episodes."""
        self.count += len(rows)


def num_round_tables(num_decisions: int, max_tables: int) -> int:
    """Return the number of tables of a round of self-play, chosen so that most matches are completed.

    A round begins with new matches. At too many tables it would cover only their first episodes, and miss the values
    of fluents in later ones, such as levels and scores.

    Args:
        num_decisions: Decisions with a choice of the round.
        max_tables: Largest number of tables.
    """
    return min(max_tables, max(_MIN_ROUND_TABLES, num_decisions // _TABLE_DECISIONS))


def advance_to_plays(tables: Tables, minimiser: Minimiser) -> Indices:
    """Begin new matches where one is over, and make the choices; returns the tables where a play is due."""
    over = np.flatnonzero(tables.winner != -1)
    if over.size:
        tables.begin_match(over, splitmix64_array(tables.keys[over], 1))
    choosing = tables.rows_to_choose()
    if choosing.size:
        tables.choose(choosing, minimiser.choose(tables.choices(choosing)))
    return tables.rows_to_play()


def _collect_self_play(
    engine: Engine, judge: PreferenceModel, agent: Agent, seed: int, num_tables: int,
    record: Callable[[DecisionCollector, Tables, Indices, Moves], None], should_continue: Callable[[int], bool],
) -> SupervisedDataset:  # fmt: skip
    """Play an agent against itself until enough is recorded; reports the number of finished episodes."""
    notes, ended = DecisionCollector(engine, judge), _EpisodeCounter()
    keys = splitmix64_array(np.full(num_tables, derive_key(seed), np.uint64), np.arange(num_tables))
    playing: Tables = engine.start_matches(keys, ended)
    playing.batch_rare_steps = True
    minimiser, step = Minimiser(judge), 0
    while should_continue(ended.count):
        play_rows = advance_to_plays(playing, minimiser)
        moves = agent.play(
            playing.decisions(play_rows), splitmix64_array(playing.keys[play_rows], playing.num_decisions[play_rows])
        )
        step += 1
        if step % _SAMPLE_INTERVAL == 0:  # neighbouring decisions of one table hide almost the same hands
            record(notes, playing, play_rows, moves)
        playing.play(play_rows, moves)
    return notes.to_dataset()

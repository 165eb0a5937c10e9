"""Facts about the course of a deal, measured by playing some deals: its stages, and which seats win points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents import RandomAgent, make_agent
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.state import NO_SEAT
from abl_cards.games.tables import NullListener, Tables
from abl_cards.games.types import ONLY_TABLE, Indices, Moves
from abl_cards.web.stage_choices import count_card_choices

NUM_DEALS, MAX_DECISIONS = 3, 1500
PLAY_STAGE = ""


@dataclass
class EpisodeFacts(NullListener):
    """Listener that collects facts about some deals at one table.

    Attributes:
        stages: Stages in the order in which they first occur; PLAY_STAGE for the play.
        options: Options of each stage, as indices, and the number of cards to choose; None for options.
        first_deals: Deal, from 1, in which each stage first occurs.
        num_plays: Number of plays of each deal.
        first_out_wins: For each deal, whether the seat that finished first has the most points; None if none finished.
    """

    stages: list[str] = field(default_factory=list)
    options: dict[str, tuple[set[int], int | None]] = field(default_factory=dict)
    first_deals: dict[str, int] = field(default_factory=dict)
    num_plays: list[int] = field(default_factory=lambda: [0])
    first_out_wins: list[bool | None] = field(default_factory=list)

    def on_play(self, tables: Tables, rows: Indices, moves: Moves) -> None:
        """Count a play."""
        self.num_plays[-1] += 1

    def on_episode_end(self, tables: Tables, rows: Indices) -> None:
        """Compare the points with the order in which seats finished."""
        points, order = tables.points[0], tables.state.finish_order[0].tolist()
        first = order[0] if order and order[0] != NO_SEAT else None
        self.first_out_wins.append(None if first is None else bool(points[first] == points.max()))
        self.num_plays.append(0)

    def note_stage(self, stage: str, found: NDArray[np.int64], tables: Tables) -> None:
        """Record a stage and its options."""
        if stage not in self.options:
            first = PLAY_STAGE in self.stages and not self.num_plays[-1]
            self.stages.insert(self.stages.index(PLAY_STAGE) if first else len(self.stages), stage)
            self.first_deals[stage] = len(self.num_plays)
            self.options[stage] = (set(), count_card_choices(tables))
        self.options[stage][0].update(found.tolist())

    @property
    def is_race(self) -> bool:
        """True if the seat that plays all cards first always has the most points."""
        return bool(self.first_out_wins) and all(self.first_out_wins)


def episode_facts(engine: Engine) -> EpisodeFacts:
    """Play some fixed deals with simple agents, and return the facts about them."""
    facts: EpisodeFacts = _episode_facts(engine.rules)
    return facts


@cache_per_game
def _episode_facts(rules: CompiledGame) -> Any:
    engine, facts = Engine(rules, rules.folder.name), EpisodeFacts()
    greedy, random = make_agent("greedy", engine), RandomAgent()
    tables = engine.start_matches(np.array([1], np.uint64), facts)
    for number in range(MAX_DECISIONS):
        key = np.array([number], np.uint64)
        if tables.rows_to_choose().size:
            choices = tables.choices(ONLY_TABLE)
            stage = str(rules.schema.stages[int(choices.stage[0])])
            facts.note_stage(stage, np.flatnonzero(choices.options[0]), tables)
            tables.choose(ONLY_TABLE, random.choose(choices, key))
        elif tables.rows_to_play().size:
            if PLAY_STAGE not in facts.stages:
                facts.stages.append(PLAY_STAGE)
            tables.play(ONLY_TABLE, greedy.play(tables.decisions(ONLY_TABLE), key))
        else:
            break
        if len(facts.first_out_wins) >= NUM_DEALS:
            break
    return facts

"""What imagined tables come to: forced moves follow, then some answers, and the critic says the rest.

Answers are those of the policy, or what the preferences like best: that takes less time, and is as good where the
policy has not learned to play better than they do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abl_cards.agents.mind import Mind
from abl_cards.games import Decisions, Indices, Tables
from learners.told import Told, counted
from reasoners.survey import Survey, plays_after, survey


class Imagination:
    """Plays imagined tables on until somebody has a choice."""

    def __init__(self, mind: Mind) -> None:
        """The critic of the mind's networks must have learned."""
        preset = mind.networks.preset
        self._mind, self._power = mind, preset.ppo.power
        self._prefers = preset.answers_of_kb and bool(mind.judge.preferences())

    def worth(self, tables: Tables, seat: NDArray[np.int8], answers: int = 0) -> NDArray[np.float32]:
        """[m] points that the rest of the episode is worth to seats [m], after so many answers.

        Somebody is to play at the tables, or the episode is over.
        """
        points, valued = np.zeros(len(tables), np.float32), np.zeros(len(tables), np.bool_)
        left = np.full(len(tables), answers)
        while (running := (playing := tables.playing())[~valued[playing]]).size:
            answering = left[running] > 0
            here = running[answering]
            left[here] -= self._answer(tables, here)
            here = running[~answering]
            if not here.size:
                continue
            decisions = tables.decisions(here)
            found = survey(self._mind.engine, self._mind.judge, decisions)
            free, forced = np.flatnonzero(found.several), np.flatnonzero(~found.several)
            asked = here[free]
            value = self._value(decisions, found, free, tables, asked)
            points[asked] = value * counted(tables.rate(asked, tables.seat[asked], seat[asked]), self._power)
            valued[asked] = True
            only = found.row[forced, found.choosable[forced].argmax(axis=1)]
            tables.play(here[forced], found.lists.rows(only))
        over = np.flatnonzero(~valued)
        ends = self._mind.engine.rewards(tables, over)[np.arange(len(over)), seat[over]]
        points[over] = counted(ends, self._power)
        return points

    def _answer(self, tables: Tables, here: Indices) -> NDArray[np.bool_]:
        """Who is to play at tables [n] plays, as a player sees them; returns [n] where there was a choice."""
        if not here.size:
            return np.zeros(0, np.bool_)
        labels, found = self._preferred(tables, here) if self._prefers else self._proposed(tables, here)
        tables.play(here, found.realise(labels))
        return found.several

    def _proposed(self, tables: Tables, here: Indices) -> tuple[NDArray[np.int16], Survey]:
        """[n] the likeliest labels by the policy."""
        view = self._mind.look(tables.decisions(here))
        return view.complete(self._mind.weigh(view).argmax(axis=1).astype(np.int16)), view.survey

    def _preferred(self, tables: Tables, here: Indices) -> tuple[NDArray[np.int16], Survey]:
        """[n] the cheapest labels by the preferences, which are told no estimate of the other hands."""
        found = survey(self._mind.engine, self._mind.judge, tables.decisions(here))
        return found.regret().argmin(axis=1).astype(np.int16), found

    def _value(
        self, decisions: Decisions, found: Survey, rows: Indices, tables: Tables, here: Indices
    ) -> NDArray[np.float32]:
        """[k] what rows [k] of surveyed decisions, at these tables [k], are worth to who decides."""
        plays, asked = plays_after(self._mind.engine, decisions, found)[rows], decisions.at(rows)
        opened = self._mind.lay_open(tables, here, asked.context)
        return self._mind.value(_told(asked, found.choosable[rows], plays), opened)


def _told(decisions: Decisions, legal: NDArray[np.bool_], plays: NDArray[np.uint8]) -> Told:
    """What the critic is told of decisions; it wants neither costs nor estimates."""
    n = len(plays)
    return Told(
        observation=decisions.observe(),
        legal=legal,
        to_beat=decisions.label_to_beat,
        regret=np.zeros((n, 0), np.float32),
        plays=plays,
        estimate=np.zeros((n, 0, 0), np.float32),
        replies=np.zeros((n, 0, 0), np.uint8),
    )

"""Policies without training, and what a policy makes of a table, play by play."""

from __future__ import annotations

from typing import Any

import numpy as np

from abl_cards.games.game import load


def untrained_whist_policy() -> tuple[Any, Any]:
    """Return a trick-taking game and an untrained policy of the preset for custom games."""
    from abl_cards.agents.policy import NeuroSymbolicPolicy
    from abl_cards.learners.networks import GameShape, Networks
    from abl_cards.learners.presets import PRESETS

    engine = load("whist").engine()
    return engine, NeuroSymbolicPolicy(
        engine, engine.preference_model(), Networks(PRESETS["quick"], GameShape.of(engine))
    )


def remaining_value(engine: Any, neural_policy: Any, tables: Any, me: int, answers: int) -> float:
    """Return the value of a table for a seat after some answers by the policy."""
    while tables.rows_to_play().size:
        now = tables.decisions(np.zeros(1, np.int64))
        view = neural_policy.features(now)
        if len(view.open_rows) and answers:
            answers -= 1
            labels = neural_policy.log_probs(view).argmax(axis=1).astype(np.int16)
            tables.play(np.zeros(1, np.int64), view.survey.realise(view.complete_labels(labels)))
            continue
        if len(view.open_rows):
            value = float(
                neural_policy.value(view, neural_policy.privileged_inputs(tables, np.zeros(1, np.int64), now.context))[
                    0
                ]
            )
            return value if (int(tables.seat[0]) - me) % 2 == 0 else -value
        tables.play(np.zeros(1, np.int64), view.survey.realise(view.complete_labels(np.zeros(0, np.int16))))
    return float(engine.rewards(tables, np.zeros(1, np.int64))[0, me])

"""Requests for advice at a table: hints, explanations, judgements of moves, and reasons of past decisions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from abl_cards.agents import ExplainableAgent
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine
from abl_cards.games.tables import DecisionPoint
from abl_cards.games.types import ONLY_TABLE
from abl_cards.web import coach, hints, schemas
from abl_cards.web.seats import Permission, TableDecision
from abl_cards.web.snapshot import may_see_hands
from abl_cards.web.table import WebTable

if TYPE_CHECKING:
    from abl_cards.web.lobby import Lobby

ROLLOUT_AGENT = "kb"
"""Agent that plays sampled deals to their end, as the default of ``abl-cards review``."""
Reply = dict[str, Any] | None


class AdviceRequests(ABC):
    """Requests of one client for advice; they do not change the table."""

    _table: WebTable
    _lobby: Lobby

    @property
    @abstractmethod
    def _permission(self) -> Permission:
        """Permissions of the client at the table."""

    async def _hint(self, message: dict[str, Any]) -> Reply:
        return await self._run_advice("hint", message, hints.compute_hint)

    async def _why(self, message: dict[str, Any]) -> Reply:
        def explain(engine: Engine, player: ExplainableAgent, point: DecisionPoint, *more: Any) -> dict[str, Any]:
            return hints.explain_move(engine, player, point, message.get("value"), *more)

        return await self._run_advice("why", message, explain)

    async def _state(self, message: dict[str, Any]) -> Reply:
        """Return the position of the client's decision as JSON, as the laboratory pins it."""
        return await self._run_advice("state", message, lambda _, __, point, *___: {"state": point.state})

    async def _run_advice(self, kind: str, message: dict[str, Any], compute: Callable[..., dict[str, Any]]) -> Reply:
        language, name = schemas.get_language(message, "lang"), schemas.get_text(message, "agent", "kb")
        table, clock = self._table, get_clock(message)

        def run() -> dict[str, Any]:
            table.check_turn(self._permission, clock)
            player = self._lobby.executor.explainable_agent(name, table.engine)
            is_play = table.tables.rows_to_play().size
            decisions = table.tables.decisions(ONLY_TABLE) if is_play else table.tables.choices(ONLY_TABLE)
            return compute(table.engine, player, table.engine.decision_point_at(decisions), language, table.tables)

        async with table.lock:
            return {"type": kind, "agent": name, "at": clock, **await self._lobby.executor.run(run)}

    async def _coach(self, message: dict[str, Any]) -> Reply:
        """Judge the moves of the current decision, or of an earlier one of the client (``act``)."""
        language, name = schemas.get_language(message, "lang"), schemas.get_text(message, "agent", "kb")
        table, executor, act = self._table, self._lobby.executor, _get_act(message)
        async with table.lock:
            if act is None:
                table.check_turn(self._permission, get_clock(message))
            index = len(table.decisions) if act is None else act
            made = self._find_decision(act) if act is not None else None
            if made is not None and made.seat != self._permission.seat:
                raise GameError("another seat made this decision", ErrorCode.NOT_ALLOWED)
            replay = table.begin_replay(index)

        def run() -> dict[str, Any]:
            player, rollout_agent = (executor.explainable_agent(name, table.engine),
                                     executor.agent(ROLLOUT_AGENT, table.engine))  # fmt: skip
            return coach.judge_moves(table.engine, player, rollout_agent, replay(), index, language, made)

        return {"type": "coach", "act": act, "agent": ROLLOUT_AGENT, **await executor.run_advice(run)}

    async def _explain_past(self, message: dict[str, Any]) -> Reply:
        """Explain a decision by what its seat could know, after its episode or where all hands may be seen."""
        language, name = schemas.get_language(message, "lang"), schemas.get_text(message, "agent", "kb")
        table, executor, act = self._table, self._lobby.executor, _get_act(message)
        async with table.lock:
            made = self._find_decision(act)
            is_over = act is not None and (table.is_over or act < table.episode_start)
            is_own = made.seat == self._permission.seat
            if not (is_over or is_own or may_see_hands(table, self._permission)):
                raise GameError("the reasons would show a hand", ErrorCode.NOT_ALLOWED)
            replay = table.begin_replay(act or 0)
            agent_name = table.seats[made.seat].agent_name

        def run() -> dict[str, Any]:
            try:
                player, used = executor.explainable_agent(agent_name or name, table.engine), agent_name or name
            except GameError:  # such as a person, or an agent without preferences
                player, used = executor.explainable_agent(name, table.engine), name
            explained = coach.explain_past_decision(table.engine, player, replay(), made, language)
            return {"agent": used} | explained

        return {"type": "past", "act": act, "seat": made.seat, **await executor.run_advice(run)}

    def _find_decision(self, act: int | None) -> TableDecision:
        """Return the decision of an index; raises GameError."""
        if act is None or act >= len(self._table.decisions):
            raise GameError("there is no decision of this number", ErrorCode.NOT_FOUND)
        return self._table.decisions[act]


def get_clock(message: dict[str, Any]) -> int:
    """Return the number of the decision that a request is about; raises GameError."""
    return schemas.get_int(message, "at", 0, 1 << 30)


def _get_act(message: dict[str, Any]) -> int | None:
    return None if message.get("act") is None else schemas.get_int(message, "act", 0, 1 << 30)

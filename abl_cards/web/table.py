"""Tables of the web server: seats, permissions, requests of players, and the progress of the match.

A table consists of a seed and the decisions made so far. To take a decision back, the others are replayed.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from abl_cards.agents import Agent
from abl_cards.core import ErrorCode, GameError, secret_seed
from abl_cards.games import Engine
from abl_cards.games.compiled import attribute_table_errors
from abl_cards.games.notation import find_options, find_plays
from abl_cards.games.tables import Listener
from abl_cards.games.types import ONLY_TABLE, Moves
from abl_cards.matches import derive_decision_keys
from abl_cards.web.seats import PERSON, Permission, TableDecision, TableSeat, make_agent_seat
from abl_cards.web.selection import CardSelection
from abl_cards.web.snapshot import can_skip, visible_seed
from abl_cards.web.stage_choices import count_card_choices, find_stage_options
from abl_cards.web.table_history import TableHistory
from abl_cards.web.texts import BilingualText

if TYPE_CHECKING:
    from abl_cards.web.websocket import BrowserConnection

log = logging.getLogger(__name__)
MAX_CHOICES_PER_FRAME = 32
"""Largest number of choices in one frame."""


class WebTable(TableHistory):
    """A table with its seats and its match; callers hold ``lock``."""

    def __init__(
        self, name: str, title: BilingualText, engine: Engine, seats: Sequence[TableSeat], seed: int | None,
        is_practice: bool,
        available_agents: Sequence[str] = (), rules_error: str = "",
    ) -> None:  # fmt: skip
        """Start the first match, by the given seed or by a secret one that is drawn for each match."""
        super().__init__(engine, secret_seed() if seed is None else seed)
        self.name, self.title, self.seats = name, title, list(seats)
        self.is_seed_random, self.is_practice = seed is None, is_practice
        self.available_agents = tuple(available_agents)
        self.rules_error, self.rules_name = rules_error, engine.game  # first error of newer rules; name for requests
        person_seats = [seat for seat, table_seat in enumerate(seats) if table_seat.kind == PERSON]
        self.owner_seat = person_seats[0] if person_seats else None
        self.owner_token, self.watch_token, self.join_token = (secrets.token_urlsafe(12) for _ in range(3))
        self.former_tokens: set[str] = set()  # of seats that were given to others; they still allow to look on
        self.lock, self.wake = asyncio.Lock(), asyncio.Event()
        self.revision, self.agent_delay, self.think_ms, self.problem = 0, 0.6, 0, ""  # think_ms: 0 without a limit
        self._selection: tuple[int, CardSelection] | None = None  # with the revision: a thread may go on for a client
        self._num_card_choices: tuple[int, int | None] | None = None  # who has left, and end after the next decision
        self.viewers: dict[BrowserConnection, str] = {}  # token by connection
        self.on_change: Callable[[], None] = lambda: None
        self.last_used, self.client_id = time.monotonic(), ""  # last action of a person; client that opened the table
        self.start_match()

    # --- permissions --------------------------------------------------------------------------------------------------

    def permission_of(self, token: str) -> Permission | None:
        """Return the permissions of a token; None for an invalid one."""
        if _tokens_equal(token, self.owner_token):
            return self._make_permission(self.owner_seat, owner=True)
        for seat, table_seat in enumerate(self.seats):
            if _tokens_equal(token, table_seat.token):
                return self._make_permission(seat)
        watch_tokens = (self.watch_token, self.join_token, *self.former_tokens)
        may_watch = any(_tokens_equal(token, other) for other in watch_tokens)
        return Permission() if may_watch else None

    def _make_permission(self, seat: int | None, owner: bool = False) -> Permission:
        is_person = seat is not None and self.seats[seat].kind == PERSON
        return Permission(seat if is_person else None, owner, seat)

    def mark_taken(self, token: str) -> None:
        """Record that the person whose token this is has come."""
        permission = self.permission_of(token)
        seat = permission.seat if permission is not None else None
        if seat is not None and not self.seats[seat].is_taken:
            self.take_seat(seat, self.seats[seat].name)

    def take_seat(self, seat: int, name: str) -> None:
        """Record that a person of this name has come to a seat."""
        self.seats[seat].name, self.seats[seat].is_taken = name, True
        if seat != self.owner_seat:
            self._write_seat(seat)

    def is_present(self, seat: int) -> bool:
        """Return whether the player of a seat is connected."""
        permissions = (self.permission_of(token) for token in self.viewers.values())
        return any(permission is not None and permission.seat == seat for permission in permissions)

    # --- the match ---------------------------------------------------------------------------------------------------

    def start_match(self) -> None:
        """Begin a match."""
        self.decisions = []
        self.is_waiting, self.is_fast, self.problem = False, False, ""
        self.deal([table_seat.agent for table_seat in self.seats])
        self._mark_changed()

    def _mark_changed(self) -> None:
        self.revision += 1
        self.changed_at = time.time()

    @property
    def seat(self) -> int:
        """Seat to decide."""
        return int(self.tables.seat[0])

    @property
    def is_over(self) -> bool:
        """True if the match is over."""
        return bool(self.tables.winner[0] != -1)

    @property
    def is_agents_turn(self) -> bool:
        """True if an agent is to decide."""
        return not (self.is_over or self.is_waiting or self.problem) and self.seats[self.seat].agent is not None

    def get_selection(self) -> CardSelection:
        """Return the plays of the seat to decide."""
        revision, known = self.revision, self._selection
        if known is None or known[0] != revision:
            self._selection = known = revision, CardSelection(self.engine, self.tables.decisions(ONLY_TABLE))
        return known[1]

    @property
    def num_card_choices(self) -> int | None:
        """Number of cards that the seat to decide chooses in this stage; None where options are not cards."""
        revision, known = self.revision, self._num_card_choices
        if known is None or known[0] != revision:
            is_choice = self.tables.rows_to_choose().size
            self._num_card_choices = known = revision, count_card_choices(self.tables) if is_choice else None
        return known[1]

    def run_agent(self) -> bool:
        """Let the agent of the seat to decide act; return whether the table has changed visibly."""
        if not self.is_agents_turn:
            return False
        agent, events = self.seats[self.seat].agent, self.game_log.num_events
        assert agent is not None
        keys = derive_decision_keys(self.tables, ONLY_TABLE, np.array([self.match_number]))
        try:
            with attribute_table_errors(
                lambda _: f"table {self.name}"
            ):  # without the seed, because all viewers can read the error
                if self.tables.rows_to_play().size:
                    self._play(agent.play(self.tables.decisions(ONLY_TABLE), keys))
                else:
                    self._choose(int(agent.choose(self.tables.choices(ONLY_TABLE), keys)[0]), False)
        except GameError as error:
            log.warning("table %s: %s", self.name, error)
            self.problem = str(error)
            self._mark_changed()
            return True
        return self.game_log.num_events != events

    def _play(self, moves: Moves, value: Any = None) -> None:
        self._make_decision(TableDecision(moves, -1, self.seat, value is not None), value)

    def _choose(self, option: int, by_person: bool) -> None:
        self._make_decision(TableDecision(None, option, self.seat, by_person))

    def _make_decision(self, decision: TableDecision, value: Any = None) -> None:
        self._apply_decision(decision)
        self.write_event("act", {"decision": decision, "value": value})

    def _apply_decision(self, decision: TableDecision) -> None:
        self.decisions.append(decision)
        has_ended = self.apply(len(self.decisions) - 1, decision)
        self.is_waiting = not self.is_over and has_ended and self._has_person
        self.is_fast = self.is_fast and not has_ended
        self._mark_changed()

    def replay_decision(self, decision: TableDecision, has_continued: bool) -> None:
        """Repeat a decision; ``has_continued`` if the next episode, after one that it ended, was confirmed."""
        self._apply_decision(decision)
        self.is_waiting = self.is_waiting and not has_continued

    @property
    def _has_person(self) -> bool:
        return any(table_seat.kind == PERSON for table_seat in self.seats)

    # --- requests of players ------------------------------------------------------------------------------------------

    def check_turn(self, permission: Permission, clock: int) -> None:
        """Raise GameError unless it is the client's turn, and ``clock`` is the number of the current decision."""
        if permission.seat is None:
            raise GameError("spectators cannot act", ErrorCode.NOT_SEATED)
        if self.is_over or self.is_waiting or self.problem or self.seat != permission.seat:
            raise GameError("it is not your turn", ErrorCode.OUT_OF_TURN)
        if clock != int(self.tables.num_decisions[0]):
            raise GameError("the decision has been made already", ErrorCode.ALREADY_DECIDED)

    def play(self, permission: Permission, value: Any, clock: int) -> None:
        """Play cards or pass; raises GameError for an illegal move."""
        self.check_turn(permission, clock)
        if not self.tables.rows_to_play().size:
            raise GameError("the current decision is a choice, not a play", ErrorCode.OUT_OF_TURN)
        lists, (row,) = find_plays(self.tables.decisions(ONLY_TABLE), [value])
        if isinstance(row, GameError):
            raise row
        self._play(lists.select(np.array([row])), value)

    def choose(self, permission: Permission, values: Sequence[Any], clock: int) -> None:
        """Choose one option, or several of the same stage; raises GameError for an invalid choice.

        In a stage that takes several cards, all of them are chosen at once, or none.
        """
        self.check_turn(permission, clock)
        if not self.tables.rows_to_choose().size:
            raise GameError("the current decision is a play, not a choice", ErrorCode.OUT_OF_TURN)
        if self.num_card_choices is not None:
            for chosen in find_stage_options(self.tables, values):
                self._choose(chosen, True)
            return
        stage, num_before = int(self.tables.state.choice[0]), len(self.decisions)
        for value in values[:MAX_CHOICES_PER_FRAME]:
            continues = self.tables.rows_to_choose().size and int(self.tables.state.choice[0]) == stage
            if self.is_over or self.is_waiting or self.seat != permission.seat or not continues:
                break  # the stage is complete
            (option,) = find_options(self.tables.choices(ONLY_TABLE), [value])
            if isinstance(option, GameError):
                if len(self.decisions) == num_before:
                    raise option
                break
            self._choose(option, True)

    def continue_match(self, permission: Permission) -> None:
        """Continue with the next episode."""
        if permission.seat is None and not permission.is_owner:
            raise GameError("spectators cannot act", ErrorCode.NOT_SEATED)
        if self.is_waiting:
            self.is_waiting = False
            self.write_event("go", {})
            self._mark_changed()

    def can_take_back(self, permission: Permission) -> bool:
        """Return whether the seat has a decision to take back, at a practice table."""
        if (
            not self.is_practice
            or permission.seat is None
            or any(isinstance(table_seat.agent, Listener) for table_seat in self.seats)
        ):
            return False
        return any(decision.seat == permission.seat and decision.by_person for decision in self.decisions)

    def take_back(self, permission: Permission) -> None:
        """Take back the last decision of a person and all later ones; raises GameError if that is not allowed."""
        if not self.can_take_back(permission):
            if not self.is_practice:
                raise GameError("decisions are taken back at practice tables only", ErrorCode.NO_PRACTICE)
            raise GameError("there is no decision to take back", ErrorCode.NOTHING_TO_TAKE_BACK)
        while self.decisions:
            last = self.decisions.pop()
            if last.seat == permission.seat and last.by_person:
                break
        self.write_event("back", {"left": len(self.decisions)})
        events = self.game_log.num_events
        self.deal([table_seat.agent for table_seat in self.seats])
        for index, decision in enumerate(self.decisions):
            self.apply(index, decision)
        self.game_log.num_events += events  # numbers that browsers have seen are not used again
        self.is_waiting, self.is_fast, self.problem = False, False, ""
        self._mark_changed()

    def skip_to_end(self, permission: Permission) -> None:
        """Let the agents decide without delay until the episode ends; raises GameError if that is not allowed."""
        if not can_skip(self, permission):
            raise GameError("the people at this table have not finished", ErrorCode.NOT_ALLOWED)
        self.is_fast = True
        self._mark_changed()

    def start_next_match(self, permission: Permission) -> None:
        """Start another match; only the owner may."""
        if not permission.is_owner:
            raise GameError("only the owner of the table may start another match", ErrorCode.NOT_OWNER)
        self.match_number += 1
        if self.is_seed_random:  # the previous seed may be known now
            self.seed = secret_seed()
        self.start_match()
        self.write_event("begin", {})

    def seat_agent(self, permission: Permission, seat: int, name: str, agent: Agent) -> None:
        """Give a seat to an agent; the owner may do so for any seat, others for their own."""
        self._check_seat_owner(permission, seat)
        former_token = self.seats[seat].token
        self.seats[seat] = make_agent_seat(name, agent)
        if permission.own_seat == seat:
            self.seats[seat].token = former_token  # lets the player return
        else:
            self.former_tokens.add(former_token)
        self._write_seat(seat)

    def seat_person(self, permission: Permission, seat: int, name: str) -> None:
        """Give a seat to a person; the owner may do so for any seat, others for their own."""
        self._check_seat_owner(permission, seat)
        is_taken = self.seats[seat].is_taken or permission.own_seat == seat
        self.seats[seat] = TableSeat(PERSON, name, token=self.seats[seat].token, is_taken=is_taken)
        if permission.is_owner and permission.own_seat is None:
            self.owner_seat = seat
        self._write_seat(seat)

    def _write_seat(self, seat: int) -> None:
        self.write_event("chair", {"seat": seat, "chair": self.seats[seat].to_json(), "owner": self.owner_seat})
        self._mark_changed()

    def _check_seat_owner(self, permission: Permission, seat: int) -> None:
        if not 0 <= seat < len(self.seats):
            raise GameError(f"unknown seat {seat}", ErrorCode.UNKNOWN_SEAT, [seat])
        if not permission.is_owner and permission.own_seat != seat:
            raise GameError("the seat belongs to another player", ErrorCode.SEAT_TAKEN)

    def rename(self, permission: Permission, name: str) -> None:
        """Set the name of a player."""
        if permission.seat is None or self.seats[permission.seat].kind != PERSON or not name:
            raise GameError("only seated players have a name", ErrorCode.NOT_SEATED)
        self.seats[permission.seat].name = name
        self._write_seat(permission.seat)

    # --- records ------------------------------------------------------------------------------------------------------

    def records(self, permission: Permission) -> list[dict[str, Any]]:
        """Return the records of ended episodes, with the seed if ``visible_seed`` allows it."""
        seed = visible_seed(self, permission)
        seed_field = {} if seed is None else {"seed": seed}
        extra = {"players": [table_seat.name for table_seat in self.seats], **seed_field, "match": self.match_number}
        return self.write_records(**extra)


def _tokens_equal(token: str, other: str) -> bool:
    return secrets.compare_digest(token.encode(), other.encode())

"""Reviews of records by names of agents, for users of the library."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from abl_cards.agents import Agent, make_agent
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine, Game, load
from abl_cards.matches.records import normalise_record
from abl_cards.matches.review import ReviewConfig, ReviewedDecision, review_record


def review_game(
    game: Game | Engine | str,
    record: Mapping[str, Any],
    agent: str | Agent = "kb",
    seats: Collection[int] | None = None,
    rollout_agent: str | Agent = "kb",
    num_deals: int = 100,
    max_moves: int = 6,
    min_loss: float = 0.0,
    seed: int = 0,
    language: str = "en",
) -> list[ReviewedDecision]:
    """Review the decisions of a record: the best move, and the points that the played one gave away.

    Args:
        game: A game, its name or folder, or its engine.
        record: An episode in the JSON form of docs/formats.md, as `play_match` writes it.
        agent: Agent whose choice is compared.
        seats: Seats to review; None for all.
        rollout_agent: Agent that plays sampled deals to their end.
        num_deals: Sampled deals for each move; one half chooses the best move, the other measures the loss.
        max_moves: Moves of a decision that are tried, at most.
        min_loss: Points that a mistake costs at least.
        seed: Seed of the sampled deals.
        language: Language of the reasons, ``"en"`` or ``"zh"``.

    Returns:
        One entry for each play with more than one legal move, in the order of the record.

    Raises:
        GameError: The record, the name of an agent or a seat is wrong.
        KBError: The rules have errors.
    """
    game = load(game) if isinstance(game, str) else game
    engine = game.engine() if isinstance(game, Game) else game
    unknown = [seat for seat in seats or () if not 0 <= seat < len(engine.teams)]
    if unknown:
        raise GameError(f"seats: {unknown[0]}, expected 0 to {len(engine.teams) - 1}", ErrorCode.INVALID_VALUE)
    players = [make_agent(each, engine) if isinstance(each, str) else each for each in (agent, rollout_agent)]
    config = ReviewConfig(engine, players[0], players[1], num_deals, max_moves, min_loss, seed, language)
    return review_record(config, normalise_record(engine, record), None if seats is None else frozenset(seats))

"""Make environments of other libraries: PettingZoo and Gymnasium come with ``pip install 'abl-cards[pettingzoo]'``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, SupportsIndex

from abl_cards.core import missing_library_message
from abl_cards.games import Engine, Game

if TYPE_CHECKING:
    from collections.abc import Iterator

    from abl_cards.agents import Agent
    from abl_cards.env.gymnasium_envs import GymnasiumEnv, GymnasiumVectorEnv
    from abl_cards.env.parallel import ParallelCardGameEnv


def aec_env(game: Game | Engine | str, **settings: Any) -> Any:
    """Make a PettingZoo AEC environment, wrapped so that wrong calls raise errors.

    Args:
        game: A game, its name, the path of a rule folder, or an engine.
        **settings: Further arguments of ``CardGameEnv``.

    Returns:
        A ``CardGameEnv`` in PettingZoo's wrappers ``OrderEnforcingWrapper`` and ``AssertOutOfBoundsWrapper``.

    Raises:
        ModuleNotFoundError: PettingZoo is not installed; the message names the extra.
        GameError: The game is unknown, or a setting is wrong.
        KBError: The rule files have errors.
        TypeError: The seed is not an integer.
    """
    with _named_extra():
        from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

        from abl_cards.env.aec import CardGameEnv
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(CardGameEnv(game, **settings)))


def parallel_env(game: Game | Engine | str, **settings: Any) -> ParallelCardGameEnv:
    """Make a PettingZoo environment with the parallel interface.

    Args:
        game: A game, its name, the path of a rule folder, or an engine.
        **settings: Further arguments of ``ParallelCardGameEnv``.

    Returns:
        One table; seats not to move have an all-zero mask, and their actions are ignored.

    Raises:
        ModuleNotFoundError: PettingZoo is not installed; the message names the extra.
        GameError: The game is unknown, or a setting is wrong.
        KBError: The rule files have errors.
        TypeError: The seed is not an integer.
    """
    with _named_extra():
        from abl_cards.env.parallel import ParallelCardGameEnv
    return ParallelCardGameEnv(game, **settings)


def gymnasium_vector_env(
    game: Game | Engine | str,
    num_envs: int,
    opponents: str | Agent | Sequence[str | Agent] = "random",
    seat: int = 0,
    seed: SupportsIndex = 0,
    **settings: Any,
) -> GymnasiumVectorEnv:
    """Make a Gymnasium vector environment with one learning seat and agents at the others.

    Args:
        game: A game, its name, the path of a rule folder, or an engine.
        num_envs: Number of tables.
        opponents: The agent at all other seats, or a sequence with one for each, in the order of seats. An agent
            is a name, or an object with the methods ``play`` and ``choose``.
        seat: The learning seat.
        seed: Any integer; ``reset(seed=…)`` sets another one.
        **settings: Further arguments of ``GymnasiumVectorEnv``.

    Returns:
        A ``gymnasium.vector.VectorEnv`` that resets in the step in which an episode ends.

    Raises:
        ModuleNotFoundError: Gymnasium is not installed; the message names the extra.
        GameError: The game or an agent is unknown, or a setting is wrong.
        KBError: The rule files have errors.
        TypeError: The seed is not an integer.
    """
    with _named_extra():
        from abl_cards.env.gymnasium_envs import GymnasiumVectorEnv
    return GymnasiumVectorEnv(game, num_envs, opponents, seat, seed, **settings)


def gymnasium_env(
    game: Game | Engine | str,
    opponents: str | Agent | Sequence[str | Agent] = "random",
    seat: int = 0,
    seed: SupportsIndex = 0,
    **settings: Any,
) -> GymnasiumEnv:
    """Make a Gymnasium environment: one table with one learning seat and agents at the others.

    Args:
        game: A game, its name, the path of a rule folder, or an engine.
        opponents: The agent at all other seats, or a sequence with one for each, in the order of seats. An agent
            is a name, or an object with the methods ``play`` and ``choose``.
        seat: The learning seat.
        seed: Any integer; ``reset(seed=…)`` sets another one.
        **settings: Further arguments of ``GymnasiumVectorEnv``.

    Returns:
        A ``gymnasium.Env`` that passes ``gymnasium.utils.env_checker.check_env``.

    Raises:
        ModuleNotFoundError: Gymnasium is not installed; the message names the extra.
        GameError: The game or an agent is unknown, or a setting is wrong.
        KBError: The rule files have errors.
        TypeError: The seed is not an integer.
    """
    with _named_extra():
        from abl_cards.env.gymnasium_envs import GymnasiumEnv
    return GymnasiumEnv(game, opponents, seat, seed, **settings)


@contextmanager
def _named_extra() -> Iterator[None]:
    """Raise ModuleNotFoundError with the command that installs a missing library."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(missing_library_message(missing) or str(missing), name=missing.name) from None

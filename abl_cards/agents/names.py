"""Parse and write the names of agents, with their options: ``kb:without=bombs,without=wild``.

>>> name = AgentName.parse("kb:without=wild,without=bombs")
>>> name.kind, name.values("without"), str(name)
('kb', ('bombs', 'wild'), 'kb:without=bombs,without=wild')
>>> AgentName.parse("shensuanzi:10,8,seconds=1").numbers
(10, 8)
"""

from __future__ import annotations

from dataclasses import dataclass

from abl_cards.core import ErrorCode, GameError


@dataclass(frozen=True)
class AgentName:
    """Kind of an agent and its options; equal agents have equal names and texts.

    Attributes:
        kind: Name of the agent without options, such as ``kb``, or the module of a class.
        options: Pairs (key, value), sorted, without repetition; the value of a flag is empty.
        numbers: Numbers given without a key, in their order.
    """

    kind: str
    options: tuple[tuple[str, str], ...] = ()
    numbers: tuple[int, ...] = ()

    def __str__(self) -> str:
        options = [f"{key}={value}" if value else key for key, value in self.options]
        parts = ",".join([*map(str, self.numbers), *options])
        return f"{self.kind}:{parts}" if parts else self.kind

    @classmethod
    def parse(cls, text: str) -> AgentName:
        """Read ``NAME[:number|key=value|flag,…]``.

        Args:
            text: Name of an agent.

        Returns:
            The parsed name. Whether an agent of this kind exists is not checked.

        Raises:
            GameError: The text does not have this form.
        """
        given: object = text
        if not isinstance(given, str):
            problem = f"{given!r:.60} names no agent: give a text such as 'kb'"
            raise GameError(problem, ErrorCode.INVALID_AGENT_NAME)
        kind, colon, rest = text.strip().partition(":")
        parts = rest.split(",") if colon else []
        if not kind or any(not part.partition("=")[0].strip() or part.endswith("=") for part in parts):
            raise GameError(
                f"{text!r} names no agent: write NAME, or NAME:key=value,word", ErrorCode.INVALID_AGENT_NAME
            )
        numbers = [part.strip() for part in parts if part.strip().isdecimal()]
        options = [part.partition("=") for part in parts if not part.strip().isdecimal()]
        sorted_options = tuple(sorted({(key.strip(), value.strip()) for key, _, value in options}))
        return cls(kind, sorted_options, tuple(map(int, numbers)))

    def values(self, key: str) -> tuple[str, ...]:
        """Return all values of a key, sorted."""
        return tuple(value for name, value in self.options if name == key)

    def value(self, key: str) -> str | None:
        """Return the value of a key, None where it is not set.

        Args:
            key: Key that may be set once.

        Raises:
            GameError: The key is set twice.
        """
        values = self.values(key)
        if len(values) > 1:
            raise GameError(f"agent '{self}': '{key}' is set twice", ErrorCode.INVALID_AGENT_OPTION)
        return values[0] if values else None

    def has_flag(self, flag: str) -> bool:
        """Return whether a flag is set."""
        return (flag, "") in self.options


def agent_variant(name: str, *options: str) -> str:
    """Add options to the name of an agent.

    >>> agent_variant("abl:preset=paper", "no-projection")
    'abl:no-projection,preset=paper'

    Args:
        name: Name of an agent, with or without options.
        options: Options such as ``without=bombs`` or ``no-projection``.

    Returns:
        The name with all options, in canonical order.

    Raises:
        GameError: The name or an option does not have the right form.
    """
    return str(AgentName.parse(f"{name}{',' if ':' in name else ':'}{','.join(options)}" if options else name))

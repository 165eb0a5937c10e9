"""The names of agents, with variants: ``kb:without=bombs,without=wild``.

>>> name = AgentName.parse("kb:without=wild,without=bombs")
>>> name.kind, name.values("without"), str(name)
('kb', ('bombs', 'wild'), 'kb:without=bombs,without=wild')
>>> AgentName.parse("shensuanzi:10,8,seconds=1").numbers
(10, 8)
"""

from __future__ import annotations

from dataclasses import dataclass

from abl_cards.core import GameError


@dataclass(frozen=True)
class AgentName:
    """A kind of agent and what is different about this one; equal agents have equal names and texts."""

    kind: str
    options: tuple[tuple[str, str], ...] = ()  # sorted, each once; a word without a value has an empty one
    numbers: tuple[int, ...] = ()  # those that stand alone, in their order

    def __str__(self) -> str:
        options = [f"{key}={value}" if value else key for key, value in self.options]
        parts = ",".join([*map(str, self.numbers), *options])
        return f"{self.kind}:{parts}" if parts else self.kind

    @classmethod
    def parse(cls, text: str) -> AgentName:
        """Read ``NAME[:number|key=value|word,…]``; raises GameError."""
        kind, colon, rest = text.strip().partition(":")
        parts = rest.split(",") if colon else []
        if not kind or any(not part.partition("=")[0].strip() or part.endswith("=") for part in parts):
            raise GameError(f"{text!r} names no agent: write NAME, or NAME:key=value,word")
        numbers = [part.strip() for part in parts if part.strip().isdecimal()]
        options = [part.partition("=") for part in parts if not part.strip().isdecimal()]
        sorted_options = tuple(sorted({(key.strip(), value.strip()) for key, _, value in options}))
        return cls(kind, sorted_options, tuple(map(int, numbers)))

    def values(self, key: str) -> tuple[str, ...]:
        """All the values of a key."""
        return tuple(value for name, value in self.options if name == key)

    def value(self, key: str) -> str | None:
        """The value of a key that may come once; raises GameError where it comes twice."""
        found = self.values(key)
        if len(found) > 1:
            raise GameError(f"agent '{self}': '{key}' twice")
        return found[0] if found else None

    def has_flag(self, flag: str) -> bool:
        """Whether a word is among the options."""
        return (flag, "") in self.options

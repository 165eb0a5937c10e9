"""Accept former names of commands and options, which help texts no longer show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typer.core import TyperGroup

FORMER_COMMANDS = {"page": "web", "words": "describe"}
"""Current name by former name, of commands and of commands of ``kb``."""
FORMER_OPTIONS = {
    "copy": {"--whole": "--standalone"},
    "deal": {"--n": "--count", "--unlike": "--exclude"},
    "demo": {"--start": "--init-from"},
    "join": {"--dialect": "--protocol"},
    "legal": {"--whole": "--whole-plays"},
    "match": {"--log": "--botzone-log"},
    "review": {"--onward": "--rollout-agent", "--least": "--min-loss", "--most": "--max-shown"},
    "run": {"--afresh": "--restart"},
    "serve": {"--dialect": "--protocol", "--show": "--spectator-dir"},
    "solve": {"--any": "--no-optimize", "--nodes": "--max-nodes"},
    "test": {"--edits": "--mutations", "--propose": "--propose-cases", "--at-least": "--min-score"},
    "web": {"--name": "--allowed-host", "--save": "--save-dir", "--keep": "--state-dir"},
}
"""Current option by command and former option."""


class AliasGroup(TyperGroup):
    """A group of commands that also accepts their former names and those of their options."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the arguments name.

        Args:
            ctx: Context of the command line.
            args: Name of the command and its arguments.

        Returns:
            Name, command and remaining arguments, all with current names.
        """
        current = [FORMER_COMMANDS.get(args[0], args[0]), *args[1:]] if args[0] not in self.commands else args
        name, command, rest = super().resolve_command(ctx, current)
        return name, command, current_options(FORMER_OPTIONS.get(name or "", {}), rest)


def current_options(former: dict[str, str], arguments: Sequence[str]) -> list[str]:
    """Replace former options by current ones, with or without a value after ``=``; leave what follows ``--``."""
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    split = [argument.partition("=") for argument in arguments[:end]]
    return ["".join((former.get(name, name), *rest)) for name, *rest in split] + list(arguments[end:])

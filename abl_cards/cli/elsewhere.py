"""The option ``--ray``: work that goes to processes of Ray, here or in a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from abl_cards.cluster.start import Cluster

OPTION, HERE = "--ray", "here"

Address = Annotated[
    str | None,
    typer.Option(
        OPTION,
        metavar="[HOST:PORT]",
        help="Work in processes of Ray: of one started here, or of the cluster there; see docs/cluster.md.",
    ),
]


class WithRay(TyperCommand):
    """A command whose option ``--ray`` may stand without an address."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Say what stands for no address, which the parser of options wants to hear."""
        said: list[str] = []
        for place, word in enumerate(args):
            said.append(word)
            following = args[place + 1] if place + 1 < len(args) else ""
            if word == OPTION and not _address(following):
                said.append(HERE)
        return super().parse_args(ctx, said)


def _address(word: str) -> bool:
    return word in ("auto", HERE) or (":" in word and not word.startswith("-"))


@contextmanager
def cluster(address: str, processors: int | None = None) -> Iterator[Cluster]:
    """A Ray for a while, at an address or started here for so many processes; raises GameError."""
    from abl_cards.cli.console import waiting
    from abl_cards.cluster.start import joined

    with ExitStack() as belonging:
        with waiting("starting Ray" if address == HERE else f"joining Ray at {address}"):
            there = belonging.enter_context(joined(address, processors))
        yield there

"""The option ``--ray``: work that goes to processes of Ray, here or in a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from abl_cards.cluster import RayCluster

RAY_OPTION, LOCAL_ADDRESS = "--ray", "here"

RayAddress = Annotated[
    str | None,
    typer.Option(
        RAY_OPTION,
        metavar="[HOST:PORT]",
        help="Work in processes of Ray: of one started here, or of the cluster there; see docs/how-to.",
    ),
]


class RayCommand(TyperCommand):
    """A command whose option ``--ray`` may stand without an address."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Say what stands for no address, which the parser of options wants to hear."""
        said: list[str] = []
        for place, word in enumerate(args):
            said.append(word)
            following = args[place + 1] if place + 1 < len(args) else ""
            if word == RAY_OPTION and not _is_address(following):
                said.append(LOCAL_ADDRESS)
        return super().parse_args(ctx, said)


def _is_address(word: str) -> bool:
    return word in ("auto", LOCAL_ADDRESS) or (":" in word and not word.startswith("-"))


@contextmanager
def connect_cluster(address: str, processors: int | None = None) -> Iterator[RayCluster]:
    """A Ray for a while, at an address or started here for so many processes; raises GameError."""
    from abl_cards.cli.console import show_status
    from abl_cards.cluster import connect_ray

    with ExitStack() as belonging:
        with show_status("starting Ray" if address == LOCAL_ADDRESS else f"joining Ray at {address}"):
            there = belonging.enter_context(connect_ray(address, processors))
        yield there

"""The option ``--ray``: run work in Ray processes on this machine or in a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import Command

if TYPE_CHECKING:
    from abl_cards.cluster import RayCluster

RAY_OPTION, LOCAL_ADDRESS = "--ray", "here"

RayAddress = Annotated[
    str | None,
    typer.Option(
        RAY_OPTION,
        metavar="[HOST:PORT]",
        help="Use Ray: started on this machine, or the cluster at this address.",
    ),
]


class RayCommand(Command):
    """Command whose option ``--ray`` may be given without an address."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the local address after ``--ray`` without an address, and parse the arguments."""
        completed: list[str] = []
        for index, word in enumerate(args):
            completed.append(word)
            following = args[index + 1] if index + 1 < len(args) else ""
            if word == RAY_OPTION and not _is_address(following):
                completed.append(LOCAL_ADDRESS)
        return super().parse_args(ctx, completed)


def _is_address(word: str) -> bool:
    return word in ("auto", LOCAL_ADDRESS) or (":" in word and not word.startswith("-"))


@contextmanager
def connect_cluster(address: str, processors: int | None = None) -> Iterator[RayCluster]:
    """Connect to Ray at an address, or start it on this machine, and shut it down at the end; raises GameError."""
    from abl_cards.cli.progress import show_status
    from abl_cards.cluster import connect_ray

    with ExitStack() as stack:
        with show_status("starting Ray" if address == LOCAL_ADDRESS else f"joining Ray at {address}"):
            cluster = stack.enter_context(connect_ray(address, processors))
        yield cluster

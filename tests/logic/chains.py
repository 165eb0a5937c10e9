"""What chains of reasons claim."""

from __future__ import annotations

from collections.abc import Iterator

from abl_cards.logic.why import Why


def claims(why: Why) -> Iterator[tuple[str, bool]]:
    """The atoms of a chain, and whether it says that they hold."""
    if why.kind != "literal":
        yield why.atom, why.holds
    for each in why.because:
        yield from claims(each)

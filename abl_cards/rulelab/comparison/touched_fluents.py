"""Find the fluents that the difference of two rule texts depends on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from abl_cards.asp import Limits, read_sources, tokenize
from abl_cards.games import Engine


@dataclass(frozen=True)
class Statement:
    """Statement of a rule file.

    Attributes:
        text: Tokens, joined by blanks.
        head: Names in the head, or in a fact or declaration.
        body: Names in the body.
    """

    text: str
    head: frozenset[str]
    body: frozenset[str]


def find_touched_fluents(before: Engine, after: Engine) -> frozenset[str]:
    """Find the fluents that differing statements read or set, also through predicates that they read.

    Args:
        before: Engine of the first rules.
        after: Engine of the second rules.

    Returns:
        Names of fluents.
    """
    sides = [{statement.text: statement for statement in _list_statements(engine)} for engine in (before, after)]
    changed = [side[text] for side, other in (sides, sides[::-1]) for text in side.keys() - other.keys()]
    everything = list((sides[0] | sides[1]).values())
    switched = {name for statement in changed if not statement.body for name in statement.head}
    readers = [statement for statement in everything if statement.body & switched]
    names = _names_read([*changed, *readers], everything)
    return frozenset(
        fluent.signature.name
        for engine in (before, after)
        for fluent in engine.rules.fluents.fluents
        if fluent.signature.name in names
    )


def _names_read(statements: Iterable[Statement], everything: Iterable[Statement]) -> set[str]:
    """Return the names in some statements, and those in rules that define names of their bodies."""
    definitions: dict[str, list[Statement]] = {}
    for statement in everything:
        for name in statement.head if statement.body else ():
            definitions.setdefault(name, []).append(statement)
    names, pending = set[str](), list[str]()
    for statement in statements:
        names |= statement.head
        pending += statement.body
    while pending:
        name = pending.pop()
        if name not in names:
            names.add(name)
            pending += [read for statement in definitions.get(name, ()) for read in statement.body]
    return names


def _list_statements(engine: Engine) -> Iterator[Statement]:
    """Yield the statements of all rule files."""
    files = engine.rules.folder.files(engine.rules.profile)
    for source in read_sources(files, Limits().file_bytes, engine.rules.folder.include_paths)[0].files:
        words, head, body, in_body = list[str](), set[str](), set[str](), False
        for token in tokenize(source.scan.code):
            words.append(token.text)
            in_body |= token.is_mark(":-")
            if token.kind == "name":
                (body if in_body else head).add(token.text)
            if token.is_mark("."):
                yield Statement(" ".join(words), frozenset(head), frozenset(body))
                words, head, body, in_body = [], set(), set(), False

"""What an editor offers and shows: how a name goes on, what it means, where it is said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abl_cards.budget import tick
from abl_cards.lab.book import Book, Page, Place, Symbol
from abl_cards.lab.mentions import CONSTANT, TERM
from abl_cards.lab.reference import Entry, known_when, named_by, vocabulary
from abl_cards.logic import Signature

DIRECTIVES = (
    "#external", "#const", "#include", "#show", "#defined", "#count", "#sum", "#sum+", "#min", "#max", "#true",
    "#false",
)  # fmt: skip
MOST_OFFERS = 400
_LONGEST_ARGUMENTS = 400  # characters
PREDICATE, VALUE, VARIABLE, DIRECTIVE = "predicate", "constant", "variable", "directive"


@dataclass(frozen=True)
class Offer:
    """A way to go on: what is shown, and what is written, with places to fill as in snippets."""

    label: str
    kind: str
    snippet: str
    detail: str = ""
    words: str = ""  # Markdown


def offers(book: Book, page: Page, offset: int) -> list[Offer]:
    """How the word before a cursor may go on."""
    begun = page.text.at(offset)
    prefix = page.text.text[begun.start : offset] if begun and begun.start <= offset else ""
    if not prefix and offset and page.text.text[offset - 1] == "#":
        prefix = "#"
    found = (each for each in _every(book, page, offset, prefix) if each.label.startswith(prefix))
    unique = {each.label: each for each in sorted(found, key=lambda each: each.label)}
    return list(unique.values())[:MOST_OFFERS]


def _every(book: Book, page: Page, offset: int, prefix: str) -> Iterator[Offer]:
    if prefix.startswith("#"):
        yield from (Offer(word, DIRECTIVE, word) for word in DIRECTIVES)
        return
    for entry in vocabulary().values():
        yield Offer(entry.text, PREDICATE, _snippet(entry.name, entry.arguments), entry.kind, _described(entry))
    for signature, place in book.predicates():
        tick()
        if signature not in vocabulary():
            arguments = _arguments(place)
            text = f"{signature.name}({','.join(arguments)})" if arguments else signature.name
            yield Offer(text, PREDICATE, _snippet(signature.name, arguments), str(place), place.comment)
    for name, places in book.places.items():
        tick()
        first = next((each for each in places if each.mention.role in (CONSTANT, TERM)), None)
        if first is not None and name not in prefix:
            yield Offer(name, VALUE, name, str(first))
    yield from (Offer(name, VARIABLE, name) for name in _variables(page, offset))


def _variables(page: Page, offset: int) -> set[str]:
    """Those of the statement where the cursor is."""
    for statement in page.text.statements():
        if statement and statement[0].start <= offset <= statement[-1].end + 1:
            return {token.text for token in statement if token.kind == "variable" and token.end < offset}
    return set()


def _arguments(place: Place) -> tuple[str, ...]:
    """The arguments as they are written where it is said first; where they are terms, letters."""
    text, mention = place.page.text.text, place.mention
    if not mention.arity:
        return ()
    behind = text[mention.end : mention.end + _LONGEST_ARGUMENTS]
    inside = behind.partition(")")[0].strip().lstrip("(")
    parts = tuple(part.strip() for part in inside.split(","))
    plain = len(parts) == mention.arity and all(part[:1].isupper() for part in parts)
    return parts if plain else tuple("XYZUVWABCDEF"[: mention.arity]) if mention.arity <= 12 else ()


def _snippet(name: str, arguments: tuple[str, ...]) -> str:
    """``held(${1:R},${2:N})``."""
    parts = (f"${{{place}:{_plain(argument)}}}" for place, argument in enumerate(arguments, 1))
    return f"{name}({','.join(parts)})" if arguments else name


def _plain(argument: str) -> str:
    return argument.replace("\\", "").replace("$", "").replace("}", "").replace("{", "")


def hover(book: Book, symbol: Symbol) -> str:
    """What it means, when it is known, who supplies it, where it is said; Markdown, nothing for what is unknown."""
    places = book.references(symbol)
    if not places and symbol.arity is None:
        return ""
    entry = vocabulary().get(Signature(symbol.name, symbol.arity)) if symbol.arity is not None else None
    parts = [f"```clingo\n{entry.text if entry else symbol}\n```"]
    if entry is not None:
        parts.append(_described(entry))
    if symbol.name in book.fluents:
        parts.append("A fluent: the table remembers it, and supplies it.")
    definitions = book.definitions(symbol)
    if definitions:
        said = next(filter(None, (place.comment for place in definitions)), "")
        what = "constant" if symbol.arity is None else "declared or derived"
        parts.append(f"{said}\n\n{what}: {', '.join(map(str, definitions[:6]))}".strip())
    elif entry is None:
        parts.append("No rule derives it.")
    return "\n\n".join(parts)


def _described(entry: Entry) -> str:
    left_out = f"\n\nLeft out: {entry.left_out}" if entry.left_out else ""
    named = f"\n\n{named_by(entry)}" if named_by(entry) else ""
    return f"{entry.meaning}{named}{left_out}\n\n{known_when(entry)}"

"""Completion, hover texts and definitions of names in rule files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abl_cards.asp import Signature
from abl_cards.core import check_budget
from abl_cards.rulelab.editor.project_index import FileOccurrence, ProjectIndex, SourceFile, Symbol
from abl_cards.rulelab.editor.reference import (
    VocabularyEntry,
    describe_arguments,
    describe_availability,
    load_vocabulary,
)
from abl_cards.rulelab.editor.symbols import CONSTANT, TERM

DIRECTIVES = (
    "#external", "#const", "#include", "#show", "#defined", "#count", "#sum", "#sum+", "#min", "#max", "#true",
    "#false",
)  # fmt: skip
MAX_COMPLETIONS = 400
_MAX_ARGUMENT_CHARS = 400  # characters
PREDICATE, VALUE, VARIABLE, DIRECTIVE = "predicate", "constant", "variable", "directive"


@dataclass(frozen=True)
class Suggestion:
    """A way to go on: what is shown, and what is written, with places to fill as in snippets."""

    label: str
    kind: str
    snippet: str
    detail: str = ""
    documentation: str = ""  # Markdown


def suggest_completions(index: ProjectIndex, source_file: SourceFile, offset: int) -> list[Suggestion]:
    """Return the completions of the word before a cursor."""
    begun = source_file.text.token_at(offset)
    prefix = source_file.text.text[begun.start : offset] if begun and begun.start <= offset else ""
    if not prefix and offset and source_file.text.text[offset - 1] == "#":
        prefix = "#"
    found = (each for each in _all_suggestions(index, source_file, offset, prefix) if each.label.startswith(prefix))
    unique = {each.label: each for each in sorted(found, key=lambda each: each.label)}
    return list(unique.values())[:MAX_COMPLETIONS]


def _all_suggestions(book: ProjectIndex, page: SourceFile, offset: int, prefix: str) -> Iterator[Suggestion]:
    if prefix.startswith("#"):
        yield from (Suggestion(word, DIRECTIVE, word) for word in DIRECTIVES)
        return
    for entry in load_vocabulary().values():
        yield Suggestion(
            entry.text, PREDICATE, _snippet(entry.name, entry.arguments), entry.kind, _describe_entry(entry)
        )
    for signature, place in book.predicates():
        check_budget()
        if signature not in load_vocabulary():
            arguments = _arguments(place)
            text = f"{signature.name}({','.join(arguments)})" if arguments else signature.name
            yield Suggestion(text, PREDICATE, _snippet(signature.name, arguments), str(place), place.comment)
    for name, places in book.occurrences_by_name.items():
        check_budget()
        first = next((each for each in places if each.occurrence.role in (CONSTANT, TERM)), None)
        if first is not None and name not in prefix:
            yield Suggestion(name, VALUE, name, str(first))
    yield from (Suggestion(name, VARIABLE, name) for name in _variables(page, offset))


def _variables(page: SourceFile, offset: int) -> set[str]:
    """Return the variables of the statement at the cursor."""
    for statement in page.text.statements():
        if statement and statement[0].start <= offset <= statement[-1].end + 1:
            return {token.text for token in statement if token.kind == "variable" and token.end < offset}
    return set()


def _arguments(place: FileOccurrence) -> tuple[str, ...]:
    """Return the argument names of the first definition; letters where the arguments are terms."""
    text, mention = place.source_file.text.text, place.occurrence
    if not mention.arity:
        return ()
    behind = text[mention.end : mention.end + _MAX_ARGUMENT_CHARS]
    inside = behind.partition(")")[0].strip().lstrip("(")
    parts = tuple(part.strip() for part in inside.split(","))
    plain = len(parts) == mention.arity and all(part[:1].isupper() for part in parts)
    return parts if plain else tuple("XYZUVWABCDEF"[: mention.arity]) if mention.arity <= 12 else ()


def _snippet(name: str, arguments: tuple[str, ...]) -> str:
    """``held(${1:R},${2:N})``."""
    parts = (f"${{{place}:{_escape_snippet(argument)}}}" for place, argument in enumerate(arguments, 1))
    return f"{name}({','.join(parts)})" if arguments else name


def _escape_snippet(argument: str) -> str:
    return argument.replace("\\", "").replace("$", "").replace("}", "").replace("{", "")


def hover_text(index: ProjectIndex, symbol: Symbol) -> str:
    """Return the meaning of a name with its origin and places, as Markdown; empty for an unknown name."""
    places = index.references(symbol)
    if not places and symbol.arity is None:
        return ""
    entry = load_vocabulary().get(Signature(symbol.name, symbol.arity)) if symbol.arity is not None else None
    parts = [f"```clingo\n{entry.text if entry else symbol}\n```"]
    if entry is not None:
        parts.append(_describe_entry(entry))
    if symbol.name in index.fluents:
        parts.append("A fluent: the table remembers it, and supplies it.")
    definitions = index.definitions(symbol)
    if definitions:
        said = next(filter(None, (place.comment for place in definitions)), "")
        what = "constant" if symbol.arity is None else "declared or derived"
        parts.append(f"{said}\n\n{what}: {', '.join(map(str, definitions[:6]))}".strip())
    elif entry is None:
        parts.append("No rule derives it.")
    return "\n\n".join(parts)


def _describe_entry(entry: VocabularyEntry) -> str:
    left_out = f"\n\nLeft out: {entry.left_out}" if entry.left_out else ""
    named = f"\n\n{describe_arguments(entry)}" if describe_arguments(entry) else ""
    return f"{entry.meaning}{named}{left_out}\n\n{describe_availability(entry)}"

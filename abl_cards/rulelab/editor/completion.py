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
    """Completion of a word.

    Attributes:
        label: Text that is shown.
        kind: PREDICATE, VALUE, VARIABLE or DIRECTIVE.
        snippet: Text that is inserted, with numbered fields for arguments.
        detail: Short description.
        documentation: Description in Markdown.
    """

    label: str
    kind: str
    snippet: str
    detail: str = ""
    documentation: str = ""


def suggest_completions(index: ProjectIndex, source_file: SourceFile, offset: int) -> list[Suggestion]:
    """List completions of the word before a cursor.

    Args:
        index: Index of the files that are read together.
        source_file: File with the cursor.
        offset: Offset of the cursor in the text.

    Returns:
        Completions by label, at most MAX_COMPLETIONS.
    """
    token = source_file.text.token_at(offset)
    prefix = source_file.text.text[token.start : offset] if token and token.start <= offset else ""
    if not prefix and offset and source_file.text.text[offset - 1] == "#":
        prefix = "#"
    matching = (
        suggestion
        for suggestion in _all_suggestions(index, source_file, offset, prefix)
        if suggestion.label.startswith(prefix)
    )
    unique = {suggestion.label: suggestion for suggestion in sorted(matching, key=lambda suggestion: suggestion.label)}
    return list(unique.values())[:MAX_COMPLETIONS]


def _all_suggestions(index: ProjectIndex, source_file: SourceFile, offset: int, prefix: str) -> Iterator[Suggestion]:
    if prefix.startswith("#"):
        yield from (Suggestion(word, DIRECTIVE, word) for word in DIRECTIVES)
        return
    for entry in load_vocabulary().values():
        yield Suggestion(
            entry.text, PREDICATE, _snippet(entry.name, entry.arguments), entry.kind, _describe_entry(entry)
        )
    for signature, occurrence in index.predicates():
        check_budget()
        if signature not in load_vocabulary():
            arguments = _arguments(occurrence)
            text = f"{signature.name}({','.join(arguments)})" if arguments else signature.name
            yield Suggestion(text, PREDICATE, _snippet(signature.name, arguments), str(occurrence), occurrence.comment)
    for name, occurrences in index.occurrences_by_name.items():
        check_budget()
        value = next((candidate for candidate in occurrences if candidate.occurrence.role in (CONSTANT, TERM)), None)
        if value is not None and name not in prefix:
            yield Suggestion(name, VALUE, name, str(value))
    yield from (Suggestion(name, VARIABLE, name) for name in _variables(source_file, offset))


def _variables(source_file: SourceFile, offset: int) -> set[str]:
    """Return the variables of the statement at the cursor."""
    for statement in source_file.text.statements():
        if statement and statement[0].start <= offset <= statement[-1].end + 1:
            return {token.text for token in statement if token.kind == "variable" and token.end < offset}
    return set()


def _arguments(definition: FileOccurrence) -> tuple[str, ...]:
    """Return the argument names of a definition; letters if its arguments are not variables."""
    text, occurrence = definition.source_file.text.text, definition.occurrence
    if not occurrence.arity:
        return ()
    following = text[occurrence.end : occurrence.end + _MAX_ARGUMENT_CHARS]
    argument_text = following.partition(")")[0].strip().lstrip("(")
    parts = tuple(part.strip() for part in argument_text.split(","))
    are_variables = len(parts) == occurrence.arity and all(part[:1].isupper() for part in parts)
    return parts if are_variables else tuple("XYZUVWABCDEF"[: occurrence.arity]) if occurrence.arity <= 12 else ()


def _snippet(name: str, arguments: tuple[str, ...]) -> str:
    """Return a snippet of a predicate, such as ``held(${1:R},${2:N})``."""
    parts = (f"${{{position}:{_escape_snippet(argument)}}}" for position, argument in enumerate(arguments, 1))
    return f"{name}({','.join(parts)})" if arguments else name


def _escape_snippet(argument: str) -> str:
    return argument.replace("\\", "").replace("$", "").replace("}", "").replace("{", "")


def hover_text(index: ProjectIndex, symbol: Symbol) -> str:
    """Describe a symbol for a hover text.

    Args:
        index: Index of the files that are read together.
        symbol: Predicate, constant or function.

    Returns:
        Meaning, origin and definitions as Markdown; empty for an unknown name.
    """
    occurrences = index.references(symbol)
    if not occurrences and symbol.arity is None:
        return ""
    entry = load_vocabulary().get(Signature(symbol.name, symbol.arity)) if symbol.arity is not None else None
    parts = [f"```clingo\n{entry.text if entry else symbol}\n```"]
    if entry is not None:
        parts.append(_describe_entry(entry))
    if symbol.name in index.fluents:
        parts.append("A fluent: the table remembers it, and supplies it.")
    definitions = index.definitions(symbol)
    if definitions:
        comment = next(filter(None, (definition.comment for definition in definitions)), "")
        kind = "constant" if symbol.arity is None else "declared or derived"
        parts.append(f"{comment}\n\n{kind}: {', '.join(map(str, definitions[:6]))}".strip())
    elif entry is None:
        parts.append("No rule derives it.")
    return "\n\n".join(parts)


def _describe_entry(entry: VocabularyEntry) -> str:
    left_out = f"\n\nLeft out: {entry.left_out}" if entry.left_out else ""
    argument_names = f"\n\n{describe_arguments(entry)}" if describe_arguments(entry) else ""
    return f"{entry.meaning}{argument_names}{left_out}\n\n{describe_availability(entry)}"

"""Vocabulary of games for editors: meaning of each predicate, when it is supplied, and by which part.

Inputs come from their registry (``games/description/inputs.py``), facts and outputs from docs/reference/predicates.md.
``data/vocabulary.json`` holds the tables of that page as part of the package;
``python -m abl_cards.rulelab.editor.reference docs/reference/predicates.md`` writes the file, and a test compares both.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from abl_cards.asp import Signature
from abl_cards.core import DATA
from abl_cards.games.description import INPUTS

VOCABULARY_FILE = DATA / "vocabulary.json"

FACT, INPUT, OUTPUT = "fact", "input", "output"
_SECTION_KINDS = {
    "Preferences: costs": OUTPUT,
    "Hints: beliefs": OUTPUT,
    "Facts": FACT,
    "Fluents": FACT,
    "Outputs": OUTPUT,
    "Variants": FACT,
    "What a table shows": FACT,
}
_ATOM = re.compile(r"`([a-z_]+)(?:\(([^`]*)\))?`")
_ROW = re.compile(r"^\| (`.*) \|$", re.MULTILINE)
_HEADING = re.compile(r"^##+ (.+)$", re.MULTILINE)
_ALWAYS_FACTS = ("preference", "says", "hint")


@dataclass(frozen=True)
class VocabularyEntry:
    """A predicate of the vocabulary."""

    name: str
    arguments: tuple[str, ...]
    kind: str  # "fact", "input" or "output"
    meaning: str  # in Markdown
    left_out: str = ""  # meaning if no rule derives it

    @property
    def signature(self) -> Signature:
        return Signature(self.name, len(self.arguments))

    @property
    def text(self) -> str:
        """Text of the predicate with its arguments, ``held(R,N)``."""
        return f"{self.name}({','.join(self.arguments)})" if self.arguments else self.name


def load_vocabulary() -> Mapping[Signature, VocabularyEntry]:
    """Load all entries, by name and number of arguments."""
    return _load_vocabulary(tuple(INPUTS))


@cache
def _load_vocabulary(inputs: tuple[Signature, ...]) -> Mapping[Signature, VocabularyEntry]:
    entries = [
        VocabularyEntry(**{**row, "arguments": tuple(row["arguments"])})
        for row in json.loads(VOCABULARY_FILE.read_text("utf-8"))
    ]
    words = ""
    for entry in (INPUTS[signature] for signature in inputs):
        words = entry.words or words
        name, _, arguments = entry.text.removesuffix(")").partition("(")
        entries.append(VocabularyEntry(name, _split_arguments(arguments), INPUT, words))
    return {entry.signature: entry for entry in entries}


def describe_availability(entry: VocabularyEntry) -> str:
    """Describe when a predicate is known and what supplies it."""
    from abl_cards.games.description import QUERY_SPECS

    if entry.kind == FACT:
        return "A fact: read once when the folder is loaded, so it depends on no input."
    if entry.kind == INPUT:
        group = INPUTS[entry.signature].group
        purposes = [spec.purpose for spec in QUERY_SPECS.values() if group in spec.input_groups]
        return f"An input: the engine supplies it to the queries: {', '.join(purposes)}. Declare it by `#external`."
    for spec in QUERY_SPECS.values():
        if str(entry.signature) in spec.outputs:
            return f"Derived by rules, and read by the query: {spec.purpose}."
    return "Derived by rules."


def describe_arguments(entry: VocabularyEntry) -> str:
    """Return the types of the arguments that do not accept every term: ``F: form, N: number``."""
    from abl_cards.games.description import ANY, PREDICATE_SORTS

    sorts = PREDICATE_SORTS.get(entry.signature, (ANY,) * len(entry.arguments))
    pairs = zip(entry.arguments, sorts, strict=True)
    return ", ".join(f"`{argument}`: {sort.name}" for argument, sort in pairs if sort is not ANY)


def parse_reference(markdown: str) -> list[VocabularyEntry]:
    """Parse the entries of the reference, in its order."""
    headings = [*_HEADING.finditer(markdown)]
    entries: dict[Signature, VocabularyEntry] = {}
    for heading, following in zip(headings, [*headings[1:], None], strict=True):
        kind = next((kind for prefix, kind in _SECTION_KINDS.items() if heading[1].startswith(prefix)), None)
        if kind is None:
            continue
        for entry in _parse_section(markdown[heading.end() : following.start() if following else len(markdown)], kind):
            entries.setdefault(entry.signature, entry)
    return list(entries.values())


def _parse_section(section: str, kind: str) -> Iterator[VocabularyEntry]:
    for row in _ROW.finditer(section):
        first, meaning, *columns = [cell.strip() for cell in row[1].split(" | ")]
        for atom in _ATOM.finditer(first):
            entry_kind = FACT if atom[1] in _ALWAYS_FACTS else kind
            yield VocabularyEntry(
                atom[1], _split_arguments(atom[2]), entry_kind, meaning, columns[0].strip("–") if columns else ""
            )


def _split_arguments(text: str | None) -> tuple[str, ...]:
    """Split the text between parentheses at the commas outside inner parentheses."""
    parts: list[str] = []
    depth = 0
    for part in (text or "").split(","):
        if depth:
            parts[-1] += f",{part}"
        elif part.strip():
            parts.append(part.strip())
        depth += part.count("(") - part.count(")")
    return tuple(parts)


def entries_to_json(entries: list[VocabularyEntry]) -> str:
    """Return the content of the data file."""
    rows = [json.dumps(asdict(entry), ensure_ascii=False) for entry in entries]
    return "[\n" + ",\n".join(rows) + "\n]\n"


if __name__ == "__main__":
    VOCABULARY_FILE.write_text(entries_to_json(parse_reference(Path(sys.argv[1]).read_text("utf-8"))), "utf-8")

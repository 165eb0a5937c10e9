"""Check that docs/reference/predicates.md lists all inputs and queries of the engine, and when each is known."""

import re
from pathlib import Path

from abl_cards.games.description.inputs import INPUTS, referee_groups, seat_groups
from abl_cards.games.description.loading import FACT_NAMES, OUTPUT_NAMES
from abl_cards.games.description.queries import QUERY_SPECS

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "reference" / "predicates.md").read_text("utf-8")
REFERENCE = TEXT[TEXT.index("## The vocabulary of games") :]
BRIEF = {"preference/2", "says/3", "hint/2"}


def described_predicates() -> set[str]:
    """Return every predicate in the first column of a table, as name/arity."""
    names = set()
    for atom in re.findall(r"`([a-z_]+(?:\([^`]*\))?)`", REFERENCE):
        name, _, arguments = atom.rstrip(")").partition("(")
        names.add(f"{name}/{_arity(arguments)}")
    return names


def _arity(arguments: str) -> int:
    depth, commas = 0, 0
    for letter in arguments:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        commas += letter == "," and not depth
    return commas + 1 if arguments else 0


def test_every_predicate_is_described() -> None:
    known = {*FACT_NAMES, *OUTPUT_NAMES, *map(str, INPUTS)}
    assert known - described_predicates() - BRIEF == set()


def test_query_inputs_match_the_documented_table() -> None:
    for question in QUERY_SPECS.values():
        outputs = " ".join(f"`{name}`" for name in question.outputs)
        (row,) = re.findall(rf"^\| {re.escape(outputs)} \| [^|]+ \| ([^|]+) \|$", REFERENCE, re.MULTILINE)
        documented = set(re.findall(r"`([^`]+)`", row))
        groups = set(question.input_groups)
        for words, sight in (("what a seat sees", seat_groups()), ("what the referee sees", referee_groups())):
            assert (words in row) == (sight <= groups)
            groups -= sight if sight <= groups else set()
        assert documented == {str(name) for name, entry in INPUTS.items() if entry.group in groups}
    for words, sight in (("What a seat sees", seat_groups()), ("What the referee sees", referee_groups())):
        (text,) = re.findall(rf"\*{words}\*: ([^.*]+)", REFERENCE)
        assert set(re.findall(r"`([^`]+)`", text)) == {
            str(name) for name, entry in INPUTS.items() if entry.group in sight
        }

"""docs/reference/predicates.md is the reference of all that the engine reads and asks, and says what is told when."""

import re
from pathlib import Path

from abl_cards.games.description.inputs import INPUTS, referee_groups, seat_groups
from abl_cards.games.description.loading import FACT_NAMES, OUTPUT_NAMES
from abl_cards.games.description.queries import QUERY_SPECS

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "reference" / "predicates.md").read_text("utf-8")
REFERENCE = TEXT[TEXT.index("## The vocabulary of games") :]
BRIEF = {"preference/2", "says/3", "hint/2"}


def described() -> set[str]:
    """Every predicate that a row of a table begins with or names by its arguments, as name/arity."""
    found = set()
    for atom in re.findall(r"`([a-z_]+(?:\([^`]*\))?)`", REFERENCE):
        name, _, arguments = atom.rstrip(")").partition("(")
        found.add(f"{name}/{_arity(arguments)}")
    return found


def _arity(arguments: str) -> int:
    depth, commas = 0, 0
    for letter in arguments:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        commas += letter == "," and not depth
    return commas + 1 if arguments else 0


def test_every_predicate_is_described() -> None:
    known = {*FACT_NAMES, *OUTPUT_NAMES, *map(str, INPUTS)}
    assert known - described() - BRIEF == set()


def test_what_is_told_when_is_as_the_engine_tells_it() -> None:
    for question in QUERY_SPECS.values():
        outputs = " ".join(f"`{name}`" for name in question.outputs)
        (row,) = re.findall(rf"^\| {re.escape(outputs)} \| [^|]+ \| ([^|]+) \|$", REFERENCE, re.MULTILINE)
        told = set(re.findall(r"`([^`]+)`", row))
        groups = set(question.input_groups)
        for words, some in (("what a seat sees", seat_groups()), ("what the referee sees", referee_groups())):
            assert (words in row) == (some <= groups)
            groups -= some if some <= groups else set()
        assert told == {str(each) for each, entry in INPUTS.items() if entry.group in groups}
    for words, some in (("What a seat sees", seat_groups()), ("What the referee sees", referee_groups())):
        (text,) = re.findall(rf"\*{words}\*: ([^.*]+)", REFERENCE)
        assert set(re.findall(r"`([^`]+)`", text)) == {
            str(each) for each, entry in INPUTS.items() if entry.group in some
        }

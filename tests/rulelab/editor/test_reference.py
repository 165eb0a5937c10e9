"""Tests of the vocabulary of editors against docs/reference/predicates.md."""

from pathlib import Path

from abl_cards.asp.terms import Signature
from abl_cards.games.description.inputs import INPUTS
from abl_cards.games.description.loading import FACT_NAMES, OUTPUT_NAMES
from abl_cards.rulelab.editor.reference import (
    VOCABULARY_FILE,
    describe_arguments,
    describe_availability,
    entries_to_json,
    load_vocabulary,
    parse_reference,
)

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "reference" / "predicates.md"


def test_vocabulary_file_equals_the_reference_tables() -> None:
    """If it fails, run python -m abl_cards.rulelab.editor.reference docs/reference/predicates.md."""
    assert VOCABULARY_FILE.read_text("utf-8") == entries_to_json(parse_reference(DOCUMENT.read_text("utf-8")))


def test_vocabulary_has_every_predicate_of_the_engine() -> None:
    assert {*FACT_NAMES, *OUTPUT_NAMES, *map(str, INPUTS)} <= set(map(str, load_vocabulary()))


def test_describe_availability_returns_when_a_predicate_is_known() -> None:
    texts = {
        name: describe_availability(load_vocabulary()[Signature.parse(name)])
        for name in ("pack/2", "holds/3", "turn/1")
    }
    assert texts["pack/2"].startswith("A fact")
    assert "what an episode is worth" in texts["holds/3"]
    assert texts["turn/1"].startswith("Derived by rules")
    assert "whose turn it is" in texts["turn/1"]


def test_describe_arguments_names_argument_types() -> None:
    texts = {
        name: describe_arguments(load_vocabulary()[Signature.parse(name)])
        for name in ("wilds/2", "has/4", "held/2", "open_hands/0")
    }
    assert texts == {
        "wilds/2": "`F`: form, `N`: number", "has/4": "`S`: seat, `R`: rank, `Suit`: suit, `N`: number", "held/2": "",
        "open_hands/0": "",
    }  # fmt: skip

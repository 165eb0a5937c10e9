"""What editors say of predicates is what docs/knowledge-bases.md says."""

from pathlib import Path

from abl_cards.games.reading.loading import ASKED, FACTS
from abl_cards.games.telling.columns import INPUTS
from abl_cards.lab.reference import FILE, known_when, named_by, read_reference, vocabulary, written
from abl_cards.logic import Signature

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "knowledge-bases.md"


def test_the_data_are_the_tables_of_the_reference() -> None:
    """After an edit there: python -m abl_cards.lab.reference docs/knowledge-bases.md."""
    assert FILE.read_text("utf-8") == written(read_reference(DOCUMENT.read_text("utf-8")))


def test_every_word_of_the_engine_is_there() -> None:
    assert {*FACTS, *ASKED, *map(str, INPUTS)} <= set(map(str, vocabulary()))


def test_it_is_said_when_a_word_is_known() -> None:
    said = {name: known_when(vocabulary()[Signature.parse(name)]) for name in ("pack/2", "holds/3", "turn/1")}
    assert said["pack/2"].startswith("A fact")
    assert "what an episode is worth" in said["holds/3"]
    assert said["turn/1"] == "Derived by rules: asked for whose turn it is."


def test_it_is_said_what_arguments_name() -> None:
    said = {
        name: named_by(vocabulary()[Signature.parse(name)]) for name in ("wilds/2", "has/4", "held/2", "open_hands/0")
    }
    assert said == {
        "wilds/2": "`F`: form, `N`: number", "has/4": "`S`: seat, `R`: rank, `Suit`: suit, `N`: number", "held/2": "",
        "open_hands/0": "",
    }  # fmt: skip

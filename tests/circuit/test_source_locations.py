"""Files of a knowledge base that derive predicates."""

from __future__ import annotations

from pathlib import Path

from abl_cards.asp.terms import Input
from abl_cards.circuit.knowledge_base import KnowledgeBase
from abl_cards.circuit.source_locations import find_deriving_files


def test_files_deriving_a_predicate(tmp_path: Path) -> None:
    """In their order, each once, by name and number of arguments; none where only others speak of it."""
    (tmp_path / "first.lp").write_text("#external go.\np(1) :- go.\np(1,2) :- go.\n", "utf-8")
    (tmp_path / "second.lp").write_text("% p(3) :- go.\nq(1) :- p(1).\n", "utf-8")
    (tmp_path / "third.lp").write_text("p(2) :- go.\np(3) :- go.\nr :- p(1,2).\n", "utf-8")
    files = [tmp_path / f"{name}.lp" for name in ("first", "second", "third")]
    kb = KnowledgeBase.load(files, inputs=[Input("go", ())], outputs=[("p", 1), ("q", 1), ("r", 0)], cache=False)
    assert find_deriving_files(kb, ["p/1"]) == ("first.lp", "third.lp")
    assert find_deriving_files(kb, ["p/2"]) == ("first.lp",)
    assert find_deriving_files(kb, ["q/1", "r/0"]) == ("second.lp", "third.lp")
    assert find_deriving_files(kb, ["s/1", "q/2"]) == ()

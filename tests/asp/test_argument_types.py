"""Sorts of arguments are inferred through variables that stand alone in an argument."""

from pathlib import Path

from abl_cards.asp.argument_types import infer_argument_types
from abl_cards.asp.terms import Signature, split_term, string_value

KNOWN = {Signature("held", 2): ("rank", None), Signature("power", 2): ("rank", "strength")}
RULES = """\
triple(R) :- held(R,3).
cost(break_triple(R,N), N) :- triple(R), N = 1..3.
cost(near(S), 1) :- held(R,N), S = R+1.
strong(P) :- power(R,Q), P = 1..17, P <= Q.
cost(high(P,R), 1) :- strong(P), not held(R,1), triple(R).
pair(R) :- 2 { held(Q,1) : held(R,2) }.
held(N,N) :- count(N).
"""


def test_variables_propagate_sorts(tmp_path: Path) -> None:
    file = tmp_path / "rules.lp"
    file.write_text(RULES, "utf-8")
    sorts = infer_argument_types([file], KNOWN)

    def of(name: str, arity: int) -> list[str | None]:
        return [sorts.get((Signature(name, arity), number)) for number in range(arity)]

    assert of("triple", 1) == ["rank"]
    assert of("break_triple", 2) == ["rank", None]
    assert of("near", 1) == [None]  # a sum is no rank
    assert of("high", 2) == ["strength", "rank"]  # what is compared is of one sort
    assert of("pair", 1) == ["rank"]
    assert of("held", 2) == ["rank", None]  # what is known stays


def test_split_term_and_string_value() -> None:
    assert split_term("keep(pair(4),h)") == ("keep", ("pair(4)", "h"))
    assert split_term("bomb") == ("bomb", ())
    assert split_term(7) == ("7", ())
    assert string_value(r'"a \"张\""') == 'a "张"'
    assert string_value("plain") == "plain"

"""Tests of writing scaled weights into rules."""

import re
from pathlib import Path

import pytest

from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import game_names, load
from abl_cards.rulelab.editor.draft import RuleDraft
from abl_cards.rulelab.editor.weight_edits import find_cost_rules, write_weights

TEXT = """% cost(a, 1).
cost(a, 20) :- plays_left(N).  % the first
cost(b(R,f(N)), -4) :- broken(R,N), "x(" = "x(".
{ cost(c, 3) } :- cost(a, 7).
cost(d, 2*N) :- plays_left(N). cost( e ,+N):-plays_left(N).
"""


def test_find_cost_rules_reads_rule_heads() -> None:
    rules = [(rule.name, rule.number, rule.line) for rule in find_cost_rules(TEXT)]
    assert rules == [("a", 20, 2), ("b", -4, 3), ("c", 3, 4), ("d", None, 5), ("e", None, 5)]


@pytest.mark.parametrize("name", game_names())
def test_cost_rules_of_shipped_games_are_found(name: str) -> None:
    texts = [file.read_text("utf-8") for file in load(name).folder.layers.files]
    names = {word for text in texts for word in re.findall(r"^preference\((\w+),", text, re.MULTILINE)}
    assert names == {rule.name for text in texts for rule in find_cost_rules(text)}


def test_write_weights_changes_only_the_weights(tmp_path: Path) -> None:
    bench = RuleDraft.create(load("president"), tmp_path / "mine")
    before = bench.read("preferences.lp")
    assert write_weights(bench, {"lead_low": 1}) == []
    assert write_weights(bench, {"break_set": 2.5, "go_out": 0.5, "lead_low": -1}) == ["preferences.lp"]
    after = bench.read("preferences.lp")
    changed = [(old, new) for old, new in zip(before.splitlines(), after.splitlines(), strict=True) if old != new]
    assert [new for _, new in changed] == [
        old.replace(" 4)", " 10)").replace("-500", "-250").replace(" 2)", " -2)") for old, _ in changed
    ]
    assert len(changed) == 3


def test_unwritable_weights_are_rejected_without_changes(tmp_path: Path) -> None:
    draft = RuleDraft.create(load("president"), tmp_path / "mine")
    text = draft.read("preferences.lp").replace("cost(lead_low(P), 2)", "cost(lead_low(P), 1+1)")
    draft.write("preferences.lp", text)
    with pytest.raises(GameError, match=r"lead_low: .*'1 \+ 1'.* \(preferences.lp:\d+\)") as error:
        write_weights(draft, {"break_set": 2, "lead_low": 2})
    assert error.value.code == ErrorCode.INVALID_WEIGHT
    assert draft.read("preferences.lp") == text
    with pytest.raises(GameError, match="'x'") as error:
        write_weights(draft, {"x": 2})
    assert error.value.code == ErrorCode.UNKNOWN_PREFERENCE


@pytest.mark.parametrize("rule", ["cost(x,4; y,5) :- passing.", "cost((x;y),4) :- passing. cost(x(1),3) :- leading."])
def test_ambiguous_weight_edits_are_rejected(tmp_path: Path, rule: str) -> None:
    """Resulting costs are compared with the expected ones, independent of how the rules are written."""
    draft = RuleDraft.create(load("president"), tmp_path / "mine")
    words = "".join(f'preference({name},leading). says({name},en,"."). says({name},zh,"。").\n' for name in "xy")
    text = draft.read("preferences.lp") + words + rule
    draft.write("preferences.lp", text)
    with pytest.raises(GameError, match=r"cost\(\w,NUMBER\)") as error:
        write_weights(draft, {"x": 2})
    assert error.value.code == ErrorCode.INVALID_WEIGHT
    assert draft.read("preferences.lp") == text


def test_weights_beyond_32_bits_are_rejected(tmp_path: Path) -> None:
    draft = RuleDraft.create(load("president"), tmp_path / "mine")
    text = draft.read("preferences.lp").replace("cost(pass, 10)", "cost(pass, 1000000000)")
    draft.write("preferences.lp", text)
    with pytest.raises(GameError, match="2147483647") as error:
        write_weights(draft, {"pass": 4})
    assert error.value.code == ErrorCode.INTEGER_OVERFLOW
    assert draft.read("preferences.lp") == text

"""Every argument of every fact and output that the engine reads has a sort, and other terms are refused.

Wrong facts are generated from the schema. Each argument is an unknown name, a term of another type, or a number out of
range; each fact is also a rule that depends on an input.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from abl_cards.asp.errors import Diagnostic, KBError, Severity
from abl_cards.asp.terms import Signature
from abl_cards.core import ErrorCode
from abl_cards.games.description import argument_sorts, fact_schema
from abl_cards.games.description.argument_checks import find_wrong_arguments
from abl_cards.games.description.fluents import read_fluent_types, read_fluents
from abl_cards.games.description.folder import Folder, find_fluent_declarations, load_knowledge_base
from abl_cards.games.description.inputs import INPUTS
from abl_cards.games.description.known_names import KnownNames
from abl_cards.games.description.loading import ENGINE_SIGNATURES
from abl_cards.games.description.text_facts import find_wrong_text_facts
from tests.effort import amount

SOURCES = Path(__file__).parents[3] / "abl_cards"
BASE = """
seat(0..2). pack(card(R,S),1) :- rank(R), suit(S). pack(joker,1). rank(1..4). suit(c;d).
label(single(R)) :- rank(R). label(pair(R)) :- rank(R). label(pass). form(L,L) :- label(L).
kind(single(R),single) :- rank(R). kind(pair(R),pair) :- rank(R). kind(pass,pass).
needs(single(R),1,R,1) :- rank(R). needs(pair(R),1,R,2) :- rank(R).
acts_as(C,C) :- pack(C,_). acts_as(card(R,S),R) :- pack(card(R,S),_).
kickers(pair(1),1,1). kicker(pair(1),2,1). who(next,1). who(previous,2).
#external leading. #external lot(leader,N) : N = 0..2. #external stage(S) : S = bury.
#external level(R) : rank(R). #external tricks(S,N) : seat(S), N = 1..4. #external void(S,T) : seat(S), suit(T).
one(level,1). count(tricks,2). any(void,2). asks(bury,0) :- leading. option(bid(0..2)) :- stage(bury).
role(0,boss). preference(thrift,cards). hint(read,cards). says(read,en,"Read."). sort(level,1,1,rank).
word(rank,1,en,"the ace").
x(L) :- level(L), tricks(0,L), void(0,c), lot(leader,L).
"""
"""A game with one name of each sort, besides those of the valid facts below."""

RIGHT = {
    "pack": "extra,1", "packs": "2", "index": "joker,8", "seat": "3", "next": "0,1", "member": "0,1", "who": "far,1",
    "deals": "0,3", "label/1": "extra", "label/2": "0,extra", "order": "pair(1),5", "form": "pair(1),extra",
    "kind": "pair(2),two", "needs": "pair(2),2,1,1", "natural": "pair(2),2,1",
    "wilds/2": "pair(2),1", "wilds/3": "pair(2),1,1", "vacant": "past",
    "same_suit": "pair(2),c", "mixed_suits": "pair(2)", "only": "pair(2),1,joker", "kickers": "pair(1),1,2",
    "kicker": "pair(1),3,1", "kicker_pool": "low,2,1", "uses_pool": "pair(1),low", "excludes": "pair(1),pair(2)",
    "misread": "pair(1),2,1", "apart": "pair(2)", "tier": "pair,1", "listed": "pair(1),3",
    "letter": 'joker,"J"', "lasts": "level,match", "order_of_sets": "text", "leftover": "0,1", "recent": "5",
    "called/3": 'pair(1),"two",1', "called/4": 'pair(1),"two",1,2', "title/2": 'en,"A game"',
    "title/3": 'usual,en,"Rules of the club"', "default_profile": "usual",
    "lots": "leader,3", "one": "level,1", "count": "tricks,2", "any": "void,2", "hand_order": "c,1", "sees/2": "1,hand",
    "sees/3": "2,fluent,level", "secret": "bury", "private": "void,2", "worth": "joker,5", "composes": "4",
    "draw_pile": "", "hand_limit": "9",
    "partial": "pair(2)", "open_hands": "", "written": 'pair(1),"P",1', "platform": "botzone", "plane": "low,1",
    "sort": "tricks,2,1,seat", "word/3": 'boss,en,"the boss"', "word/4": 'rank,2,zh,"二"', "init": "level(2)",
    "preference": "haste,cards", "hint": "shown,cards", "says": 'thrift,en,"Save."',
    "acts_as": "joker,1", "legal": "pair(1)", "move": "pair(1)", "includes": "joker", "strength": "pair(1),1",
    "beats": "pair(1)", "barred": "pair(1)", "turn": "0", "trick_over": "", "over": "", "next/1": "level(2)",
    "drop": "level(2)", "adds": "tricks(0),1,why", "passes": "0,1,joker", "takes_aside": "0", "lays_aside": "0,joker",
    "takes_back": "0,joker,1", "deal_again": "", "asks": "bury,0", "draws": "0", "leads": "0", "option": "card(1,c)",
    "points": "0,3,why", "won": "1", "drawn": "", "match_over": "", "has/4": "0,1,c,1", "lacks/4": "0,1,c,1",
    "has/3": "0,joker,1", "lacks/3": "0,joker,1", "has_now/4": "0,1,c,1", "lacks_now/4": "0,1,c,1",
    "has_now/3": "0,joker,1", "lacks_now/3": "0,joker,1", "knows_aside": "0", "belief": "read,1,5",
    "role": "0,helper", "side": "0,1", "takes": "0", "more": "",
}  # fmt: skip
"""A valid instance of each predicate; those that are read from variant.lp only are tested there."""

FREE = {
    "vacant": {0},
    "pack": {0}, "who": {0}, "label/1": {0}, "label/2": {1}, "order": {1}, "form": {1}, "kind": {1}, "listed": {1},
    "called/3": {1, 2}, "called/4": {1, 2, 3}, "written": {1, 2}, "plane": {0},
    "kicker_pool": {0}, "uses_pool": {1}, "preference": {0, 1}, "hint": {0, 1},
    "acts_as": {1}, "strength": {1}, "asks": {0}, "points": {2}, "adds": {2}, "belief": {0}, "role": {1},
}  # fmt: skip
"""Indices of arguments that may be any term."""

BY_ITSELF = {"label/2", "sort"}
"""Predicates that change which other facts are valid, so they are tested one by one."""


def key_of(signature: Signature) -> str:
    """Return the key of a predicate in the tables above."""
    return str(signature) if str(signature) in RIGHT else signature.name


ErrorByLine = dict[str, Diagnostic]
DECLARED = [signature for signature in fact_schema.PREDICATE_SORTS if signature not in fact_schema.VARIANT_FACTS]
GROUND = [signature for signature in DECLARED if signature not in fact_schema.TEXT_FACTS]
TEXTS = [signature for signature in DECLARED if signature in fact_schema.TEXT_FACTS]


def arguments_of(signature: Signature) -> list[str]:
    """Return the arguments of the valid instance."""
    return re.findall(r'"[^"]*"|[^,("]+(?:\([^)]*\))?', RIGHT[key_of(signature)])


def instance_text(signature: Signature, arguments: list[str]) -> str:
    return f"{signature.name}({','.join(arguments)})" if arguments else signature.name


def wrong_terms(sort: argument_sorts.ArgumentSort) -> tuple[str, ...]:
    """Return unknown names, terms of another type, and numbers out of range."""
    if sort is argument_sorts.TEXT:
        return "zzqx", "zzqx(1)", "5", '""'
    if sort is argument_sorts.SPELLING:
        return "zzqx(1)", '""'
    if sort is argument_sorts.OPTION:
        return "card(9,c)", "card(1,zzqx)"
    if sort.name in ("number", "number of arguments"):
        return "zzqx", '"zzqx"', "987654321", "-987654321"
    return "zzqx", "zzqx(1)", '"zzqx"', "987654321"


def wrong_facts(signature: Signature) -> Iterator[str]:
    """Generate instances with one wrong argument each."""
    right = arguments_of(signature)
    for place, sort in enumerate(fact_schema.PREDICATE_SORTS[signature]):
        if place not in FREE.get(key_of(signature), ()):
            for wrong in wrong_terms(sort):
                yield instance_text(signature, [*right[:place], wrong, *right[place + 1 :]])


def folder_with(home: Path, lines: list[str]) -> Folder:
    """Write the game above, with some lines in a file of their own."""
    (home / "profiles").mkdir(parents=True, exist_ok=True)
    (home / "profiles" / "usual.lp").write_text("usual.\n", "utf-8")
    (home / "game.lp").write_text(BASE, "utf-8")
    (home / "more.lp").write_text("".join(f"{line}\n" for line in ["%", *lines]), "utf-8")
    return Folder(home)


def problems_of(folder: Folder) -> list[Diagnostic]:
    """Return the errors of text facts, of grounding, or of arguments."""
    try:
        program = folder.program()
        if diagnostics := list(find_wrong_text_facts(program, folder)):
            return diagnostics
        kb = load_knowledge_base(folder, None, ENGINE_SIGNATURES, set(INPUTS), cache=False)
        fluents = read_fluents(kb, read_fluent_types(find_fluent_declarations(program)))
        return list(find_wrong_arguments(KnownNames(kb, program, folder, fluents), fact_schema.PREDICATE_SORTS))
    except KBError as problem:
        return [diagnostic for diagnostic in problem.diagnostics if diagnostic.severity == Severity.ERROR]


def find_errors(home: Path, lines: list[str], make: Callable[[Path, list[str]], Folder] = folder_with) -> ErrorByLine:
    """Return the error of each line; lines that were refused are left out of the next try."""
    errors: ErrorByLine = {}
    while diagnostics := problems_of(make(home, ["" if line in errors else line for line in lines])):
        before = len(errors)
        for diagnostic in diagnostics:
            assert diagnostic.location is not None, diagnostic
            if diagnostic.location.file.endswith("more.lp"):
                errors.setdefault(lines[diagnostic.location.line - 2], diagnostic)
        assert len(errors) > before, diagnostics
    return errors


@pytest.fixture(autouse=True)
def _ground_in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ground in this process, as a child process for each folder is slow."""
    monkeypatch.setattr(Folder, "is_trusted", True)


def batches(signatures: list[Signature]) -> Iterator[list[Signature]]:
    yield [signature for signature in signatures if key_of(signature) not in BY_ITSELF]
    yield from ([signature] for signature in signatures if key_of(signature) in BY_ITSELF)


def test_valid_facts_are_accepted(tmp_path: Path) -> None:
    lines = [
        f"{instance_text(signature, arguments_of(signature))}."
        for signature in DECLARED
        if key_of(signature) not in BY_ITSELF
    ]
    assert problems_of(folder_with(tmp_path, lines)) == []


def test_every_invalid_argument_is_an_error_at_its_line(tmp_path: Path) -> None:
    for batch in batches(DECLARED):
        facts = [fact for signature in batch for fact in wrong_facts(signature)]
        lines = [f"{fact}." for fact in facts[:: amount(3, 1)]]
        errors = find_errors(tmp_path, lines)
        assert [line for line in lines if line not in errors] == []


def test_facts_that_depend_on_inputs_are_errors(tmp_path: Path) -> None:
    for batch in batches([signature for signature in GROUND if signature in fact_schema.STATIC_PREDICATES]):
        lines = [f"{instance_text(signature, arguments_of(signature))} :- leading." for signature in batch]
        errors = find_errors(tmp_path, lines)
        assert [line for line in lines if line not in errors] == []
        assert {problem.code for problem in errors.values()} == {ErrorCode.CONDITIONAL_FACT}


def test_rules_for_syntactic_facts_are_errors(tmp_path: Path) -> None:
    lines = [
        f"{instance_text(signature, arguments_of(signature))} :- {body}."
        for signature in TEXTS
        for body in ("rank(1)", "leading")
    ]
    for signature in TEXTS:
        first, *rest = arguments_of(signature)
        lines += [
            f"{instance_text(signature, ['X', *rest])} :- X = {first}.",
            f"{instance_text(signature, [f'({first};{first})', *rest])}.",
        ]
    assert [line for line in lines if line not in find_errors(tmp_path, lines)] == []


def test_misplaced_facts_are_errors(tmp_path: Path) -> None:
    lines = ["parent(guandan).", "replaces(rules).", "leaves_out(rules)."]
    errors = find_errors(tmp_path, lines)
    assert {line: problem.code for line, problem in errors.items()} == dict.fromkeys(lines, ErrorCode.MISPLACED_FACT)
    lines = ["one(levle,1).", "count(tricks,1).", "any(void,x).", "default_profile(usaul)."]
    errors = find_errors(tmp_path, lines)
    assert {line: problem.code for line, problem in errors.items()} == {
        **dict.fromkeys(lines[:3], ErrorCode.INVALID_FLUENT), lines[3]: ErrorCode.UNKNOWN_PROFILE,
    }  # fmt: skip
    assert "usual" in errors[lines[-1]].remedy
    folder = folder_with(tmp_path, [])
    (tmp_path / "profiles" / "usual.lp").write_text('title(en,"A game").\ndefault_profile(usual).\n', "utf-8")
    assert [
        diagnostic.location and diagnostic.location.line
        for diagnostic in find_wrong_text_facts(folder.program(), folder)
    ] == [1, 2]


def test_parent_must_be_a_fact_of_variant_lp(tmp_path: Path) -> None:
    folder_with(tmp_path / "base", [])
    child = tmp_path / "child"
    child.mkdir()
    for text in ("parent(base) :- x.", "parent(base). replaces(more) :- x.", "parent(base). leaves_out(more) :- x."):
        (child / "variant.lp").write_text(text, "utf-8")
        (diagnostic,) = problems_of(Folder(child))
        assert diagnostic.location is not None
        assert diagnostic.location.file.endswith("variant.lp")
        assert diagnostic.code == ErrorCode.MISPLACED_FACT


def test_variant_may_leave_out_names_used_by_parent_facts(tmp_path: Path) -> None:
    base = folder_with(tmp_path / "base", [])
    game, labels = BASE.partition("label(single(R))")[0], "label(single(R))" + BASE.partition("label(single(R))")[2]
    (base.path / "game.lp").write_text(
        game + "wilds(pair(R),1) :- rank(R). tier(pair,1). same_suit(pair(2),c).", "utf-8"
    )
    (base.path / "labels.lp").write_text(labels, "utf-8")
    assert problems_of(base) == []
    child = tmp_path / "child"
    child.mkdir()
    (child / "variant.lp").write_text("parent(base). replaces(labels).", "utf-8")
    left = "\n".join(line for line in labels.splitlines() if not line.startswith("kickers")).replace(
        "pair(R)", "trio(R)"
    )
    (child / "labels.lp").write_text(left.replace("pair", "trio"), "utf-8")
    assert problems_of(Folder(child)) == []
    (child / "own.lp").write_text("wilds(pair(3),1).\nrank(9). same_suit(pair(2),c). tier(pair,1).\n", "utf-8")
    diagnostics = problems_of(Folder(child))
    assert {Path(diagnostic.location.file).name for diagnostic in diagnostics if diagnostic.location} == {"own.lp"}
    assert len(diagnostics) == 3


def test_facts_of_a_variant_are_checked_despite_a_parent_rule(tmp_path: Path) -> None:
    base = folder_with(tmp_path / "base", ["#defined joined/1.", "wilds(F,1) :- joined(F)."])
    assert problems_of(base) == []
    child = tmp_path / "child"
    child.mkdir()
    (child / "variant.lp").write_text("parent(base). joined(pear(1)).", "utf-8")
    assert ["pear(1)" in diagnostic.message for diagnostic in problems_of(Folder(child))] == [True]


def test_names_of_another_profile_are_accepted(tmp_path: Path) -> None:
    rules = "#defined extra/0. label(trio) :- extra. kind(trio,trio) :- label(trio). needs(trio,1,1,2) :- label(trio)."
    folder_with(tmp_path, ["default_profile(usual).", rules, "wilds(trio,1).", "wilds(tri,1)."])
    (tmp_path / "profiles" / "rich.lp").write_text("extra.\n", "utf-8")
    (tmp_path / "profiles" / "usual.lp").write_text("usual. wilds(trio,0).\n", "utf-8")
    locations = [diagnostic.location for diagnostic in problems_of(Folder(tmp_path)) if diagnostic.location]
    assert {(Path(location.file).name, location.line) for location in locations} == {("more.lp", 5), ("usual.lp", 1)}


def test_sort_facts_check_own_predicates_of_a_folder(tmp_path: Path) -> None:
    lines = ["sort(owns,2,1,seat). sort(owns,2,2,form).", "owns(0,pair(1)).", "owns(5,pair(1)).", "owns(0,pear(1))."]
    errors = find_errors(tmp_path, [*lines, "y :- owns(_,_)."])
    assert set(errors) == set(lines[2:])
    assert "pair(1)" in errors[lines[3]].remedy


ISSUE = {
    "wilds(strait(3),0).": "straight(3)", "needs(singel(3),1,3,1).": "single(3)",
    "kind(singel(3),single).": "single(3)", "natural(pear(3),3,1).": "pair(3)",
    "only(pear(3),1,card(3,s)).": "pair(3)", "same_suit(pear(3),s).": "pair(3)",
    "mixed_suits(strait(3)).": "straight(3)", "kickers(pear(3),1,1).": "pair(3)", "kicker(pear(3),3,1).": "pair(3)",
    "misread(pear(3),3,1).": "pair(3)", "apart(pear(3)).": "pair(3)", "partial(pear(3)).": "pair(3)",
    "barred(pear(3)).": "pair(3)", "playable(pear(3)).": "pair(3)", "listed(pear(3),3).": "pair(3)",
    'written(pear(3),"Pear",3).': "pair(3)", 'word(rnk,3,en,"three").': "rank", 'word(rank,3,fr,"trois").': "",
    "sort(pwer,2,1,rank).": "power", "sort(power,2,2,strenght).": "strength", "sort(power,3,1,rank).": "",
    'letter(jokr,"J").': "joker", "hand_order(z,1).": "", 'says(break_bom,en,"No.").': "break_bomb",
    'says(break_bomb,fr,"Non.").': "", 'title(fr,"Guandan").': "", "sees(99,hnd).": "hand",
    "sees(99,fluent,levl).": "level", "sees(99,hand,level).": "", "who(far,7).": "", "one(levl,1).": "level",
    "count(reset,1).": "resets", "any(shwn,1).": "shown", "lacks(0,99,s,1).": "", "has(0,3,z,1).": "",
    "lots(frist_leader,3).": "first_leader", "option(card(3,z)).": "card(3", "default_profile(standrad).": "standard",
    "takes(9).": "", "replaces(rules).": "", "parent(guandan).": "",
}  # fmt: skip
"""Facts of a variant of Guandan with a wrong name, and the name that the remedy suggests."""


def guandan_with(home: Path, lines: list[str]) -> Folder:
    """Write a variant of Guandan with some lines in a file of their own."""
    (home / "variant.lp").write_text("parent(guandan).", "utf-8")
    (home / "more.lp").write_text("".join(f"{line}\n" for line in ["%", *lines]), "utf-8")
    return Folder(home)


def reference_examples() -> dict[str, str]:
    """Return the errors that the reference shows, by the rule that causes them."""
    text = (SOURCES.parent / "docs" / "reference" / "rule-files.md").read_text("utf-8")
    section = text[text.index("## What facts may name") : text.index("## Constants and profiles")]
    return dict(re.findall(r"^\| `(.+?)` \| (.+) \|$", section, re.MULTILINE))


STRAIGHTS = """
label(straight(R)) :- R = 1..3. kind(straight(R),straight) :- label(straight(R)). name("A game").
needs(straight(R),I+1,R+I,1) :- label(straight(R)), I = 0..1.
"""


def test_reference_examples_give_the_documented_errors(tmp_path: Path) -> None:
    """Errors are those of the reference word for word, here in a small game that has straights too."""
    examples = reference_examples()
    errors = find_errors(tmp_path, [*STRAIGHTS.split("\n"), *examples])
    assert len(examples) == 5
    assert {rule: f"{error.message} ({error.remedy})" for rule, error in errors.items()} == examples


@pytest.mark.long
def test_every_invalid_fact_in_a_guandan_variant_is_an_error(tmp_path: Path) -> None:
    """Report every fact that once passed in silence; the small game above has a wrong fact of each predicate."""
    lines, examples = list(ISSUE), reference_examples()
    errors = find_errors(tmp_path, [*lines, *examples], guandan_with)
    assert [line for line in lines if line not in errors] == []
    assert [(line, errors[line].remedy) for line in lines if ISSUE[line] not in errors[line].remedy] == []
    assert {rule: f"{errors[rule].message} ({errors[rule].remedy})" for rule in examples} == examples


NOT_DECLARED = {"suit/1", "rank/1", "cost/2", "trumps/1"}
"""Predicates that are read for words and names; abl_cards/asp checks costs."""


READS = r"\b(facts|instances|read_mapping|facts_as_dict)\("


@cache
def find_read_predicates() -> set[str]:
    """Return the predicates that the package names where it reads facts."""
    predicates = set()
    for file in [*SOURCES.rglob("*.py"), *(SOURCES.parent / "reasoners").rglob("*.py")]:
        text = file.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if re.search(READS, text) else ():
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                constants = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
                match (called, constants):
                    case (("facts" | "instances" | "read_mapping"), [str(name), int(arity), *_]):
                        predicates.add(f"{name}/{arity}")
                    case ("facts_as_dict", [str(name)]):
                        predicates.add(f"{name}/2")
    return predicates


def test_all_facts_read_by_the_code_are_declared() -> None:
    known = {
        str(signature)
        for signature in (*fact_schema.PREDICATE_SORTS, *fact_schema.AUXILIARY_PREDICATES, *fact_schema.CODEGEN_FACTS)
    }
    assert len(find_read_predicates()) > 50
    assert find_read_predicates() - known - NOT_DECLARED == set()


def test_unchecked_arguments_equal_the_expected_list() -> None:
    free = {
        key_of(signature): {place for place, sort in enumerate(arguments) if sort is argument_sorts.ANY}
        for signature, arguments in fact_schema.PREDICATE_SORTS.items()
        if signature not in fact_schema.VARIANT_FACTS
    }
    checked = {"sees/3": {2}}  # by the part
    assert {
        key: places - checked.get(key, set()) for key, places in free.items() if places - checked.get(key, set())
    } == FREE

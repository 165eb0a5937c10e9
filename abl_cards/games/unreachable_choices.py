"""Find choices that nobody is ever asked for, as plays bring them about and choices come before the first play."""

from __future__ import annotations

from collections.abc import Iterator

from abl_cards.asp import Atom, Diagnostic, make_warning
from abl_cards.circuit import Circuit
from abl_cards.core import ErrorCode
from abl_cards.games.compiled import CompiledGame, join_names
from abl_cards.games.tables import CHOICE_EVENT, EventRules

_EVENTS_OF_PLAY = {"shown", "play", "pass", "trick"}
_REMEDY = "add draw_pile., with which choices are asked for after every trick too"


def find_unreachable_choices(rules: CompiledGame) -> Iterator[Diagnostic]:
    """Find stages of ``asks/2`` that wait for fluents which only plays set, in games without a pile.

    Fluents that only the choices of such a stage set are late too.

    Args:
        rules: Compiled rules.

    Yields:
        A warning for each stage, without a location.
    """
    if rules.has_pile or not rules.schema.stages:
        return
    event_rules = EventRules.from_rules(rules)
    circuit = event_rules.control_query.query.circuit
    stages, late_stages, late_fluents = _asked_stages(circuit), set[str](), set[Atom]()
    while True:  # until no choice is found that only fluents set by another late choice bring about
        false_inputs = late_fluents | _false_inputs(rules, late_stages)
        late_fluents = _find_late_fluents(event_rules, false_inputs, has_choices=late_stages != stages)
        early = circuit.specialise({atom: False for atom in circuit.inputs if atom in late_fluents})
        found = stages - _asked_stages(early.without_false_outputs())
        if found == late_stages:
            break
        late_stages = found
    names = sorted({f"'{atom.name}'" for atom in circuit.inputs if atom in late_fluents})
    for stage in sorted(late_stages):
        message = f"asks({stage},S), asks/2: nobody is asked, since choices come before the first play, and only plays"
        yield make_warning(None, f"{message} set {join_names(names)}", _REMEDY, ErrorCode.NEVER_DERIVED)


def _asked_stages(circuit: Circuit) -> set[str]:
    """Return the stages for which asks/2 is among the outputs."""
    return {str(args[0]) for name, args in circuit.outputs if name == "asks"}


def _false_inputs(rules: CompiledGame, late_stages: set[str]) -> set[Atom]:
    """Return the inputs that are false where these stages never come: the stages, and the options of them alone."""
    circuit = rules.option_query.circuit
    stages = {Atom("stage", (stage,)) for stage in late_stages}
    early = circuit.specialise({atom: False for atom in circuit.inputs if atom in stages}).without_false_outputs()
    return stages | {Atom("chosen", args) for _, args in set(circuit.outputs) - set(early.outputs)}


def _find_late_fluents(event_rules: EventRules, false_inputs: set[Atom], has_choices: bool) -> set[Atom]:
    """Return the inputs of fluents that are false before the first play, since no event sets them."""
    set_early = set[int]()
    for event, update in event_rules.updates.items():
        if event not in _EVENTS_OF_PLAY and (has_choices or event != CHOICE_EVENT):
            set_early |= {*update.list_set_slots(false_inputs)}
    late = {
        (fluent.signature.name, fluent.signature.arity)
        for fluent in event_rules.rules.fluents.fluents
        if not fluent.is_persistent and set_early.isdisjoint(fluent.slots)
    }
    circuits = [event_rules.control_query.query.circuit, *(item.query.circuit for item in event_rules.updates.values())]
    return {atom for circuit in circuits for atom in circuit.inputs if (atom.name, len(atom.args)) in late}

"""Find choices that nobody is ever asked for, as plays bring them about and choices come before the first play."""

from __future__ import annotations

from collections.abc import Iterator

from abl_cards.asp import Atom, Diagnostic, make_warning
from abl_cards.core import ErrorCode
from abl_cards.games.compiled import CompiledGame, join_names
from abl_cards.games.tables import EventRules

_EVENTS_OF_PLAY = {"shown", "play", "pass", "trick"}
_REMEDY = "add draw_pile., with which choices are asked for after every trick too"


def find_unreachable_choices(rules: CompiledGame) -> Iterator[Diagnostic]:
    """Find stages of ``asks/2`` that wait for fluents which only plays set, in games without a pile.

    Args:
        rules: Compiled rules.

    Yields:
        A warning for each stage, without a location.
    """
    if rules.has_pile or not rules.schema.stages:
        return
    event_rules = EventRules.from_rules(rules)
    updates = [update for event, update in event_rules.updates.items() if event not in _EVENTS_OF_PLAY]
    set_early = {slot for update in updates for slot in update.list_set_slots()}
    circuit = event_rules.control_query.query.circuit
    late: dict[Atom, bool] = {}
    for fluent in rules.fluents.fluents:
        if not fluent.is_persistent and set_early.isdisjoint(fluent.slots):
            late |= {
                atom: False for atom in circuit.inputs
                if (atom.name, len(atom.args)) == (fluent.signature.name, fluent.signature.arity)
            }  # fmt: skip
    asked = {str(args[0]) for name, args in circuit.outputs if name == "asks"}
    early_outputs = circuit.specialise(late).without_false_outputs().outputs if late else circuit.outputs
    names = sorted({f"'{atom.name}'" for atom in late})
    for stage in sorted(asked - {str(args[0]) for name, args in early_outputs if name == "asks"}):
        message = f"asks({stage},S), asks/2: nobody is asked, since choices come before the first play, and only plays"
        yield make_warning(None, f"{message} set {join_names(names)}", _REMEDY, ErrorCode.NEVER_DERIVED)

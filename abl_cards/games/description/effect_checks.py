"""Find facts and outputs without effect, because a predicate that the engine needs with them is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from abl_cards.asp import Atom, Diagnostic, Signature, Term, make_warning
from abl_cards.core import ErrorCode
from abl_cards.games.description.folder import Folder
from abl_cards.games.description.known_names import KnownNames, compute_shape, read_known_names
from abl_cards.games.description.pack import WILD
from abl_cards.games.description.source_origins import SourceOrigins

Instance = tuple[Term, ...]


class EffectCondition(NamedTuple):
    """Condition under which the engine makes use of an instance of a predicate."""

    holds: Callable[[KnownNames, Instance], bool]
    problem: str  # why an instance without it has no effect
    remedy: str


def find_ineffective_statements(folder: Folder, profile: str | None) -> Iterator[Diagnostic]:
    """Find statements of the folder itself without effect in all profiles.

    A rule may derive instances without effect beside others that have one.

    Args:
        folder: The rule files.
        profile: Profile of the rules; None for the default profile of the folder.

    Yields:
        A warning for each fact, and for each rule that derives nothing else.
    """
    known = read_known_names(folder, profile)
    origins = SourceOrigins(known)
    for signature, condition in EFFECT_CONDITIONS.items():
        instances = known.kb.instances(*signature)
        idle = [instance for instance in instances if not condition.holds(known, instance)]
        locations = set()
        for instance in idle:
            if len(idle) < len(instances) and not origins.is_fact(signature, instance):
                continue
            location = origins.find_own_head(signature, instance)
            if location is None or location in locations or _has_effect_elsewhere(known, origins, signature, instance):
                continue
            locations.add(location)
            text = f"{Atom(signature.name, instance)} has no effect: {condition.problem}"
            yield make_warning(location, text, condition.remedy, ErrorCode.MISSING_FACT)
    yield from _find_unheard_options(known, origins)


def _find_unheard_options(known: KnownNames, origins: SourceOrigins) -> Iterator[Diagnostic]:
    """Find options beside the range of `chosen/1` for others of their kind: no rule learns that they were chosen."""
    locations = set()
    for option in _unheard_options(known):
        location = origins.find_own_head(_OPTION, option)
        is_shared = origins.is_shared_by_profiles(_OPTION, option)
        if location is None or location in locations:
            continue
        if is_shared and any(option not in _unheard_options(other) for other in known.other_profiles):
            continue
        locations.add(location)
        text = f"{Atom(_OPTION.name, option)}: rules cannot read that it was chosen, as they do of others"
        remedy = f"widen the ranges of #external {_CHOSEN.name}(…), or give it another name"
        yield make_warning(location, text, remedy, ErrorCode.INPUT_OUT_OF_RANGE)


def _unheard_options(known: KnownNames) -> list[Instance]:
    declared = set(known.kb.instances(*_CHOSEN))
    kinds = {_kind_of_option(option) for (option,) in declared}
    options = known.kb.instances(*_OPTION)
    return [option for option in options if option not in declared and _kind_of_option(option[0]) in kinds]


def _kind_of_option(option: Term) -> tuple[str, int] | None:
    """Return functor and number of arguments of an option; numbers are one kind, and each name is one."""
    return None if isinstance(option, int) else compute_shape(option)


def _has_effect_elsewhere(known: KnownNames, origins: SourceOrigins, signature: Signature, instance: Instance) -> bool:
    """Return whether another profile makes use of an instance that all of them share."""
    holds = EFFECT_CONDITIONS[signature].holds
    is_shared = origins.is_shared_by_profiles(signature, instance)
    return is_shared and any(holds(other, instance) for other in known.other_profiles)


def _stands_in(known: KnownNames, instance: Instance) -> bool:
    return instance[-1] == 0 or (WILD,) in known.argument_tuples(Signature("acts_as", 2), (1,))


def _may_have_wilds(known: KnownNames, instance: Instance) -> bool:
    return any((instance[0],) in known.argument_tuples(Signature("wilds", arity), (0,)) for arity in (2, 3))


def _has_partner(name: str, arity: int, argument: int) -> Callable[[KnownNames, Instance], bool]:
    """Make the condition that another fact has the first argument of an instance."""
    target = Signature(name, arity)
    return lambda known, instance: (instance[0],) in known.argument_tuples(target, (argument,))


def _is_derived(name: str, arity: int) -> Callable[[KnownNames, Instance], bool]:
    return lambda known, _: bool(known.kb.instances(name, arity))


def _lasts(known: KnownNames, instance: Instance) -> bool:
    return (compute_shape(instance[0])[0],) in known.argument_tuples(Signature("lasts", 2), (0,))


def _is_used_cell(known: KnownNames, instance: Instance) -> bool:
    cells = (("needs", 4, 2), ("kicker", 3, 1), ("kicker_pool", 3, 1))
    return any((instance[0],) in known.argument_tuples(Signature(name, arity), (at,)) for name, arity, at in cells)


def _may_exclude(known: KnownNames, instance: Instance) -> bool:
    """Return whether a form can have the cards of the form that it excludes: both exist, with as many cards."""
    names = known.argument_tuples(Signature("form", 2), (1,))
    if any((form,) not in names for form in instance):
        return False
    has_kickers = (instance[0],) in known.argument_tuples(Signature("kickers", 3), (0,))
    return has_kickers or known.form_sizes[instance[0]] == known.form_sizes[instance[1]]


def _is_read(known: KnownNames, signature: Signature) -> bool:
    return any(use.signature == signature for use in known.program.bodies)


def _is_worth_used(known: KnownNames, _: Instance) -> bool:
    """Return whether the points of cards count: seats take tricks, or a rule reads them."""
    return bool(known.kb.instances("takes", 1)) or _is_read(known, _WORTH)


def _is_tier_used(known: KnownNames, _: Instance) -> bool:
    """Return whether plays are beaten by those of a higher tier: seats take no tricks, or a rule reads the tiers."""
    return not known.kb.instances("takes", 1) or _is_read(known, _TIER)


_OPTION, _CHOSEN = Signature("option", 1), Signature("chosen", 1)
_WORTH, _TIER = Signature("worth", 2), Signature("tier", 2)
_NO_WILD = "no card stands in for others", "write acts_as(Card,wild) for one that does, or leave it out"
_NO_KICKERS = "the form carries no kickers", "say how many it carries: kickers/3, or leave it out"
_ONE_CARD = "no play has several parts: no rule derives more/0", "write a rule for more, or leave it out"

EFFECT_CONDITIONS: Mapping[Signature, EffectCondition] = {
    Signature("wilds", 2): EffectCondition(_stands_in, *_NO_WILD),
    Signature("wilds", 3): EffectCondition(_stands_in, *_NO_WILD),
    Signature("natural", 3): EffectCondition(
        _may_have_wilds, "no wild card stands in for a card of this form", "say how many may: wilds/2, or leave it out"
    ),
    Signature("apart", 1): EffectCondition(_has_partner("kickers", 3, 0), *_NO_KICKERS),
    Signature("uses_pool", 2): EffectCondition(_has_partner("kickers", 3, 0), *_NO_KICKERS),
    Signature("kicker_pool", 3): EffectCondition(
        _has_partner("uses_pool", 2, 1), "no form uses this pool", "write uses_pool(Form,Pool), or leave it out"
    ),
    Signature("vacant", 1): EffectCondition(
        _is_used_cell, "no form has a group or kickers of this cell", "leave it out, or write needs/4 with this cell"
    ),
    Signature("partial", 1): EffectCondition(_is_derived("more", 0), *_ONE_CARD),
    Signature("composes", 1): EffectCondition(_is_derived("more", 0), *_ONE_CARD),
    Signature("excludes", 2): EffectCondition(
        _may_exclude,
        "the forms never have the same cards: one is missing, or their numbers of cards differ",
        "exclude a form of as many cards, or leave it out",
    ),
    _WORTH: EffectCondition(
        _is_worth_used, "no rule reads it, and no seat takes tricks", "write a rule that reads it, or leave it out"
    ),
    _TIER: EffectCondition(
        _is_tier_used, "takes/1 decides who takes a trick, and no rule reads it",
        "write a rule that reads it, or leave it out",
    ),
    Signature("init", 1): EffectCondition(
        _lasts, "the fluent is reset when cards are dealt", "write lasts(Name,match), or next(…) :- event(deal)"
    ),
    _OPTION: EffectCondition(
        _is_derived("asks", 2), "nobody is asked", "write a rule for asks(Stage,Seat)"
    ),
}  # fmt: skip
"""Condition of each predicate that needs another one."""

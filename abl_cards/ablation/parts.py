"""Parts of the agents ``kb`` and ``abl`` that can be left out without training, for any rule folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from abl_cards.agents import (
    AblAgent,
    AgentName,
    agent_variant,
    check_agent_name,
    make_agent,
    preference_model_from_name,
)
from abl_cards.asp import KBError
from abl_cards.circuit import FALSE
from abl_cards.core import ErrorCode, GameError
from abl_cards.games import Engine, Game, compile_engine
from abl_cards.games.preferences import CompiledPreferences

PREFERENCES, PROJECTION, LOOKAHEAD, ROLLOUT_NETWORK, ENDGAME, MINIMISER = (
    "preferences", "projection", "lookahead", "rollout-network", "endgame", "minimiser",
)  # fmt: skip
"""Names of parts; groups of preferences and single ones are ``kb:NAME``, rule files go by their names."""
PLAYED_PARTS = (PROJECTION, LOOKAHEAD, ROLLOUT_NETWORK, ENDGAME, MINIMISER)
"""Parts of play that only agents with networks have."""
GROUP_PREFIX = "kb:"
"""Beginning of the names of groups of preferences, and of single ones."""


@dataclass(frozen=True)
class AblationPart:
    """Part of an agent that it can play without.

    Attributes:
        name: ``preferences``, ``kb:GROUP``, ``kb:PREFERENCE``, ``FILE.lp``, ``projection``, ``lookahead``,
            ``rollout-network``, ``endgame`` or ``minimiser``; of another agent that is measured its name.
        description: The part in a few words.
        options: Options of the agent without it, such as ``without=bombs``.
        replaced_keys: Options of the agent that do not apply without it.
        other_agent: Another agent that is measured instead of the agent without a part.
    """

    name: str
    description: str
    options: tuple[str, ...]
    replaced_keys: tuple[str, ...] = ()
    other_agent: str = ""

    def variant_of(self, agent: str) -> str:
        """Return the name of an agent without this part."""
        if self.other_agent:
            return self.other_agent
        name = AgentName.parse(agent)
        options = tuple(option for option in name.options if option[0] not in self.replaced_keys)
        return agent_variant(str(AgentName(name.kind, options, name.numbers)), *self.options)


def list_parts(game: Game | Engine | str, agent: str = "abl", single: bool = False) -> list[AblationPart]:
    """List the parts of an agent that can be left out without training, for a rule folder.

    A part is listed if leaving it out can change a decision. A group needs a preference that can apply. A rule file
    must hold rules that the preferences use, and the other files must load without it.

    Args:
        game: Game, its name, the path of a rule folder, or a compiled game (for another profile).
        agent: ``kb`` or ``abl``, with options.
        single: List every preference instead of groups and files.

    Returns:
        The parts: all preferences, their groups, rule files, then the parts of ``abl``.

    Raises:
        GameError: The game or the agent is unknown, or the agent has no such parts, or no weights for this game.
        KBError: The rules or the preferences of the agent do not compile.
    """
    finder = _PartFinder.of(compile_engine(game), agent)
    return finder.single() if single else finder.grouped()


def make_variant_part(variant: str, agent: str) -> AblationPart:
    """Return another agent as a part, to be measured beside parts.

    Args:
        variant: Name of the other agent.
        agent: Name of the agent with all its parts.

    Raises:
        GameError: The other agent is unknown, or the same one.
    """
    name = str(check_agent_name(variant))
    if name == str(check_agent_name(agent)):
        raise GameError(f"agent '{name}' is named twice", ErrorCode.DUPLICATE_AGENT)
    return AblationPart(name, "another agent", (), other_agent=name)


class _PartFinder(NamedTuple):
    """An agent with the preferences that it plays by."""

    engine: Engine
    name: AgentName
    learned: AblAgent | None
    model: CompiledPreferences

    @classmethod
    def of(cls, engine: Engine, agent: str) -> _PartFinder:
        """Make the agent; raises GameError for one without parts."""
        name = check_agent_name(agent)
        if name.kind not in ("kb", "abl") or name.value("clingo"):
            problem = f"agent '{name}' has no parts to leave out: choose kb or abl, or name variants of it"
            raise GameError(problem, ErrorCode.AGENT_NOT_APPLICABLE)
        made = make_agent(agent, engine)
        model = preference_model_from_name(name, engine)
        assert isinstance(model, CompiledPreferences)
        return cls(engine, name, made if isinstance(made, AblAgent) else None, model)

    @property
    def has_estimate(self) -> bool:
        """Return whether the agent estimates hidden hands, so that preferences about them can apply."""
        return self.learned is not None and self.learned.policy.has_hand_estimator

    def grouped(self) -> list[AblationPart]:
        """List all preferences, groups of them, rule files and parts of networks."""
        groups = self.model.preferences(with_estimate=self.has_estimate)
        files = _rule_files(self.name, self.engine, self.model, self.has_estimate)
        parts = [*_all_preferences(groups, self.learned), *_preference_groups(groups), *files]
        return [*parts, *_network_parts(self.learned)]

    def single(self) -> list[AblationPart]:
        """List single preferences and parts of networks."""
        groups = self.model.preferences(with_estimate=self.has_estimate)
        return [*_single_preferences(groups), *_network_parts(self.learned)]


def _all_preferences(groups: dict[str, str], learned: AblAgent | None) -> Iterator[AblationPart]:
    """List all preferences as one part, where there are any."""
    if groups:
        flags = ("no-preferences",) if learned and learned.uses_preferences else ()
        options = (*(f"without={group}" for group in sorted({*groups.values()})), *flags)
        description = f"all {len(groups)} preferences" if len(groups) > 1 else "the only preference"
        yield AblationPart(PREFERENCES, description, options)


def _preference_groups(groups: dict[str, str]) -> Iterator[AblationPart]:
    for group, size in sorted(Counter(groups.values()).items()):
        description = f"{size} preference{'s' if size > 1 else ''}"
        yield AblationPart(f"{GROUP_PREFIX}{group}", description, (f"without={group}",))


def _single_preferences(groups: dict[str, str]) -> Iterator[AblationPart]:
    for preference, group in sorted(groups.items()):
        yield AblationPart(f"{GROUP_PREFIX}{preference}", f"of {group}", (f"without={preference}",))


def _rule_files(
    name: AgentName, engine: Engine, model: CompiledPreferences, with_estimate: bool
) -> Iterator[AblationPart]:
    """List the files without which some preferences are left, and costs are other functions of the inputs."""
    if name.value("kb") or name.values("without"):
        return  # the files of another folder, or a folder that is already reduced
    folder, profile = engine.rules.folder, engine.rules.profile
    numbers: _Numbers = {}
    costs = _live_costs(model, with_estimate, numbers)
    for file in folder.files(profile):
        if file.parent.name == "profiles" or _is_needed(str(file), engine):
            continue
        option = f"without={file.name}"
        try:
            reduced = preference_model_from_name(AgentName.parse(f"kb:{option}"), engine)
        except (KBError, GameError):
            continue  # no knowledge base without this file
        assert isinstance(reduced, CompiledPreferences)
        if reduced.preferences(with_estimate) and _live_costs(reduced, with_estimate, numbers) != costs:
            yield AblationPart(file.name, "a rule file, for the preferences alone", (option,))


def _is_needed(file: str, engine: Engine) -> bool:
    """Return whether other files use a predicate that only this file defines."""
    program = engine.rules.folder.program(engine.rules.profile)
    elsewhere = {use.signature for use in program.heads if use.location.file != file}
    own = {use.signature for use in program.heads if use.location.file == file} - elsewhere
    return any(use.signature in own for use in program.bodies if use.location.file != file)


_Numbers = dict[Hashable, int]
"""Number of each structure of gates, to compare circuits."""


def _live_costs(model: CompiledPreferences, with_estimate: bool, numbers: _Numbers) -> dict[Hashable, Hashable]:
    """Return the structure below each output that can be true; without an estimate its inputs are false.

    Structures are numbers, equal for gates of one kind over equal structures, in circuits compared by one table.
    """

    def number_of(structure: Hashable) -> int:
        return numbers.setdefault(structure, len(numbers))

    beliefs = {atom: False for atom in model.circuit.inputs if atom[0] in model.input_source.estimate_inputs}
    circuit = model.circuit if with_estimate else model.circuit.specialise(beliefs)
    nodes: list[int] = [number_of("true"), *(number_of(("input", atom)) for atom in circuit.inputs)]
    for gate, (first, stop) in enumerate(pairwise(circuit.starts.tolist())):
        literals, weights = circuit.literals[first:stop].tolist(), circuit.weights[first:stop].tolist()
        below = sorted(
            (nodes[literal >> 1] if literal >> 1 < len(nodes) else -(literal >> 1), literal & 1, weight)
            for literal, weight in zip(literals, weights, strict=True)
        )  # a literal inside a loop may point forward: then its number stands for it
        nodes.append(number_of((int(circuit.kinds[gate]), int(circuit.bounds[gate]), tuple(below))))
    return {
        output: (nodes[literal >> 1], literal & 1)
        for output, literal in zip(circuit.outputs, circuit.output_literals.tolist(), strict=True)
        if literal != FALSE
    }


def _network_parts(learned: AblAgent | None) -> Iterator[AblationPart]:
    """List what agent ``abl`` adds to the preferences."""
    if learned is None:
        return
    if learned.policy.has_hand_estimator and learned.policy.uses_projection:
        yield AblationPart(PROJECTION, "the projection of the estimated hands", ("no-projection",))
    if learned.looks_ahead:
        also = " and exact endgames" if learned.solves_endgames else ""
        description = f"trying the likely labels on sampled deals{also}"
        yield AblationPart(LOOKAHEAD, description, ("no-lookahead",), ("think", "endgame"))
        if learned.uses_rollout_network:
            yield AblationPart(ROLLOUT_NETWORK, "rollouts by a light network", ("no-rollout-network",))
    if learned.solves_endgames:
        yield AblationPart(ENDGAME, "exact endgames on sampled deals", ("endgame=0",), ("endgame",))
    if learned.uses_preferences:
        yield AblationPart(MINIMISER, "the cheapest card set of the label: any instead", ("no-preferences",))


def select_parts(engine: Engine, agent: str, names: list[str] | tuple[str, ...] | None) -> list[AblationPart]:
    """Select parts by name.

    Args:
        engine: Compiled game.
        agent: ``kb`` or ``abl``, with options.
        names: Names of parts, single preferences among them; None for all that ``list_parts`` lists.

    Returns:
        The parts in the order of the names.

    Raises:
        GameError: The agent has no such part; the message lists its parts.
        KBError: The preferences of the agent do not compile.
    """
    finder = _PartFinder.of(engine, agent)
    parts = finder.grouped()
    if names is None:
        return parts
    known = {part.name: part for part in (*finder.single(), *parts)}
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        there = ", ".join(part.name for part in parts)
        problem = f"agent '{agent}' of {engine.game} has no part '{unknown}' (there are: {there}; or kb:PREFERENCE)"
        raise GameError(problem, ErrorCode.UNKNOWN_PART)
    return [known[name] for name in dict.fromkeys(names)]

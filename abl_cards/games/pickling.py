"""Pickle compiled rules as the place of their files, for processes of one machine.

Circuits and kernels are large, and the disk cache holds them. So pickled rules are a folder, a profile and the content
key of the knowledge base. Where the same rules are in memory already, as after a fork, unpickling returns that object.
Nothing in the project reads pickles from files.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from weakref import WeakValueDictionary

from abl_cards.asp import KBError
from abl_cards.core import ErrorCode, GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.description import KB_ROOT, Folder
from abl_cards.games.game import Game
from abl_cards.games.validation import compile_rules


class RulesSource(NamedTuple):
    """Arguments from which compiled rules are loaded."""

    path: str  # name of a shipped folder, or absolute path of another one
    is_shipped: bool
    excluded_files: tuple[str, ...]  # absolute paths
    profile: str | None
    content_key: str | None  # KnowledgeBase.cache_name; None where no disk cache was used

    @classmethod
    def of(cls, rules: CompiledGame) -> RulesSource:
        """Return the source of compiled rules."""
        path = rules.folder.current().path.resolve()
        is_shipped = path.parent == KB_ROOT.resolve()
        text = path.name if is_shipped else str(path)
        return cls(text, is_shipped, tuple(sorted(rules.folder.excluded_files)), rules.profile, rules.kb.cache_name)

    @property
    def folder(self) -> Folder:
        """The rule folder on this machine."""
        return Folder(KB_ROOT / self.path if self.is_shipped else Path(self.path), frozenset(self.excluded_files))


_RULES_IN_MEMORY: WeakValueDictionary[RulesSource, CompiledGame] = WeakValueDictionary()


def _reduce_rules(rules: CompiledGame) -> tuple[Callable[..., CompiledGame], tuple[RulesSource]]:
    """Return how to restore rules, and remember them for unpickling in this process and in its forks."""
    source = RulesSource.of(rules)
    _RULES_IN_MEMORY[source] = rules
    return restore_rules, (source,)


def restore_rules(source: RulesSource) -> CompiledGame:
    """Return pickled rules: from memory, or compiled from their files.

    Args:
        source: Folder, profile and content key.

    Raises:
        GameError: The folder is missing, or its files have changed since they were pickled.
        KBError: The files do not compile.
    """
    rules = _RULES_IN_MEMORY.get(source)
    if rules is not None:
        return rules
    folder = source.folder
    if not folder.path.is_dir():
        raise GameError(f"{folder.path}: the rule folder of a pickled object is missing", ErrorCode.UNKNOWN_GAME)
    try:
        rules = Game(folder).engine(profile=source.profile).rules
    except KBError:  # rules that `kb check` refuses, compiled by unchecked_engine
        rules = compile_rules(folder, source.profile)
    if source.content_key not in (None, rules.kb.cache_name):
        raise GameError(
            f"{folder.path}: rule files have changed since the object was pickled; pickle it again",
            ErrorCode.RULES_CHANGED,
        )
    _RULES_IN_MEMORY[source] = rules
    return rules


def register_rules() -> None:
    """Make pickle and copy treat compiled rules as their source."""
    copyreg.pickle(CompiledGame, _reduce_rules)

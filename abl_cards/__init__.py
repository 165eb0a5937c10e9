"""Neuro-symbolic agents for Chinese card games whose rules are answer-set programs.

``import abl_cards as abl`` gives the names of ``__all__``. Each is loaded when it is first used, so the import itself
takes less than a millisecond. This table is the only module that may name packages above the importing one:
``Game.explain`` and ``PLATFORM_PACKAGES`` go through it, and import-linter ignores its imports.
"""

__version__ = "0.2.0"

__all__ = [
    "Batch",
    "ErrorCode",
    "Explanation",
    "Game",
    "GameError",
    "KBError",
    "KnowledgeBase",
    "Minimiser",
    "PolicyOutput",
    "TimeStep",
    "TrainConfig",
    "Trainer",
    "VectorEnv",
    "__version__",
    "ablate",
    "agent",
    "load",
    "play_match",
    "review",
    "verify",
]

PLATFORM_PACKAGES = {"botzone": "abl_cards.protocols.botzone", "contest": "abl_cards.protocols.contest"}
"""The package with the protocol of each platform that a rule folder may name by ``platform(Name)``."""

TYPE_CHECKING = False  # type checkers read it as true; the module typing would take longer to import than this one
if TYPE_CHECKING:
    from abl_cards.ablation import ablate
    from abl_cards.agents import agent
    from abl_cards.asp import KBError
    from abl_cards.circuit import KnowledgeBase
    from abl_cards.core import ErrorCode, GameError
    from abl_cards.env import TimeStep, VectorEnv
    from abl_cards.games import Game, load
    from abl_cards.learners import Batch, PolicyOutput
    from abl_cards.matches import play_match, review
    from abl_cards.reasoners.abduction import Minimiser
    from abl_cards.reasoners.explain import Explanation
    from abl_cards.rulelab.verification import verify
    from abl_cards.training import TrainConfig, Trainer

if not TYPE_CHECKING:  # else any name would be right to type checkers

    def __getattr__(name):
        from abl_cards.core import lazy_exports

        return lazy_exports(__name__)(name)

    def __dir__():
        return sorted({*globals(), *__all__})

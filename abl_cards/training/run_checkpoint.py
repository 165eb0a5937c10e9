"""The checkpoint of a run, and the check that it fits the current settings and networks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from abl_cards.core import ErrorCode, GameError, current_keys
from abl_cards.learners import FittedPart, ModelNetworks, Networks, class_name, describe_parts
from abl_cards.training.checkpoint import CheckpointFile
from abl_cards.training.rollout_queue import StateDict
from abl_cards.training.run_settings import REDEAL_SETTINGS, fixed_settings
from abl_cards.training.settings import TrainConfig, make_mismatch_error

_ANOTHER_FOLDER = "choose another folder"


class RunCheckpoint(CheckpointFile):
    """The checkpoint of a run, with the settings and the classes of the networks that it belongs to."""

    def save_run(self, settings: TrainConfig, networks: Networks, state: StateDict) -> None:
        """Replace the state.

        Args:
            settings: The settings of the run.
            networks: Its networks.
            state: The state of the run and of its processes.
        """
        named: StateDict = {"settings": fixed_settings(settings)}
        if isinstance(networks, ModelNetworks):
            named["model"] = class_name(type(networks.module))
        elif parts := describe_parts(networks.parts):
            fitted = [name for name, part in networks.parts.items() if isinstance(part, FittedPart)]
            named |= {"own_parts": parts, "fitted_parts": fitted}
        self.save(named | state)

    def awaits_bridge(self, state: StateDict, networks: Networks) -> bool:
        """Return whether all networks of a state that the run lacks are models that fit themselves."""
        missing = state.get("own_parts", {}).keys() - dict(networks.parts.items()).keys()
        return bool(missing) and missing <= set(state.get("fitted_parts", []))

    def check(self, state: StateDict, settings: TrainConfig, networks: Networks) -> bool:
        """Check that a state fits a run.

        Args:
            state: The state.
            settings: The current settings.
            networks: The current networks.

        Returns:
            Whether new cards must be dealt, since settings of the tables have changed.

        Raises:
            GameError: Settings that are fixed from the start differ, or the networks are of other classes.
        """
        begun = current_keys(TrainConfig, state["settings"])
        changed = [name for name, value in fixed_settings(settings).items() if begun.get(name) != value]
        if fixed := [name for name in changed if name not in REDEAL_SETTINGS]:
            raise make_mismatch_error(self.file, begun, fixed)
        if isinstance(networks, ModelNetworks):
            self._check_class(state.get("model"), type(networks.module))
        else:
            self._check_parts(state.get("own_parts", {}), networks)
        return bool(changed)

    def _check_parts(self, saved: dict[str, Any], networks: Networks) -> None:
        """Raise GameError where the custom networks are not those that the run was begun with."""
        given = dict(networks.parts.items())
        if missing := saved.keys() - given.keys():
            raise GameError(missing_part_message(self.file, saved, sorted(missing)), ErrorCode.MODEL_CLASS_NEEDED)
        if added := given.keys() - saved.keys():
            message = f"{self.file}: begun with our {', '.join(sorted(added))}; {_ANOTHER_FOLDER}"
            raise GameError(message, ErrorCode.RUN_MISMATCH)
        for name, part in given.items():
            self._check_class(saved[name]["class"], part.model_class)

    def _check_class(self, saved: str | None, model_class: type) -> None:
        """Raise GameError where a network was of another class; its module may have moved."""
        name = class_name(model_class)
        if saved is not None and saved.rpartition(".")[2] != name.rpartition(".")[2]:
            message = f"{self.file}: begun with the network {saved}, not {name}; {_ANOTHER_FOLDER}"
            raise GameError(message, ErrorCode.RUN_MISMATCH)


def missing_part_message(file: Path, saved: dict[str, Any], missing: list[str]) -> str:
    """Return the error message about networks that a run was begun with and that were not passed."""
    named = ", ".join(f"{name} {saved[name]['class']}" for name in missing)
    return f"{file}: begun with your own {named}; give it to Trainer or JointBridge again, or {_ANOTHER_FOLDER}"

"""Reader of the fields of one JSON state into a position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abl_cards.core import GameError
from abl_cards.games.compiled import CompiledGame
from abl_cards.games.notation.fields import Observer, missing_field_error, state_fields
from abl_cards.games.notation.positions import TablePosition
from abl_cards.games.notation.required_fields import RequiredFields


@dataclass(frozen=True)
class StateReader:
    """JSON state that is being read.

    Attributes:
        rules: Compiled game.
        value: JSON state.
        required: Fields that the query reads.
        position: Position read so far.
    """

    rules: CompiledGame
    value: Mapping[str, Any]
    required: RequiredFields
    position: TablePosition

    @property
    def observer(self) -> Observer:
        """Seat from which the state is seen."""
        return Observer(self.rules, self.position.seat, self.position.context)

    def has(self, field: str) -> bool:
        """Return whether a field is given."""
        return self.value.get(field) is not None

    def get(self, name: str, default: Any = None) -> Any:
        """Read a field.

        Args:
            name: Field.
            default: Value of a missing field.

        Raises:
            GameError: The value is invalid, or the rules read a missing field that is not inferred from others.
        """
        field = state_fields()[name]
        if self.has(name):
            return field.read(self.observer, self.value[name])
        if name in self.required.fields and not field.is_inferred:
            raise self.missing(name)
        return default

    def missing(self, field: str) -> GameError:
        """Return the error for a missing field that the rules read."""
        return missing_field_error(field, self.required.fields[field])

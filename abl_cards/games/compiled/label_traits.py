"""Kind and size of the labels of a game."""

from __future__ import annotations

import numpy as np

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.description import functor
from abl_cards.games.types import LabelTraits


def build_label_traits(rules: CompiledGame) -> LabelTraits:
    """Return kind and size of each label, for simple heuristics; bombs of all sizes are one kind.

    Args:
        rules: Compiled rules of the game.

    Returns:
        Arrays by label.
    """
    forms, tiers = rules.forms, rules.tiers
    kind = {form.label: form.kind for form in reversed(forms.forms)}
    kinds = [kind.get(label, "") for label in range(len(rules.labels))]
    lowest = min((tiers[name] for name in kinds if name in tiers), default=0)
    bombs = [tiers.get(name, lowest) > lowest for name in kinds]
    types = [functor(str(name)) if bomb else name for name, bomb in zip(kinds, bombs, strict=True)]
    kind_indices = {name: index for index, name in enumerate(dict.fromkeys(types))}
    return LabelTraits(
        kind=np.array([kind_indices[name] for name in types], np.int16),
        min_cards=forms.label_min_cards.astype(np.int8),
        is_bomb=np.array(bombs, np.bool_),
        pass_label=int(forms.label_of[forms.pass_form]),
        has_tricks=rules.trick_query is not None,
    )

"""Random Guandan states as arrays, and conversions between the engine and the brute force.

A state here is a hand of the 54-vector, a level 2..14 and the form to beat (an index of the engine, -1 when leading).
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.games.compiled.compiled_game import CompiledGame
from abl_cards.games.engine import Engine
from abl_cards.games.game import load
from abl_cards.games.state.state import PLAY
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.view import PlayerView
from abl_cards.games.types.moves import LEADING, MoveLists
from abl_cards.protocols.common.cards import format_card, hand_from_cards, parse_card
from abl_cards.protocols.contest.actions import to_action as action_in_words
from abl_cards.protocols.contest.codec import LEVEL_OF_TEXT, RANK_TEXT, hand_sort_order
from abl_cards.protocols.contest.match_state import fluents_at_level
from tests.brute_force import fast
from tests.brute_force.guandan import RUN_RANKS, label_of
from tests.brute_force.guandan import Action as WireAction
from tests.brute_force.states import State
from tests.effort import long

PROFILES = ("standard", "platform", "openguandan", "danzero", "manual", "paper")
SOME_PROFILES = [
    name if name in ("standard", "platform", "paper") else pytest.param(name, marks=long) for name in PROFILES
]
"""All profiles, as parameters of tests of which three run every time."""

TYPES = {
    "single": fast.SINGLE,
    "pair": fast.PAIR,
    "triple": fast.TRIPLE,
    "plate": fast.PLATE,
    "tube": fast.TUBE,
    "full_house": fast.FULL_HOUSE,
    "straight": fast.STRAIGHT,
    "bomb": fast.BOMB,
    "straight_flush": fast.STRAIGHT_FLUSH,
    "joker_bomb": fast.JOKER_BOMB,
}
"""Numbers of the brute force for the types of the rule files."""

_AT_ONCE = 10_000


class States(NamedTuple):
    """Decisions of n seats: hands, levels and forms to beat."""

    hands: NDArray[np.uint8]  # [n, 54]
    levels: NDArray[np.int8]  # [n] 2..14
    to_beat: NDArray[np.int16]  # [n] form, or LEADING


def engine(profile: str = "standard") -> Engine:
    """Return the engine of a profile in the package."""
    loaded = load("guandan").engine(None, profile)
    assert isinstance(loaded, Engine)
    return loaded


def decide(
    rules: CompiledGame, hands: NDArray[np.uint8], levels: NDArray[np.int8], to_beat: NDArray[np.int16],
    top: NDArray[np.int8] | None = None,
) -> Decisions:  # fmt: skip
    """Decisions away from tables: hands [n, 54], levels 2..14 [n], forms to beat or LEADING [n], whose they are [n].

    The others hold what is not there, 27 cards at most, and the previous seat made the play to beat.
    """
    n = len(hands)
    state = rules.create_state(n)
    state.fluents[:] = np.stack([fluents_at_level(rules, level) for level in range(15)])[levels]
    state.context[:] = rules.contexts.compute_index(state.fluents)
    state.stage[:], state.to_beat[:] = PLAY, to_beat
    state.hands[:, 0], unseen = hands, 2 - hands.astype(np.int64)
    total = unseen.cumsum(axis=1)
    for place in range(3):
        low, high = 27 * place, 27 * (place + 1)
        state.hands[:, place + 1] = np.clip(total, low, high) - np.clip(total - unseen, low, high)
    state.aside[:] = 2 - state.hands.sum(axis=1)
    owner = rules.seating.others[state.seat][np.arange(n), np.full(n, 2) if top is None else top]
    state.owner[:] = state.last_actor[:] = np.where(to_beat < 0, state.seat, owner)
    return Decisions(PlayerView(rules, state, np.arange(n), state.seat.copy(), has_hand_sizes=False))


def wild_of(levels: NDArray[np.int8]) -> NDArray[np.int64]:
    """The index of each level's wild card, the heart of its rank."""
    return 4 * ((levels.astype(np.int64) - 1) % 13) + 1


def random_states(rules: CompiledGame, n: int, seed: int, smallest: int = 1, largest: int = 27) -> States:
    """Half the hands of at most 9 cards, half with wild cards, four of five following any type."""
    random = np.random.default_rng([seed, n])
    chunks = [_chunk(rules, random, min(_AT_ONCE, n - at), smallest, largest) for at in range(0, n, _AT_ONCE)]
    return States(*map(np.concatenate, zip(*chunks, strict=True)))


def _chunk(rules: CompiledGame, random: np.random.Generator, n: int, smallest: int, largest: int) -> States:
    small = random.integers(smallest, max(smallest, min(largest, 9)) + 1, n)
    sizes = np.where(random.random(n) < 0.5, small, random.integers(max(smallest, min(10, largest)), largest + 1, n))
    levels = random.integers(2, 15, n).astype(np.int8)
    wilds = np.minimum(np.where(random.random(n) < 0.5, 0, random.integers(1, 3, n)), sizes)
    return States(_hands(random, sizes, levels, wilds), levels, _to_beat(rules, random, n))


def _hands(
    random: np.random.Generator, sizes: NDArray[np.int64], levels: NDArray[np.int8], wilds: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """Draw hands [n, 54] with given numbers of wild cards, most of few ranks or suits."""
    n, deck = len(sizes), np.repeat(np.arange(54), 2)
    rank, suit, joker = deck // 4, deck % 4, deck >= 52
    width = random.choice([1, 2, 3, 5, 6, 7, 13], (n, 1))
    liked = (rank - random.integers(0, 13, (n, 1))) % 13 < width
    suits = random.choice([15, 15, 15, 3, 5, 6, 12, 1, 2, 4, 8], (n, 1))
    liked &= suits >> suit & 1 == 1
    liked = np.where(joker, random.random((n, 1)) < 0.4, liked)
    order = random.random((n, 108)) + ~liked
    mine = deck == wild_of(levels)[:, None]
    order = np.where(mine, np.where(mine.cumsum(axis=1) <= wilds[:, None], -1.0, 9.0), order)
    taken = np.argsort(order, axis=1).argsort(axis=1) < sizes[:, None]
    return (taken[:, 0::2].astype(np.uint8) + taken[:, 1::2]).astype(np.uint8)


def _to_beat(rules: CompiledGame, random: np.random.Generator, n: int) -> NDArray[np.int16]:
    families: dict[str, list[int]] = defaultdict(list)
    for index, form in enumerate(rules.forms.forms):
        if index != rules.forms.pass_form:
            families[str(form.name).partition("(")[0]].append(index)
    assert set(families) == set(TYPES)
    drawn = np.stack([random.choice(members, n) for members in families.values()])
    following = drawn[random.integers(0, len(families), n), np.arange(n)]
    return np.where(random.random(n) < 0.2, LEADING, following).astype(np.int16)


def table_codes(rules: CompiledGame, to_beat: NDArray[np.int16]) -> NDArray[np.int64]:
    """[n, 3] the forms to beat as the brute force writes them: type, rank number, size."""
    codes = np.array([_code(str(form.name)) for form in rules.forms.forms] + [(fast.LEAD, 0, 0)])
    return codes[to_beat]  # LEADING, which is -1, selects the last row


def _code(name: str) -> tuple[int, int, int]:
    functor, _, arguments = name.partition("(")
    if functor == "joker_bomb":
        return fast.JOKER_BOMB, 0, 4
    parts = arguments.rstrip(")").split(",")
    return TYPES.get(functor, fast.LEAD), int(parts[0] or 0), int(parts[1]) if functor == "bomb" else 0


def brute_force_masks(rules: CompiledGame, states: States) -> NDArray[np.uint8]:
    """Return the legal labels [n, 168] of the brute force."""
    masks: NDArray[np.uint8] = fast.legal_masks(
        states.hands.astype(np.int8), states.levels.astype(np.int64), table_codes(rules, states.to_beat)
    )
    return masks


def decided(rules: CompiledGame, states: States) -> Decisions:
    """Return the states as decisions of the engine."""
    return decide(rules, *states)


def texts(hand: NDArray[np.uint8], level: int) -> list[str]:
    """The cards of a hand as the brute force writes them, in hand order."""
    return [format_card(card) for card in hand_sort_order(level) for _ in range(hand[card])]


def describe(rules: CompiledGame, states: States, row: int) -> str:
    """A state that failed, to be read in a message."""
    level, form = int(states.levels[row]), int(states.to_beat[row])
    rival = rules.forms.forms[form].name if form >= 0 else "nothing"
    return f"level {RANK_TEXT[level]}, hand {' '.join(texts(states.hands[row], level))}, to beat {rival}"


def form_of(rules: CompiledGame, action: WireAction | None) -> int:
    """Any form of the engine that reads like an action of the brute force."""
    if action is None:
        return LEADING
    label, size = label_of(action), len(action[2])
    forms = rules.forms.forms
    return next(
        index for index, form in enumerate(forms) if rules.labels[form.label] == label and form.num_cards == size
    )


def action_of(rules: CompiledGame, form: int) -> WireAction | None:
    """The play to beat as the brute force compares it: type, rank, and cards of which only the number counts."""
    if form < 0:
        return None
    kind, number, size = _code(str(rules.forms.forms[form].name))
    wire = {code: word for word, code in fast.TYPE_CODES.items()}
    if kind == fast.JOKER_BOMB:
        return ["Bomb", "JOKER", ["SB", "SB", "HR", "HR"]]
    run = kind in (fast.PLATE, fast.TUBE, fast.STRAIGHT, fast.STRAIGHT_FLUSH)
    rank = RUN_RANKS[number - 1] if run else RANK_TEXT[number]
    return [wire[kind], rank, ["S2"] * (size or rules.forms.forms[form].num_cards)]


def decisions_of(rules: CompiledGame, states: list[State]) -> Decisions:
    """States of the brute force as decisions of the engine."""
    hands = np.stack([hand_from_cards(map(parse_card, state.hand)) for state in states])
    levels = np.array([LEVEL_OF_TEXT[state.level] for state in states], np.int8)
    return decide(rules, hands, levels, np.array([form_of(rules, state.to_beat) for state in states], np.int16))


def listed(rules: CompiledGame, lists: MoveLists, row: int) -> list[WireAction]:
    """The moves of one decision as the brute force writes them."""
    rows = range(lists.start[row], lists.start[row + 1])
    return [action_in_words(rules, int(lists.form[move]), lists.cards[move]).to_json() for move in rows]

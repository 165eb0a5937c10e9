"""An independent reading of 四人跑得快 and its two variants, slow and plain, from the text of their rules.

Every part of a hand is tried: is it a form, and does it beat what lies there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tests.brute_force.hands import PACK, Cards, Counts, Sets, card_sets, counts_of, parts, rank_of, top_of_run

KING, ACE = 10, 11


class Shape(NamedTuple):
    """A form with its size, its top rank and the cards carried (-1: it is not of the kind that carries)."""

    form: str
    length: int
    top: int
    carried: int


class Rules(NamedTuple):
    """Rules of one of the three games."""

    name: str
    pack: tuple[str, ...]
    each: int
    seats: int
    opens: str

    @property
    def parent(self) -> bool:
        """Return True for the rules for four seats, False for the variants for three."""
        return self.name == "paodekuai"


def _pack(copies: dict[str, str]) -> tuple[str, ...]:
    """The cards where only these suits of a rank are in the pack."""
    return tuple(card for card in PACK if card[0] in copies.get(card[1], "DCHS"))


FOUR = Rules("paodekuai", PACK, 13, 4, "H3")
SIXTEEN = Rules("sixteen", _pack({"2": "S", "A": "DCH"}), 16, 3, "S3")
FIFTEEN = Rules("fifteen", _pack({"2": "S", "A": "S", "K": "DCH"}), 15, 3, "S3")


@lru_cache(1 << 18)
def classify(part: Counts, four: bool) -> tuple[Shape, ...]:
    """Everything that cards of these ranks can be taken for: complete forms and tails."""
    return tuple(_four_seats(part) if four else _three_seats(part))


def _four_seats(part: Counts) -> Iterator[Shape]:
    ranks = [rank for rank, count in enumerate(part) if count]
    number = sum(part)
    if len(ranks) == 1 and number <= 2:
        yield Shape(("single", "pair")[number - 1], 1, ranks[0], -1)
    top = top_of_run(part, 1, KING)
    if top is not None and number >= 5:
        yield Shape("straight", number, top, -1)
    top = top_of_run(part, 2, KING)
    if top is not None and number >= 6:
        yield Shape("pairs", number // 2, top, -1)
    for alike, most in ((3, 2), (4, 3)):
        for rank in ranks:
            if part[rank] == alike and number - alike <= most:
                yield Shape(f"{alike} and {most}", 1, rank, number - alike)


def _three_seats(part: Counts) -> Iterator[Shape]:
    ranks = [rank for rank, count in enumerate(part) if count]
    number = sum(part)
    if len(ranks) == 1 and number <= 2:
        yield Shape(("single", "pair")[number - 1], 1, ranks[0], -1)
    if len(ranks) == 1 and number == 4:
        yield Shape("bomb", 1, ranks[0], -1)
    for size, fewest, name in ((1, 5, "straight"), (2, 2, "pairs"), (3, 2, "threes")):
        top = top_of_run(part, size, ACE)
        if top is not None and len(ranks) >= fewest:
            yield Shape(name, len(ranks), top, -1)
    for top in (rank for rank in ranks if part[rank] == 3 and rank <= ACE):
        for length in range(1, top + 2):
            if part[top - length + 1] != 3:
                break
            carried = number - 3 * length
            if carried <= 2 * length:
                yield Shape("3 and 2", length, top, carried)


def _complete(shape: Shape) -> bool:
    if shape.carried < 0:
        return True
    return shape.carried == (3 if shape.form == "4 and 3" else 2 * shape.length)


def _beats(shape: Shape, rival: Shape) -> bool:
    if shape.form == "bomb":
        return rival.form != "bomb" or shape.top > rival.top
    alike = shape.form == rival.form and shape.length == rival.length and shape.top > rival.top
    return alike and (_complete(shape) or _complete(rival))


def _allowed(shape: Shape, whole: bool, rival: Shape | None, four: bool) -> bool:
    if not _complete(shape):
        if not whole:
            return False
        # A run of threes that carries nothing is, when it is led, the run of threes.
        if rival is None and not four and shape.carried == 0 and shape.length > 1:
            return False
    return rival is None or _beats(shape, rival)


def rival_of(to_beat: Cards, four: bool, tail: bool = False) -> Shape:
    """Return the play to beat: a complete form, or a tail if so marked."""
    shapes = [shape for shape in classify(counts_of(to_beat), four) if _complete(shape) != tail]
    assert len(shapes) == 1
    return shapes[0]


def plays(
    hand: Cards,
    to_beat: Cards | None = None,
    opening: bool = False,
    rules: Rules = FOUR,
    tail: bool = False,
    last_card: bool = False,
    rival: Shape | None = None,
) -> Sets:
    """Return the legal sets of cards of a hand by label.

    ``last_card``: the next seat holds a single card; ``rival``: the shape of the cards to beat.
    """
    if rival is None and to_beat:
        rival = rival_of(to_beat, rules.parent, tail)
    counts = counts_of(hand)
    highest = max(rank_of(card) for card in hand)
    plays_by_shape: Sets = {}
    for part in parts(counts):
        for shape in classify(part, rules.parent):
            if not _allowed(shape, part == counts, rival, rules.parent):
                continue
            if last_card and shape.form == "single" and shape.top < highest:
                continue
            sets = {chosen for chosen in card_sets(hand, part) if not opening or rules.opens in chosen}
            if sets:
                plays_by_shape.setdefault(shape, set()).update(sets)
    return plays_by_shape


def may_pass(to_beat: Cards | None, answers: Sets, rules: Rules = FOUR) -> bool:
    """Return True if passing is legal: never for a leader, and with three seats only without a beating play."""
    return to_beat is not None and (rules.parent or not answers)


def points(left: list[int], gone: list[int], rules: Rules = FOUR) -> list[int] | None:
    """Return the points of each seat, by cards left and order of finish; None while the game goes on."""
    if rules.parent:
        if len(gone) < 3:
            return None
        order = gone + [seat for seat in range(4) if seat not in gone]
        return [(2, 1, -1, -2)[order.index(seat)] for seat in range(4)]
    if not gone:
        return None
    paid = [0 if number == 1 else number for number in left]
    return [sum(paid) if seat == gone[0] else -number for seat, number in enumerate(paid)]

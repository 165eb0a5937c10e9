"""What a seat sees as one row of numbers, for learners; any folder has it, and may choose its parts.

``sees(Place, Feature)`` and ``sees(Place, Feature, Argument)`` say which parts come in which order. Without them a seat
sees ``hand unseen played sizes to_beat owner passed out``, all fluents, and the last acts; where seats play tricks,
``hand unseen played trick leader owner`` and all fluents. Seats come in the order of
play, the observer first. Cards are copies of each kind in the order of ``index/2``.

=============  ==================================================================================================
seat           the number of the seat, one-hot
hand           the own cards
wild           how many of them are wild, one-hot from none on
unseen         the cards that the seat does not see: in the other hands, and aside
face           the cards of each other seat, where hands lie open
gone           all cards laid down in the episode
played         the same by seat
sizes          how many cards each seat has left, one-hot; the argument is how many places a seat takes
to_beat        the cards to beat; zero when leading
groups         what the form to beat takes besides kickers: cards of each cell that forms speak of; zero when leading
kicker_size    cards in each kicker of the play to beat; zero where it has none
owner          whose play that is, one-hot; zero when leading
passed         who has passed since that play
has_passed     who has passed in the trick
out            who has no cards left
after          how many places the observer plays after the seat that the fluent names which is the argument, one-hot
counted        a count of which the argument is the name: the numbers themselves, one a key
tally          the same count, one-hot from none on; as far as it is declared
fluent         the fluent of which the argument is the name: its value one-hot, "at least 1, 2, …" of a count, all that
               hold of a set; one after the other for each of its keys, those of seats from the observer's on
fluents        all of them; one that has the name of a part, or of another fluent, goes by it with its arity: played/2
trick          the cards of each seat in the trick, where seats play tricks
leader         who leads the trick, one-hot
recent         the cards of the last acts, latest last, zero for a pass; the argument is how many (default ``recent/1``)
recent_seat    who made these acts, one-hot; zero where there was no act yet
=============  ==================================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abl_cards.games.features import Feature, FeatureTable
from abl_cards.games.play.exchanges import largest_hand
from abl_cards.games.play.view import View
from abl_cards.games.reading.fluents import ANY, COUNT, ONE, Fluent, names_of
from abl_cards.games.reading.known import PARTS
from abl_cards.games.reading.pack import WILD
from abl_cards.games.reading.rules import Rules
from abl_cards.games.shapes import number
from abl_cards.games.telling import seeing
from abl_cards.logic import Term
from abl_cards.logic.errors import kb_error
from abl_cards.parallel import each_share

MOST_COUNTED = 16
"""Of a count no more than "at least so many" is seen."""

Numbers = NDArray[np.uint8]
Write = Callable[["Sight", Numbers], None]
"""Fills the zeroed columns [n, size] of a part."""


Maker = Callable[[Rules, Term | None], Iterator["Part"]]
"""From rules and the argument of ``sees/3`` to parts; raises KBError."""


@dataclass(frozen=True)
class Part:
    """A part of a row."""

    feature: Feature
    write: Write


class Sight:
    """Some tables from the eyes of a seat at each."""

    def __init__(self, view: View) -> None:
        """See the view."""
        self.view, self.rules, self.state, self.which = view, view.rules, view.state, view.which
        self.order = view.rules.table.order[view.seats]  # [n, seats]
        self.place = view.rules.table.places[view.seats]  # [n, seats] where each seat comes
        self.rows = np.arange(len(view))

    @cached_property
    def _known(self) -> NDArray[np.int16]:
        """[n, slots] what is remembered, but for what is told to other seats alone."""
        return self.rules.fluents.seen(self.state.fluents[self.which], self.view.seats)

    def remembered(self, first: int, last: int) -> NDArray[np.int16]:
        """[n, last - first] some slots, as the observers know them."""
        if len(self.rules.fluents.private):
            return self._known[:, first:last]
        return self.state.fluents[self.which, first:last]

    def raise_seat(self, columns: Numbers, seat: NDArray[np.integer], shown: NDArray[np.bool_]) -> None:
        """One-hot [n, seats] where a seat is shown."""
        rows = np.flatnonzero(shown)
        columns[rows, self.place[rows, seat[rows]]] = 1

    def bits(self, seats: NDArray[np.uint16]) -> Numbers:
        """[n, seats] sets of seats."""
        found: Numbers = (seats[:, None] >> self.order.astype(np.uint16) & 1).astype(np.uint8)
        return found


def observation_of(rules: Rules) -> FeatureTable:
    """What the numbers of an observation mean; raises KBError for a part that there is not."""
    most = max(2, int(rules.pack.copies.max()))
    return FeatureTable(tuple(part.feature for part in _parts(rules)), most=most)


def observe(view: View) -> NDArray[np.uint8]:
    """[n, size] what the seats of a view see; see ``observation_of``."""
    parts, n = _parts(view.rules), len(view)
    rows = np.zeros((n, sum(part.feature.size for part in parts)), np.uint8)

    def write(lo: int, hi: int) -> None:
        sight, first = Sight(view if hi - lo == n else view.at(np.arange(lo, hi))), 0
        for part in parts:
            part.write(sight, rows[lo:hi, first : first + part.feature.size])
            first += part.feature.size

    each_share(n, write)
    return rows


def _parts(rules: Rules) -> tuple[Part, ...]:
    key = "observation", id(rules)
    if key not in rules.kb.kept:
        rules.kb.kept[key] = rules, tuple(_chosen(rules))  # what is kept holds the rules: no others can have their id
    found: tuple[Part, ...] = rules.kb.kept[key][1]
    return found


_DEFAULT = "hand", "unseen", "played", "sizes", "to_beat", "owner", "passed", "out", "fluents", "recent", "recent_seat"
_OF_TRICKS = "hand", "unseen", "played", "trick", "leader", "owner", "fluents"


def _chosen(rules: Rules) -> Iterator[Part]:
    said: list[tuple[int, str, Term | None]] = []
    said += [(number(place, f"sees({place},{name})"), str(name), None) for place, name in rules.kb.facts("sees", 2)]
    said += [(number(place, f"sees({place},{name},…)"), str(name), of) for place, name, of in rules.kb.facts("sees", 3)]
    usual = _DEFAULT if rules.taking is None else _OF_TRICKS
    wanted = [(name, of) for _, name, of in sorted(said, key=lambda each: each[0])] or [(name, None) for name in usual]
    seen: set[str] = set()
    for name, of in wanted:
        if name not in _MAKERS:
            raise kb_error(f"sees/2: there is no part '{name}' of an observation", f"there are: {', '.join(_MAKERS)}")
        for part in _MAKERS[name](rules, of):
            if part.feature.name in seen:
                fact = "sees/2" if of is None else "sees/3"
                text = name if of is None else f"{name},{of}"
                raise kb_error(f"{fact}: {part.feature.name} is seen twice: (…,{text})", "keep one of the facts")
            seen.add(part.feature.name)
            yield part


# --- the parts --------------------------------------------------------------------------------------------------------


def _cards(name: str, meaning: str, cards: Callable[[Sight], Numbers]) -> Maker:
    """Copies of each kind."""

    def make(rules: Rules, of: Term | None) -> Iterator[Part]:
        def write(sight: Sight, columns: Numbers) -> None:
            columns[:] = cards(sight)

        yield Part(Feature(name, (len(rules.pack),), f"{meaning}: copies of each kind of card", cards=True), write)

    return make


def _seats(name: str, meaning: str, write: Write) -> Maker:
    """A number a seat."""

    def make(rules: Rules, of: Term | None) -> Iterator[Part]:
        yield Part(Feature(name, (rules.table.seats,), meaning), write)

    return make


def _seat(rules: Rules, of: Term | None) -> Iterator[Part]:
    def write(sight: Sight, columns: Numbers) -> None:
        columns[sight.rows, sight.view.seats] = 1

    yield Part(Feature("seat", (rules.table.seats,), "the observer's seat, one-hot"), write)


def _wild(rules: Rules, of: Term | None) -> Iterator[Part]:
    cells = rules.cells
    kinds = [cells.kinds(WILD, context) for context in range(len(cells.acts))]
    most = max((int(rules.pack.copies[each].sum()) for each in kinds if each), default=0)

    def write(sight: Sight, columns: Numbers) -> None:
        counts = np.zeros((1, len(sight.rows)), np.int16)
        if WILD in cells.number:
            used = np.array([cells.number[WILD]])
            cells.fold(sight.view.hand, sight.view.context, used, 0, len(sight.rows), counts)
        columns[sight.rows, counts[0]] = 1

    yield Part(Feature("wild", (most + 1,), "the observer's wild cards, one-hot: none, one, …"), write)


def _played(rules: Rules, of: Term | None) -> Iterator[Part]:
    def write(sight: Sight, columns: Numbers) -> None:
        seeing.write_by_seat(sight.state.played, sight.which, sight.order, columns)

    meaning = "cards each seat has laid down in the episode: copies of each kind"
    yield Part(Feature("played", (rules.table.seats, len(rules.pack)), meaning, cards=True), write)


def _sizes(rules: Rules, of: Term | None) -> Iterator[Part]:
    width = largest_hand(rules) + 1 if of is None else _positive(of, "sizes")

    def write(sight: Sight, columns: Numbers) -> None:
        seeing.write_sizes(sight.state.hands, sight.which, sight.order, width, columns)

    meaning = "cards left of each seat, one-hot: place n for n cards"
    yield Part(Feature("sizes", (rules.table.seats, width), meaning), write)


def _to_beat(rules: Rules, of: Term | None) -> Iterator[Part]:
    def write(sight: Sight, columns: Numbers) -> None:
        seeing.write_beaten(sight.state, sight.which, sight.view.to_beat, columns)

    meaning = "the cards to beat, zero when leading: copies of each kind of card"
    yield Part(Feature("to_beat", (len(rules.pack),), meaning, cards=True), write)


def _recent(rules: Rules, of: Term | None) -> Iterator[Part]:
    acts = _acts(rules, of)

    def write(sight: Sight, columns: Numbers) -> None:
        seeing.write_recent(sight.state.recent, sight.state.acts, sight.which, acts, columns)

    meaning = "the last acts, latest last: copies of each kind; zero for a pass or no act"
    yield Part(Feature("recent", (acts, len(rules.pack)), meaning, cards=True), write)


def _recent_seat(rules: Rules, of: Term | None) -> Iterator[Part]:
    acts = _acts(rules, of)

    def write(sight: Sight, columns: Numbers) -> None:
        state = sight.state
        seeing.write_recent_seats(state.recent_seat, state.acts, sight.which, sight.place, acts, columns)

    meaning = "who made these acts, one-hot; zero where there was no act yet"
    yield Part(Feature("recent_seat", (acts, rules.table.seats), meaning), write)


def _face(rules: Rules, of: Term | None) -> Iterator[Part]:
    if not rules.open_hands:
        raise kb_error("sees/2: there is no face, for the hands of the others do not lie open", "see open_hands/0")

    def write(sight: Sight, columns: Numbers) -> None:
        columns[:] = sight.view.hidden_hands.reshape(columns.shape)

    meaning = "the cards of each other seat: copies of each kind"
    yield Part(Feature("face", (rules.table.seats - 1, len(rules.pack)), meaning, cards=True), write)


def _groups(rules: Rules, of: Term | None) -> Iterator[Part]:
    forms = rules.forms.forms
    cells = sorted({group.cell for form in forms for group in form.groups})
    needs = np.zeros((len(forms), len(cells)), np.uint8)
    for row, form in enumerate(forms):
        for group in form.groups:
            needs[row, cells.index(group.cell)] += group.count

    def write(sight: Sight, columns: Numbers) -> None:
        rows = np.flatnonzero(sight.view.to_beat >= 0)
        columns[rows] = needs[sight.view.to_beat[rows]]

    meaning = "what the form to beat takes besides kickers, of each cell; zero when leading"
    yield Part(Feature("groups", (len(cells),), meaning), write)


def _kicker_size(rules: Rules, of: Term | None) -> Iterator[Part]:
    sizes = np.array([form.kickers.size if form.kickers else 0 for form in rules.forms.forms], np.uint8)

    def write(sight: Sight, columns: Numbers) -> None:
        rows = np.flatnonzero(sight.view.to_beat >= 0)
        columns[rows, 0] = sizes[sight.view.to_beat[rows]]

    yield Part(Feature("kicker_size", (1,), "cards in each kicker of the play to beat; zero where it has none"), write)


def _acts(rules: Rules, of: Term | None) -> int:
    acts = rules.recent if of is None else _positive(of, "recent")
    if acts > rules.recent:
        raise kb_error(f"sees/3: {acts} acts are not remembered", f"write recent({acts}).")
    return acts


def _positive(of: Term, name: str) -> int:
    found = number(of, f"sees(…,{name},{of})")
    if found < 1:
        raise kb_error(f"sees/3: {name} of {of}", "write a number from 1 on")
    return found


def _owner(sight: Sight, columns: Numbers) -> None:
    sight.raise_seat(columns, sight.state.owner[sight.which], sight.view.to_beat >= 0)


def _passed(sight: Sight, columns: Numbers) -> None:
    columns[:] = sight.bits(sight.state.passed[sight.which])


def _gone_by(sight: Sight, columns: Numbers) -> None:
    columns[:] = sight.bits(sight.state.gone_by[sight.which])


def _out(sight: Sight, columns: Numbers) -> None:
    columns[:] = sight.bits(sight.state.out[sight.which])


# --- fluents ----------------------------------------------------------------------------------------------------------


def _named(rules: Rules, of: Term | None) -> Fluent:
    fluent = None if of is None else rules.fluents.named(str(of))
    if fluent is None:
        known = ", ".join(each.signature.name for each in rules.fluents.fluents) or "none"
        raise kb_error(f"sees/3: there is no fluent '{of}'", f"there are: {known}")
    return fluent


def _fluent(rules: Rules, of: Term | None) -> Iterator[Part]:
    yield _fluent_part(rules, _named(rules, of))


def _after(rules: Rules, of: Term | None) -> Iterator[Part]:
    fluent, seats = _named(rules, of), rules.table.seats
    if fluent.manner != ONE or len(fluent.keys) != 1 or set(fluent.values) - set(range(seats)):
        raise kb_error(f"sees/3: {fluent.signature} names no seat", "write a fluent of one value, which is a seat")

    def write(sight: Sight, columns: Numbers) -> None:
        values = np.array([*fluent.values, 0], np.int64)
        number = sight.remembered(fluent.first, fluent.first + 1)[:, 0]
        rows = np.flatnonzero(number >= 0)
        columns[rows, -sight.place[rows, values[number[rows]]] % seats] = 1

    meaning = f"how many places the observer plays after the {fluent.signature.name}, one-hot; zero where there is none"
    yield Part(Feature(f"after_{fluent.signature.name}", (seats,), meaning), write)


def _count_of(rules: Rules, of: Term | None) -> Fluent:
    fluent = _named(rules, of)
    if fluent.manner != COUNT:
        raise kb_error(f"sees/3: {fluent.signature} is no count", "see it as a fluent: sees(Place,fluent,Name)")
    return fluent


def _counted(rules: Rules, of: Term | None) -> Iterator[Part]:
    fluent = _count_of(rules, of)
    kinds = fluent.keys == tuple((kind,) for kind in rules.pack.kinds)

    def write(sight: Sight, columns: Numbers) -> None:
        columns[:] = sight.remembered(fluent.first, fluent.slots.stop)

    meaning = f"{fluent.signature}: " + ("copies of each kind of card" if kinds else "the number of each key")
    yield Part(Feature(_name(rules, fluent), (len(fluent.keys),), meaning, cards=kinds), write)


def _tally(rules: Rules, of: Term | None) -> Iterator[Part]:
    fluent = _count_of(rules, of)
    if len(fluent.keys) != 1:
        raise kb_error(f"sees/3: {fluent.signature} has several counts", "see it as it is: sees(Place,counted,Name)")
    width = _width(rules, fluent) + 1

    def write(sight: Sight, columns: Numbers) -> None:
        columns[sight.rows, np.minimum(sight.remembered(fluent.first, fluent.first + 1)[:, 0], width - 1)] = 1

    text = f"{fluent.signature}, one-hot: none, one, …"
    yield Part(Feature(_name(rules, fluent), (width,), text), write)


def _name(rules: Rules, fluent: Fluent) -> str:
    """Return the name of a fluent among the parts: with its arity, played/2, where a part or fluent has the same."""
    return next(name for name, each in names_of(rules.fluents, PARTS).items() if each is fluent)


def _fluents(rules: Rules, of: Term | None) -> Iterator[Part]:
    for fluent in rules.fluents.fluents:
        if len(fluent.keys) and _width(rules, fluent):
            yield _fluent_part(rules, fluent)


def _width(rules: Rules, fluent: Fluent) -> int:
    """The numbers that one key takes."""
    if fluent.manner == ANY:
        return 1
    if fluent.manner == ONE:
        return len(fluent.values)
    declared = [args[-1] for name, args in rules.kb.input_atoms if (name, len(args)) == tuple(fluent.signature)]
    return min(MOST_COUNTED, max((each for each in declared if isinstance(each, int)), default=0))


def _fluent_part(rules: Rules, fluent: Fluent) -> Part:
    if fluent.private:
        return _private_part(rules, fluent)
    width, keys = _width(rules, fluent), len(fluent.keys)
    by_seat = fluent.keys == tuple((seat,) for seat in range(rules.table.seats))

    def write(sight: Sight, columns: Numbers) -> None:
        values = sight.remembered(fluent.first, fluent.slots.stop).astype(np.int64)
        if by_seat:
            values = np.take_along_axis(values, sight.order, axis=1)
        _write_values(fluent, width, values, columns)

    how = _HOW.get(fluent.manner, "at least 1, 2, …")
    whose = "; by seat" if by_seat else f" for each of {keys} keys" if keys > 1 else ""
    text = f"{fluent.signature}, {how}{whose}"
    return Part(Feature(_name(rules, fluent), (width,) if keys == 1 else (keys, width), text), write)


_HOW = {ONE: "one-hot", ANY: "whether it holds"}


def _write_values(fluent: Fluent, width: int, values: NDArray[np.int64], columns: Numbers) -> None:
    """The values [n, keys] of some keys, side by side."""
    for key in range(values.shape[1]):
        part, mine = columns[:, key * width : (key + 1) * width], values[:, key]
        if fluent.manner == ONE:
            rows = np.flatnonzero(mine >= 0)
            part[rows, mine[rows]] = 1
        else:
            part[:] = mine[:, None] > np.arange(width)


def _private_part(rules: Rules, fluent: Fluent) -> Part:
    """What the observer alone is told: the keys that begin with its seat, or with that of anybody."""
    width = _width(rules, fluent)
    rest = list(dict.fromkeys(key[1:] for key in fluent.keys))
    slots = {key: fluent.first + place for place, key in enumerate(fluent.keys)}
    mine = np.array([[slots.get((seat, *key), -1) for key in rest] for seat in range(rules.table.seats)])

    def write(sight: Sight, columns: Numbers) -> None:
        at = mine[sight.view.seats]
        values = sight.state.fluents[sight.which[:, None], at].astype(np.int64)
        _write_values(fluent, width, np.where(at < 0, fluent.nothing, values), columns)

    text = f"{fluent.signature}, {_HOW.get(fluent.manner, 'at least 1, 2, …')}: what the observer alone knows"
    return Part(Feature(_name(rules, fluent), (len(rest), width) if len(rest) > 1 else (width,), text), write)


def _trick(rules: Rules, of: Term | None) -> Iterator[Part]:
    if rules.taking is None:
        raise kb_error("sees/2: there is no trick, for no rule derives takes/1", "leave it out")

    def write(sight: Sight, columns: Numbers) -> None:
        columns[:] = sight.state.lies[sight.which[:, None], sight.order].reshape(columns.shape)

    meaning = "the cards of each seat in the trick: copies of each kind"
    yield Part(Feature("trick", (rules.table.seats, len(rules.pack)), meaning, cards=True), write)


def _leader(sight: Sight, columns: Numbers) -> None:
    sight.raise_seat(columns, sight.state.leader[sight.which], sight.state.leader[sight.which] >= 0)


_MAKERS: dict[str, Maker] = {
    "seat": _seat,
    "hand": _cards("hand", "the observer's cards", lambda sight: sight.view.hand),
    "wild": _wild,
    "unseen": _cards("unseen", "the cards in the other hands and aside", lambda sight: sight.view.unseen),
    "face": _face,
    "gone": _cards("gone", "the cards laid down in the episode", lambda sight: sight.view.gone),
    "played": _played,
    "sizes": _sizes,
    "to_beat": _to_beat,
    "groups": _groups,
    "kicker_size": _kicker_size,
    "owner": _seats("owner", "whose play is to beat, one-hot; zero when leading", _owner),
    "passed": _seats("passed", "who has passed since that play", _passed),
    "has_passed": _seats("has_passed", "who has passed in the trick", _gone_by),
    "out": _seats("out", "who has no cards left", _out),
    "after": _after,
    "counted": _counted,
    "tally": _tally,
    "fluent": _fluent,
    "fluents": _fluents,
    "trick": _trick,
    "leader": _seats("leader", "who leads the trick, one-hot", _leader),
    "recent": _recent,
    "recent_seat": _recent_seat,
}
assert set(_MAKERS) == set(PARTS)

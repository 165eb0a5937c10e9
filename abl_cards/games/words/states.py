"""What a seat sees as a JSON object: written from tables, and read back into tables that stand so.

What a state leaves open is filled in, but for what the rules of its query read: that must be given, or follows from
the rest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abl_cards.errors import GameError
from abl_cards.games.play.choices import Choices
from abl_cards.games.play.decisions import Decisions
from abl_cards.games.play.state import CHOICE, NOBODY, PLAY, State
from abl_cards.games.play.stock import card_drawn, left
from abl_cards.games.play.tables import Tables
from abl_cards.games.play.view import View
from abl_cards.games.reading.fluents import names_of
from abl_cards.games.reading.rules import Rules
from abl_cards.games.tables import LEADING, NO_CARD
from abl_cards.games.words import hands, inference, seats
from abl_cards.games.words.fields import reading
from abl_cards.games.words.hands import nothing_aside
from abl_cards.games.words.in_tricks import (
    lay_trick,
    laying,
    passed_in,
    read_picked,
    read_trick,
    since_leader,
    write_trick,
)
from abl_cards.games.words.letters import hand_of
from abl_cards.games.words.needs import (
    DRAWING,
    FIELDS,
    WORDS,
    Needs,
    fields_of,
    fields_written,
    needs_of_choice,
    needs_of_explanation,
    needs_of_play,
)
from abl_cards.games.words.order import hand_text
from abl_cards.games.words.plays import actions, form_of, read_play
from abl_cards.games.words.positions import Position
from abl_cards.games.words.values import Values

# --- out of tables ----------------------------------------------------------------------------------------------------


def write_state(rules: Rules, decisions: Decisions | Choices, row: int = 0) -> dict[str, Any]:
    """What the seat of one decision or choice sees."""
    view = decisions.view
    state, table, seat = view.state, int(view.which[row]), int(view.seats[row])
    choosing = isinstance(decisions, Choices)
    needs = fields_written(rules, choosing)
    found: dict[str, Any] = {}
    if choosing:
        found["stage"] = str(rules.words.stages[int(state.choice[table])])
    context = int(view.context[row])
    found["hand"] = hand_text(rules, view.hand[row], context)
    if not choosing and rules.taking is not None:
        found["trick"] = write_trick(rules, state, table)
        if state.picking[table]:
            found["picked"] = hand_text(rules, state.lies[table, seat], context)
    elif not choosing:
        found["to_beat"] = _to_beat(rules, view, row)
    if "to_beat" in found and view.to_beat[row] >= 0:
        found["top"] = seats.write(rules, seat, int(state.owner[table]))
    found["cards"], found["seat"] = view.sizes[row].tolist(), seat
    found |= _acts(rules, view, row, needs)
    partly = state.aside[table].any() and nothing_aside(rules)  # what a state left open
    told = state.played[table].sum() > (state.top_cards[table] != NO_CARD).sum()  # more than what lies
    if state.played[table].any() and (told or not partly):
        found["gone"] = [hand_text(rules, hand, context) for hand in state.played[table]]
    if state.aside[table].any() and not partly:
        found["aside"] = int(state.aside[table].sum())
    if rules.draws and (choosing or left(rules, state, np.array([table]))[0] or needs.fields.keys() & set(DRAWING)):
        found |= _drawing(rules, view, row)
    if rules.open_hands or "face" in needs.fields:
        found["face"] = [hand_text(rules, hand, context) for hand in view.hidden_hands[row]]
    return found | _remembered(rules, rules.fluents.seen(state.fluents[[table]], np.array([seat]))[0], needs)


def _drawing(rules: Rules, view: View, row: int) -> dict[str, Any]:
    """How many cards are still to be drawn; who drew last, and what, if that is for these eyes."""
    state, which = view.state, view.which[[row]]
    found: dict[str, Any] = {"stock": int(left(rules, state, which)[0])}
    drawer, kind = int(state.drew[which[0]]), int(card_drawn(state, which)[0])
    if drawer >= 0:
        found["drew"] = seats.write(rules, int(view.seats[row]), drawer)
    if kind >= 0 and drawer == view.seats[row]:
        found["drawn"] = rules.letters.texts[kind]
    return found


def _to_beat(rules: Rules, view: View, row: int) -> Any:
    form = int(view.to_beat[row])
    if form < 0:
        return None
    cards = view.state.top_cards[view.which[[row]]]
    return actions(rules, np.array([form]), cards, view.context[[row]])[0].to_json()


def _acts(rules: Rules, view: View, row: int, needs: Needs) -> dict[str, Any]:
    """Who has passed, who is out; who acted last, and how often, where the rules look at it."""
    state, table, seat = view.state, int(view.which[row]), int(view.seats[row])
    found: dict[str, Any] = {}
    passed, gone_by = int(state.passed[table]), int(state.gone_by[table])
    if rules.taking is not None:
        if passed != passed_in(laying(rules, state, table), state.lies[table], state.hands[table]):
            found["passed"] = seats.write_several(rules, seat, seats.of_mask(passed))
    else:
        if passed or "passed" in needs.fields:
            found["passed"] = seats.write_several(rules, seat, seats.of_mask(passed))
        if (gone_by != passed and rules.turns.strides.gone_by) or "has_passed" in needs.fields:
            found["has_passed"] = seats.write_several(rules, seat, seats.of_mask(gone_by))
    if "acted" in needs.fields and state.acted[table] >= 0:
        found["acted"] = seats.write(rules, seat, int(state.acted[table]))
    if "acts" in needs.fields:
        found["acts"] = int(state.acts[table])
    if "laid_down" in needs.fields:
        found["laid_down"] = state.plays[table].tolist()
    finished = [each for each in state.order[table].tolist() if each != NOBODY]
    return found | ({"finish": seats.write_several(rules, seat, finished)} if finished else {})


def _remembered(rules: Rules, fluents: NDArray[np.int16], needs: Needs) -> dict[str, Any]:
    """The fluents: those that say something, and those that the rules look at."""
    values = Values(rules.letters.terms)
    return {
        name: values.write(fluent, fluents)
        for name, fluent in names_of(rules.fluents, FIELDS).items()
        if name in needs.fluents or (fluents[fluent.first : fluent.slots.stop] != fluent.nothing).any()
    }


# --- out of JSON ------------------------------------------------------------------------------------------------------


def read_state(rules: Rules, value: Any, explained: bool = False) -> Position:
    """What a state tells, with the cards that it leaves open dealt anyhow; raises GameError that names the field.

    What legality reads must be there; what the preferences read as well, where it is to be explained.
    """
    if not isinstance(value, Mapping) or "hand" not in value:
        example = rules.letters.hand(rules.pack.copies)[:4]
        raise GameError(f'a state is a JSON object like {{"hand": {json.dumps(example)}, "to_beat": null}}')
    fluents = names_of(rules.fluents, FIELDS)
    strange = [str(name) for name in value if name not in FIELDS and name not in fluents]
    if strange:
        raise GameError(f"unknown field {strange[0]!r} (a state has {', '.join([*fields_of(rules), *fluents])})")
    if not rules.draws and (wrong := [field for field in DRAWING if field in value and field not in fluents]):
        raise GameError(f"{wrong[0]}: no cards are drawn one by one here")
    check_profile(rules, value.get("profile"))
    stage = _stage(rules, value.get("stage"))
    if explained:
        needs = needs_of_explanation(rules, stage >= 0)
    else:
        needs = needs_of_choice(rules) if stage >= 0 else needs_of_play(rules)
    position = Position.empty(rules)
    position.choice, position.stage = stage, PLAY if stage < 0 else CHOICE
    with reading("seat"):
        position.seat = seats.read_number(rules, _given(value, needs, "seat", 0))
    _read_fluents(rules, value, needs, position)
    if rules.taking is None:
        with reading("to_beat"):
            _read_to_beat(rules, value, position)
        _read_trick(rules, value, needs, position)
    else:
        _read_lying(rules, value, needs, position)
    if rules.draws:
        _read_drawing(rules, value, needs, position)
    hands.read_hands(rules, value, needs, position)
    _read_rest(rules, value, needs, position)
    return position


def check_profile(rules: Rules, profile: Any) -> None:
    """Raise GameError for what was written by another profile."""
    if profile is None or profile == rules.profile:
        return
    if not isinstance(profile, str):
        raise GameError(f"profile: {profile!r} is no name")
    if rules.profile is None:
        raise GameError(f"profile: {profile!r}, but these rules have none")
    raise GameError(f"profile: the rules are loaded for '{rules.profile}' (choose with --profile)")


def _stage(rules: Rules, value: Any) -> int:
    stages = [str(stage) for stage in rules.words.stages]
    if value is None or (value == "play" and value not in stages):
        return -1
    if value not in stages:
        raise GameError(f"stage: {value!r} is none of {', '.join(['play', *stages])}")
    return stages.index(value)


def _given(value: Mapping[str, Any], needs: Needs, field: str, default: Any) -> Any:
    """A field; what the rules look at must be there."""
    if value.get(field) is not None:
        return value[field]
    if field in needs.fields:
        raise missing(needs, field)
    return default


def missing(needs: Needs, field: str) -> GameError:
    """What to say of a state that leaves open what the rules look at."""
    return GameError(f'the rules look at {needs.fields[field]}: give "{field}" ({WORDS[field]})')


def _read_fluents(rules: Rules, value: Mapping[str, Any], needs: Needs, position: Position) -> None:
    values = Values(rules.letters.terms)
    for name, fluent in names_of(rules.fluents, FIELDS).items():
        if name in value:
            with reading(name):
                if value[name] is None and fluent.signature in rules.steady:
                    raise GameError(f"null, but it is always {values.wanted(fluent).removeprefix('null, or ')}")
                values.read(fluent, value[name], position.fluents)
        elif name in needs.fluents:
            raise GameError(f'the rules look at {fluent.signature}: give "{name}" ({values.wanted(fluent)})')
    position.context = int(rules.contexts.of(position.fluents[None])[0])


def _read_drawing(rules: Rules, value: Mapping[str, Any], needs: Needs, position: Position) -> None:
    """How far the cards are drawn."""
    cards = sum(rules.table.dealt)
    stock = _given(value, needs, "stock", 0)
    if type(stock) is not int or not 0 <= stock <= cards:
        raise GameError(f"stock: {stock!r} is no number of cards from 0 to {cards}")
    position.stock = stock
    with reading("drew"):
        drawer = _given(value, needs, "drew", None)
        position.drew = NOBODY if drawer is None else seats.read(rules, position.seat, drawer)
    with reading("drawn"):
        if value.get("drawn") is not None:
            if position.drew != position.seat:
                raise GameError("only a seat that has drawn knows its card")
            (position.fresh,) = rules.letters.read([value["drawn"]])


def _read_to_beat(rules: Rules, value: Mapping[str, Any], position: Position) -> None:
    said = value.get("to_beat")
    if said is None:
        return
    if position.choice >= 0:
        raise GameError("there is none where something is chosen: leave it out")
    wanted = read_play(rules, said)
    if not wanted.cards:
        raise GameError("a pass is nothing to beat: write the play before it, or null when leading")
    position.to_beat = form_of(rules, wanted, position.context)
    position.top_cards[: len(wanted.cards)] = wanted.cards


def _read_lying(rules: Rules, value: Mapping[str, Any], needs: Needs, position: Position) -> None:
    """What lies in the trick."""
    for field in (each for each in FIELDS if each not in fields_of(rules)):
        if value.get(field):
            if field == "picked":
                raise GameError("picked: no play is laid card by card here")
            raise GameError(f'{field}: seats lay cards into tricks here: give "trick" ({WORDS["trick"]})')
    said = _given(value, needs, "trick", [])
    with reading("trick"):
        read_trick(rules, said, position)
    if value.get("picked"):
        with reading("picked"):
            read_picked(rules, value["picked"], position)
    with reading("acted"):
        if value.get("acted") is not None:
            position.acted = seats.read(rules, position.seat, value["acted"])


def _read_trick(rules: Rules, value: Mapping[str, Any], needs: Needs, position: Position) -> None:
    """Whose play is to beat, who has passed, who acted last."""
    seat, following = position.seat, position.to_beat != LEADING
    with reading("top"):
        if not following and value.get("top") is not None:
            raise GameError("there is no play to beat")
        before = seats.others(rules, seat)[-1]
        top = value.get("top")
        position.owner = before if following and top is None else seats.read(rules, seat, top) if following else seat
    for field in ("passed", "has_passed"):
        with reading(field):
            if not following and field in value and value[field]:
                raise GameError("nobody has, in a trick that begins")
            masks = seats.mask_of(seats.read_several(rules, seat, value.get(field) or []))
            setattr(position, field, masks)
    if value.get("has_passed") is None:
        position.has_passed = position.passed
    elif position.passed & ~position.has_passed:
        raise GameError("has_passed: who is among the passed has passed in the trick")
    with reading("acted"):
        acted = value.get("acted")
        position.acted = seats.read(rules, seat, acted) if acted is not None else position.owner
    if following:
        cards = [card for card in position.top_cards.tolist() if card != NO_CARD]
        position.lying[position.owner] = hand_of(cards, len(rules.pack))


def _read_rest(rules: Rules, value: Mapping[str, Any], needs: Needs, position: Position) -> None:
    """How many acts there were, who is out, and what follows from that."""
    acts = value.get("acts")
    if acts is None:
        beginning = inference.begins(rules, position) if "acts" in needs.fields else not position.played.any()
        if "acts" in needs.fields and not beginning:
            raise missing(needs, "acts")
        acts = int(not beginning)
    if type(acts) is not int or not 0 <= acts < 1 << 20:
        raise GameError(f"acts: {acts!r} is no number of plays and passes")
    position.acts = acts
    empty = [seat for seat in range(rules.table.seats) if not position.hands[seat].any()]
    with reading("finish"):
        said = seats.read_several(rules, position.seat, value.get("finish") or [])
        strangers = [seat for seat in said if seat not in empty]
        if strangers:
            raise GameError(f"seat {strangers[0]} still holds cards")
    if position.choice < 0:
        position.finish = [*said, *(seat for seat in empty if seat not in said)]
    with reading("laid_down"):
        position.plays = _read_plays(rules, value.get("laid_down"), position)
    with reading("lots"):
        position.lots = None if value.get("lots") is None else read_lots(rules, value["lots"])
    if position.choice >= 0:
        return
    if rules.taking is None:
        _require_passes(rules, value, needs, position)
    else:
        _read_passes_of_trick(rules, value, needs, position)


def _read_passes_of_trick(rules: Rules, value: Mapping[str, Any], needs: Needs, position: Position) -> None:
    """Fill in who has passed in a trick, which follows from it; raises GameError where the last to act does not."""
    leading = position.leader == position.seat
    with reading("passed"):
        if value.get("passed") is None:
            before = since_leader(rules, position.leader, position.seat)
            position.passed = passed_in(before, position.lying, position.hands)
        else:
            position.passed = seats.mask_of(seats.read_several(rules, position.seat, value["passed"]))
    position.has_passed = position.passed
    if leading and "acted" in needs.fields and value.get("acted") is None and not inference.begins(rules, position):
        raise missing(needs, "acted")


def _require_passes(rules: Rules, value: Mapping[str, Any], needs: Needs, position: Position) -> None:
    """Fill in who has passed and acted last, where that follows; raises GameError where the rules read it else."""
    if position.to_beat == LEADING:
        if "acted" in needs.fields and value.get("acted") is None and not inference.begins(rules, position):
            raise missing(needs, "acted")
        return
    wanted = [
        field for field in ("passed", "has_passed", "acted") if field in needs.fields and value.get(field) is None
    ]
    for field in wanted:
        if field == "has_passed" or not add_passes(rules, value, position):
            raise missing(needs, field)


def add_passes(rules: Rules, value: Mapping[str, Any], position: Position) -> bool:
    """Fill in who has passed since the play to beat, and who acted last, where the state does not say it.

    Whether that follows by the rules.
    """
    has_passed = position.has_passed if value.get("has_passed") is not None else None
    found = inference.passed_since(rules, position, has_passed)
    if found is None:
        return False
    if value.get("passed") is None:
        position.passed = found[0]
        position.has_passed |= found[0]
    if value.get("acted") is None:
        position.acted = found[1]
    return True


def _read_plays(rules: Rules, value: Any, position: Position) -> list[int] | None:
    """[seats] how often each seat has laid down cards."""
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != rules.table.seats:
        raise GameError(f"{value!r} is no list of {rules.table.seats} numbers, by seat")
    for seat, count in enumerate(value):
        if type(count) is not int or not 0 <= count < 1 << 14:
            raise GameError(f"{count!r} is no number of plays")
        if count == 0 and position.lying[seat].any():
            raise GameError(f"seat {seat} has laid down the play to beat")
    return value


def read_lots(rules: Rules, value: Any) -> list[int]:
    """The random numbers of a match, in the order of their names; raises GameError."""
    names = [str(name) for name in rules.words.lots]
    if not isinstance(value, Mapping) or set(value) != set(names):
        raise GameError(f"{value!r} is no object with {', '.join(names) or 'nothing in it'}")
    for name in names:
        if type(value[name]) is not int or not 0 <= value[name] < 1 << 15:
            raise GameError(f"{name}: {value[name]!r} is no random number")
    return [value[name] for name in names]


# --- tables -----------------------------------------------------------------------------------------------------------


def stand(rules: Rules, positions: Sequence[Position]) -> Tables:
    """Tables that stand so, one each."""
    tables = Tables(rules, len(positions))
    tables.endless = False
    state = tables.state
    for row, each in enumerate(positions):
        state.hands[row], state.aside[row], state.played[row] = each.hands, each.aside, each.played
        state.stage[row], state.choice[row], state.seat[row] = each.stage, each.choice, each.seat
        state.to_beat[row], state.top_cards[row], state.owner[row] = each.to_beat, each.top_cards, each.owner
        state.acted[row], state.acts[row], state.clock[row] = each.acted, each.acts, each.acts
        state.passed[row], state.gone_by[row], state.out[row] = each.passed, each.has_passed, seats.mask_of(each.finish)
        state.order[row, : len(each.finish)] = each.finish
        state.fluents[row], state.context[row] = each.fluents, each.context
        state.leader[row], state.lies_form[row] = each.leader, each.lies_form
        state.plays[row] = each.plays if each.plays is not None else (each.lying.any(axis=1) & (each.choice < 0))
        state.lots[row] = each.lots or 0
        if rules.draws:
            _stand_stock(rules, state, row, each)
    if rules.taking is not None:
        lay_trick(rules, state, positions)
    return tables


def _stand_stock(rules: Rules, state: State, row: int, position: Position) -> None:
    """Cards that lie aside are drawn next, in any order; the one drawn last is known."""
    state.drawn[row] = sum(rules.table.dealt) - position.stock
    state.drew[row], state.fresh[row] = position.drew, position.fresh is not None and state.drawn[row] > 0
    rest = np.repeat(np.arange(len(position.aside)), position.aside)[: state.stock.shape[1] - state.drawn[row]]
    state.stock[row, state.drawn[row] : state.drawn[row] + len(rest)] = rest
    if position.fresh is not None and state.fresh[row]:
        state.stock[row, state.drawn[row] - 1] = position.fresh

"""Render tables, the views of seats, plays and arguments as text."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

import clingo
import numpy as np

from abl_cards.asp import ArgumentTypes, Signature, Term, make_kb_error, string_value
from abl_cards.core import ErrorCode, texts_by_language
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.description import (
    CHECKED_SORTS,
    PASS_NAME,
    SET_VALUED,
    SINGLE_VALUED,
    SUIT_SYMBOLS,
    Fluent,
    PlayName,
    cards_from_counts,
    fluents_by_name,
    parse_rank_and_suit,
    require_int,
)
from abl_cards.games.notation.canonical import canonical_notation, is_canonical_play
from abl_cards.games.notation.fluent_json import FluentCodec
from abl_cards.games.notation.hand_order import sort_hand
from abl_cards.games.notation.play_reader import read_play
from abl_cards.games.notation.play_writer import notate_moves
from abl_cards.games.notation.plays import label_arguments, label_name_parts, options_json
from abl_cards.games.notation.trick_json import seats_in_trick
from abl_cards.games.state import CHOICE, PLAY
from abl_cards.games.tables import DecisionPoint, Tables

# --- tables -----------------------------------------------------------------------------------------------------------


def render_table(rules: CompiledGame, tables: Tables, table: int) -> str:
    """Render a table: hands, the seat to act, the play to beat and the legal labels.

    Args:
        rules: Compiled game.
        tables: Tables of this game.
        table: Index of the table.

    Returns:
        Text of several lines.
    """
    state, seat = tables.state, int(tables.seat[table])
    fluent_texts = _fluent_texts(rules, tables, table)
    lines = [", ".join([f"episode {int(tables.num_episodes[table]) + 1}", *fluent_texts])]
    acting = int(state.stage[table]) in (PLAY, CHOICE)
    for row_seat, hand in enumerate(state.hands[table]):
        mark = ">" if acting and row_seat == seat else " "
        cards = rules.card_codes.to_text(sort_hand(rules, hand, int(state.context[table])))
        lines.append(f"{mark} seat {row_seat} ({int(hand.sum()):2}) {cards}".rstrip())
    if state.aside[table].any():
        aside = state.aside[table]
        lines.append(f"  aside  ({int(aside.sum()):2}) {rules.card_codes.to_text(cards_from_counts(aside))}")
    if state.stage[table] == PLAY:
        lines += _play_lines(rules, tables, table)
    elif state.stage[table] == CHOICE:
        lines += _choice_lines(rules, tables, table)
    else:
        lines.append(f"the episode is over: points {' '.join(map(str, tables.points[table]))}")
    return "\n".join(lines)


def _fluent_texts(rules: CompiledGame, tables: Tables, table: int) -> list[str]:
    """Return the texts of fluents whose values differ from the default."""
    values, fluents = FluentCodec(rules.card_codes.term_texts), tables.state.fluents[table]
    return [
        f"{name} {_value_text(values.write(fluent, fluents))}".rstrip()
        for name, fluent in fluents_by_name(rules.fluents, ()).items()
        if (fluents[fluent.first_slot : fluent.slots.stop] != fluent.default).any()
    ]


def _value_text(value: Any) -> str:
    """Format the value of a fluent in one line."""
    if isinstance(value, Mapping):
        return " ".join(f"{key}={_value_text(item)}" for key, item in value.items())
    if isinstance(value, list):
        return " ".join(",".join(map(str, item)) if isinstance(item, list) else _value_text(item) for item in value)
    return {None: "-", True: ""}.get(value, str(value)) if value is None or value is True else str(value)


def _play_lines(rules: CompiledGame, tables: Tables, table: int) -> list[str]:
    decisions = tables.decisions(np.array([table]))
    form, seat = int(decisions.to_beat[0]), int(tables.seat[table])
    if form < 0:
        situation = f"seat {seat} leads"
    elif rules.trick_query is not None:
        played = tables.state.trick_cards[table]
        trick_texts = [
            f"seat {trick_seat} {_cards_text(rules.card_codes.write(cards_from_counts(played[trick_seat])))}"
            for trick_seat in seats_in_trick(rules, tables.state, table)
        ]
        situation = f"in the trick: {', '.join(trick_texts)}; so far it is that of seat {tables.state.owner[table]}"
    else:
        cards = tables.state.top_cards[[table]]
        played = notate_moves(rules, np.array([form]), cards, decisions.context)[0]
        situation = f"to beat: {played} of seat {tables.state.owner[table]}"
    legal, notation = np.flatnonzero(decisions.legal_mask[:, 0]), canonical_notation(rules)
    by_kind: dict[str, list[str]] = {}
    for label in legal.tolist():
        kind, rank = label_name_parts(rules)[label] if notation is None else notation.labels[label]
        by_kind.setdefault(kind, []).append("" if rank in ("-", kind) else rank)
    width = max((len(kind) for kind in by_kind), default=0)
    kinds = [f"  {kind:<{width}} {' '.join(ranks)}".rstrip() for kind, ranks in by_kind.items()]
    return [situation, f"{len(legal)} legal labels:", *kinds]


def _choice_lines(rules: CompiledGame, tables: Tables, table: int) -> list[str]:
    choices = tables.choices(np.array([table]))
    stage = rules.schema.stages[int(choices.stage[0])]
    options = [str(options_json(rules)[option]) for option in np.flatnonzero(choices.options[0]).tolist()]
    return [f"seat {tables.seat[table]} chooses: {stage}", f"{len(options)} options: {' '.join(options)}"]


# --- views of seats ---------------------------------------------------------------------------------------------------

_VIEW_TEXTS = texts_by_language({
    "hand": ("hand: {cards}", "手牌：{cards}"),
    "others": ("the others hold: {others}", "其余各家：{others}"),
    "to_beat": ("to beat: {play}", "要压：{play}"),
    "of": ("to beat: {play} of {top}", "要压{top}的 {play}"),
    "leads": ("you lead", "请出牌"),
    "stage": ("to choose: {stage}", "请选择：{stage}"),
    "aside": ("aside: {aside}", "底牌：{aside}"),
    "pile": ("in the pile: {aside}", "牌堆：{aside}"),
    "trick": ("in the trick: {trick}", "本轮已出：{trick}"),
})  # fmt: skip


def render_view(
    rules: CompiledGame, decision_point: DecisionPoint, language: str = "en", only_fluents: Container[str] | None = None
) -> str:
    """Render what a seat sees, without fields that the state leaves out.

    Args:
        rules: Compiled game.
        decision_point: Decision of the seat.
        language: "en" or "zh".
        only_fluents: Names of the fluents that are rendered; None for all.

    Returns:
        Text of several lines.
    """
    state, texts = decision_point.state, _VIEW_TEXTS[language]
    fluents = fluents_by_name(rules.fluents, ())
    lines = [
        f"{spell(rules, 'fluent', name, language)}: {_value_text(value)}".rstrip(": ")
        for name, value in state.items()
        if _is_shown(fluents, name, value) and (only_fluents is None or name in only_fluents)
    ]
    seat_words = [spell(rules, "who", word, language) for word in rules.seating.relative_names]
    if state.get("face") is not None:
        hand_texts = [
            f"{word} {_cards_text(hand)}".rstrip() for word, hand in zip(seat_words, state["face"], strict=True)
        ]
        lines.append(texts["others"].format(others=", ".join(hand_texts)))
    elif "cards" in state:
        hand_texts = [f"{word} {count}" for word, count in zip(seat_words, state["cards"], strict=True)]
        lines.append(texts["others"].format(others=", ".join(hand_texts)))
    if "aside" in state:
        lines.append(texts["pile" if rules.has_pile else "aside"].format(aside=_cards_text(state["aside"])))
    lines.append(texts["hand"].format(cards=_cards_text(_own_hand(rules, decision_point))))
    if state.get("trick"):
        lines.append(texts["trick"].format(trick=_trick_text(rules, decision_point, language)))
    elif state.get("to_beat"):
        top = state.get("top")
        word = None if top is None else spell(rules, "seat" if isinstance(top, int) else "who", top, language)
        play = _play_text(rules, state["to_beat"], language)
        lines.append(texts["to_beat"].format(play=play) if word is None else texts["of"].format(play=play, top=word))
    elif state.get("stage", "play") != "play":
        lines.append(
            texts["stage"].format(stage=play_name(rules, state["stage"]) if language == "zh" else state["stage"])
        )
    else:
        lines.append(texts["leads"])
    return "\n".join(lines)


def _trick_text(rules: CompiledGame, decision_point: DecisionPoint, language: str) -> str:
    """Return the plays of the trick by seat, in order."""
    plays: list[Any] = decision_point.state["trick"]
    seat_words = [
        spell(rules, "who", word, language)
        for word in rules.seating.relative_names[len(rules.seating.relative_names) - len(plays) :]
    ]
    return ", ".join(
        f"{word} {_play_text(rules, play, language)}" for word, play in zip(seat_words, plays, strict=True)
    )


def _is_shown(fluents: Mapping[str, Fluent], name: str, value: Any) -> bool:
    """Return whether a field of a state is a fluent with a value; 0 is one if it is a number of the fluent."""
    return name in fluents and (bool(value) or (type(value) is int and fluents[name].value_type == SINGLE_VALUED))


def _own_hand(rules: CompiledGame, decision_point: DecisionPoint) -> Any:
    """Return the hand as in the state, if hands have no order of suits."""
    if not rules.kb.facts("hand_order", 2):
        return decision_point.state["hand"]
    view = decision_point.decision.view
    return rules.card_codes.write(sort_hand(rules, view.hand[0], int(view.context[0])))


def _cards_text(value: Any) -> str:
    return " ".join(value) if isinstance(value, list) else str(value)


def _play_text(rules: CompiledGame, value: Any, language: str) -> str:
    if isinstance(value, Mapping):
        return f"{value.get('label', '')} {_cards_text(value['cards'])}".strip()
    if not is_canonical_play(value):
        return _cards_text(value)
    label = read_play(rules, value).label
    if language == "zh" and label is not None:
        name = play_name(rules, rules.labels[label])
        return f"{name.kind}{name.rank} {_cards_text(value[2])}"
    return " ".join([*value[:2], *value[2]])


# --- names of plays ---------------------------------------------------------------------------------------------------


def play_name(rules: CompiledGame, label: Term) -> PlayName:
    """Return the name of a label.

    Args:
        rules: Compiled game.
        label: Term of the label.

    Returns:
        Name by ``called/3`` or ``called/4``; of a stage or an option also by ``word/4``; otherwise the label itself.
    """
    return _play_names(rules).get(str(label)) or PlayName(str(label))


@cache_per_game
def _play_names(rules: CompiledGame) -> Mapping[str, PlayName]:
    names = {}
    for label, (kind, arguments) in zip(rules.label_texts, label_arguments(rules), strict=True):
        suffix = "".join(f"({argument})" for argument in arguments[1:])
        names[label] = PlayName(kind, "".join(arguments[:1]), suffix)
    names[rules.label_texts[rules.forms.label_of[rules.forms.pass_form]]] = PlayName(PASS_NAME)
    term_texts = _TermTexts(rules)
    for label_term, word, rank in rules.kb.facts("called", 3):
        names[str(label_term)] = PlayName(term_texts.text(word), term_texts.text(rank))
    for label_term, word, rank, extra in rules.kb.facts("called", 4):
        names[str(label_term)] = PlayName(term_texts.text(word), term_texts.text(rank), term_texts.text(extra))
    for sort, term, language, text in rules.kb.facts("word", 4):
        if language == "zh" and sort in ("stage", "option"):
            names.setdefault(str(term), PlayName(term_texts.text(text)))
    return names


class _TermTexts:
    """Texts of terms: ranks by letters, suits by symbols, ``num(5)`` as 5, tuples part by part."""

    def __init__(self, rules: CompiledGame) -> None:
        self._terms: dict[Term, str] = dict(rules.card_codes.term_texts)
        for (suit,) in rules.kb.facts("suit", 1):
            letter = self._terms.get(suit, str(suit))
            self._terms[suit] = SUIT_SYMBOLS.get(letter, letter)

    def text(self, term: Term) -> str:
        """Return the text of a term."""
        return self._symbol_text(clingo.parse_term(str(term)))

    def _symbol_text(self, symbol: clingo.Symbol) -> str:
        if symbol.type == clingo.SymbolType.String:
            return symbol.string
        if symbol.type == clingo.SymbolType.Number:
            return self._terms.get(symbol.number) or str(symbol.number)
        if symbol.match("num", 1):
            return str(symbol.arguments[0])
        if symbol.match("", len(symbol.arguments)):
            return "".join(map(self._symbol_text, symbol.arguments))
        return self._terms.get(str(symbol)) or str(symbol)


# --- texts of arguments -----------------------------------------------------------------------------------------------

_ARGUMENT_SORTS = {
    "rank/1": ("rank",), "suit/1": ("suit",), "card/2": ("rank", "suit"), "pack/2": ("rank", None),
    "copies/2": ("rank", None), "held/2": ("rank", None), "held/3": ("rank", "suit", None), "left/2": ("rank", None),
    "left/3": ("rank", "suit", None),
    "unseen/2": ("rank", None), "unseen/3": ("rank", "suit", None), "gone/2": ("rank", None),
    "gone/3": ("rank", "suit", None), "face_up/3": ("who", "rank", None), "face_up/4": ("who", "rank", "suit", None),
    "estimated/3": ("who", "rank", None), "estimated/4": ("who", "rank", "suit", None),
    "estimated_wild/2": ("who", None),
    "holds/3": ("seat", "rank", None), "holds/4": ("seat", "rank", "suit", None), "cards/2": ("who", None),
    "top/1": ("who",), "who/1": ("who",), "who/2": ("who", None), "seat/1": ("seat",), "next/2": ("seat", "seat"),
    "acted/1": ("seat",), "owner/1": ("seat",), "passed/1": ("seat",), "has_passed/1": ("seat",), "out/1": ("seat",),
    "finish/2": (None, "seat"), "stuck/2": ("seat", None), "by/1": ("seat",), "asked/1": ("seat",),
    "leads/1": ("seat",),
    "turn/1": ("seat",), "asks/2": (None, "seat"), "laid/2": (None, "rank"), "points/3": ("seat", None, None),
    "wild/1": (None,), "wild_left/1": (None,), "unseen_wild/1": (None,),
}  # fmt: skip


@cache_per_game
def argument_sorts(rules: CompiledGame) -> ArgumentTypes:
    """Return the types of the arguments of predicates.

    Args:
        rules: Compiled game.

    Returns:
        For each predicate of the vocabulary and each fluent, the type of each argument; None for untyped ones.

    Raises:
        KBError: A ``sort/4`` fact names an argument that the predicate does not have.
    """
    known: dict[Signature, tuple[str | None, ...]] = {
        Signature.parse(text): sorts for text, sorts in _ARGUMENT_SORTS.items()
    }
    ranks, suits = _ranks_and_suits(rules)
    for fluent in rules.fluents.fluents:
        columns = list(zip(*fluent.keys, strict=True)) if fluent.keys and fluent.keys[0] else []
        sorts = [_sort_of(rules, column, ranks, suits) for column in columns]
        if fluent.value_type != SET_VALUED:
            sorts.append(_sort_of(rules, fluent.values, ranks, suits) if fluent.value_type == SINGLE_VALUED else None)
        known[fluent.signature] = tuple(sorts)
    for name, arity, position, sort in rules.kb.facts("sort", 4):
        if sort in CHECKED_SORTS:
            continue
        signature = Signature(str(name), require_int(arity, f"sort({name},…)"))
        argument_types = list(known.get(signature, (None,) * signature.arity))
        number = require_int(position, f"sort({name},{arity},…)")
        if not 1 <= number <= signature.arity:
            raise make_kb_error(
                f"sort({name},{arity},{position},{sort}): no such argument",
                "arguments are counted from 1",
                code=ErrorCode.INVALID_ARGUMENT,
            )
        argument_types[number - 1] = str(sort)
        known[signature] = tuple(argument_types)
    return known


def _ranks_and_suits(rules: CompiledGame) -> tuple[set[Term], set[Term]]:
    """Return the ranks, including cards without rank and suit, and the suits."""
    parts = [parse_rank_and_suit(kind) or (kind, None) for kind in rules.pack.kinds]
    return {rank for rank, _ in parts}, {suit for _, suit in parts if suit is not None}


def _sort_of(rules: CompiledGame, values: Iterable[Term], ranks: set[Term], suits: set[Term]) -> str | None:
    distinct = set(values)
    if not distinct:
        return None
    if distinct == set(range(rules.seating.seats)):
        return "seat"
    if distinct <= suits:
        return "suit"
    if distinct <= ranks:
        return "rank"
    return "card" if distinct <= set(rules.pack.kinds) else None


_SUIT_NAMES = {
    "en": {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"},
    "zh": {"S": "黑桃", "H": "红桃", "D": "方块", "C": "梅花"},
}
_SEAT_WORDS = texts_by_language({
    "next": ("the next seat", "下家"),
    "previous": ("the previous seat", "上家"),
    "partner": ("the partner", "对家"),
    "across": ("the seat across", "对家"),
    "number": ("the seat {} places on", "下{}家"),
})  # fmt: skip
_REASON_WORDS = texts_by_language({
    "place": ("by place", "名次"),
    "cards": ("cards left in the hand", "手里剩的牌"),
    "from": ("cards that others have left", "别家剩的牌"),
    "won": ("won", "赢"),
    "lost": ("lost", "输"),
})  # fmt: skip
"""Reasons of points in the common files, and the commonest of games."""
_SEAT_FORMAT = {"en": "seat {}", "zh": "{}号位"}


@cache_per_game
def _term_words(rules: CompiledGame) -> Mapping[tuple[Term, str], str]:
    """Return the texts of terms without a letter: ``word(big,en,"big joker")``."""
    return {(term, str(language)): string_value(text) for term, language, text in rules.kb.facts("word", 3)}


@cache_per_game
def _sort_words(rules: CompiledGame) -> Mapping[tuple[str, Term, str], str]:
    facts = rules.kb.facts("word", 4)
    return {(str(sort), term, str(language)): string_value(text) for sort, term, language, text in facts}


def spell_fluent(rules: CompiledGame, name: str, language: str) -> str:
    """Return the words for a fluent, by ``word(fluent,Name,Language,Text)``; otherwise those of its name."""
    return spell(rules, "fluent", name, language).replace("_", " ")


def spell(rules: CompiledGame, sort: str, term: Term, language: str) -> str:
    """Return the text of an argument.

    Args:
        rules: Compiled game.
        sort: Type of the argument, such as ``"rank"`` or ``"seat"``; ``"points"`` for a reason of points.
        term: Value of the argument.
        language: "en" or "zh".

    Returns:
        Text by ``word(Sort,Term,Language,Text)``; otherwise by the letter or number of the term.
    """
    if text := _sort_words(rules).get((sort, term, language)):
        return text
    letter = rules.card_codes.term_texts.get(term)
    if sort == "suit":
        return _SUIT_NAMES[language].get(letter or "", letter or str(term))
    if sort in ("rank", "card"):
        return _term_words(rules).get((term, language)) or letter or str(term)
    if sort == "seat":
        return _SEAT_FORMAT[language].format(term)
    if sort == "who":
        words = _SEAT_WORDS[language]
        return words["number"].format(term) if str(term).isdigit() else words.get(str(term), str(term))
    if sort == "points" and term in _REASON_WORDS[language]:
        return _REASON_WORDS[language][str(term)]
    return _term_words(rules).get((term, language), str(term))

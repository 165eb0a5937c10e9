"""Describe the facts of a rule folder as text: the seats, the deal, and the possible plays.

The text is generated in English and Chinese. Names of plays and sentences of preferences come from the folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from abl_cards.asp import Signature, Term
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import join_texts, texts_by_language
from abl_cards.games import Engine
from abl_cards.games.description import functor
from abl_cards.games.notation import spell

_SIDE_PREDICATE = Signature.parse("side/2")
_FIELD_PATTERN = re.compile(r"\{\d+\^?\}")
_TEMPLATES = texts_by_language({
    "table": ("The table", "牌桌"),
    "seats": ("{} seats, in the order of play {}", "{}家，按{}的顺序出牌"),
    "teams": ("teams: {}", "同伴：{}"),
    "sides": ("teams are decided in the course of play", "敌友在牌局中决定"),
    "alone": ("everybody plays for himself", "各自为战"),
    "cards": ("{} cards: {}", "共{}张牌：{}"),
    "dealt": ("dealt to each seat: {}", "每家发牌：{}"),
    "aside": ("{} set aside", "底牌{}张"),
    "draws": ("the cards are drawn one by one", "逐张摸牌"),
    "open": ("all hands are open", "明牌"),
    "tricks": ("cards are played into tricks; the winner of a trick leads the next one", "按墩出牌，赢墩者先出下一墩"),
    "choices": ("chosen besides: {}", "另有：{}"),
    "plays": ("Plays", "牌型"),
    "play": ("{}: {} labels, number of cards: {}", "{}：{}种，{}张"),
    "one": ("{}: cards: {}", "{}：{}张"),
    "bomb": (", a bomb: it beats ordinary plays", "，炸弹，可压普通牌型"),
    "order": ("Single cards from weak to strong: {}", "单张从小到大：{}"),
    "remembered": ("Remembered", "记住的"),
    "preferences": ("What agent kb prefers", "kb 的偏好"),
    "for": ("for it, {}", "加分{}"),
    "against": ("against it, {}", "减分{}"),
})  # fmt: skip


@dataclass(frozen=True)
class TextSection:
    """Section of a description: a heading and lines."""

    heading: str
    lines: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the section as JSON."""
        return {"heading": self.heading, "lines": list(self.lines)}


def describe_rules(engine: Engine, language: str = "en") -> list[TextSection]:
    """Describe the rules of a game in words.

    Args:
        engine: Engine of the game.
        language: "en" or "zh".

    Returns:
        Sections about seats and cards, plays, fluents and preferences; without empty ones.
    """
    translate = _Translator(language)
    parts = (
        ("table", _describe_table(engine, translate)), ("plays", _describe_plays(engine, translate)),
        ("remembered", _describe_fluents(engine, translate)), ("preferences", _describe_preferences(engine, translate)),
    )  # fmt: skip
    sections = [TextSection(translate(heading), tuple(lines)) for heading, lines in parts]
    return [section for section in sections if section.lines]


@dataclass(frozen=True)
class _Translator:
    language: str

    def __call__(self, key: str, *values: object) -> str:
        return _TEMPLATES[self.language][key].format(*values)

    def join(self, texts: Iterable[object]) -> str:
        return join_texts(texts, self.language)


def _describe_table(engine: Engine, translate: _Translator) -> Iterator[str]:
    rules, table = engine.rules, engine.rules.seating
    yield translate("seats", table.seats, " → ".join(map(str, _seats_in_order(table.next_seat))))
    teams = [[seat for seat in range(table.seats) if table.teams[seat] == team] for team in sorted(set(table.teams))]
    teams_text = translate.join("+".join(map(str, team)) for team in teams)
    if rules.kb.instances(*_SIDE_PREDICATE):
        yield translate("sides")
    else:
        yield translate("alone") if len(teams) == table.seats else translate("teams", teams_text)
    copies, texts = rules.pack.copies.tolist(), rules.card_codes.kind_texts
    pack_text = " ".join(f"{text}×{count}" if count > 1 else text for text, count in zip(texts, copies, strict=True))
    yield translate("cards", sum(copies), pack_text)
    dealt = list(dict.fromkeys(table.num_dealt))
    yield translate("dealt", dealt[0] if len(dealt) == 1 else translate.join(map(str, table.num_dealt)))
    if (num_aside := sum(copies) - sum(table.num_dealt)) > 0:
        yield translate("aside", num_aside)
    for key, applies in (
        ("draws", rules.has_draws),
        ("open", rules.has_open_hands),
        ("tricks", rules.trick_query is not None),
    ):
        if applies:
            yield translate(key)
    if rules.schema.stages:
        yield translate(
            "choices",
            translate.join(spell(engine.rules, "stage", stage, translate.language) for stage in rules.schema.stages),
        )


def _seats_in_order(after: Sequence[int]) -> list[int]:
    seats = [0]
    while len(seats) < len(after):
        seats.append(after[seats[-1]])
    return seats


def _describe_plays(engine: Engine, translate: _Translator) -> Iterator[str]:
    traits, forms, labels_by_kind = engine.label_traits, engine.rules.forms, dict[Term, list[int]]()
    kinds = {form.label: form.kind for form in reversed(forms.forms)}
    for label in range(len(engine.labels)):
        if label in kinds and label != traits.pass_label:  # a label without a form cannot be played
            labels_by_kind.setdefault(kinds[label], []).append(label)
    for kind, labels in labels_by_kind.items():
        name = (
            engine.play_name(engine.labels[labels[0]]).kind
            if translate.language == "zh"
            else _kind_name(kind, engine, labels[0])
        )
        sizes = sorted({form.num_cards for form in forms.forms if form.label in set(labels)})
        cards = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]}–{sizes[-1]}"
        line = translate("play", name, len(labels), cards) if len(labels) > 1 else translate("one", name, cards)
        yield line + (translate("bomb") if traits.is_bomb[labels].all() else "")
    singles = [position for position, form in enumerate(forms.forms) if form.num_cards == 1 and not form.suit]
    strength = engine.rules.strength[0][singles]
    cells = {cell_index: cell for cell, cell_index in engine.rules.cells.index.items()}
    names = [cells[forms.forms[singles[position]].groups[0].cell] for position in np.argsort(strength, kind="stable")]
    if len(names) > 1:
        yield translate(
            "order", " ".join(dict.fromkeys(spell(engine.rules, "rank", name, translate.language) for name in names))
        )


def _kind_name(kind: Term, engine: Engine, label: int) -> str:
    """Return the name of a kind; a numbered kind gets the name of its labels."""
    return str(kind).partition("(")[0] if isinstance(kind, str) else f"{functor(engine.labels[label])} {kind}"


def _describe_fluents(engine: Engine, translate: _Translator) -> Iterator[str]:
    for fluent in engine.rules.fluents.fluents:
        name = fluent.signature.name
        yield f"{name}: {spell(engine.rules, 'fluent', name, translate.language)}"


def _describe_preferences(engine: Engine, translate: _Translator) -> Iterator[str]:
    kb = engine.rules.kb
    weights: dict[str, list[int]] = {}
    for name, weight in kb.instances("cost", 2):
        weights.setdefault(str(name).partition("(")[0], []).append(int(weight))
    for name, values in sorted(weights.items(), key=lambda pair: -max(map(abs, pair[1]))):
        sentence = describe_preference(kb, name, translate.language)
        low, high = min(map(abs, values)), max(map(abs, values))
        size = str(high) if low == high else f"{low}–{high}"
        yield f"{sentence} ({translate('for' if values[0] < 0 else 'against', size)})"


def describe_preference(kb: KnowledgeBase, name: str, language: str) -> str:
    """Return the sentence of a preference, for any stage."""
    return _FIELD_PATTERN.sub(
        "…", kb.preference_texts.get((name, language)) or kb.preference_texts.get((name, "en"), name)
    )

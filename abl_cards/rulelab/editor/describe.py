"""Describe the rules of a folder as text: seats and deal, plays, order of plays, scores and fluents.

The text is generated in English and Chinese. Names of plays and sentences of preferences come from the folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from abl_cards.asp import PLACEHOLDER, Signature
from abl_cards.circuit import KnowledgeBase
from abl_cards.core import texts_by_language
from abl_cards.games import Engine
from abl_cards.games.description import SET_VALUED, SINGLE_VALUED, Fluent, functor
from abl_cards.games.notation import spell, spell_fluent
from abl_cards.rulelab.editor.describe_plays import (
    Translator,
    describe_order,
    describe_pack,
    describe_plays,
    format_range,
)

_SIDE_PREDICATE = Signature.parse("side/2")
_MATCH_ENDS = frozenset(map(Signature.parse, ("match_over/0", "won/1", "drawn/0")))
_TEMPLATES = texts_by_language({
    "table": ("The table", "牌桌"),
    "seats": ("{} seats, in the order of play {}", "{}家，按{}的顺序出牌"),
    "teams": ("teams: {}", "同伴：{}"),
    "sides": ("teams are decided in the course of play", "敌友在牌局中决定"),
    "alone": ("everybody plays for himself", "各自为战"),
    "cards": ("{} cards: {}", "共{}张牌：{}"),
    "dealt": ("dealt to each seat: {}", "每家发牌：{}"),
    "dealt_by_state": (
        "dealt to each seat: {} (the state of the match decides)", "每家发牌：{}（由比赛的情况决定）"
    ),
    "aside": ("{} set aside", "底牌{}张"),
    "draws": ("the cards are drawn one by one", "逐张摸牌"),
    "pile": ("{} cards in a pile, drawn between tricks", "牌堆{}张，各轮之间摸牌"),
    "open": ("all hands are open", "明牌"),
    "tricks": ("cards are played into tricks; the winner of a trick leads the next one", "按墩出牌，赢墩者先出下一墩"),
    "choices": ("chosen besides: {}", "另有：{}"),
    "plays": ("Plays", "牌型"),
    "play": ("{}: {}", "{}：{}"),
    "plays_of": ("{}: {} ({} of them)", "{}：{}（共{}种）"),
    "beats": ("What beats what", "大小"),
    "same_kind": ("a play is beaten by a stronger one of the same kind", "同牌型比大小，大的压小的"),
    "same_length": (
        "a play is beaten by a stronger one of the same kind and length",
        "同牌型、同长度比大小，大的压小的",
    ),
    "bombs": ("any other play is beaten by, from weak to strong: {}", "可压其他牌型的，从小到大：{}"),
    "order": ("single cards from weak to strong: {}", "单张从小到大：{}"),
    "order_at_first": ("single cards from weak to strong when a match begins: {}", "开赛时单张从小到大：{}"),
    "order_depends": ("the order of the cards depends on: {}", "大小顺序取决于：{}"),
    "wild": ("wild cards: {}", "百搭：{}"),
    "wild_at_first": ("wild cards when a match begins: {}", "开赛时的百搭：{}"),
    "no_card": ("none", "无"),
    "follow": ("the winner of a trick leads the next one", "赢墩者先出下一墩"),
    "trumps": ("trumps: {}", "将牌：{}"),
    "remembered": ("Remembered", "记住的"),
    "fluent": ("{} ({}, {})", "{}（{}，{}）"),
    "begins": ("{} ({}, {}; {} at first)", "{}（{}，{}；开始时为{}）"),
    "one_value": ("one value", "一个值"),
    "number": ("a number", "数"),
    "set": ("a list", "列表"),
    "flag": ("yes or no", "是否"),
    "for_match": ("for the match", "整场"),
    "for_deal": ("for the deal", "本局"),
    "scored": ("Scored", "计分"),
    "point": ("{}: 1 point", "{}：1分"),
    "points": ("{}: {} points", "{}：{}分"),
    "points_between": ("{}: from {} to {} points", "{}：{}到{}分"),
    "counted_one": ("1 point each time, at most {} times", "每次1分，最多{}次"),
    "counted": ("{} points each time, at most {} times", "每次{}分，最多{}次"),
    "one_deal": ("a match is one deal", "一局为一场"),
    "many_deals": ("a match has several deals", "一场有多局"),
    "preferences": ("What agent kb prefers", "kb 的偏好"),
    "for": ("for it, {}", "加分{}"),
    "against": ("against it, {}", "减分{}"),
})  # fmt: skip
_REASONS = texts_by_language({
    "won": ("won", "赢"), "lost": ("lost", "输"), "place": ("place", "名次"), "card": ("card", "每张牌"),
    "cards": ("cards", "余牌"), "from": ("from", "收入"), "taken": ("taken", "吃进"), "kept": ("kept", "手中余分"),
    "left": ("left", "余牌"), "paid": ("paid", "付出"), "owed": ("owed", "欠"), "pot": ("pot", "池"),
})  # fmt: skip
"""Names of reasons of points that many games use, where the folder has no word for them."""


@dataclass(frozen=True)
class TextSection:
    """Section of a description: a heading and lines."""

    heading: str
    lines: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the section as JSON."""
        return {"heading": self.heading, "lines": list(self.lines)}


def describe_rules(engine: Engine, language: str = "en", with_preferences: bool = True) -> list[TextSection]:
    """Describe the rules of a game in words.

    Args:
        engine: Engine of the game.
        language: "en" or "zh".
        with_preferences: Add the preferences of agent kb, which are not rules.

    Returns:
        Sections about seats and cards, plays, order of plays, scores, fluents and preferences; empty ones are left out.
    """
    translate = Translator(language, _TEMPLATES[language])
    parts = (
        ("table", _describe_table(engine, translate)), ("plays", describe_plays(engine, translate)),
        ("beats", describe_order(engine, translate)), ("scored", _describe_score(engine, translate)),
        ("remembered", _describe_fluents(engine, translate)),
        *([("preferences", _describe_preferences(engine, translate))] if with_preferences else []),
    )  # fmt: skip
    sections = [TextSection(translate(heading), tuple(lines)) for heading, lines in parts]
    return [section for section in sections if section.lines]


def describe_score(engine: Engine, language: str) -> list[str]:
    """Describe the points of a game, and how many deals a match has.

    Args:
        engine: Engine of the game.
        language: "en" or "zh".
    """
    return list(_describe_score(engine, Translator(language, _TEMPLATES[language])))


def _describe_table(engine: Engine, translate: Translator) -> Iterator[str]:
    rules, table = engine.rules, engine.rules.seating
    yield translate("seats", table.seats, " → ".join(map(str, _seats_in_order(table.next_seat))))
    teams = [[seat for seat in range(table.seats) if table.teams[seat] == team] for team in sorted(set(table.teams))]
    teams_text = translate.join("+".join(map(str, team)) for team in teams)
    if rules.kb.instances(*_SIDE_PREDICATE):
        yield translate("sides")
    else:
        yield translate("alone") if len(teams) == table.seats else translate("teams", teams_text)
    yield translate("cards", int(rules.pack.copies.sum()), describe_pack(engine, translate.language))
    if rules.deal_query is not None:
        numbers = {int(number) for _, number in rules.kb.instances("deals", 2)}
        yield translate("dealt_by_state", format_range(numbers))
    else:
        dealt = list(dict.fromkeys(table.num_dealt))
        yield translate("dealt", dealt[0] if len(dealt) == 1 else translate.join(map(str, table.num_dealt)))
        if (num_aside := int(rules.pack.copies.sum()) - sum(table.num_dealt)) > 0:
            yield translate("pile" if rules.has_pile else "aside", num_aside)
    for key, applies in (
        ("draws", rules.has_draws and not rules.has_pile),
        ("open", rules.has_open_hands),
        ("tricks", rules.trick_query is not None),
    ):
        if applies:
            yield translate(key)
    if rules.schema.stages:
        yield translate(
            "choices",
            translate.join(_name_stage(engine, str(stage), translate.language) for stage in rules.schema.stages),
        )


def _name_stage(engine: Engine, stage: str, language: str) -> str:
    """Return the word for a stage, else what Chinese players call it, else its name."""
    word = spell(engine.rules, "stage", stage, language)
    return str(engine.play_name(stage)) if word == stage and language == "zh" else _plain(word)


def _seats_in_order(after: Sequence[int]) -> list[int]:
    seats = [0]
    while len(seats) < len(after):
        seats.append(after[seats[-1]])
    return seats


def _describe_score(engine: Engine, translate: Translator) -> Iterator[str]:
    """Yield the points for each reason, and how many deals a match has."""
    points: dict[str, list[int]] = {}
    counted: dict[int, int] = {}  # largest number of times, by points
    for _, number, reason in engine.rules.kb.instances("points", 3):
        if isinstance(reason, int):
            counted[int(number)] = max(reason, counted.get(int(number), 0))
        else:
            points.setdefault(functor(str(reason)), []).append(int(number))
    for number, times in counted.items():
        yield translate("counted_one", times) if number == 1 else translate("counted", number, times)
    for reason, numbers in points.items():
        word = spell(engine.rules, "points", reason, translate.language)
        name = _REASONS[translate.language].get(reason, _plain(word)) if word == reason else word
        low, high = min(numbers), max(numbers)
        if low != high:
            yield translate("points_between", name, low, high)
        else:
            yield translate("point", name) if low == 1 else translate("points", name, low)
    if points or counted:
        is_one_deal = engine.rules.kb.facts("match_over", 0) or not engine.rules.derived_outputs & _MATCH_ENDS
        yield translate("one_deal" if is_one_deal else "many_deals")


def _describe_fluents(engine: Engine, translate: Translator) -> Iterator[str]:
    initial: dict[str, list[str]] = {}
    for (text,) in engine.rules.kb.facts("init", 1):
        initial.setdefault(functor(str(text)), []).append(str(text).rstrip(")").rpartition(",")[2].rpartition("(")[2])
    for fluent in engine.rules.fluents.fluents:
        name = fluent.signature.name
        texts = (
            spell_fluent(engine.rules, name, translate.language),
            translate(_value_key(fluent)),
            translate("for_match" if fluent.is_persistent else "for_deal"),
        )
        values = list(dict.fromkeys(initial.get(name, ())))
        yield translate("begins", *texts, values[0]) if len(values) == 1 else translate("fluent", *texts)


def _value_key(fluent: Fluent) -> str:
    if fluent.value_type == SET_VALUED:
        return "set" if fluent.signature.arity else "flag"
    return "one_value" if fluent.value_type == SINGLE_VALUED else "number"


def _plain(name: str) -> str:
    """Return a name of the rule files as words."""
    return name.replace("_", " ")


def _describe_preferences(engine: Engine, translate: Translator) -> Iterator[str]:
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
    return PLACEHOLDER.sub(
        "…", kb.preference_texts.get((name, language)) or kb.preference_texts.get((name, "en"), name)
    )

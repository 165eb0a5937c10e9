"""*How to play* as lines of text, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abl_cards.core import LANGUAGES, join_texts, texts_by_language
from abl_cards.games import Engine
from abl_cards.web.how_to import how_to_play
from abl_cards.web.how_to_plays import beats_json
from abl_cards.web.marked_text import card_marks

_HEADINGS = texts_by_language({
    "table": ("The table", "牌桌"), "course": ("Course of a deal", "一局的过程"),
    "order": ("Order of the cards", "牌的大小"),
    "kinds": ("Kinds of plays", "牌型"), "ladder": ("What beats what", "什么压什么"), "score": ("Points", "计分"),
    "ends": ("{} {} ends the trick at once", "{} {}一出，这一轮立刻结束"),
    "beats": ("{} {} is beaten by: {}", "能压{} {}的有：{}"), "nothing": ("nothing", "没有"),
    "from": ("{} from {} up", "{}（{}起）"), "all": ("any {}", "任何{}"), "only": ("{} only {}", "{}（只有{}）"),
    "takes": ("{} is led; these take the trick: {}", "先出{}时，能吃下的有：{}"),
})  # fmt: skip


def how_to_lines(engine: Engine, language: str) -> list[tuple[str, list[str]]]:
    """Return how a game is played as headings with lines, for the terminal; cards are marked.

    Empty sections are left out.

    Args:
        engine: Engine of the game.
        language: "en" or "zh".
    """
    index, words, facts = LANGUAGES.index(language), _HEADINGS[language], how_to_play(engine)
    colon = ": " if language == "en" else "："
    order = [
        f"{row['text'][index]}{colon}{' '.join(_item_text(item) for item in row['items'])}"
        for row in facts["order"]["rows"]
        if row["items"]
    ]
    special = [f"{group['text'][index]}{colon}{card_marks(group['cards'])}" for group in facts["special"]]
    course = [
        (f"{stage['name'][index]}{colon}" if stage["name"] else "") + stage["text"][index] for stage in facts["course"]
    ]
    kinds = [_kind_line(kind, index, colon) for kind in facts["kinds"]]
    sections = [
        (words["table"], [*(line[index] for line in facts["table"]), facts["aim"][index]]),
        (words["course"], course),
        (words["order"], [*order, *(line[index] for line in facts["order"]["lines"]), *special]),
        (words["kinds"], kinds),
        (words["ladder"], list(_ladder_lines(engine, facts, language))),
        (words["score"], [line[index] for line in facts["score"]]),
    ]
    return [(heading, lines) for heading, lines in sections if lines]


def _item_text(item: dict[str, Any]) -> str:
    return card_marks([item["card"]]) if "card" in item else str(item["rank"])


def _kind_line(kind: dict[str, Any], index: int, colon: str) -> str:
    details = [kind["shape"][index] or kind["size"][index], kind["note"][index]]
    text = join_texts([detail for detail in details if detail], LANGUAGES[index])
    return f"{kind['name'][index]}{colon}{text}  {card_marks(kind['example']['cards'])}"


def _ladder_lines(engine: Engine, facts: dict[str, Any], language: str) -> Iterator[str]:
    words, index = _HEADINGS[language], LANGUAGES.index(language)
    groups = facts["ladder"]["groups"]
    firsts = [facts["ladder"]["first"]] if facts["ladder"]["tricks"] else [group["first"] for group in groups]
    for first in firsts:
        if first is None:
            continue
        answer = beats_json(engine, first)
        cards = card_marks(answer["play"]["cards"])
        if facts["ladder"]["tricks"]:
            yield words["takes"].format(
                cards, card_marks([card for suit in answer["suits"] for card in suit["takers"]])
            )
        else:
            beating = [_answer_text(item, index, words) for item in answer["answers"] if item["extent"] != "none"]
            name = answer["play"]["text"][index]
            words_of = words["ends" if answer["ends"] else "beats"]
            yield words_of.format(name, cards, join_texts(beating, language) or words["nothing"])


def _answer_text(answer: dict[str, Any], index: int, words: Any) -> str:
    name = answer["name"][index]
    if answer["extent"] == "all" or answer["from"] is None:
        return str(words["all"].format(name))
    if answer["only"]:
        return str(words["only"].format(name, " ".join(card_marks(item["cards"]) for item in answer["only"])))
    return str(words["from"].format(name, card_marks(answer["from"]["cards"])))

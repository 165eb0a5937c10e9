"""Words of *How to play*, in both languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from abl_cards.core import LANGUAGES, join_texts, texts_by_language
from abl_cards.web.texts import BilingualText

_TEXTS = texts_by_language({
    "players": ("{} players.", "{}名玩家。"),
    "partner": ("Your partner sits opposite you.", "你和对家是一边。"),
    "partners": ("Partners: {}.", "同伴：{}。"),
    "pair": ("players {}", "第{}家"),
    "single": ("player {}", "第{}家"),
    "and": (" and ", "、第"),
    "alone": ("Everybody plays alone.", "各打各的，没有同伴。"),
    "roles": ("The roles of a deal: {}.", "一局里的角色：{}。"),
    "decided": ("Who plays together is decided in each deal.", "谁和谁一边，每局里才见分晓。"),
    "cards": ("{} cards; each player gets {}.", "共{}张牌，每人{}张。"),
    "aside_one": ("One card stays aside.", "另留底牌一张。"),
    "aside": ("{} cards stay aside.", "另留底牌{}张。"),
    "pile": ("{} cards lie in a pile, from which players draw.", "牌堆里有{}张，途中摸牌。"),
    "draws": ("The cards are drawn one by one.", "逐张摸牌。"),
    "open": ("All hands lie open.", "各家都明牌。"),
    "one_pack": ("It is played to the end of one deal.", "打一局定胜负。"),
    "race": ("Aim: be the first to play all your cards.", "目标：先把手里的牌出完。"),
    "tricks": ("Aim: points, which the tricks decide.", "目标：靠吃墩来争分。"),
    "points": ("Aim: points.", "目标：得分。"),
    "play": ("Play", "出牌"),
    "climb": (
        "Whoever leads plays cards of any kind below. The others play higher in turn{}. "
        "When nobody plays higher, the last player takes the trick and leads.",
        "先出的人任选下面一种牌型。其他人轮流压过它{}。没人再压时，最后出牌的人赢下这一轮，接着先出。",
    ),
    "may_pass": (", or pass", "，也可以不要"),
    "must_beat": ("; whoever can must", "，能压就必须压"),
    "lay": (
        "Whoever leads lays a card; everybody else lays one in turn. {} "
        "Whoever takes the trick leads the next one.",
        "先出的人出一张，其他人轮流各跟一张。{}赢下这一墩的人接着先出。",
    ),
    "lay_many": (
        "Whoever leads lays one of the kinds below; everybody else lays as many cards. {} "
        "Whoever takes the trick leads the next one.",
        "先出的人出下面一种牌型，其他人跟出同样的张数。{}赢下这一墩的人接着先出。",
    ),
    "follow": ("Whoever has the suit that was led must follow it.", "有先出的花色就必须跟。"),
    "free": ("Any card may be laid.", "想出哪张都可以。"),
    "later": ("{} (from deal {} on)", "{}（第{}局起）"),
    "choose_one": ("Choose one of your cards.", "选一张手里的牌。"),
    "choose_cards": ("Choose {} of your cards.", "选{}张手里的牌。"),
    "choose_some": ("Choose among your cards.", "从手里的牌中选。"),
    "choose": ("Choose: {}.", "可选：{}。"),
    "choose_many": ("Choose: {}, and others.", "可选：{}等。"),
    "each": ("A deal has about {} plays.", "一局大约出{}手牌。"),
    "changes": ("The order changes in the course of the match, with: {}.", "大小会随这些变化：{}。"),
    "first": ("Shown as in the first deal.", "这里按第一局来画。"),
    "wild": ("Wild: stands in for other cards of a play", "百搭：可以当别的牌用"),
    "joker": ("Jokers", "王"),
    "trumps": ("Trumps, from low to high: they take a trick of another suit", "主牌，从小到大：可以吃掉别的花色"),
    "worth": ("Value {}", "分值{}"),
    "ranks": ("From low to high", "从小到大"),
    "suits": ("Of one rank, by suit from low to high", "同点的牌，按花色从小到大"),
    "plain": ("In each suit, from low to high", "每门花色里，从小到大"),
    "one": ("1 card", "1张"),
    "many": ("{} cards", "{}张"),
    "range": ("{}–{} cards", "{}–{}张"),
    "last_only": ("only as your last cards", "只能作为最后一手"),
})  # fmt: skip


def bilingual(key: str, *values: Any) -> BilingualText:
    """Return a text in both languages; values may be texts in both languages themselves."""
    return [
        _TEXTS[language][key].format(*(value[index] if isinstance(value, (list, tuple)) else value for value in values))
        for index, language in enumerate(LANGUAGES)
    ]


def join_bilingual(texts: Sequence[Sequence[str]]) -> BilingualText:
    """Join texts in both languages to a list."""
    return [join_texts([text[index] for text in texts], language) for index, language in enumerate(LANGUAGES)]

"""How to play a game, generated from its rules: players, aim, course, kinds of plays, what beats what, points.

Every example is one that the engine accepts, and every answer about what beats what is the engine's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from abl_cards.core import LANGUAGES, ErrorCode, GameError, join_texts, texts_by_language
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.games.notation import sort_hand, spell
from abl_cards.games.tables import Decisions
from abl_cards.games.types import ONLY_TABLE
from abl_cards.rulelab.editor import describe_score, describe_shape
from abl_cards.web.episode_facts import PLAY_STAGE, episode_facts
from abl_cards.web.marked_text import card_marks, with_tens
from abl_cards.web.play_kinds import (
    Cards,
    PlayExample,
    PlayKind,
    cards_from_weak,
    context_of_first_deal,
    find_examples,
    play_kinds,
    single_strengths,
    tables_with_hands,
)
from abl_cards.web.play_ladder import Ladder, can_pass, find_ladder
from abl_cards.web.texts import BilingualText, card_orders, deck_json, label_text, option_text, role_texts, stage_text
from abl_cards.web.trick_ladder import TrickLadder, choose_lead, find_trick_ladder, find_trumps, single_examples

MAX_BASES = 40
"""Plays of a kind for which what beats them is offered."""
MAX_ORDER = 20
"""Cards of different strength that are shown one by one."""
MAX_OPTIONS = 9
_TEXTS = texts_by_language({
    "players": ("{} players.", "{}名玩家。"),
    "partner": ("Your partner sits opposite you.", "你和对家是一边。"),
    "partners": ("Partners: {}.", "同伴：{}。"),
    "pair": ("players {}", "第{}家"),
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


def pair(key: str, *values: Any) -> BilingualText:
    """Return a text in both languages; values may be texts in both languages themselves."""
    return [
        _TEXTS[language][key].format(*(value[index] if isinstance(value, (list, tuple)) else value for value in values))
        for index, language in enumerate(LANGUAGES)
    ]


def joined(texts: Sequence[Sequence[str]]) -> BilingualText:
    """Join texts in both languages to a list."""
    return [join_texts([text[index] for text in texts], language) for index, language in enumerate(LANGUAGES)]


def how_to_play(engine: Engine) -> dict[str, Any]:
    """Return how a game is played, as JSON with texts in both languages, cards by their letters.

    Args:
        engine: Engine of the game.

    Returns:
        Cards of the game (``deck``); lines about the table and the aim; stages (``course``); order of the cards and
        special cards; kinds of plays with examples; plays for which `beats_json` answers what beats them; points.
    """
    facts: dict[str, Any] = _how_to_play(engine.rules)
    return facts


@cache_per_game
def _how_to_play(rules: CompiledGame) -> Any:
    engine = Engine(rules, rules.folder.name)
    return {
        "deck": deck_json(rules),
        "table": list(_table_lines(engine)),
        "aim": _aim(engine),
        "course": list(_course(engine)),
        "order": _order_json(engine),
        "special": list(_special_json(engine)),
        "kinds": list(_kinds_json(engine)),
        "ladder": _bases_json(engine),
        "score": [list(lines) for lines in zip(*(_score_lines(engine, code) for code in LANGUAGES), strict=True)],
    }


def _score_lines(engine: Engine, language: str) -> list[str]:
    return [with_tens(line) for line in describe_score(engine, language)]


# --- table, aim and course --------------------------------------------------------------------------------------------


def _table_lines(engine: Engine) -> Iterator[BilingualText]:
    rules, seating = engine.rules, engine.rules.seating
    yield pair("players", seating.seats)
    yield _partners(engine)
    roles = role_texts(engine)
    if len(roles) > 1:
        yield pair("roles", joined(roles))
    total, dealt = int(rules.pack.copies.sum()), list(seating.num_dealt)
    each = str(dealt[0]) if len(set(dealt)) == 1 else f"{min(dealt)}–{max(dealt)}"
    yield pair("cards", total, each)
    if total > sum(dealt):
        num_aside = total - sum(dealt)
        yield pair("aside_one") if num_aside == 1 else pair("pile" if rules.has_pile else "aside", num_aside)
    if rules.has_draws and not rules.has_pile:
        yield pair("draws")
    if rules.has_open_hands:
        yield pair("open")


def _partners(engine: Engine) -> BilingualText:
    teams, seats = engine.teams.tolist(), engine.rules.seating.seats
    if engine.rules.kb.instances("side", 2):
        return pair("decided")
    if len(set(teams)) == seats:
        return pair("alone")
    across = engine.rules.seating.play_order[:, seats // 2].tolist() if seats % 2 == 0 else []
    if across and len(set(teams)) == seats // 2 and all(teams[seat] == teams[across[seat]] for seat in range(seats)):
        return pair("partner")
    members = [[seat + 1 for seat in range(seats) if teams[seat] == team] for team in sorted(set(teams))]
    names = [
        [_TEXTS[code]["pair"].format(_TEXTS[code]["and"].join(map(str, group))) for code in LANGUAGES]
        for group in members
    ]
    return pair("partners", joined(names))


def _aim(engine: Engine) -> BilingualText:
    if engine.rules.trick_query is not None:
        return pair("tricks")
    return pair("race" if episode_facts(engine).is_race else "points")


def _course(engine: Engine) -> Iterator[dict[str, Any]]:
    facts = episode_facts(engine)
    for stage in facts.stages:
        if stage == PLAY_STAGE:
            yield {"name": pair("play"), "text": _play_text(engine)}
        else:
            name, deal = stage_text(engine, stage), facts.first_deals[stage]
            name = name if deal == 1 else pair("later", name, deal)
            yield {"name": name, "text": _choice_text(engine, *facts.options[stage])}
    plays = sorted(facts.num_plays[: len(facts.first_out_wins)])
    if plays and plays[len(plays) // 2]:
        yield {"name": None, "text": pair("each", max(1, round(plays[len(plays) // 2], -1)))}


def _choice_text(engine: Engine, options: set[int], num_cards: int | None) -> BilingualText:
    terms, pack = engine.rules.schema.options, engine.rules.pack.index
    if all(terms[option] in pack for option in options):
        if num_cards is None:
            return pair("choose_some")
        return pair("choose_one") if num_cards == 1 else pair("choose_cards", num_cards)
    texts = [option_text(engine, option) for option in sorted(options)]
    return pair("choose" if len(texts) <= MAX_OPTIONS else "choose_many", joined(texts[:MAX_OPTIONS]))


def _play_text(engine: Engine) -> BilingualText:
    if engine.rules.trick_query is None:
        example = _base_example(engine, play_kinds(engine)[0])
        passes = example is None or can_pass(engine, example)
        return pair("climb", pair("may_pass" if passes else "must_beat"))
    first = choose_lead(engine)
    must_follow = first is not None and find_trick_ladder(engine, first).must_follow
    is_single = all(kind.sizes == (1, 1) for kind in play_kinds(engine))
    return pair("lay" if is_single else "lay_many", pair("follow" if must_follow else "free"))


# --- order of the cards -----------------------------------------------------------------------------------------------


def _order_json(engine: Engine) -> dict[str, Any]:
    """Return rows of the order of the cards, each with ranks or cards, and lines about it."""
    rules, context = engine.rules, context_of_first_deal(engine)
    lines = []
    if len(rules.contexts) > 1:
        fluents = {
            fluent.signature.name
            for fluent in rules.fluents.fluents
            for slot in rules.contexts.slots
            if fluent.first_slot <= slot < fluent.slots.stop
        }
        names = [
            [spell(rules, "fluent", name, code).replace("_", " ") for code in LANGUAGES] for name in sorted(fluents)
        ]
        lines = [pair("changes", joined(names)), pair("first")]
    if rules.trick_query is not None:
        return {"rows": _trick_order(engine), "lines": lines}
    strengths = single_strengths(engine)
    orders = card_orders(rules, context)
    kinds = [kind for text in cards_from_weak(engine) if (kind := rules.card_codes.kind_by_text[text]) in strengths]
    groups: dict[int, list[int]] = {}
    for kind in kinds:
        if rules.card_codes.kind_texts[kind] not in orders["wild"] or len(orders["wild"]) > MAX_ORDER:
            groups.setdefault(strengths[kind], []).append(kind)
    ordered = [groups[strength] for strength in sorted(groups)]
    if len(ordered) <= MAX_ORDER:
        return {"rows": [{"text": pair("ranks"), "items": [_order_item(engine, group) for group in ordered]}],
                "lines": lines}  # fmt: skip
    return {"rows": _rank_and_suit_rows(engine, [group[0] for group in ordered]), "lines": lines}


def _order_item(engine: Engine, kinds: Sequence[int]) -> dict[str, Any]:
    """Return a rank for cards of equal strength and one rank, else the card."""
    deck, texts = deck_json(engine.rules), engine.rules.card_codes.kind_texts
    cards = [texts[kind] for kind in kinds]
    ranks = {deck[card]["rank"] for card in cards}
    if len(ranks) == 1 and not deck[cards[0]]["isNamed"]:
        return {"rank": with_tens(ranks.pop())}
    return {"card": cards[0]}


def _rank_and_suit_rows(engine: Engine, kinds: Sequence[int]) -> list[dict[str, Any]]:
    """Return a row of ranks and one of suits for cards that are ordered by rank, then by suit; else all cards."""
    deck, texts = deck_json(engine.rules), engine.rules.card_codes.kind_texts
    faces = [deck[texts[kind]] for kind in kinds]
    ranks = list(dict.fromkeys(face["rank"] for face in faces))
    suits = {tuple(face["suit"] for face in faces if face["rank"] == rank and face["suit"]) for rank in ranks} - {()}
    positions = [ranks.index(face["rank"]) for face in faces]
    longest = max(suits, key=len, default=())
    is_sorted = all(first <= second for first, second in pairwise(positions))
    if not is_sorted or any([suit for suit in longest if suit in row] != list(row) for row in suits):
        return [{"text": pair("ranks"), "items": [{"card": texts[kind]} for kind in kinds]}]
    firsts = {
        rank: next(kind for kind, face in zip(kinds, faces, strict=True) if face["rank"] == rank) for rank in ranks
    }
    rank_items = [
        {"rank": with_tens(rank)} if deck[texts[kind]]["suit"] else {"card": texts[kind]}
        for rank, kind in firsts.items()
    ]
    symbols = {face["suit"]: face["symbol"] for face in faces}
    return [
        {"text": pair("ranks"), "items": rank_items},
        {"text": pair("suits"), "items": [{"suit": suit, "rank": symbols[suit]} for suit in longest]},
    ]


def _trick_order(engine: Engine) -> list[dict[str, Any]]:
    texts, deck = engine.rules.card_codes.kind_texts, deck_json(engine.rules)
    first, trumps = choose_lead(engine), set(find_trumps(engine))
    if first is None:
        return []
    suit = deck[texts[first.cards[0]]]["suit"]
    order = cards_from_weak(engine)
    kind_of = engine.rules.card_codes.kind_by_text
    plain = [kind_of[text] for text in order if deck[text]["suit"] == suit and kind_of[text] not in trumps]
    items = [{"rank": with_tens(deck[texts[kind]]["rank"])} for kind in plain]
    return [{"text": pair("plain"), "items": items}]


def _special_json(engine: Engine) -> Iterator[dict[str, Any]]:
    """Yield groups of cards that have something special, each with a text."""
    rules, deck = engine.rules, deck_json(engine.rules)
    orders = card_orders(rules, context_of_first_deal(engine))
    if orders["wild"] and len(orders["wild"]) <= MAX_ORDER:
        yield {"text": pair("wild"), "cards": orders["wild"]}
    jokers = [text for text in cards_from_weak(engine) if deck[text]["isNamed"]]
    if jokers and 2 * len(jokers) < len(deck):  # else all cards have names
        yield {"text": pair("joker"), "cards": jokers}
    trumps = find_trumps(engine) if rules.trick_query is not None else ()
    if trumps:
        yield {"text": pair("trumps"), "cards": [rules.card_codes.kind_texts[kind] for kind in trumps]}
    by_points: dict[int, list[str]] = {}
    for text in cards_from_weak(engine):
        if points := int(rules.card_points[rules.card_codes.kind_by_text[text]]):
            by_points.setdefault(points, []).append(text)
    for points in sorted(by_points):
        yield {"text": pair("worth", points), "cards": by_points[points]}


# --- plays ------------------------------------------------------------------------------------------------------------


def _base_labels(kind: PlayKind) -> list[int]:
    """Return labels of a kind, from weak to strong; not all of a kind with very many."""
    if len(kind.labels) <= 2 * MAX_BASES:
        return list(kind.labels)
    return list(kind.labels[:: -(-len(kind.labels) // MAX_BASES)])


def _base_example(engine: Engine, kind: PlayKind) -> PlayExample | None:
    """Return an example of a kind that is neither weak nor strong, with few cards."""
    smallest = [label for label in kind.labels if engine.rules.forms.label_min_cards[label] == kind.sizes[0]]
    wanted = len(smallest) * 2 // 5
    closing = None
    for label in [*smallest[wanted:], *smallest[:wanted], *kind.labels][: 2 * MAX_BASES]:
        if example := find_examples(engine, [label]).get(label):
            if engine.rules.trick_query is not None or not find_ladder(engine, example).ends:
                return example
            closing = closing or example  # a play that ends the trick shows less
    return closing


def _size_text(kind: PlayKind) -> BilingualText:
    low, high = kind.sizes
    if low != high:
        return pair("range", low, high)
    return pair("one") if low == 1 else pair("many", low)


def _kinds_json(engine: Engine) -> Iterator[dict[str, Any]]:
    whole = Decisions(tables_with_hands(engine, None).decisions(ONLY_TABLE).view).legal_mask[:, 0]
    for number, kind in enumerate(play_kinds(engine)):
        example = _base_example(engine, kind)
        if example is None:  # no play of its own, as a part of a longer play
            continue
        shape = [with_tens(describe_shape(engine, kind.forms, code)) for code in LANGUAGES]
        is_last_only = engine.rules.trick_query is None and not whole[list(kind.labels)].any()
        yield {
            "kind": number, "name": list(kind.name), "size": _size_text(kind),
            "shape": shape if all(shape) and kind.sizes[1] > 1 else ["", ""],
            "note": pair("last_only") if is_last_only else ["", ""],
            "example": _example_json(engine, example),
        }  # fmt: skip


def _example_json(engine: Engine, example: PlayExample) -> dict[str, Any]:
    return {
        "label": example.label,
        "text": label_text(engine, engine.labels[example.label]),
        "cards": _card_texts(engine, example.cards),
    }


def _card_texts(engine: Engine, cards: Cards) -> list[str]:
    """Return cards by their letters, as a hand shows them."""
    counts = np.bincount(cards, minlength=len(engine.rules.pack)).astype(np.uint8)
    texts, in_order = engine.rules.card_codes.kind_texts, sort_hand(engine.rules, counts, context_of_first_deal(engine))
    return [texts[kind] for kind in in_order]


# --- what beats what --------------------------------------------------------------------------------------------------


def _bases_json(engine: Engine) -> dict[str, Any]:
    """Return the plays for which `beats_json` answers, by kind, and the label of the first one shown."""
    if engine.rules.trick_query is not None:
        first, texts = choose_lead(engine), engine.rules.card_codes.kind_texts
        singles = {texts[example.cards[0]]: example.label for example in single_examples(engine)}
        deck = deck_json(engine.rules)
        known = [text for text in cards_from_weak(engine) if text in singles]
        order = sorted(known, key=lambda text: deck[text]["suit"])  # stable: each suit from weak to strong
        group = {"name": pair("play"), "labels": [singles[text] for text in order]}
        return {"groups": [group], "first": None if first is None else first.label, "tricks": True}
    groups, firsts = [], []
    for kind in play_kinds(engine):
        if (example := _base_example(engine, kind)) is not None:
            labels = sorted({*_base_labels(kind), example.label}, key=kind.labels.index)
            groups.append({"name": list(kind.name), "labels": labels, "first": example.label})
            firsts.append((kind.sizes != (2, 2), example.label))  # a pair is what people ask about first
    return {"groups": groups, "first": min(firsts, key=lambda item: item[0])[1] if firsts else None, "tricks": False}


def beats_json(engine: Engine, label: int) -> dict[str, Any]:
    """Return what beats a play, as JSON with texts in both languages.

    Args:
        engine: Engine of the game.
        label: Index of the label of the play.

    Returns:
        The play; answers for the kinds of plays, or for the suits in games of tricks; ``found`` is False without an
        example of the label.

    Raises:
        GameError: There is no such label.
    """
    if not 0 <= label < len(engine.labels) or label == engine.rules.forms.label_of[engine.rules.forms.pass_form]:
        raise GameError(f"label {label}: there is none", ErrorCode.INVALID_REQUEST)
    example = find_examples(engine, [label]).get(label)
    if example is None:
        return {"label": label, "found": False}
    start = {"found": True, "play": _example_json(engine, example)}
    if engine.rules.trick_query is not None:
        return start | {"label": label} | _trick_answers(engine, find_trick_ladder(engine, example))
    return start | {"label": label} | _kind_answers(engine, find_ladder(engine, example))


def _kind_answers(engine: Engine, ladder: Ladder) -> dict[str, Any]:
    def cards_of(example: PlayExample | None) -> dict[str, Any] | None:
        return None if example is None else _example_json(engine, example)

    answers = [
        {"name": list(answer.kind.name), "extent": answer.extent, "from": cards_of(answer.weakest),
         "low": cards_of(answer.too_low), "only": [cards_of(example) for example in answer.only]}
        for answer in ladder.answers
    ]  # fmt: skip
    return {"answers": answers, "ends": ladder.ends, "follow": None}


def _trick_answers(engine: Engine, ladder: TrickLadder) -> dict[str, Any]:
    texts = engine.rules.card_codes.kind_texts
    answers = [
        {"led": answer.is_led, "upward": answer.is_upward, "cards": [texts[kind] for kind in answer.cards],
         "takers": [texts[kind] for kind in answer.takers]}
        for answer in ladder.answers
    ]  # fmt: skip
    return {"suits": answers, "ends": False, "follow": ladder.must_follow}


# --- as text ----------------------------------------------------------------------------------------------------------

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

    Args:
        engine: Engine of the game.
        language: "en" or "zh".
    """
    index, words, facts = LANGUAGES.index(language), _HEADINGS[language], how_to_play(engine)
    colon = ": " if language == "en" else "："
    order = [
        f"{row['text'][index]}{colon}{' '.join(_item_text(item) for item in row['items'])}"
        for row in facts["order"]["rows"]
    ]
    special = [f"{group['text'][index]}{colon}{card_marks(group['cards'])}" for group in facts["special"]]
    course = [
        (f"{stage['name'][index]}{colon}" if stage["name"] else "") + stage["text"][index] for stage in facts["course"]
    ]
    kinds = [_kind_line(kind, index, colon) for kind in facts["kinds"]]
    return [
        (words["table"], [*(line[index] for line in facts["table"]), facts["aim"][index]]),
        (words["course"], course),
        (words["order"], [*order, *(line[index] for line in facts["order"]["lines"]), *special]),
        (words["kinds"], kinds),
        (words["ladder"], list(_ladder_lines(engine, facts, language))),
        (words["score"], [line[index] for line in facts["score"]]),
    ]


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

"""How to play a game, generated from its rules: players, aim, course, kinds of plays, order of plays, points.

The engine accepts every example, and computes which plays beat another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abl_cards.core import LANGUAGES
from abl_cards.games import Engine
from abl_cards.games.compiled import CompiledGame, cache_per_game
from abl_cards.rulelab.editor import describe_score
from abl_cards.web.episode_facts import PLAY_STAGE, episode_facts
from abl_cards.web.how_to_order import order_json, special_json
from abl_cards.web.how_to_plays import base_example, bases_json, kinds_json
from abl_cards.web.how_to_words import bilingual, join_bilingual
from abl_cards.web.marked_text import with_tens
from abl_cards.web.play_kinds import play_kinds
from abl_cards.web.play_ladder import can_pass
from abl_cards.web.texts import BilingualText, deck_json, option_text, role_texts, stage_text
from abl_cards.web.trick_ladder import choose_lead, find_trick_ladder

MAX_OPTIONS = 9


def how_to_play(engine: Engine) -> dict[str, Any]:
    """Return how a game is played, as JSON with texts in both languages, cards by their letters.

    Args:
        engine: Engine of the game.

    Returns:
        Cards of the game (``deck``); lines about the table and the aim; stages (``course``); order of the cards and
        special cards; kinds of plays with examples; plays that `beats_json` accepts; points.
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
        "order": order_json(engine),
        "special": list(special_json(engine)),
        "kinds": list(kinds_json(engine)),
        "ladder": bases_json(engine),
        "score": [list(lines) for lines in zip(*(_score_lines(engine, code) for code in LANGUAGES), strict=True)],
    }


def _score_lines(engine: Engine, language: str) -> list[str]:
    return [with_tens(line) for line in describe_score(engine, language)]


# --- table, aim and course --------------------------------------------------------------------------------------------


def _table_lines(engine: Engine) -> Iterator[BilingualText]:
    rules, seating = engine.rules, engine.rules.seating
    yield bilingual("players", seating.seats)
    yield _partners(engine)
    roles = role_texts(engine)
    if len(roles) > 1:
        yield bilingual("roles", join_bilingual(roles))
    total, dealt = int(rules.pack.copies.sum()), list(seating.num_dealt)
    each = str(dealt[0]) if len(set(dealt)) == 1 else f"{min(dealt)}–{max(dealt)}"
    yield bilingual("cards", total, each)
    if total > sum(dealt):
        num_aside = total - sum(dealt)
        yield bilingual("aside_one") if num_aside == 1 else bilingual("pile" if rules.has_pile else "aside", num_aside)
    if rules.has_draws and not rules.has_pile:
        yield bilingual("draws")
    if rules.has_open_hands:
        yield bilingual("open")


def _partners(engine: Engine) -> BilingualText:
    teams, seats = engine.teams.tolist(), engine.rules.seating.seats
    if engine.rules.kb.instances("side", 2):
        return bilingual("decided")
    if len(set(teams)) == seats:
        return bilingual("alone")
    across = engine.rules.seating.play_order[:, seats // 2].tolist() if seats % 2 == 0 else []
    if across and len(set(teams)) == seats // 2 and all(teams[seat] == teams[across[seat]] for seat in range(seats)):
        return bilingual("partner")
    members = [[seat + 1 for seat in range(seats) if teams[seat] == team] for team in sorted(set(teams))]
    names = [
        bilingual("pair" if len(group) > 1 else "single", [comma.join(map(str, group)) for comma in bilingual("and")])
        for group in members
    ]
    return bilingual("partners", join_bilingual(names))


def _aim(engine: Engine) -> BilingualText:
    if engine.rules.trick_query is not None:
        return bilingual("tricks")
    is_race = episode_facts(engine).is_race and bool(play_kinds(engine))
    return bilingual("race" if is_race else "points")


def _course(engine: Engine) -> Iterator[dict[str, Any]]:
    facts = episode_facts(engine)
    has_plays = bool(play_kinds(engine))
    for stage in facts.stages:
        if stage == PLAY_STAGE:
            if not has_plays:  # all cards move by choices, and a pass ends the episode
                continue
            yield {"name": bilingual("play"), "text": _play_text(engine)}
        else:
            name, deal = stage_text(engine, stage), facts.first_deals[stage]
            name = name if deal == 1 else bilingual("later", name, deal)
            yield {"name": name, "text": _choice_text(engine, *facts.options[stage])}
    plays = sorted(facts.num_plays[: len(facts.first_out_wins)])
    if has_plays and plays and plays[len(plays) // 2]:
        yield {"name": None, "text": bilingual("each", max(1, round(plays[len(plays) // 2], -1)))}


def _choice_text(engine: Engine, options: set[int], num_cards: int | None) -> BilingualText:
    terms, pack = engine.rules.schema.options, engine.rules.pack.index
    if all(terms[option] in pack for option in options):
        if num_cards is None:
            return bilingual("choose_some")
        return bilingual("choose_one") if num_cards == 1 else bilingual("choose_cards", num_cards)
    texts = [option_text(engine, option) for option in sorted(options)]
    return bilingual("choose" if len(texts) <= MAX_OPTIONS else "choose_many", join_bilingual(texts[:MAX_OPTIONS]))


def _play_text(engine: Engine) -> BilingualText:
    if engine.rules.trick_query is None:
        example = base_example(engine, play_kinds(engine)[0])
        passes = example is None or can_pass(engine, example)
        return bilingual("climb", bilingual("may_pass" if passes else "must_beat"))
    first = choose_lead(engine)
    must_follow = first is not None and find_trick_ladder(engine, first).must_follow
    is_single = all(kind.sizes == (1, 1) for kind in play_kinds(engine))
    return bilingual("lay" if is_single else "lay_many", bilingual("follow" if must_follow else "free"))

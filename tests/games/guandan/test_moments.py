"""Decisions from states and records equal those of the table and depend only on what the seat saw."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from abl_cards.agents.registry import make_agent, make_explainable_agent
from abl_cards.core.errors import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.games.tables.decision_point import DecisionPoint
from abl_cards.protocols.contest.codec import ContestState
from abl_cards.reasoners.explain.explanation import explain
from abl_cards.reasoners.hidden_hands.hands import sample_deals, uniform_estimate
from tests.effort import amount
from tests.games.guandan.contest_records import ContestRecorder
from tests.games.guandan.states import engine as engine_of
from tests.games.random_play import match_keys, random_moves

RANDOM = np.random.default_rng(7)
EPISODES = amount(2, 6)
LATEST = amount(30, 1_000)
"""The number of the last play that is read, as all plays before it are made again."""


def seen(decisions: Any) -> list[Any]:
    """Return what the seats to decide observe of the hands."""
    view = decisions.view
    return [view.hand.copy(), view.unseen.copy(), view.hidden_hand_sizes.copy(), view.top_other.copy()]


class DecisionRecorder:
    """Listener that stores the hands each seat saw when it played."""

    def __init__(self) -> None:
        self.saw: list[list[Any]] = []
        self.episode: list[Any] = []

    def on_episode_start(self, tables: Any, rows: Any) -> None:
        self.episode = []

    def on_choice(self, tables: Any, rows: Any, card: Any) -> None:
        pass

    def on_play(self, tables: Any, rows: Any, moves: Any) -> None:
        decisions = tables.decisions(rows)
        self.episode.append((decisions.to_beat.copy(), seen(decisions), int(tables.seat[0])))

    def on_episode_end(self, tables: Any, rows: Any) -> None:
        self.saw.append(self.episode)

    def on_match_end(self, tables: Any, rows: Any) -> None:
        pass


@pytest.fixture(scope="module")
def match() -> tuple[list[dict], list[list[Any]]]:
    """Return the records of a match of random moves, and the hands that the seats saw at each move."""
    engine = engine_of()
    recorder, decision_recorder, records = ContestRecorder(engine, 1), DecisionRecorder(), list[dict]()

    class ListenerPair:
        def __getattr__(self, name: str) -> Any:
            return lambda *given: [getattr(listener, name)(*given) for listener in (decision_recorder, recorder)]

    tables = engine.start_matches(match_keys(1, 11), ListenerPair())
    while (playing := tables.rows_to_play()).size | (choosing := tables.rows_to_choose()).size:
        keys = tables.keys + tables.num_decisions.astype(np.uint64)
        if playing.size:
            tables.play(playing, random_moves(tables.decisions(playing), keys))
        if choosing.size:
            tables.choose(choosing, make_agent("kb", engine).choose(tables.choices(choosing), keys))
        records += recorder.pop_records(0)
        if len(records) >= EPISODES and any(len(record["tribute"]) == 1 for record in records):
            break
    return records, decision_recorder.saw


def test_record_decision_points_equal_those_seen_at_the_table(match: tuple[list[dict], list[list[Any]]]) -> None:
    engine = load("guandan").engine()
    for record, saw in zip(*match, strict=True):
        for number in RANDOM.integers(0, min(len(saw), LATEST), amount(1, 6)):
            to_beat, situation, seat = saw[number]
            moment = engine.read_decision_point(record, int(number) + 1)
            decision: Any = moment.decision
            assert record["plays"][number][0] == seat
            assert (decision.to_beat == to_beat).all()
            for one, two in zip(seen(decision), situation, strict=True):
                assert (one == two).all()
            assert moment.chosen_move is not None
            made, written = moment.actions[moment.chosen_move].to_json(), record["plays"][number][1]
            assert (made[:2], sorted(made[2])) == (written[:2], sorted(written[2]))
            assert moment.state["level"] == record["level"]
            assert engine.read_decision_point(moment.state).state == moment.state
        several: Any = engine.decisions_at_acts([record] * 3, [1, len(saw) // 2, len(saw)])
        for row, number in enumerate((0, len(saw) // 2 - 1, len(saw) - 1)):
            assert (several.view.unseen[row] == saw[number][1][1][0]).all()


def open_record(record: dict, number: int, deal: Any = None) -> dict:
    """Return the record before a play as its seat has it; the other hands are null or dealt again."""
    seat = record["plays"][number - 1][0]
    hands = [hand if other == seat else None for other, hand in enumerate(record["hands"])]
    if deal is not None:
        pool = [card for other, hand in enumerate(record["hands"]) if other != seat for card in hand]
        deal.shuffle(pool)
        hands = [hand if hand else [pool.pop() for _ in range(27)] for hand in hands]
    return {**record, "hands": hands, "seat": seat, "plays": record["plays"][: number - 1]}


@pytest.fixture(params=["kb", "abl"])
def player(request: pytest.FixtureRequest) -> Any:
    """An agent with reasons."""
    name = "kb" if request.param == "kb" else request.getfixturevalue("untrained")
    return make_explainable_agent(name, load("guandan").engine())


def explanation_json(player: Any, moment: DecisionPoint) -> dict:
    """Return an explanation as JSON, with probabilities and estimate if there are any."""
    return explain(
        load("guandan").engine(),
        player.preference_model,
        moment,
        model_explanation=player.compute_model_explanation(moment),
    ).to_json()


def test_explanations_do_not_depend_on_unseen_cards(match: tuple[list[dict], list[list[Any]]], player: Any) -> None:
    """With other hands null or dealt again, the explanation is that of the full record, except for the move made."""
    engine = load("guandan").engine()
    for record, saw in zip(*match, strict=True):
        for number in map(int, RANDOM.integers(1, min(len(saw), LATEST) + 1, amount(1, 1, 3))):
            expected = explanation_json(player, engine.read_decision_point(record, number)) | {"made": None}
            for hidden in (open_record(record, number), open_record(record, number, RANDOM)):
                assert explanation_json(player, engine.read_decision_point(hidden)) | {"made": None} == expected
                again = engine.read_decision_point(json.loads(json.dumps(hidden)), number)
                assert explanation_json(player, again) | {"made": None} == expected


def later_tables(n: int) -> Any:
    """Tables of plain players in the middle of an episode, most of them after a tribute."""
    engine = load("guandan").engine()
    tables: Any = engine.start_matches(match_keys(n, 3))
    plain = make_agent("greedy", engine)
    for _ in range(190):
        for rows, choices in ((tables.rows_to_choose(), tables.choices), (tables.rows_to_play(), tables.decisions)):
            if rows.size and choices == tables.choices:
                tables.choose(rows, plain.choose(choices(rows), tables.keys[rows]))
            elif rows.size:
                tables.play(rows, plain.play(choices(rows), tables.keys[rows]))
    return tables


def redeal_hidden_hands(tables: Any, indices: Any, seed: int) -> int:
    """Deal new hands to the other seats, consistent with the information sets; return how many changed."""
    facts = tables.information_set(indices)
    before = tables.hidden_hands(indices)
    deals = sample_deals(uniform_estimate(facts), facts, match_keys(len(indices), seed)[:, None])[:, 0]
    assert facts.is_consistent(deals).all()
    for row, table in enumerate(indices):
        for place in range(3):
            tables.state.hands[table, (tables.seat[table] + 1 + place) % 4] = deals[row, place]
    return int((deals != before).any(axis=(1, 2)).sum())


def test_decisions_do_not_depend_on_other_hands(player: Any) -> None:
    """Dealing the unseen cards again among the others changes no decision, observation, estimate or explanation."""
    engine, tables = load("guandan").engine(), later_tables(amount(7, 24))
    playing = tables.rows_to_play()
    assert (tables.information_set(playing).max_copies < tables.information_set(playing).unseen[:, None]).any(
        axis=(1, 2)
    ).sum() > 2

    def everything() -> list[Any]:
        decisions = tables.decisions(playing)
        facts = decisions.information_set()
        return [
            *player.play(decisions, tables.keys[playing]), decisions.observe(), decisions.belief_log_odds(),
            facts.unseen, facts.cards_left, facts.min_copies, facts.max_copies,
        ]  # fmt: skip

    def explanations() -> list[dict]:
        return [
            explanation_json(player, engine.decision_point_at(tables.decisions(playing), row))
            for row in range(0, len(playing), 3)
        ]

    before, reasons = everything(), explanations()
    for seed in (1, 2):
        assert redeal_hidden_hands(tables, playing, seed) > len(playing) // 2
        assert all((one == two).all() for one, two in zip(before, everything(), strict=True))
        assert explanations() == reasons


def test_decision_points_of_a_recorded_tribute(match: tuple[list[dict], list[list[Any]]]) -> None:
    engine = load("guandan").engine()
    record = next(record for record in match[0] if len(record["tribute"]) == 1)
    ((payer, receiver, paid),) = record["tribute"]
    ((_, _, returned),) = record["back"]
    before = {**record, "tribute": [], "back": [], "plays": [], "stage": "tribute", "seat": payer}
    assert paid in [action.to_json()[2][0] for action in engine.read_decision_point(before).actions]
    between = {**before, "tribute": record["tribute"], "stage": "back", "seat": receiver}
    moment = engine.read_decision_point(between)
    assert returned in [action.to_json()[2][0] for action in moment.actions]
    assert len(moment.state["hand"]) == 28
    assert moment.state["cards"][(payer - receiver) % 4 - 1] == 26


@pytest.mark.parametrize(
    ("change", "move", "values"),
    [
        ({}, None, " 2 plays"),
        ({}, 3, "3: .* 2$"),
        ({"seat": 3}, None, "^play 3: .*seat 2"),
        ({"seat": 9}, None, "^seat: "),
        ({"hands": [None] * 4}, 1, "^hands: .*seat 0"),
        ({"hands": [["S3"]] * 4}, 1, "27 cards"),
        ({"plays": [[0, ["Single", "3", ["S3"]]], [2, ["PASS", "PASS", "PASS"]]]}, 2, "seat 1.*seat 2"),
        ({"plays": [[0, ["Single", "4", ["S4"]]]]}, 1, "^play 1: Single 4 S4"),
        ({"plays": [[0, ["Single", "3", ["S3"]]], [1, ["Single", "3", ["D3"]]]], "seat": 2}, None, "play 2: .*D3"),
        ({"plays": [[0, ["Single", "3", ["S3"]]], [1, ["Single", "4", ["S3"]]]], "seat": 2}, None, "play 2|packs"),
        ({"tribute": [[0, 1, "D9"]]}, 1, "^tribute, back: seat 0"),
        ({"tribute": [[1, 0, "D9"]]}, 1, "^tribute, back: "),
        ({"level": "1"}, 1, "level"),
        ({"game": "big2"}, 1, "big2"),
        ({"stage": "paid", "seat": 0}, None, "stage"),
    ],
)
def test_damaged_records_are_rejected(change: dict, move: int | None, values: str) -> None:
    engine = load("guandan").engine()
    hand = [suit + rank for rank in "3567" for suit in "SHDC"] + [suit + rank for rank in "TJ" for suit in "SHDC"]
    hand += ["SA", "SA", "DA"]
    plays = [[0, ["Single", "3", ["S3"]]], [1, ["PASS", "PASS", "PASS"]]]
    record = {"level": "2", "hands": [hand, hand, hand, hand], "plays": plays, **change}
    with pytest.raises(GameError, match=values) as error:
        engine.read_decision_point(record, move)
    assert error.value.code in (ErrorCode.INVALID_RECORD, ErrorCode.INVALID_STATE, ErrorCode.ILLEGAL_MOVE)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"top": "me"}, "top"),
        ({"top": "next", "to_beat": None}, "top"),
        ({"cards": [1, 2]}, "cards"),
        ({"cards": [1, 2, 99]}, "cards"),
        ({"cards": "123"}, "cards"),
        ({"unseen": ["S9"] * 3}, "not that many S9"),
        ({"unseen": ["S9"], "cards": [1, 1, 1]}, "1 cards, but the others hold 3"),
        ({"profile": "platform"}, "profile"),
        ({"to_beat": ["Pair", "3", ["S3", "D4"]]}, "to_beat: .*pair"),
    ],
)
def test_damaged_states_are_rejected(more: dict, message: str) -> None:
    state = {"level": "8", "hand": ["H5", "D3"], "to_beat": ["Single", "4", ["H4"]], **more}
    with pytest.raises(GameError, match=message):
        load("guandan").engine().read_decision_point(state)


def test_move_number_of_a_state_raises() -> None:
    with pytest.raises(GameError, match="a record"):
        load("guandan").engine().read_decision_point({"level": "8", "hand": ["H5"]}, 2)


def test_defaults_of_missing_state_fields() -> None:
    """Hands as large as can be, the previous seat's play, and every card that is not in sight."""
    engine = load("guandan").engine()
    moment = engine.read_decision_point({"level": "8", "hand": ["H5", "D3"], "to_beat": ["Single", "4", ["H4"]]})
    _, unseen, sizes, top = seen(moment.decision)
    assert sizes.tolist() == [[27, 27, 26]]  # it has laid down a card
    assert top.tolist() == [2]
    assert unseen.sum() == 108 - 3


def test_states_as_text_round_trip() -> None:
    texts = [
        "play level 8 hand H5 D3 to beat Pair 4 H4 C4",
        "play level 8 hand H5 D3 to beat Pair 4 H4 C4 of partner cards 3 0 1 unseen S9 S9 D9 DK",
        "back by platform level 8 hand H5 D3 cards 27 27 26",
        "play level 8 hand H5 D3 unseen",
    ]
    for text in texts:
        state = ContestState.parse(text)
        assert str(state) == text
        assert ContestState.from_json(state.to_json()) == state

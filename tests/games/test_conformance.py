"""Invariants of every game in random play through the common interface."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from abl_cards.circuit.evaluation import evaluate, scores
from abl_cards.circuit.oracle import true_atoms
from abl_cards.circuit.proofs import ProofFinder
from abl_cards.core import LANGUAGES
from abl_cards.core.errors import GameError
from abl_cards.core.rng import splitmix64_array
from abl_cards.games.description import functor
from abl_cards.games.engine import Engine
from abl_cards.games.game import game_names, load
from abl_cards.games.notation import convert_decisions, legal_labels, spell
from abl_cards.games.sampling import sample_estimate, sample_input_rows, sample_lead_decisions
from abl_cards.games.tables import compute_lead_mask, compute_response_mask
from abl_cards.games.tables.choices import Choices
from abl_cards.games.tables.decisions import Decisions
from abl_cards.games.tables.tables import Tables
from abl_cards.games.types.moves import DRAW, Moves
from abl_cards.matches.sampled_positions import sample_exchanges, sample_from_play, sample_positions
from abl_cards.reasoners.hidden_hands.hands import draw_deals, uniform_estimate
from tests.effort import amount, long
from tests.games.every_game import every_game
from tests.games.random_play import match_keys, pick, random_moves, step


def assert_answers(engine: Engine, tables: Tables, decisions: Decisions) -> None:
    """A hand can answer the play before it if the rules leave it more than a pass, unless fluents limit the answers."""
    answered = compute_response_mask(engine.rules, decisions.context, tables.open_hands(decisions.rows)[:, 0])
    follows = np.flatnonzero((decisions.label_to_beat >= 0) & has_context_fluents(engine, tables, decisions))
    plays = np.delete(decisions.legal_mask, engine.label_traits.pass_label, axis=0)[:, follows]
    assert (answered[follows, decisions.label_to_beat[follows]] == plays.max(axis=0)).all()
    assert answered[:, engine.label_traits.pass_label].sum() == 0


def has_context_fluents(engine: Engine, tables: Tables, decisions: Decisions) -> NDArray[np.bool_]:
    """Return where the fluents that answers depend on have the values by which masks of answers are computed."""
    fluents, slots = engine.rules.fluents, set[int]()
    for query in map(engine.rules.build_query, ("beats/1", "barred/1")):
        for name, _ in query.circuit.inputs if query else ():
            slots |= set(fluent.slots) if (fluent := fluents.find(name)) else set()
    read = sorted(slots)
    expected = engine.rules.contexts.fluent_states[decisions.context][:, read]
    same: NDArray[np.bool_] = (tables.state.fluents[decisions.rows][:, read] == expected).all(axis=1)
    return same


def assert_openings(engine: Engine, tables: Tables, decisions: Decisions) -> bool:
    """Leads are among the openings of the hand, and so are follows except the pass.

    Return True if a seat may lead all its openings; rules about the first play can forbid some.
    """
    openings = compute_lead_mask(engine.rules, decisions.context, tables.open_hands(decisions.rows)[:, 0])
    assert openings.shape == decisions.legal_mask.shape
    leads = decisions.label_to_beat < 0
    assert (openings[:, leads] >= decisions.legal_mask[:, leads]).all()
    follows = np.delete(decisions.legal_mask > openings, engine.label_traits.pass_label, axis=0)
    assert not follows.any()
    return bool((openings[:, leads] == decisions.legal_mask[:, leads]).all(axis=0).any())


def assert_plays_to_go(engine: Engine, tables: Tables, decisions: Decisions) -> None:
    """The least number of plays of a hand is the number left after a pass."""
    plays = engine.min_plays(decisions.context, tables.open_hands(decisions.rows)[:, 0])
    lists = decisions.moves()
    passes = np.flatnonzero(decisions.labels_of(lists.form) == engine.label_traits.pass_label)
    assert (engine.plays_left(decisions, lists)[passes] == plays[lists.decision_index[passes]]).all()


TABLES = amount(4, 12)
STEPS, ENOUGH = 500, amount(60, 500)
"""Most steps, enough for matches of most games; the steps after which play stops once each table had an episode."""
MANY = amount(6, 10)
OFTEN = amount(30, 50)
"""Steps from one look at complete lists and hidden hands to the next."""
STACKED = game_names() if amount(0, 1) else ["president"]
"""Games with positions from stacked deals and random cards; `few_positions` has positions of play of every game."""
SHORT_PROOFS = ("gandengyan", "hearts")
"""Games whose decisions are proved in every run."""
LONG = ("guandan", "tractor")
"""Their matches have thousands of decisions; those of Hearts have several episodes as well."""


@cache
def few_positions(name: str) -> Decisions:
    """Sample positions of play, once for all tests."""
    return sample_from_play(load(name).engine(), amount(20, 40), 2)


@pytest.mark.parametrize("name", game_names())
def test_reasons_of_points_have_texts(name: str) -> None:
    rules = load(name).engine().rules
    reasons = {functor(reason) for _, _, reason in rules.kb.instances("points", 3) if isinstance(reason, str)}
    texts = {
        language: {reason: spell(rules, "points", reason, language) for reason in reasons} for language in LANGUAGES
    }
    assert [reason for reason, text in texts["zh"].items() if text.isascii()] == []
    assert [reason for reason, text in texts["en"].items() if not text.isascii() or "_" in text] == []


@pytest.mark.parametrize("name", every_game("big2", "daifugo", "tractor", "whist"))
def test_random_play_keeps_the_invariants(name: str) -> None:
    """Masks are not empty, moves match the chosen label, counters advance, and a match ends in a win or draw."""
    engine = load(name).engine()
    tables = engine.start_matches(match_keys(TABLES, 1))
    assert len(tables) == TABLES
    assert (
        len(set(engine.labels))
        == len(engine.labels)
        == len(engine.label_traits.kind)
        == len(engine.label_traits.min_cards)
    )
    assert (tables.winner == -1).all()
    free: list[bool] = []
    for number in range(STEPS):
        playing, choosing = tables.rows_to_play(), tables.rows_to_choose()
        if not playing.size and not choosing.size:
            break
        if number >= ENOUGH and (tables.num_episodes > 0).all():
            break
        assert not set(playing) & set(choosing)
        assert set(playing) | set(choosing) == set(np.flatnonzero(tables.winner == -1))
        assert (tables.seat < len(engine.teams)).all()
        clock = tables.num_decisions.copy()
        if playing.size:
            decisions = tables.decisions(playing)
            assert (decisions.rows == playing).all()
            assert decisions.legal_mask.shape == (len(engine.labels), len(playing))
            assert decisions.legal_mask.any(axis=0).all()
            assert decisions.ranking.shape == (len(playing), len(engine.labels))
            legal = decisions.label_to_beat
            assert ((legal >= -1) & (legal < len(engine.labels))).all()
            keys = tables.keys[playing] + np.uint64(number)
            labels = pick(decisions.legal_mask, keys)
            moves = decisions.sample_moves(labels, keys)
            if number % OFTEN == 0:
                lists, first = decisions.moves(labels), decisions.first_moves(labels)
                for row in range(len(playing)):
                    span = range(lists.start[row], lists.start[row + 1])
                    choices = [(int(lists.form[move]), lists.cards[move].tobytes()) for move in span]
                    assert (int(moves.form[row]), moves.cards[row].tobytes()) in choices
                    assert (int(first.form[row]), first.cards[row].tobytes()) == choices[0]
                hidden, hands = decisions.information_set(), tables.hidden_hands(playing)
                assert (tables.open_hands(playing)[:, 1:] == hands).all()
                assert hidden.is_consistent(hands).all()
                assert hands.shape[1] == len(engine.teams) - 1
                assert decisions.belief_log_odds().shape == hands.shape
                if engine.rules.trick_query is None:
                    assert_answers(engine, tables, decisions)
                    free.append(assert_openings(engine, tables, decisions))
                assert_plays_to_go(engine, tables, decisions)
            tables.play(playing, moves)
        if choosing.size:
            options = tables.choices(choosing).options
            assert options.any(axis=1).all()
            tables.choose(choosing, pick(options.T, tables.keys[choosing] + np.uint64(number)).astype(np.uint8))
        assert (tables.num_decisions >= clock).all()
        decided = np.concatenate([playing, choosing])
        assert (tables.num_decisions[decided] == clock[decided] + 1).all()
    assert set(np.unique(tables.winner)) <= {*np.unique(engine.teams), DRAW, -1}
    assert (tables.num_episodes > 0).all()
    assert any(free) == (engine.rules.trick_query is None)


@pytest.mark.parametrize("name", every_game())
def test_determinized_tables_continue_as_the_real_ones(name: str) -> None:
    """Imagined tables with the real hands continue equally; with other hands, observation and legal moves are equal."""
    engine = load(name).engine()
    for seed in range(amount(1, 3)):
        decisions = sample_from_play(engine, MANY, seed - 1) if seed else few_positions(name).select(np.arange(MANY))
        everything = np.arange(MANY)
        copies = [Tables.determinize(decisions, everything, share) for share in _ways_to_deal(decisions, seed)]
        for copy in copies:
            imagined = copy.decisions(copy.rows_to_play())
            assert (imagined.observe() == decisions.observe()).all()
            assert (imagined.legal_mask == decisions.legal_mask).all()
            moves = random_moves(decisions, splitmix64_array(match_keys(MANY, seed), 1))
            seat = copy.seat.copy()
            copy.play(everything, moves)
            while (playing := copy.rows_to_play()).size:
                copy.play(playing, random_moves(copy.decisions(playing), copy.keys[playing] + np.uint64(7)))
            rewards = engine.rewards(copy, everything)
            assert rewards[everything, seat].any()
            if engine.teams.max() == 1 or len(engine.roles) > 1:  # of two sides, one wins what the other loses
                for other in range(len(engine.teams)):
                    others = np.full(len(seat), other, np.int8)
                    rate = copy.point_value(everything, seat, others)
                    assert (rewards[everything, others] == rewards[everything, seat] * rate).all()
        assert not copies[0].rows_to_choose().size


@pytest.mark.parametrize("name", every_game())
def test_choices_go_on_with_imagined_hands(name: str) -> None:
    """At choices the true hands satisfy the deductions, and the choices that follow can be made with imagined ones."""
    engine = load(name).engine()
    tables, num_choices = engine.start_matches(match_keys(TABLES, 6)), 0
    for _ in range(amount(150, 500)):
        if (rows := tables.rows_to_choose()).size:
            num_choices += len(rows)
            for seat in range(len(engine.teams)):
                seats = np.full(len(rows), seat, np.int8)
                assert tables.information_set(rows, seats).is_consistent(tables.hidden_hands(rows, seats)).all()
            choices = tables.choices(rows)
            hidden, keys = choices.information_set(), splitmix64_array(tables.keys[rows], tables.num_decisions[rows])
            hands = draw_deals(uniform_estimate(hidden), hidden, keys, 1)[:, 0]
            imagined = Tables.determinize(choices, np.arange(len(rows)), hands)
            assert (imagined.choices(imagined.rows_to_choose()).observe() == choices.observe()).all()
            while imagined.rows_to_choose().size and not imagined.rows_to_play().size:
                step(imagined)
        step(tables)
    assert num_choices or name not in {"daifugo", "guandan", "hearts", "tractor"}, "they ask in most episodes"


def _ways_to_deal(decisions: Decisions, seed: int) -> list[np.ndarray]:
    hidden = decisions.information_set()
    keys = splitmix64_array(match_keys(len(hidden), seed), 2)
    return [draw_deals(uniform_estimate(hidden), hidden, splitmix64_array(keys, way), 1)[:, 0] for way in range(2)]


@pytest.mark.parametrize("name", every_game())
def test_records_replay(name: str) -> None:
    """Records of a recorder replay without mismatches and contain the extra fields."""
    engine = load(name).engine()
    recorder = engine.new_recorder(3, agents=["random", "random"])
    tables = engine.start_matches(match_keys(3, 2), recorder)
    for number in range(STEPS):
        playing, choosing = tables.rows_to_play(), tables.rows_to_choose()
        if number >= ENOUGH and (tables.num_episodes > 0).all():
            break
        if playing.size:
            tables.play(playing, random_moves(tables.decisions(playing), tables.keys[playing] + np.uint64(1)))
        if choosing.size:
            tables.choose(choosing, tables.choices(choosing).options.argmax(axis=1).astype(np.uint8))
    records = [record for table in range(3) for record in recorder.pop_records(table)]
    assert recorder.pop_records(0) == []
    assert len(records) == tables.num_episodes.sum()
    assert all(record["agents"] == ["random", "random"] for record in records)
    result = engine.replay(records)
    assert (result.episodes, result.mismatches) == (len(records), ())
    assert 0 < result.plays <= tables.num_decisions.sum()


@pytest.mark.parametrize("name", every_game())
def test_samples_are_consistent_and_seeded(name: str) -> None:
    """Chosen samples have the same moves, leads have no play to beat, and equal seeds give equal samples."""
    engine = load(name).engine()
    facts = sample_input_rows(engine.rules, 50, seed=1)
    assert facts.shape == (len(load(name).knowledge_base().input_atoms), 50)
    assert (facts == sample_input_rows(engine.rules, 50, seed=1)).all()
    assert (facts != sample_input_rows(engine.rules, 50, seed=2)).any()
    decisions, again = engine.sample_decisions(50, seed=1), engine.sample_decisions(50, seed=1)
    chosen = np.array([7, 3, 40])
    unread = again.select(chosen)
    assert (decisions.legal_mask == again.legal_mask).all()
    moves = decisions.moves()
    for selected in (decisions.select(chosen), unread):
        assert (selected.legal_mask == decisions.legal_mask[:, chosen]).all()
        assert (selected.rows == decisions.rows[chosen]).all()
        lists = selected.moves()
        for place, row in enumerate(chosen):
            own, all_moves = (slice(*each.start[at : at + 2]) for each, at in ((lists, place), (moves, row)))
            assert (lists.cards[own] == moves.cards[all_moves]).all()
    leads = sample_lead_decisions(engine.rules, 50, seed=1)
    assert (leads.label_to_beat == -1).all()
    assert (leads.legal_mask[engine.label_traits.pass_label] == 0).all()


@pytest.mark.parametrize("name", every_game(*STACKED))
def test_states_of_random_positions_round_trip(name: str) -> None:
    engine = load(name).engine()
    for decisions in sample_positions(engine, amount(30, 60), seed=1) if name in STACKED else [few_positions(name)]:
        if not isinstance(decisions, Decisions):
            continue
        states = [engine.decision_point_at(decisions, row).state for row in range(len(decisions.rows))]
        label_lists = legal_labels(engine.rules, states)
        legal = [{engine.labels[label] for label in np.flatnonzero(mask)} for mask in decisions.legal_mask.T]
        assert [labels if isinstance(labels, GameError) else set(labels) for labels in label_lists] == legal


@pytest.mark.parametrize(
    "name", [*(pytest.param(name, marks=long) for name in ("bigtwo", "doudizhu", "paodekuai", "whist")), *SHORT_PROOFS]
)
def test_proofs_agree_with_the_circuit(name: str) -> None:
    engine = load(name).engine()
    decisions = few_positions(name).select(np.array([17]))
    query = engine.rules.play_query
    reasons = ProofFinder(
        engine.rules.kb, true_atoms(query.build_rows(1, decisions.column_writers), query.circuit.inputs, 0)
    )
    legal = np.flatnonzero(decisions.legal_mask[:, 0])
    others = np.random.default_rng(1).permutation(np.flatnonzero(decisions.legal_mask[:, 0] == 0))
    for label in [*legal[:2], *others[:4]]:
        why = reasons.explain(f"legal({engine.rules.labels[label]})")
        assert why.holds == bool(decisions.legal_mask[label, 0])
        assert why.premises


@pytest.mark.parametrize("name", every_game(apart=LONG))
def test_listeners_receive_all_events(name: str) -> None:
    """A listener receives the begin and end of each episode, each match end, and every decision."""
    engine = load(name).engine()
    events: list[str] = []

    class EventRecorder:
        def on_draw(self, tables: object, rows: np.ndarray) -> None:
            """Cards are dealt at once."""

        def on_episode_start(self, tables: object, rows: np.ndarray) -> None:
            events.append("began")

        def on_choice(self, tables: object, rows: np.ndarray, card: np.ndarray) -> None:
            events.append("decided")

        def on_play(self, tables: object, rows: np.ndarray, moves: Moves) -> None:
            events.append("decided")

        def on_episode_end(self, tables: object, rows: np.ndarray) -> None:
            events.append("ended")

        def on_match_end(self, tables: object, rows: np.ndarray) -> None:
            events.append("over")

    tables, parts = engine.start_matches(match_keys(1, 3), EventRecorder()), 0
    while (playing := tables.rows_to_play()).size | (choosing := tables.rows_to_choose()).size:
        if playing.size:
            tables.play(playing, random_moves(tables.decisions(playing), tables.keys[playing]))
            parts += int(tables.state.is_composing[playing].sum())  # parts of a play cause no event
        if choosing.size:
            tables.choose(choosing, tables.choices(choosing).options.argmax(axis=1).astype(np.uint8))
    assert events.count("began") == events.count("ended") == tables.num_episodes[0]
    assert events.count("over") == 1
    assert (events[0], events[-1]) == ("began", "over")
    assert events.count("decided") == tables.num_decisions[0] - parts


def test_error_of_an_unknown_game_lists_the_known_ones() -> None:
    """The error of an unknown game lists the known ones."""
    with pytest.raises(GameError, match="guandan"):
        load("snap")


@pytest.mark.parametrize("name", game_names())
def test_observations_have_the_declared_size(name: str) -> None:
    """Observations have the declared size; decisions and tables observe the same."""
    engine = load(name).engine()
    tables = engine.start_matches(match_keys(5, 4))
    rows = tables.rows_to_play()
    seen = tables.observe(rows)
    assert seen.shape == (len(rows), engine.observation_features.size)
    assert seen.dtype == np.uint8
    assert (seen == tables.decisions(rows).observe()).all()
    assert (seen == tables.observe(rows, tables.seat[rows])).all()
    assert sum(feature.size for feature in engine.observation_features.features) == engine.observation_features.size


def _after(tables: Tables, steps: int) -> Tables:
    """Return tables after a number of random steps."""
    for _ in range(steps):
        step(tables)
    return tables


@pytest.mark.parametrize("name", every_game())
def test_true_hands_satisfy_the_deductions(name: str) -> None:
    """The true hands satisfy the deductions of every seat; counting cards does not require seeing them."""
    engine = load(name).engine()
    tables = engine.start_matches(match_keys(TABLES, 6))
    for steps in (3, 9, 18):
        tables = _after(tables, steps)
        while not (rows := tables.rows_to_play()).size:
            step(tables)
        for seat in range(len(engine.teams)):
            seats = np.full(len(rows), seat, np.int8)
            hidden, others = tables.information_set(rows, seats), tables.hidden_hands(rows, seats)
            assert others.shape[:2] == (len(rows), len(engine.teams) - 1)
            assert hidden.is_consistent(others).all()
            assert (hidden.max_copies.sum(axis=1) >= hidden.unseen).all()
            hints = tables.belief_log_odds(rows, seats)
            assert hints.shape == others.shape
            assert np.isfinite(hints).all()
        decisions, hidden = tables.decisions(rows), tables.information_set(rows)
        assert (decisions.information_set().min_copies == hidden.min_copies).all()
        assert (decisions.information_set().max_copies == hidden.max_copies).all()
        assert (decisions.belief_log_odds() == tables.belief_log_odds(rows)).all()
        assert (engine.symmetries[0] == np.arange(others.shape[2])).all()
        assert (np.sort(engine.symmetries, axis=1) == engine.symmetries[0]).all()


@pytest.mark.parametrize("name", every_game())
def test_tables_restore_from_saved_arrays(name: str) -> None:
    """Tables restored from saved arrays continue as the originals."""
    engine = load(name).engine()
    tables, copy = (
        _after(engine.start_matches(match_keys(TABLES, 6)), 25),
        _after(engine.start_matches(match_keys(TABLES, 9)), 7),
    )
    for array, other in zip(tables.arrays().values(), copy.arrays().values(), strict=True):
        other[...] = array
    for room in (tables, copy):
        _after(room, amount(20, 150))
    ours, theirs = tables.arrays(), copy.arrays()
    assert set(ours) == set(theirs)
    assert all(np.array_equal(ours[key], theirs[key]) for key in ours)
    assert np.array_equal(tables.observe(tables.rows_to_play()), copy.observe(tables.rows_to_play()))


@pytest.mark.parametrize("name", every_game())
def test_plays_left_is_zero_exactly_after_the_last_play(name: str) -> None:
    """It takes no more plays exactly where a move lays down the whole hand."""
    engine = load(name).engine()
    tables = _after(engine.start_matches(match_keys(TABLES, 6)), 10)
    rows = tables.rows_to_play()
    decisions = tables.decisions(rows)
    lists = decisions.moves()
    held = tables.observe(rows)[:, engine.observation_features["hand"]].sum(axis=1, dtype=np.int64)
    laid = (lists.cards != 255).sum(axis=1)
    try:
        left = engine.plays_left(decisions, lists)
    except GameError as says:
        pytest.skip(str(says))
    assert ((left == 0) == (laid == held[lists.decision_index])).all()
    assert (left <= held[lists.decision_index] - laid).all()


@pytest.mark.parametrize("name", every_game())
def test_preference_costs_equal_the_circuit_of_all_inputs(name: str) -> None:
    """The circuit of all inputs agrees with the halves that agents use; an empty estimate equals none."""
    engine = load(name).engine()
    judge = engine.preference_model()
    circuit = judge.kb.circuit("cost/2")
    place = {atom: row for row, atom in enumerate(judge.kb.input_atoms)}
    input_rows = [place[atom] for atom in circuit.inputs]
    positions: list[Decisions | Choices | None] = [few_positions(name).select(np.arange(amount(8, 18)))]
    for choice in [*positions, sample_exchanges(engine, amount(2, 20), seed=3)]:
        if choice is None:
            continue
        lists, guess = choice.moves(), sample_estimate(engine.rules, choice, seed=4)
        assert (judge.costs(choice, lists)[0] == judge.costs(choice, lists, np.zeros_like(guess))[0]).all()
        for estimate in (None, guess):
            inputs = judge.inputs(choice, lists, estimate)
            assert inputs.shape == (len(place), len(lists.form))
            costs, consistent = judge.costs(choice, lists, estimate)
            assert (scores(circuit, evaluate(circuit, inputs[input_rows])) == costs).all()
            assert consistent.all()
        is_adopted, adopted = convert_decisions(engine.rules, choice)
        assert is_adopted.all()
        assert (adopted.moves().cards == lists.cards).all()


@pytest.mark.parametrize("name", game_names())
def test_preference_models_are_cached(name: str) -> None:
    engine = load(name).engine()
    judge = engine.preference_model()
    assert engine.preference_model() is judge
    name, group = next(iter(judge.preferences().items()))
    assert engine.preference_model(exclude=[group]) is engine.preference_model(exclude=(group,)) is not judge
    assert {*judge.preferences()} - {*engine.preference_model(exclude=[name]).preferences()} == {name}

"""What every game keeps to, played at random through the interface of all games."""

import numpy as np
import pytest

from abl_cards.errors import GameError
from abl_cards.games import Decisions, Engine, Moves, Tables, game, game_names
from abl_cards.games.tables import DRAW
from abl_cards.logic import evaluate, scores
from abl_cards.logic.oracle import true_atoms
from abl_cards.logic.why import Reasons
from abl_cards.positions import met_in_play, of_all_kinds
from abl_cards.streams import mix_all
from reasoners.hands import counting, draw
from tests.effort import long
from tests.games.random_play import match_keys, pick, random_moves, step


def assert_answers(engine: Engine, tables: Tables, decisions: Decisions) -> None:
    """A hand can answer the play before it if the rules leave it more than a pass."""
    answered = engine.answers(decisions.context, tables.open_hands(decisions.which)[:, 0])
    follows = np.flatnonzero(decisions.label_to_beat >= 0)
    plays = np.delete(decisions.legal, engine.traits.pass_label, axis=0)[:, follows]
    assert (answered[follows, decisions.label_to_beat[follows]] == plays.max(axis=0)).all()
    assert answered[:, engine.traits.pass_label].sum() == 0


def assert_openings(engine: Engine, tables: Tables, decisions: Decisions) -> bool:
    """Who leads may lay down what its hand could lead; what follows is part of it, but for a pass.

    Returns whether somebody may lead all that its hand could, which rules about the first play take away.
    """
    openings = engine.openings(decisions.context, tables.open_hands(decisions.which)[:, 0])
    assert openings.shape == decisions.legal.shape
    leads = decisions.label_to_beat < 0
    assert (openings[:, leads] >= decisions.legal[:, leads]).all()
    follows = np.delete(decisions.legal > openings, engine.traits.pass_label, axis=0)
    assert not follows.any()
    return bool((openings[:, leads] == decisions.legal[:, leads]).all(axis=0).any())


def assert_plays_to_go(engine: Engine, tables: Tables, decisions: Decisions) -> None:
    """A hand takes as many plays as are left after a pass."""
    plays = engine.plays_to_go(decisions.context, tables.open_hands(decisions.which)[:, 0])
    lists = decisions.moves()
    passes = np.flatnonzero(decisions.labels_of(lists.form) == engine.traits.pass_label)
    assert (engine.plays_left(decisions, lists)[passes] == plays[lists.decision[passes]]).all()


TABLES = 12
STEPS = 500
"""Enough for matches of most games; fewer tables play those from 2 to beyond the ace to their end below."""
MANY = 10
LONG = ("tractor",)
"""Its matches have thousands of decisions; those of Guandan go from level to level as well."""


@pytest.mark.parametrize("name", game_names())
def test_conformance(name: str) -> None:
    """Masks are not empty, moves belong to the chosen label, the clock runs, somebody wins or it is a draw."""
    engine = game(name).engine()
    tables = engine.tables(match_keys(TABLES, 1))
    assert len(tables) == TABLES
    assert len(set(engine.labels)) == len(engine.labels) == len(engine.traits.kind) == len(engine.traits.cards)
    assert (tables.winner == -1).all()
    free: list[bool] = []
    for number in range(STEPS):
        playing, choosing = tables.playing(), tables.choosing()
        if not playing.size and not choosing.size:
            break
        assert not set(playing) & set(choosing)
        assert set(playing) | set(choosing) == set(np.flatnonzero(tables.winner == -1))
        assert (tables.seat < len(engine.teams)).all()
        clock = tables.clock.copy()
        if playing.size:
            decisions = tables.decisions(playing)
            assert (decisions.which == playing).all()
            assert decisions.legal.shape == (len(engine.labels), len(playing))
            assert decisions.legal.any(axis=0).all()
            assert decisions.ranking.shape == (len(playing), len(engine.labels))
            legal = decisions.label_to_beat
            assert ((legal >= -1) & (legal < len(engine.labels))).all()
            keys = tables.keys[playing] + np.uint64(number)
            labels = pick(decisions.legal, keys)
            moves = decisions.realise_random(labels, keys)
            if number % 50 == 0:
                lists, first = decisions.moves(labels), decisions.realise_first(labels)
                for row in range(len(playing)):
                    span = range(lists.start[row], lists.start[row + 1])
                    choices = [(int(lists.form[move]), lists.cards[move].tobytes()) for move in span]
                    assert (int(moves.form[row]), moves.cards[row].tobytes()) in choices
                    assert (int(first.form[row]), first.cards[row].tobytes()) == choices[0]
                hidden, hands = decisions.hidden(), tables.others(playing)
                assert (tables.open_hands(playing)[:, 1:] == hands).all()
                assert hidden.consistent(hands).all()
                assert hands.shape[1] == len(engine.teams) - 1
                assert decisions.hints().shape == hands.shape
                if engine.answerable:
                    assert_answers(engine, tables, decisions)
                    free.append(assert_openings(engine, tables, decisions))
                assert_plays_to_go(engine, tables, decisions)
            tables.play(playing, moves)
        if choosing.size:
            options = tables.choices(choosing).options
            assert options.any(axis=1).all()
            tables.choose(choosing, pick(options.T, tables.keys[choosing] + np.uint64(number)).astype(np.uint8))
        assert (tables.clock >= clock).all()
        decided = np.concatenate([playing, choosing])
        assert (tables.clock[decided] == clock[decided] + 1).all()
    assert set(np.unique(tables.winner)) <= {*np.unique(engine.teams), DRAW, -1}
    assert (tables.episode > 0).all()
    assert any(free) == engine.answerable


@pytest.mark.parametrize("name", game_names())
def test_imagined_tables_go_on_as_the_real_ones_would(name: str) -> None:
    """With the hands as they are; with other hands the seat to decide sees what it saw, and the same is legal."""
    engine = game(name).engine()
    for seed in range(2):
        decisions = met_in_play(engine, MANY, seed)
        everything = np.arange(MANY)
        copies = [engine.imagine(decisions, everything, share) for share in _ways_to_deal(decisions, seed)]
        for copy in copies:
            asked = copy.decisions(copy.playing())
            assert (asked.observe() == decisions.observe()).all()
            assert (asked.legal == decisions.legal).all()
            moves = random_moves(decisions, mix_all(match_keys(MANY, seed), 1))
            seat = copy.seat.copy()
            copy.play(everything, moves)
            while (playing := copy.playing()).size:
                copy.play(playing, random_moves(copy.decisions(playing), copy.keys[playing] + np.uint64(7)))
            rewards = engine.rewards(copy, everything)
            assert rewards[everything, seat].any()
            if engine.teams.max() == 1 or len(engine.roles) > 1:  # of two sides, one wins what the other loses
                for other in range(len(engine.teams)):
                    others = np.full(len(seat), other, np.int8)
                    rate = copy.rate(everything, seat, others)
                    assert (rewards[everything, others] == rewards[everything, seat] * rate).all()
        assert not copies[0].choosing().size


def _ways_to_deal(decisions: Decisions, seed: int) -> list[np.ndarray]:
    hidden = decisions.hidden()
    keys = mix_all(match_keys(len(hidden), seed), 2)
    return [draw(counting(hidden), hidden, mix_all(keys, way), 1)[:, 0] for way in range(2)]


@pytest.mark.parametrize("name", game_names())
def test_records_replay(name: str) -> None:
    """What a recorder writes down replays without a disagreement, and carries the extra fields."""
    engine = game(name).engine()
    recorder = engine.recorder(3, agents=["random", "random"])
    tables = engine.tables(match_keys(3, 2), recorder)
    for _ in range(STEPS):
        playing, choosing = tables.playing(), tables.choosing()
        if playing.size:
            tables.play(playing, random_moves(tables.decisions(playing), tables.keys[playing] + np.uint64(1)))
        if choosing.size:
            tables.choose(choosing, tables.choices(choosing).options.argmax(axis=1).astype(np.uint8))
    records = [record for table in range(3) for record in recorder.records(table)]
    assert recorder.records(0) == []
    assert len(records) == tables.episode.sum()
    assert all(record["agents"] == ["random", "random"] for record in records)
    found = engine.replay(records)
    assert (found.episodes, found.disagreements) == (len(records), ())
    assert 0 < found.plays <= tables.clock.sum()


@pytest.mark.parametrize("name", game_names())
def test_samples(name: str) -> None:
    """Sampled states are decided, sampled leads have nothing to beat, the same seed samples the same."""
    engine = game(name).engine()
    facts = engine.sample_facts(50, seed=1)
    assert facts.shape == (len(game(name).knowledge().input_atoms), 50)
    assert (facts == engine.sample_facts(50, seed=1)).all()
    assert (facts != engine.sample_facts(50, seed=2)).any()
    decisions = engine.sample_decisions(50, seed=1)
    assert (decisions.legal == engine.sample_decisions(50, seed=1).legal).all()
    chosen = np.array([7, 3, 40])
    for some in (decisions.at(chosen), engine.sample_decisions(50, seed=1).at(chosen)):
        assert (some.legal == decisions.legal[:, chosen]).all()
        assert (some.which == decisions.which[chosen]).all()
        assert (some.moves().cards[0] == decisions.moves().cards[decisions.moves().start[7]]).all()
    assert (engine.sample_leads(50, seed=1).label_to_beat == -1).all()
    assert (engine.sample_leads(50, seed=1).legal[engine.traits.pass_label] == 0).all()


@pytest.mark.parametrize("name", game_names())
def test_random_positions_can_be_told_and_asked_again(name: str) -> None:
    engine = game(name).engine()
    for decisions in of_all_kinds(engine, 60, seed=1):
        if not isinstance(decisions, Decisions):
            continue
        told = [engine.look(decisions, row).state for row in range(len(decisions.which))]
        found = engine.legal_labels(told)
        legal = [{engine.labels[label] for label in np.flatnonzero(mask)} for mask in decisions.legal.T]
        assert [labels if isinstance(labels, GameError) else set(labels) for labels in found] == legal


@pytest.mark.parametrize("name", [pytest.param("bigtwo", marks=long), "doudizhu", "paodekuai", "whist"])
def test_reasons_come_to_what_the_circuit_says(name: str) -> None:
    engine = game(name).engine()
    decisions = met_in_play(engine, 40, seed=2).at(np.array([17]))
    told = engine.rules.play
    reasons = Reasons(engine.rules.kb, true_atoms(told.rows(1, decisions.fills), told.circuit.inputs, 0))
    legal = np.flatnonzero(decisions.legal[:, 0])
    others = np.random.default_rng(1).permutation(np.flatnonzero(decisions.legal[:, 0] == 0))
    for label in [*legal[:2], *others[:4]]:
        why = reasons.why(f"legal({engine.rules.labels[label]})")
        assert why.holds == bool(decisions.legal[label, 0])
        assert why.because


@pytest.mark.parametrize("name", [pytest.param(name, marks=[long] if name in LONG else []) for name in game_names()])
def test_listeners_hear_everything(name: str) -> None:
    """A listener hears each episode begin and end and each match end, and every decision before it is made."""
    engine = game(name).engine()
    heard: list[str] = []

    class Ear:
        def drew(self, tables: object, which: np.ndarray) -> None:
            """Cards are dealt at once."""

        def episode_began(self, tables: object, which: np.ndarray) -> None:
            heard.append("began")

        def chosen(self, tables: object, which: np.ndarray, card: np.ndarray) -> None:
            heard.append("decided")

        def played(self, tables: object, which: np.ndarray, moves: Moves) -> None:
            heard.append("decided")

        def episode_ended(self, tables: object, which: np.ndarray) -> None:
            heard.append("ended")

        def match_ended(self, tables: object, which: np.ndarray) -> None:
            heard.append("over")

    tables, parts = engine.tables(match_keys(1, 3), Ear()), 0
    while (playing := tables.playing()).size | (choosing := tables.choosing()).size:
        if playing.size:
            tables.play(playing, random_moves(tables.decisions(playing), tables.keys[playing]))
            parts += int(tables.state.picking[playing].sum())  # of plays that are not whole nobody is told
        if choosing.size:
            tables.choose(choosing, tables.choices(choosing).options.argmax(axis=1).astype(np.uint8))
    assert heard.count("began") == heard.count("ended") == tables.episode[0]
    assert heard.count("over") == 1
    assert (heard[0], heard[-1]) == ("began", "over")
    assert heard.count("decided") == tables.clock[0] - parts


def test_unknown_game() -> None:
    """A game that is none is an error that names those there are."""
    with pytest.raises(GameError, match="guandan"):
        game("snap")


@pytest.mark.parametrize("name", game_names())
def test_observations(name: str) -> None:
    """One row of numbers a seat, as the table of features says; decisions see what their tables show."""
    engine = game(name).engine()
    tables = engine.tables(match_keys(5, 4))
    which = tables.playing()
    seen = tables.observe(which)
    assert seen.shape == (len(which), engine.observation.size)
    assert seen.dtype == np.uint8
    assert (seen == tables.decisions(which).observe()).all()
    assert (seen == tables.observe(which, tables.seat[which])).all()
    assert sum(feature.size for feature in engine.observation.features) == engine.observation.size


def _after(tables: Tables, steps: int) -> Tables:
    """The tables after so many random steps."""
    for _ in range(steps):
        step(tables)
    return tables


@pytest.mark.parametrize("name", game_names())
def test_what_seats_know_of_hidden_hands_is_true(name: str) -> None:
    """The hands that there are satisfy what every seat concludes; nobody needs to see them to count the cards."""
    engine = game(name).engine()
    for steps in (3, 12, 30):
        tables = _after(engine.tables(match_keys(TABLES, 6)), steps)
        while not (which := tables.playing()).size:
            step(tables)
        for seat in range(len(engine.teams)):
            seats = np.full(len(which), seat, np.int8)
            hidden, others = tables.hidden(which, seats), tables.others(which, seats)
            assert others.shape[:2] == (len(which), len(engine.teams) - 1)
            assert hidden.consistent(others).all()
            assert (hidden.at_most.sum(axis=1) >= hidden.unseen).all()
            hints = tables.hints(which, seats)
            assert hints.shape == others.shape
            assert np.isfinite(hints).all()
        decisions, hidden = tables.decisions(which), tables.hidden(which)
        assert (decisions.hidden().at_least == hidden.at_least).all()
        assert (decisions.hidden().at_most == hidden.at_most).all()
        assert (decisions.hints() == tables.hints(which)).all()
        assert (engine.symmetries[0] == np.arange(others.shape[2])).all()
        assert (np.sort(engine.symmetries, axis=1) == engine.symmetries[0]).all()


@pytest.mark.parametrize("name", game_names())
def test_tables_can_be_saved(name: str) -> None:
    """Tables with the arrays of others go on as those do."""
    engine = game(name).engine()
    tables, copy = _after(engine.tables(match_keys(TABLES, 6)), 25), _after(engine.tables(match_keys(TABLES, 9)), 7)
    for array, other in zip(tables.arrays().values(), copy.arrays().values(), strict=True):
        other[...] = array
    for room in (tables, copy):
        _after(room, 150)
    ours, theirs = tables.arrays(), copy.arrays()
    assert set(ours) == set(theirs)
    assert all(np.array_equal(ours[key], theirs[key]) for key in ours)
    assert np.array_equal(tables.observe(tables.playing()), copy.observe(tables.playing()))


@pytest.mark.parametrize("name", game_names())
def test_nothing_is_left_after_the_last_play(name: str) -> None:
    """It takes no more plays exactly where a move lays down the whole hand."""
    engine = game(name).engine()
    tables = _after(engine.tables(match_keys(TABLES, 6)), 10)
    which = tables.playing()
    decisions = tables.decisions(which)
    lists = decisions.moves()
    held = tables.observe(which)[:, engine.observation["hand"]].sum(axis=1, dtype=np.int64)
    laid = (lists.cards != 255).sum(axis=1)
    try:
        left = engine.plays_left(decisions, lists)
    except GameError as says:
        pytest.skip(str(says))
    assert ((left == 0) == (laid == held[lists.decision])).all()
    assert (left <= held[lists.decision] - laid).all()


@pytest.mark.parametrize("name", game_names())
def test_what_the_preferences_are_told_is_what_they_judge_by(name: str) -> None:
    """The circuit of all inputs agrees with the halves that agents use; who believes nothing is as one without."""
    engine = game(name).engine()
    judge = engine.judge()
    circuit = judge.kb.circuit("cost/2")
    place = {atom: row for row, atom in enumerate(judge.kb.input_atoms)}
    wanted = [place[atom] for atom in circuit.inputs]
    for choice in of_all_kinds(engine, 20, seed=3):
        lists, guess = choice.moves(), engine.sample_estimate(choice, seed=4)
        assert (judge.costs(choice, lists)[0] == judge.costs(choice, lists, np.zeros_like(guess))[0]).all()
        for estimate in (None, guess):
            told = judge.facts(choice, lists, estimate)
            assert told.shape == (len(place), len(lists.form))
            costs, consistent = judge.costs(choice, lists, estimate)
            assert (scores(circuit, evaluate(circuit, told[wanted])) == costs).all()
            assert consistent.all()
        kept, adopted = engine.adopt(choice)
        assert kept.all()
        assert (adopted.moves().cards == lists.cards).all()


@pytest.mark.parametrize("name", game_names())
def test_preferences_are_compiled_once(name: str) -> None:
    engine = game(name).engine()
    judge = engine.judge()
    assert engine.judge() is judge
    name, group = next(iter(judge.preferences().items()))
    assert engine.judge(without=[group]) is engine.judge(without=(group,)) is not judge
    assert {*judge.preferences()} - {*engine.judge(without=[name]).preferences()} == {name}

"""Tests of the order of moves: consistent, then likely, then cheap, then early in wire order."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abl_cards.core import ErrorCode, GameError
from abl_cards.games.game import load
from abl_cards.games.sampling import sample_estimate
from abl_cards.games.types.moves import MoveLists
from abl_cards.matches.sampled_positions import sample_exchanges
from abl_cards.reasoners.abduction.minimiser import Minimiser


@dataclass(frozen=True)
class FixedCostModel:
    """Preference model with a given cost and consistency of every candidate."""

    cost: Any = None
    consistent: Any = None
    kb: Any = None
    outputs: tuple = ()

    def costs(self, decisions: Any, lists: MoveLists, estimate: Any = None) -> tuple[np.ndarray, np.ndarray]:
        n = len(lists.form)
        cost = np.zeros(n, np.int32) if self.cost is None else self.cost(lists)
        return cost, np.ones(n, bool) if self.consistent is None else self.consistent(lists)

    def preferences(self, estimated: bool = False) -> Any:
        raise NotImplementedError

    def evaluate(self, decisions: Any, lists: MoveLists, estimate: Any = None) -> Any:
        raise NotImplementedError

    def inputs(self, decisions: Any, lists: MoveLists, estimate: Any = None) -> Any:
        raise NotImplementedError


def test_ties_go_to_wire_order() -> None:
    decisions = load("guandan").engine().sample_decisions(200, seed=3)
    lists = decisions.moves()
    best = Minimiser(FixedCostModel()).best(decisions)
    first = lists.select(lists.start[:-1])
    assert (best.form == first.form).all()
    assert (best.cards == first.cards).all()


def test_order_is_by_consistency_then_cost() -> None:
    decisions = load("guandan").engine().sample_decisions(200, seed=4)
    lists = decisions.moves()
    random = np.random.default_rng(0)
    cost = random.integers(-5, 5, len(lists.form)).astype(np.int32)
    consistent = random.random(len(lists.form)) < 0.5
    order = Minimiser(FixedCostModel(lambda _: cost, lambda _: consistent)).order(decisions, lists)
    for row in range(200):
        span = range(lists.start[row], lists.start[row + 1])
        expected = sorted(span, key=lambda move: (not consistent[move], cost[move], move))
        assert order[lists.start[row] : lists.start[row + 1]].tolist() == expected


def test_realise_returns_the_most_probable_consistent_label() -> None:
    """Section 2.4: try labels by probability, each only if the earlier ones have no consistent move."""
    decisions = load("guandan").engine().sample_decisions(200, seed=5)
    lists = decisions.moves()
    random = np.random.default_rng(1)
    probabilities = random.random((200, len(decisions.legal_mask)))
    cost = random.integers(0, 3, len(lists.form)).astype(np.int32)
    consistent = random.random(len(lists.form)) < 0.3
    moves = Minimiser(FixedCostModel(lambda _: cost, lambda _: consistent)).realise(decisions, probabilities)
    for row in range(200):
        span = range(lists.start[row], lists.start[row + 1])
        of = {move: probabilities[row, decisions.labels_of(lists.form[[move]])[0]] for move in span}
        choice = min(span, key=lambda move: (not consistent[move], -of[move], cost[move], move))
        assert moves.cards[row].tolist() == lists.cards[choice].tolist()
        assert moves.form[row] == lists.form[choice]


def test_every_method_passes_the_estimate_to_the_preferences() -> None:
    """Pass the estimate of the other hands to the preference model from every method."""
    engine = load("guandan").engine()
    decisions = engine.sample_decisions(30, seed=6)
    estimate, estimates = sample_estimate(engine.rules, decisions, seed=6), []

    @dataclass(frozen=True)
    class EstimateRecorder(FixedCostModel):
        def costs(self, decisions: Any, lists: MoveLists, estimate: Any = None) -> tuple[np.ndarray, np.ndarray]:
            estimates.append(estimate)
            return super().costs(decisions, lists)

    minimiser, given = Minimiser(EstimateRecorder()), sample_exchanges(engine, 20, seed=6)
    assert given is not None
    minimiser.best(decisions, estimate)
    minimiser.realise(decisions, np.ones((30, len(decisions.legal_mask))), estimate)
    minimiser.realise_labels(decisions, decisions.legal_mask.argmax(axis=0).astype(np.int16), estimate)
    minimiser.choose(given, estimate)
    assert len(estimates) == 4
    assert all(received is estimate for received in estimates)
    minimiser.best(decisions)
    assert estimates[-1] is None


def test_ordering_in_parts_equals_ordering_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = load("guandan").engine()
    decisions, preferences = engine.sample_decisions(60, seed=5), Minimiser(engine)
    likely = np.random.default_rng(2).random((60, len(engine.labels)))
    whole = preferences.best(decisions), preferences.realise(decisions, likely)
    for moves in (1, 100, 2000):  # one decision at a time, some, and most of them
        monkeypatch.setattr("abl_cards.reasoners.abduction.minimiser._MAX_MOVES_PER_SORT", moves)
        parts = preferences.best(decisions), preferences.realise(decisions, likely)
        for one, other in zip(whole, parts, strict=True):
            assert np.array_equal(one.form, other.form)
            assert np.array_equal(one.cards, other.cards)


def test_constructor_accepts_games_engines_and_preferences() -> None:
    game = load("president")
    decisions = game.engine().sample_decisions(50, seed=8)
    file = game.directory / "preferences.lp"
    minimisers = [
        Minimiser(game), Minimiser("president"), Minimiser(game.engine()), Minimiser(game.engine().preference_model()),
        Minimiser(game, file), Minimiser(game, game.directory), Minimiser(game.engine(), str(file)),
    ]  # fmt: skip
    best = [minimiser.best(decisions).cards.tolist() for minimiser in minimisers]
    assert all(cards == best[0] for cards in best)


def test_constructor_accepts_a_preference_file(tmp_path: Path) -> None:
    """Use the file instead of preferences.lp; without preferences, ties go to the first move."""
    game = load("president")
    decisions = game.engine().sample_decisions(50, seed=8)
    file = tmp_path / "mine.lp"
    file.write_text("% no preferences\n", "utf-8")
    lists = decisions.moves()
    assert Minimiser(game, file).best(decisions).cards.tolist() == lists.cards[lists.start[:-1]].tolist()
    assert Minimiser(game).best(decisions).cards.tolist() != lists.cards[lists.start[:-1]].tolist()


def test_invalid_constructor_arguments_raise(tmp_path: Path) -> None:
    game = load("president")
    for preferences in ("no-such-folder", tmp_path / "no-such-file.lp"):
        with pytest.raises(GameError) as error:
            Minimiser(game, preferences)
        assert error.value.code == ErrorCode.FILE_NOT_READABLE
    with pytest.raises(GameError) as error:
        Minimiser(game, profile="nowhere")
    assert error.value.code == ErrorCode.UNKNOWN_PROFILE
    with pytest.raises(TypeError):
        Minimiser(game.engine(), profile="nowhere")
    with pytest.raises(TypeError):
        Minimiser(game.engine().preference_model(), exclude=["leading"])
    decisions = game.engine().sample_decisions(5, seed=8)
    with pytest.raises(GameError) as error:
        Minimiser(game).realise(decisions, np.ones((5, 3)))
    assert error.value.code == ErrorCode.INVALID_VALUE


def test_realise_rejects_invalid_probabilities_and_labels() -> None:
    """Refuse NaN, which sorts last and let the cheapest label win; order by integers of any type."""
    game = load("president")
    decisions = game.engine().sample_decisions(5, seed=8)
    minimiser, shape = Minimiser(game), decisions.legal_mask.T.shape
    for probabilities in (np.full(shape, np.nan), np.ones(shape, complex), None):
        with pytest.raises(GameError) as error:
            minimiser.realise(decisions, probabilities)  # type: ignore[arg-type]
        assert error.value.code == ErrorCode.INVALID_VALUE
    ranks = np.random.default_rng(0).permuted(np.tile(np.arange(shape[1]), (5, 1)), axis=1)
    expected = minimiser.realise(decisions, ranks.astype(np.float32)).cards.tolist()
    for given in (ranks.astype(np.uint8), ranks, ranks.tolist()):
        assert minimiser.realise(decisions, given).cards.tolist() == expected  # type: ignore[arg-type]
    illegal = (decisions.legal_mask == 0).argmax(axis=0)
    wrong: list[Any] = [illegal[:2], np.full(5, -1), illegal.astype(float), None, np.full(5, 10_000)]
    for labels, code in [(illegal, ErrorCode.ILLEGAL_MOVE), *((labels, ErrorCode.INVALID_VALUE) for labels in wrong)]:
        with pytest.raises(GameError) as error:
            minimiser.realise_labels(decisions, labels)
        assert error.value.code == code
    with pytest.raises(GameError) as error:
        Minimiser(game, exclude="structure")
    assert error.value.code == ErrorCode.INVALID_VALUE


@pytest.mark.parametrize("keys", [[1.5], [-1], 5, None, [[1, 2]], ["1"]])
def test_invalid_match_keys_raise(keys: object) -> None:
    with pytest.raises(GameError) as error:
        load("president").engine().start_matches(keys)  # type: ignore[arg-type]
    assert error.value.code == ErrorCode.INVALID_VALUE


@pytest.mark.parametrize("game", [3, None, [], Path("no-such-folder")])
def test_what_is_no_game_is_rejected(game: Any) -> None:
    with pytest.raises(GameError) as error:
        Minimiser(game)
    assert error.value.code == ErrorCode.UNKNOWN_GAME
    preferences: Any = game or 3
    with pytest.raises(GameError, match="preferences") as error:
        Minimiser("president", preferences=preferences)
    assert error.value.code in (ErrorCode.INVALID_VALUE, ErrorCode.FILE_NOT_READABLE)


def test_rule_folder_can_be_given_by_path() -> None:
    assert repr(Minimiser(load("president").directory)) == repr(Minimiser("president"))


def test_estimates_and_probabilities_of_another_form_are_named() -> None:
    engine = load("guandan").engine()
    decisions = engine.sample_decisions(4, seed=8)
    estimate, minimiser = sample_estimate(engine.rules, decisions, seed=6), Minimiser(engine)
    wrong: list[Any] = [
        estimate[:2],
        estimate[:, :1],
        estimate * np.nan,
        estimate.astype(str),
        1,
        "x",
        estimate.tolist()[:1],
    ]
    for given in wrong:
        with pytest.raises(GameError, match="estimate") as error:
            minimiser.best(decisions, given)
        assert error.value.code == ErrorCode.INVALID_VALUE
    assert np.array_equal(minimiser.best(decisions, estimate.tolist()).cards, minimiser.best(decisions, estimate).cards)
    lists = decisions.moves()
    wrong = [np.zeros(3), np.zeros((4, len(engine.labels))), "x", []]
    for probabilities in wrong:
        with pytest.raises(GameError, match="probabilities") as error:
            minimiser.order(decisions, lists, probabilities)
        assert error.value.code == ErrorCode.INVALID_VALUE


def test_plays_are_no_choices_and_choices_no_plays() -> None:
    """For plays ``choose`` returned the first card of the cheapest move of each, as if it were an option."""
    engine = load("guandan").engine()
    plays, choices, minimiser = (
        engine.sample_decisions(3, seed=1),
        sample_exchanges(engine, 3, seed=1),
        Minimiser(engine),
    )
    others: tuple[Any, ...] = (None, 3, plays.moves(), [plays])
    for wrong in (*others, choices):
        calls = (
            partial(minimiser.best, wrong),
            partial(minimiser.realise_labels, wrong, np.zeros(3, np.int16)),
            partial(minimiser.realise, wrong, np.zeros((3, len(engine.labels)))),
        )
        for call in calls:
            with pytest.raises(GameError) as error:
                call()
            assert error.value.code == ErrorCode.INVALID_VALUE
    for wrong in (*others, plays):
        with pytest.raises(GameError) as error:
            minimiser.choose(wrong)
        assert error.value.code == ErrorCode.INVALID_VALUE


def test_no_decisions_have_no_moves() -> None:
    decisions = load("guandan").engine().sample_decisions(0, seed=1)
    none: Any = []
    assert decisions.first_moves(none).form.shape == (0,)
    assert decisions.moves(none).form.shape == (0,)


def test_decisions_of_another_game_are_refused() -> None:
    """Options were chosen by inputs of other fluents, and labels read beyond the end of arrays."""
    minimiser = Minimiser("president")
    play, choice = (load(game).engine().start_matches(np.zeros(1, np.uint64)) for game in ("paodekuai", "hearts"))
    rows = np.zeros(1, np.int64)
    decisions, choices = play.decisions(rows), choice.choices(rows)
    labels = decisions.legal_mask.argmax(axis=0).astype(np.int16)
    calls: tuple[Any, ...] = (
        partial(minimiser.best, decisions),
        partial(minimiser.realise_labels, decisions, labels),
        partial(minimiser.order, decisions, decisions.moves()),
        partial(minimiser.choose, choices),
        partial(minimiser.preference_model.inputs, choices, choices.moves()),
    )
    for call in calls:
        with pytest.raises(GameError) as error:
            call()
        assert error.value.code == ErrorCode.AGENT_NOT_APPLICABLE

"""``deal``: deals as hard as wanted, for matches in which everybody has it equally hard; ``strength`` of a hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from abl_cards.cli.console import (
    MAX_SEED,
    AsJson,
    GameName,
    Profile,
    RuleFolder,
    check_finite,
    fail,
    fail_usage,
    find_game,
    list_game_names,
    load_engine,
    print_json,
    print_table,
    show_progress,
)

if TYPE_CHECKING:
    from abl_cards.hand_analysis import DealRules

MAX_DEALS = 100_000
_MAX_SHOWN = 20  # rows of a table at a terminal, where the deals go to a file
WeightsFile = Annotated[
    Path | None,
    typer.Option("--weights", metavar="FILE", help="Of a run of doudizhu_strength; default: those shipped."),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (deal, strength):
        app.command()(command)


def deal(
    game_name: GameName,
    wanted: Annotated[
        int, typer.Option("--class", metavar="C", min=0, max=4, help="0 hardest for the landlord, 4 easiest.")
    ],
    number: Annotated[int, typer.Option("--n", metavar="N", min=1, max=MAX_DEALS, help="How many deals.")] = 10,
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence",
            metavar="P",
            min=0,
            max=1,
            callback=check_finite,
            help="The least probability of the class.",
        ),
    ] = 0.9,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="S",
            min=0,
            max=MAX_SEED,
            help="The same seed gives the same deals; default: a secret one.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the deals here: .jsonl or .jsonl.gz.")
    ] = None,
    unlike: Annotated[
        list[Path] | None,
        typer.Option("--unlike", metavar="FILE", help="Deals that are known already; may be repeated."),
    ] = None,
    weights: WeightsFile = None,
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Make complete deals of a class of difficulty: a set of duplicate deals that no contestant has seen.

    A network says how likely a deal is of each class; the knowledge base says what a deal is. The seed decides
    everything: keep it to yourself until the contest is over. Without one, a secret one is drawn and told on stderr.

        abl-cards deal doudizhu --class 2 --n 100 --seed 7 --out deals.jsonl

        abl-cards match doudizhu kb greedy --deals deals.jsonl

    --json prints the deals, one a line: {"class","confidence","landlord","down","up","bottom"}.
    """
    from abl_cards.core import secret_seed
    from abl_cards.hand_analysis import DealRequest, generate_deals
    from abl_cards.matches import write_records

    engine = _load_rules(game_name, directory, profile)
    if seed is None:
        seed = secret_seed()
        typer.echo(f"seed {seed}", err=True)
    judge = _load_network(engine, weights)
    order = DealRequest(wanted, number, confidence, seed, _read_deal_ids(engine, unlike or []))
    with show_progress("dealing", number) as tell:
        deals = generate_deals(engine, judge, order, tell)
    if out:
        write_records(out, deals)
    if as_json:
        for each in deals:
            print_json(each)
        return
    _print_deals(deals, engine.get_class_names()[wanted], len(deals) if out is None else _MAX_SHOWN)
    if out:
        typer.echo(f"{len(deals)} deals of class {wanted} in {out}")


def strength(
    hands: Annotated[
        list[str],
        typer.Argument(metavar="HAND [DOWN UP]", help="A hand, or all three of a deal, the landlord's first."),
    ],
    game_name: Annotated[
        str, typer.Option("--game", metavar="GAME", help=f"The game: {list_game_names()}.")
    ] = "doudizhu",
    weights: WeightsFile = None,
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Say what a hand is worth: split for the fewest plays, each group worth points by the knowledge base.

    Of a landlord's hand, and of a whole deal, the probability of each class of difficulty is said too.

        abl-cards strength 334466788999TTTQKKKX

    --json prints {"hands","classes"}: each hand with {"hand","points","plays","groups"}, and the probabilities or null.
    """
    from abl_cards.core import GameError
    from abl_cards.games.min_plays import read_key
    from abl_cards.hand_analysis import analyse_hand, predict_class_probabilities

    engine = _load_rules(game_name, directory, profile)
    if len(hands) not in (1, 3):
        fail_usage("one hand, or the three of a deal")
    try:
        keys = [read_key(engine.deal_sampler.letters, text) for text in hands]
        if not all(keys):
            raise GameError("a hand has cards")
        odds = None
        if len(keys) == 3 or len(hands[0]) == engine.deal_sampler.hand_sizes[0]:
            odds = predict_class_probabilities(engine, _load_network(engine, weights), keys)
    except GameError as problem:
        fail(problem)
    told = [analyse_hand(engine, key) for key in keys]
    if as_json:
        print_json({"hands": told, "classes": None if odds is None else [round(each, 4) for each in odds]})
        return
    for each in told:
        _print_hand(each)
    if odds is not None:
        words = engine.get_class_names()
        print_table(
            ("class", "for the landlord", "probability"),
            [(str(number), words[number], f"{share:.1%}") for number, share in enumerate(odds)], right_aligned=(2,),
        )  # fmt: skip


def _load_rules(game_name: str, directory: Path | None, profile: str | None) -> DealRules:
    from abl_cards.core import GameError
    from abl_cards.hand_analysis import DealRules

    engine = load_engine(find_game(game_name), directory, profile)
    try:
        return DealRules.from_engine(engine)
    except GameError as problem:
        fail_usage(f"{problem}; doudizhu has")


def _load_network(engine: DealRules, weights: Path | None) -> Any:
    from abl_cards.hand_analysis import find_classifier_weights, load_classifier

    return load_classifier(engine.game, engine.hand_scorer, find_classifier_weights(engine.game, weights))[0]


def _read_deal_ids(engine: DealRules, files: list[Path]) -> frozenset[str]:
    """The names of the deals in some files."""
    from abl_cards.core import GameError
    from abl_cards.hand_analysis import deal_id
    from abl_cards.matches import normalise_records, read_records

    names: set[str] = set()
    for file in files:
        try:
            deals = engine.read_deals(normalise_records(engine.engine, read_records(file)))
        except GameError as problem:
            fail(f"{file}: {problem}")
        names |= {deal_id(deals, row) for row in range(len(deals.bottom_keys))}
    return frozenset(names)


def _print_deals(deals: list[dict[str, Any]], word: str, most: int) -> None:
    print_table(
        ("class", "", "confidence", "landlord", "down", "up", "bottom"),
        [
            (
                str(each["class"]),
                word,
                f"{each['confidence']:.3f}",
                *(each[part] for part in ("landlord", "down", "up", "bottom")),
            )
            for each in deals[:most]
        ],
        right_aligned=(2,),
    )
    if len(deals) > most:
        typer.echo(f"… {len(deals) - most} more")


def _print_hand(told: dict[str, Any]) -> None:
    typer.echo(f"{told['hand']}: {told['points']:g} points, {told['plays']} plays")
    print_table(
        ("cards", "group", "points"),
        [(each["cards"], each["label"], f"{each['points']:g}") for each in told["groups"]],
        right_aligned=(2,),
    )

"""The commands ``deal`` and ``strength``: deals of a difficulty class for duplicate matches, and values of hands."""

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
    check_output_file,
    fail_usage,
    find_game,
    list_game_names,
    load_engine,
    path_option,
    print_json,
    print_table,
)
from abl_cards.cli.progress import show_progress
from abl_cards.core import format_count

if TYPE_CHECKING:
    from abl_cards.hand_analysis import DealRules

MAX_DEALS = 100_000
_MAX_SHOWN = 20  # printed rows, if the deals are written to a file
WeightsFile = Annotated[
    Path | None,
    path_option(
        "--weights", metavar="FILE", help="Weights of experiment doudizhu_strength; default: the shipped ones."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (deal, strength):
        app.command()(command)


def deal(
    game_name: GameName,
    deal_class: Annotated[
        int, typer.Option("--class", metavar="C", min=0, max=4, help="0: hardest for the landlord; 4: easiest.")
    ],
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, max=MAX_DEALS, help="Number of deals.")] = 10,
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence",
            metavar="P",
            min=0,
            max=1,
            callback=check_finite,
            help="Least probability of the class.",
        ),
    ] = 0.9,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="S",
            min=0,
            max=MAX_SEED,
            help="Random seed; default: a secret one.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        path_option(
            "--out",
            metavar="FILE",
            callback=check_output_file,
            help="Write the deals to this file: .jsonl or .jsonl.gz.",
        ),
    ] = None,
    exclude: Annotated[
        list[Path] | None,
        path_option("--exclude", metavar="FILE", help="Exclude the deals of this file; may be repeated."),
    ] = None,
    weights: WeightsFile = None,
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Generate complete deals of a difficulty class, as new duplicate deals for a contest.

    A network estimates the class probabilities of deals that the knowledge base allows. The seed determines all deals:
    keep it secret until the contest is over. Without --seed a secret one is drawn and printed on stderr.

        abl-cards deal doudizhu --class 2 --count 100 --seed 7 --out deals.jsonl
        abl-cards match doudizhu kb greedy --deals deals.jsonl

    --json prints the deals, one per line: {"class","confidence","landlord","down","up","bottom"}.
    """
    from abl_cards.core import secret_seed
    from abl_cards.hand_analysis import DealRequest, generate_deals, read_deal_ids
    from abl_cards.matches import write_records

    engine = _load_rules(game_name, directory, profile)
    if seed is None:
        seed = secret_seed()
        typer.echo(f"seed {seed}", err=True)
    classifier = _load_network(engine, weights)
    excluded = frozenset(name for file in exclude or [] for name in read_deal_ids(engine, file))
    request = DealRequest(deal_class, count, confidence, seed, excluded)
    with show_progress("dealing", count) as show:
        deals = generate_deals(engine, classifier, request, show)
    if out:
        write_records(out, deals)
    if as_json:
        for record in deals:
            print_json(record)
        return
    _print_deals(deals, engine.get_class_names()[deal_class], len(deals) if out is None else _MAX_SHOWN)
    if out:
        typer.echo(f"{format_count(len(deals), 'deal')} of class {deal_class} in {out}")


def strength(
    hands: Annotated[
        list[str],
        typer.Argument(metavar="HAND [DOWN UP]", help="A hand, or the three hands of a deal, the landlord's first."),
    ],
    game_name: Annotated[str, typer.Option("--game", metavar="GAME", help=f"Game: {list_game_names()}.")] = "doudizhu",
    weights: WeightsFile = None,
    directory: RuleFolder = None,
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Rate a hand: split it into the fewest plays, and sum the points of the groups by the knowledge base.

    A landlord's hand and a whole deal are also rated by the probability of each difficulty class.

        abl-cards strength 334466788999TTTQKKKX

    --json prints {"hands","classes"}: each hand with {"hand","points","plays","groups"}, and the probabilities or null.
    """
    from abl_cards.core import ErrorCode, GameError
    from abl_cards.games.min_plays import read_key
    from abl_cards.hand_analysis import analyse_hand, predict_class_probabilities

    engine = _load_rules(game_name, directory, profile)
    if len(hands) not in (1, 3):
        given = ", ".join(hands)
        fail_usage(f"give one hand, or the three hands of a deal, each one argument, not {len(hands)}: {given}")
    keys = [read_key(engine.deal_sampler.letters, text) for text in hands]
    if not all(keys):
        raise GameError("a hand has at least one card", ErrorCode.INVALID_VALUE)
    probabilities = None
    if len(keys) == 3 or len(hands[0]) == engine.deal_sampler.hand_sizes[0]:
        probabilities = predict_class_probabilities(engine, _load_network(engine, weights), keys)
    analyses = [analyse_hand(engine, key) for key in keys]
    if as_json:
        classes = None if probabilities is None else [round(probability, 4) for probability in probabilities]
        print_json({"hands": analyses, "classes": classes})
        return
    for analysis in analyses:
        _print_hand(analysis)
    if probabilities is not None:
        names = engine.get_class_names()
        print_table(
            ("class", "for the landlord", "probability"),
            [(str(index), names[index], f"{share:.1%}") for index, share in enumerate(probabilities)],
            right_aligned=(2,),
        )


def _load_rules(game_name: str, directory: Path | None, profile: str | None) -> DealRules:
    from abl_cards.core import GameError
    from abl_cards.hand_analysis import DealRules

    engine = load_engine(find_game(game_name), directory, profile)
    try:
        return DealRules.from_engine(engine)
    except GameError as problem:
        fail_usage(f"{problem}; doudizhu has them")


def _load_network(engine: DealRules, weights: Path | None) -> Any:
    from abl_cards.hand_analysis import find_classifier_weights, load_classifier

    return load_classifier(engine.game, engine.hand_scorer, find_classifier_weights(engine.game, weights))[0]


def _print_deals(deals: list[dict[str, Any]], class_name: str, max_shown: int) -> None:
    print_table(
        ("class", "", "confidence", "landlord", "down", "up", "bottom"),
        [
            (
                str(record["class"]),
                class_name,
                f"{record['confidence']:.3f}",
                *(record[part] for part in ("landlord", "down", "up", "bottom")),
            )
            for record in deals[:max_shown]
        ],
        right_aligned=(2,),
    )
    if len(deals) > max_shown:
        typer.echo(f"… {len(deals) - max_shown} more")


def _print_hand(analysis: dict[str, Any]) -> None:
    points, plays = format_count(analysis["points"], "point"), format_count(analysis["plays"], "play")
    typer.echo(f"{analysis['hand']}: {points}, {plays}")
    print_table(
        ("cards", "group", "points"),
        [(group["cards"], group["label"], f"{group['points']:g}") for group in analysis["groups"]],
        right_aligned=(2,),
    )

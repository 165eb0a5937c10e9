"""The option --ray with and without an address."""

import sys

import pytest
import typer
from typer.testing import CliRunner

from abl_cards.cli.ray_option import LOCAL_ADDRESS, RayAddress, RayCommand
from tests.cli_runs import run

app = typer.Typer()


@app.command(cls=RayCommand)
def played(game: str, ray: RayAddress = None, quick: bool = False) -> None:
    """Print the parsed options."""
    typer.echo(f"{game} {ray} {quick}")


@pytest.mark.parametrize(
    ("words", "understood"),
    [
        ("whist", "whist None False"),
        ("whist --ray", f"whist {LOCAL_ADDRESS} False"),
        ("--ray whist", f"whist {LOCAL_ADDRESS} False"),
        ("whist --ray --quick", f"whist {LOCAL_ADDRESS} True"),
        ("whist --ray 10.0.0.1:6379 --quick", "whist 10.0.0.1:6379 True"),
        ("--ray=10.0.0.1:6379 whist", "whist 10.0.0.1:6379 False"),
        ("--ray auto whist", "whist auto False"),
    ],
)
def test_address_is_optional(words: str, understood: str) -> None:
    assert CliRunner().invoke(app, words.split()).stdout.strip() == understood


def test_missing_ray_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    result = run("match", "president", "kb", "greedy", "--games", "2", "--ray")
    assert result.exit_code == 1
    assert "pip install 'abl-cards[cluster]'" in result.stderr

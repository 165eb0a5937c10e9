"""Jobs of the rule laboratory: cases, mutations, balance, coverage, matches by other weights."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the page needs starlette: pip install 'abl-cards[web]'")

from tests.effort import amount
from tests.web.conftest import Page
from tests.web.labs import open_lab, post, run_job

Within = Callable[..., Any]


def test_rules_text_balance_and_coverage_jobs(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, _ = await open_lab(page)
        english = (await post(page, lab, "words"))["sections"]
        chinese = (await post(page, lab, "words", language="zh"))["sections"]
        assert english[0]["lines"][0].startswith("4 seats")
        assert chinese[0]["lines"][0].startswith("4家")
        games = amount(6, 20)
        job = await run_job(page, lab, "balance", games=games, player="greedy")
        before, after = job["result"]["balance"]
        assert before == after
        assert job["done"] == job["total"] == 2 * games
        await post(page, lab, "write", name="more.lp", text="never(R) :- held(R,4), held(R,1), not held(R,2).")
        coverage = (await run_job(page, lab, "coverage", games=amount(2, 6)))["result"]
        assert [rule["file"] for rule in coverage["silent"] if rule["own"]] == ["more.lp"]

    with_page(play)


def test_cases_job_reports_cases_broken_by_an_edit(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, session = await open_lab(page)
        assert {"name": "cases.jsonl", "own": False} in session["files"]
        job = await run_job(page, lab, "cases")
        assert (job["state"], job["result"]["wrong"]) == ("done", 0)
        assert job["result"]["cases"] == job["done"] == job["total"] > 20
        await post(page, lab, "write", name="more.lp", text="barred(set(R,2)) :- rank(R).")
        job = await run_job(page, lab, "cases")
        assert job["result"]["wrong"] > 0
        assert job["result"]["first"][0]["said"]
        await post(page, lab, "write", name="cases.jsonl", text='{"state": {"hand": ["S5"]}, "labels": ["set(5,1)"]}\n')
        assert (await run_job(page, lab, "cases"))["result"] == {"cases": 1, "wrong": 0, "first": []}
        (wrong,) = (await post(page, lab, "typed", name="cases.jsonl", text='{"words": {}}\n{"x": 1}'))["problems"]
        assert wrong["line"] == 2
        assert wrong["text"]
        await post(page, lab, "write", name="more.lp", text="x(R) :- hold(R,1).")
        job = await run_job(page, lab, "cases")
        assert (job["state"], "hold/2" in job["problem"]) == ("failed", True)

    with_page(play)


@pytest.mark.usefixtures("edits_in_process")
def test_mutations_job_lists_undetected_edits(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, _ = await open_lab(page)
        job = await run_job(page, lab, "mutations", edits=1)
        assert (job["result"]["parents"], job["result"]["edits"]) == (True, 1)
        await post(page, lab, "write", name="more.lp", text="barred(set(R,4)) :- R < 4, rank(R).")
        job = await run_job(page, lab, "mutations", edits=2)
        assert job["state"] == "done", job
        assert (job["result"]["edits"], job["total"]) == (2, 2)
        assert all(edit["edit"].startswith(("more.lp:1", "variant.lp")) for edit in job["result"]["left"])

    with_page(play)


def test_weights_change_decisions_and_are_written(with_page: Within) -> None:
    async def play(page: Page) -> None:
        lab, _ = await open_lab(page)
        known = {preference["name"]: preference for preference in (await post(page, lab, "weights"))["preferences"]}
        assert known["break_set"]["weights"] == [4]
        assert known["break_set"]["words"] == ["Do not break the 4 cards of 3–2.", "不要拆4张3–2。"]
        state = {"hand": ["S5", "H5", "C9"], "to_beat": ["D3"]}
        same = await post(page, lab, "weigh", factors={}, states=[state, {"hand": ["ZZ"]}])
        assert not same["decisions"][0]["changed"]
        assert "ZZ" in same["decisions"][1]["problem"]
        factors = {"break_set": -4, "lead_low": 0, "go_out": 1}
        (decision,) = (await post(page, lab, "weigh", factors=factors, states=[state]))["decisions"]
        assert decision["changed"]
        texts = [move["text"] for move in decision["moves"]]
        assert decision["before"] in texts
        assert decision["now"] == texts[0]
        assert (await post(page, lab, "reweigh", factors=factors))["changed"] == ["preferences.lp"]
        known = {preference["name"]: preference for preference in (await post(page, lab, "weights"))["preferences"]}
        assert known["break_set"]["weights"] == [-16]
        (again,) = (await post(page, lab, "weigh", factors={}, states=[state]))["decisions"]
        assert again["moves"] == decision["moves"]
        assert (await page.post(lab, {"do": "reweigh", "factors": {"nothing": 2}})).status == 400
        await post(page, lab, "revert", name="preferences.lp")
        job = await run_job(page, lab, "match", games=24, factors={"plays_to_go": -1, "go_out": 0})
        assert job["result"]["games"] == 24
        assert job["result"]["low"] <= job["result"]["rate"] <= job["result"]["high"] < 0.6
        job = await run_job(page, lab, "ablation", games=8)
        assert {row["name"] for row in job["result"]} == set(known)
        assert [row["rate"] for row in job["result"]] == sorted(row["rate"] for row in job["result"])
        job = (await post(page, lab, "begin", what="match", games=4000, factors={"lead_low": 2}))["job"]
        await post(page, lab, "stop")
        while (job := (await post(page, lab, "job"))["job"])["state"] in ("waiting", "working"):
            await asyncio.sleep(0.02)
        assert job["state"] == "stopped"

    with_page(play)

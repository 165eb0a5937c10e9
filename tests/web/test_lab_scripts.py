"""Tests of the rules notebook's functions without a browser, by node; skipped without it."""

from typing import Any

from tests.web.test_scripts import run_script

NOTEBOOK = "import * as notebook from './lab/notebook.js';\n---\n"


def test_cells_are_added_moved_and_removed() -> None:
    found = run_script(
        NOTEBOOK
        + """const make = (kind) => notebook.makeCell(kind);
        const [a, b, c] = ['cases', 'balance', 'note'].map(make);
        let cells = notebook.insertCell(notebook.insertCell([a], b), c, 0);
        const kinds = () => cells.map((cell) => cell.kind);
        const seen = [kinds()];
        for (const [id, step] of [[c.id, 1], [c.id, 5], [a.id, -1], ['none', 1]]) {
          cells = notebook.moveCell(cells, id, step);
          seen.push(kinds());
        }
        cells = notebook.removeCell(cells, a.id);
        let many = [];
        for (let n = 0; n < 100; n += 1) many = notebook.insertCell(many, make('position'));
        const full = many.length;
        for (let n = 0; n < 100; n += 1) many = notebook.insertCell(many, make('note'));
        print([...seen, kinds(), full, many.length, new Set(many.map((cell) => cell.id)).size]);"""
    )
    assert found == [
        ["note", "cases", "balance"], ["cases", "note", "balance"], ["cases", "note", "balance"],
        ["cases", "note", "balance"], ["cases", "note", "balance"], ["note", "balance"], 24, 60, 60,
    ]  # fmt: skip


def test_results_are_stale_after_another_text_or_profile() -> None:
    found = run_script(
        NOTEBOOK
        + """const cell = (kind, changes) => ({ ...notebook.makeCell(kind), ...changes });
        const done = { result: {}, version: 'a', profile: '' };
        const now = { version: 'a', profile: '' };
        print([
          notebook.isStale(cell('cases', done), now),
          notebook.isStale(cell('cases', done), { ...now, version: 'b' }),
          notebook.isStale(cell('cases', done), { ...now, profile: 'x' }),
          notebook.isStale(cell('position', { ...done, version: null }), { ...now, version: null }),
          notebook.isStale(cell('weights', { ...done, version: 'z' }), now),
          notebook.isStale(cell('cases', {}), now),
          notebook.isDue(cell('cases', {}), now), notebook.isDue(cell('cases', done), now),
          notebook.isDue(cell('note', {}), now), notebook.isDue(cell('replay', {}), now),
        ]);"""
    )
    assert found == [False, True, True, True, False, False, True, False, False, False]


def test_stored_cells_are_restored_and_invalid_values_dropped() -> None:
    found = run_script(
        NOTEBOOK
        + """const kept = notebook.storedCells([
          { ...notebook.makeCell('balance', { games: 7 }), status: 'working', progress: [1, 2], result: { x: 1 } },
          { ...notebook.makeCell('cases'), status: 'failed' },
        ]);
        const back = notebook.restoredCells(JSON.parse(JSON.stringify(kept)));
        print([
          back.map(({ kind, status, progress, options }) => [kind, status, progress, options]),
          [null, 5, 'x', {}, [{}, { kind: 'nothing', options: {} }, { kind: 'cases', options: 4 }, null]].map(
            (value) => notebook.restoredCells(value).length,
          ),
          notebook.boundedOptions({ games: 1e9, seed: -3, edits: 'x', player: 'kb' }),
        ]);"""
    )
    assert found == [
        [["balance", "", None, {"games": 7, "seed": 0, "player": "kb"}], ["cases", "failed", None, {}]],
        [0, 0, 0, 0, 0],
        {"games": 4000, "seed": 0, "edits": 1, "player": "kb"},
    ]


def test_position_results_are_assigned_to_their_cells() -> None:
    found = run_script(
        NOTEBOOK
        + """const position = (hand) => notebook.makeCell('position', { state: { hand } });
        const cells = [position(['S5']), notebook.makeCell('cases'), position(['S6'])];
        const stamp = { version: 'a', profile: '' };
        const first = notebook.spreadPositions(cells, [{ after: 1 }, { after: 2 }], stamp);
        const asked = notebook.changeCell(first, first[0].id, { result: { after: 1, reasons: { now: {} } } });
        const same = notebook.spreadPositions(asked, [{ after: 1 }, { after: 3 }], { ...stamp, version: 'b' });
        print([first.map((cell) => cell.result), same.map((cell) => [cell.result, cell.version])]);"""
    )
    assert found == [
        [{"after": 1}, None, {"after": 2}],
        [[{"after": 1, "reasons": {"now": {}}}, "b"], [None, None], [{"after": 3}, "b"]],
    ]


def test_undo_and_redo_work_across_files() -> None:
    found = run_script(
        """import { changedFile, TextHistory } from './lab/text_history.js';
        ---
        const history = new TextHistory();
        const version = (name, files) => ({ version: name, files });
        const [a, b, c] = [version('a', {}), version('b', { 'x.lp': '1' }), version('c', { 'x.lp': '1', 'y.lp': '2' })];
        for (const item of [a, b, b, c]) history.add(item);
        const steps = [-1, -1, -1, 1].map((by) => history.step(by).version);
        const could = [history.canUndo, history.canRedo];
        history.add(version('d', {}));
        const after = [history.current.version, history.canRedo, changedFile(b, c)];
        for (let n = 0; n < 300; n += 1) history.add(version(`n${n}`, {}));
        print([steps, could, after, history.versions.length, history.current.version]);"""
    )
    assert found == [["b", "a", "a", "b"], [True, True], ["d", False, "y.lp"], 100, "n299"]


def test_jobs_run_in_sequence_and_can_be_stopped() -> None:
    found = run_script(
        """import { JobQueue, StoppedError } from './lab/job_queue.js';
        ---
        const log = [];
        let steps = 0;
        const call = async (action, { what } = {}) => {
          if (action === 'begin') { log.push(what); steps = 0; return { job: { state: 'waiting' } }; }
          if (action === 'stop') { log.push('stop'); return {}; }
          steps += 1;
          const state = log.at(-1) === 'stop' ? 'stopped' : log.at(-1) === 'bad' ? 'failed' : 'done';
          return { job: { state, result: log.at(-1), problem: 'broken', code: 'rules-stuck' } };
        };
        const queue = new JobQueue(call);
        const outcome = (promise) =>
          promise.catch((error) => (error instanceof StoppedError ? 'stopped' : [error.message, error.code]));
        const tasks = ['one', 'bad', 'later', 'last'].map((name) => outcome(queue.run(name, name, {}, () => {})));
        await queue.stop('later');
        await tasks[2];
        setTimeout(() => queue.stop('last'), 50);
        print([await Promise.all(tasks), log]);"""
    )
    assert found == [["one", ["broken", "rules-stuck"], "stopped", "stopped"], ["one", "bad", "last", "stop"]]


def export(cells: list[dict[str, Any]], **more: Any) -> str:
    """Return the Markdown of a notebook."""
    text = run_script(
        """globalThis.navigator ??= { language: 'en' };
        const { exportMarkdown } = await import(`file://${process.cwd()}/lab/export_markdown.js`);
        await import(`file://${process.cwd()}/lab/words.js`);
        const { makeCell } = await import(`file://${process.cwd()}/lab/notebook.js`);
        ---
        const cells = input.cells.map((cell) => ({ ...makeCell(cell.kind), ...cell }));
        print(exportMarkdown({ cells, deck: input.deck }, input.about, { version: 'v', profile: '' }));""",
        cells=cells,
        deck={"S5": {"symbol": "♠", "rank": "5", "suit": "S", "name": ["5 spades", "黑桃5"], "isNamed": False}},
        about={"title": "A game", "game": "mine", "profile": "", "version": "v",
               "diff": [{"name": "more.lp", "hunks": [[["+", None, 1, "a(1)."]]], "added": 1, "removed": 0}], **more},
    )  # fmt: skip
    return str(text)


def test_notebook_exports_markdown() -> None:
    view = {"state": {"hand": ["S5"]}, "drawn": {"hand": ["S5"], "plays": []}, "before": 2, "after": 1,
            "gone": [{"text": ["single ⟦S5⟧", "单张⟦S5⟧"]}], "num_gone": 1, "new": [], "num_new": 0}  # fmt: skip
    row = {"rate": 0.25, "low": 0.1, "high": 0.4, "games": 40, "seed": 3, "factors": {"go_out": 2}}
    done = {"version": "v", "profile": ""}
    text = export(
        [
            {"kind": "note", "options": {"text": "A | note."}},
            {"kind": "position", "result": view, **done},
            {"kind": "weights", "result": {"tries": [row]}, **done},
            {"kind": "ablation", "result": {"rows": [{"name": "go_out", **row}]}, "version": "old", "profile": ""},
            {"kind": "cases", "result": {"cases": 3, "wrong": 0, "first": []}, **done},
            {"kind": "balance"},
        ]
    )
    assert text.startswith("# A game\n")
    assert "```diff\n--- more.lp\n+++ more.lp\n+a(1).\n```" in text
    assert "♠5" in text
    assert "**no more**: single ♠5" in text
    assert "| go_out × 2 | 25.0 % | 10.0 % – 40.0 % | 40 | 3 |" in text
    assert text.count("Stale") == 1
    assert "All 3 cases hold." in text
    assert "Balance" not in text


def test_rule_errors_are_translated_by_code() -> None:
    words = run_script(
        """globalThis.navigator ??= { language: 'zh-CN' };
        Object.defineProperty(globalThis, 'navigator', { value: { language: 'zh-CN' }, configurable: true });
        const { problemText } = await import(`file://${process.cwd()}/lab/problem_text.js`);
        await import(`file://${process.cwd()}/lab/words.js`);
        ---
        print(input.problems.map(problemText));""",
        problems=[
            {"code": "unknown-predicate", "text": "unknown predicate 'hold/2'", "remedy": "did you mean 'held/2'?"},
            {"code": "syntax-error", "text": "unexpected thing", "remedy": "write a dot"},
            {"code": "new-kind", "text": "something"},
        ],
    )
    assert words == ["未知的谓词，没有规则推出它：hold/2（是否指held/2？）", "语法错误", "规则有错误"]

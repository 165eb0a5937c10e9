// Class LabNotebook: the cells of a laboratory, their runs, and the copies that this browser keeps.
import { announce } from '../announce.js';
import { requestTable } from '../request_table.js';
import { t } from '../words.js';
import { StoppedError } from './job_queue.js';
import { keepCopy } from './kept_copies.js';
import { LabStore } from './lab_store.js';
import * as notebook from './notebook.js';
import { takePins } from './pin.js';
import { RUNNERS } from './runners.js';

const KEEP_PAUSE = 800;
export const STORAGE_KEY = 'lab';

export class LabNotebook extends LabStore {
  positionStates() {
    return notebook.positions(this.state.cells).map((cell) => cell.options.state);
  }

  setCells(cells) {
    this.set({ cells });
    this.keepLater();
  }

  setCell(id, changes) {
    this.setCells(notebook.changeCell(this.state.cells, id, changes));
  }

  addCell(kind, options = {}, index = 0) {
    const cell = notebook.makeCell(kind, options);
    const cells = notebook.insertCell(this.state.cells, cell, index);
    if (cells === this.state.cells) throw new Error(t('cellsMany', notebook.MAX_CELLS, notebook.MAX_POSITIONS));
    this.setCells(cells);
    return cell;
  }

  // A position of play that the notebook does not have yet.
  async addSample() {
    const known = new Set(this.positionStates().map((state) => JSON.stringify(state)));
    for (let seed = known.size + 1; seed < known.size + 12; seed += 1) {
      const { states } = await this.call('sample', { seed });
      const state = states.find((item) => !known.has(JSON.stringify(item)));
      if (state) {
        this.addCell('position', { state });
        await this.look();
        return;
      }
    }
  }

  async addPosition(state, index = 0) {
    this.addCell('position', { state }, index);
    await this.look();
  }

  async run(id, options = {}) {
    const cell = notebook.findCell(this.state.cells, id);
    if (!cell || notebook.isRunning(cell) || !RUNNERS[cell.kind]) return;
    this.setCell(id, { status: 'waiting', problem: null, progress: null });
    try {
      await this.flush();
      const { stamp } = this;
      const onProgress = (job) =>
        this.setCell(id, {
          status: job.state,
          progress: [job.done, job.total],
          ...(job.result && cell.kind !== 'weights' ? { result: job.result } : {}),
        });
      const result = await RUNNERS[cell.kind](this, cell, options, onProgress);
      this.setCell(id, {
        status: '',
        progress: null,
        ...(result ? { result, ...stamp, time: new Date().toISOString() } : {}),
      });
      announce(`${t(`cell_${cell.kind}`)}${t('colon')}${t('cellDone')}`);
    } catch (problem) {
      const isStop = problem instanceof StoppedError;
      this.setCell(id, {
        status: isStop ? 'stopped' : 'failed',
        progress: null,
        problem: isStop ? null : { text: problem.message, code: problem.code ?? '' },
      });
    }
  }

  async runAll() {
    for (const cell of this.state.cells) if (notebook.isDue(cell, this.stamp)) await this.run(cell.id);
  }

  stop(id) {
    return this.jobs.stop(id).catch(this.showError);
  }

  // The reasons for and against a move by both texts; the lines in which they differ are marked in the editor.
  async explain(id, move) {
    const cell = notebook.findCell(this.state.cells, id);
    const play = typeof move.move === 'string' ? move.move : JSON.stringify(move.move);
    const reasons = await this.call('why', { state: cell.options.state, play });
    const now = notebook.findCell(this.state.cells, id);
    this.setCell(id, { result: { ...now.result, reasons: { ...reasons, move } } });
    await this.markLines(reasons.marks);
  }

  async markLines(marks) {
    if (!marks.length) return;
    const file = marks.some((mark) => mark.file === this.state.file) ? this.state.file : marks[0].file;
    if (file !== this.state.file) await this.openFile(file);
    this.editor.mark(marks.filter((mark) => mark.file === file).map((mark) => mark.line));
  }

  asCopy(id, name, files) {
    const { session, cells } = this.state;
    return { id, name, game: session.game, profile: session.profile, files, cells: notebook.storedCells(cells) };
  }

  keepLater() {
    const { session, file } = this.state;
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ ...session, states: [], file }));
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => this.keepTab().catch(() => {}), KEEP_PAUSE); // without storage nothing is recovered
  }

  async keepTab() {
    const files = this.history.current?.files ?? {};
    await keepCopy(this.asCopy(`tab:${this.state.session.lab}`, '', files));
  }

  async keepNamed(name) {
    await this.flush();
    const { files } = await this.call('own');
    await keepCopy(this.asCopy(`named:${this.state.session.game}:${name}`, name, files));
    this.set({ status: t('keepDone', name) });
  }

  async play() {
    await this.flush();
    const table = await this.openTable();
    sessionStorage.setItem('table', JSON.stringify([table.table, table.token]));
    location.hash = '#/play';
  }

  openTable() {
    const { session } = this.state;
    return requestTable({
      game: `lab:${session.lab}`,
      ...(this.profile ? { profile: this.profile } : {}),
    });
  }

  isOfSession(session, game) {
    return Boolean(session) && (session.game === game || game === `lab:${session.lab}`);
  }

  takePins() {
    const { session } = this.state;
    const pins = takePins((game) => this.isOfSession(session, game));
    const cells = pins.map((pin) => notebook.makeCell('position', { state: pin.state }));
    if (cells.length) this.set({ cells: [...cells, ...this.state.cells].slice(0, notebook.MAX_CELLS) });
  }
}

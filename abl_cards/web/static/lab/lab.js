// Class Lab: the rules that this tab edits and its notebook. Components read `state` and call the methods.
import { announce } from '../announce.js';
import { request } from '../link.js';
import { settings } from '../settings.js';
import { t } from '../words.js';
import { JobQueue, StoppedError } from './job_queue.js';
import { findCopy, keepCopy } from './kept_copies.js';
import * as notebook from './notebook.js';
import { pinnedGame, takePins } from './pin.js';
import { problemText } from './problem_text.js';
import { RUNNERS } from './runners.js';
import { claimLab } from './tab_claim.js';
import { TextHistory } from './text_history.js';

const TYPING_PAUSE = 400;
const KEEP_PAUSE = 800;
const STORAGE_KEY = 'lab';
const PROFILE_FILE = /^profiles\/(\w+)\.lp$/;

const INITIAL = {
  session: null,
  files: [],
  file: '',
  problems: [],
  hasErrors: false,
  version: '',
  cells: [],
  deck: null,
  status: '',
  isBusy: false,
  canUndo: false,
  canRedo: false,
};

export class Lab {
  constructor() {
    this.state = INITIAL;
    this.listeners = new Set();
    this.release = () => {};
    this.isDirty = false;
    this.editor = null;
    this.forget();
  }

  forget() {
    this.history = new TextHistory();
    this.jobs = new JobQueue((action, options) => this.call(action, options));
  }

  subscribe(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  set(changes) {
    this.state = { ...this.state, ...changes };
    for (const listener of this.listeners) listener(this.state);
  }

  // A file of a profile runs under this profile.
  get profile() {
    return PROFILE_FILE.exec(this.state.file)?.[1] ?? this.state.session?.profile ?? '';
  }

  get stamp() {
    return { version: this.state.hasErrors ? null : this.state.version, profile: this.profile };
  }

  call(action, options = {}) {
    return request(`/api/labs/${this.state.session.lab}`, { do: action, profile: this.profile, ...options });
  }

  showError = (problem) => {
    if (problem instanceof StoppedError) return;
    const text = problem.reason ? t(problem.reason) : problem.message;
    this.set({ status: text, isBusy: false });
    announce(text);
  };

  // Run a command of the page: its error becomes the status.
  do(command) {
    const { status } = this.state;
    const working = t('labWorking');
    this.set({ status: working, isBusy: true });
    return Promise.resolve()
      .then(command)
      .then(() => this.set({ isBusy: false, status: this.state.status === working ? status : this.state.status }))
      .catch(this.showError);
  }

  // --- opening -------------------------------------------------------------------------------------------------

  // Go on with the laboratory of this tab, or with a copy of it if another tab has it or the server has lost it.
  async resume(game) {
    const stored = JSON.parse(sessionStorage.getItem(STORAGE_KEY) || 'null');
    const pinned = pinnedGame();
    const wanted = game || (pinned && !this.isOfSession(stored, pinned.game) ? pinned.game : '');
    if (!stored?.lab || (wanted && !this.isOfSession(stored, wanted))) return false;
    const copy = await findCopy(`tab:${stored.lab}`).catch(() => null);
    const release = await claimLab(stored.lab);
    if (release) {
      this.release();
      this.release = release;
      this.set({ session: stored, file: stored.file ?? '', cells: notebook.restoredCells(copy?.cells) });
      try {
        await this.begin(await this.call('own'));
        return true;
      } catch (problem) {
        if (problem.code !== 'not-found') throw problem;
      }
    }
    if (!copy) return false;
    await this.open(copy.game, { ...copy, file: stored.file });
    this.set({ status: t(release ? 'labGoneAway' : 'labForked') });
    return true;
  }

  isOfSession(session, game) {
    return Boolean(session) && (session.game === game || game === `lab:${session.lab}`);
  }

  // Open a game; `files`, `cells` and `profile` come from a link or a kept copy.
  async open(game, { files = {}, cells = null, profile = '', file = '' } = {}) {
    const session = await request('/api/labs', { game, files, ...(profile ? { profile } : {}) });
    this.release();
    this.forget();
    this.release = (await claimLab(session.lab)) ?? (() => {});
    const fresh = [
      ...session.states.map((state) => notebook.makeCell('position', { state })),
      notebook.makeCell('smallest'),
      notebook.makeCell('cases'),
    ];
    this.set({ ...INITIAL, session, files: session.files, file, cells: cells ? notebook.restoredCells(cells) : fresh });
    await this.begin(await this.call('own'));
  }

  async begin(own) {
    this.takePins();
    this.history.add({ files: own.files, version: own.version });
    const first = await this.call('look', { states: this.positionStates() });
    const names = first.files.map((item) => item.name);
    const file = [this.state.file, 'rules.lp', 'labels.lp', names[0]].find((name) => names.includes(name));
    this.set({ files: first.files });
    await this.openFile(file);
    this.apply(first);
    if (this.profile !== (this.state.session.profile ?? '')) await this.look();
    this.keepLater();
  }

  takePins() {
    const { session } = this.state;
    const pins = takePins((game) => this.isOfSession(session, game));
    const cells = pins.map((pin) => notebook.makeCell('position', { state: pin.state }));
    if (cells.length) this.set({ cells: [...cells, ...this.state.cells].slice(0, notebook.MAX_CELLS) });
  }

  // --- text ----------------------------------------------------------------------------------------------------

  async openFile(name, line = 0, column = 1) {
    await this.flush();
    const { text } = await this.call('read', { name });
    const before = this.profile;
    this.set({ file: name });
    this.isDirty = false;
    this.editor.show(text);
    this.showMarks();
    if (line) this.editor.go(line, column);
    if (this.profile !== before && this.state.version) await this.look();
  }

  showMarks() {
    const { problems, file } = this.state;
    this.editor.problems(
      problems
        .filter((problem) => problem.own && problem.file === file)
        .map((problem) => ({ ...problem, text: problemText(problem), remedy: '' })),
    );
  }

  // Parse the text after a short pause in typing; save and load it after a longer one.
  onEdit = () => {
    this.isDirty = true;
    this.set({ status: t('labUnsaved') });
    clearTimeout(this.typing);
    clearTimeout(this.saving);
    this.typing = setTimeout(() => this.checkSyntax().catch(() => {}), TYPING_PAUSE / 2);
    this.saving = setTimeout(() => this.save().catch(this.showError), TYPING_PAUSE);
  };

  async checkSyntax() {
    const name = this.state.file;
    const text = this.editor.text();
    const { problems } = await this.call('typed', { name, text });
    if (this.editor.text() === text && this.state.file === name && problems.length)
      this.editor.problems(problems.map((problem) => ({ ...problem, text: problemText(problem), remedy: '' })));
  }

  async save() {
    clearTimeout(this.saving);
    this.isDirty = false;
    this.set({ status: t('labWorking'), isBusy: true });
    const text = this.editor.text();
    await this.change('write', { name: this.state.file, text });
  }

  flush() {
    return this.isDirty ? this.save() : Promise.resolve();
  }

  // A request that changes files; the answer has the effects on the positions.
  async change(action, options) {
    this.apply(await this.call(action, { ...options, states: this.positionStates() }));
    const own = await this.call('own');
    this.history.add({ files: own.files, version: own.version });
    this.set({ canUndo: this.history.canUndo, canRedo: this.history.canRedo });
    this.keepLater();
  }

  // Saving by hand also runs the checks that play requires, then the test cases of the notebook.
  async saveAndCheck() {
    await this.save();
    const { problems } = await this.call('check');
    if (problems.some((problem) => problem.error)) {
      this.set({ problems, hasErrors: true, status: t('labBroken', problems.length) });
      this.showMarks();
      return;
    }
    for (const cell of this.state.cells) if (cell.kind === 'cases') this.run(cell.id);
  }

  async undo(step) {
    await this.flush();
    const version = this.history.step(step);
    const { file } = this.state;
    this.apply(await this.call('restore', { files: version.files, states: this.positionStates() }));
    const names = this.state.files.map((item) => item.name);
    await this.openFile(names.includes(file) ? file : names[0]);
    this.set({ canUndo: this.history.canUndo, canRedo: this.history.canRedo });
    this.keepLater();
  }

  async revert() {
    const { file } = this.state;
    this.isDirty = false;
    await this.change('revert', { name: file });
    const names = this.state.files.map((item) => item.name);
    await this.openFile(names.includes(file) ? file : names[0]);
  }

  async addFile(name) {
    await this.flush();
    await this.change('write', { name, text: `% ${name}\n` });
    await this.openFile(name);
  }

  async rename(options, to) {
    const { file } = this.state;
    await this.flush();
    await this.call('rename', { name: file, ...options, to });
    await this.change('look', {});
    await this.openFile(file);
  }

  async goToDefinition(options) {
    const { places } = await this.call('define', { name: this.state.file, ...options });
    const names = this.state.files.map((item) => item.name);
    const place = places.find((item) => names.includes(item.file)) ?? places[0];
    if (!place) return;
    if (names.includes(place.file)) await this.openFile(place.file, place.line, place.column);
    else this.set({ status: `${place.folder}/${place.file}:${place.line}` });
  }

  async keepWeights(factors) {
    const { file } = this.state;
    await this.flush();
    await this.call('reweigh', { factors });
    await this.change('look', {});
    await this.openFile(file);
  }

  apply(response) {
    const errors = response.problems.filter((problem) => problem.error);
    this.set({
      files: response.files,
      problems: response.problems,
      hasErrors: errors.length > 0,
      version: response.version,
      deck: response.deck,
      isBusy: false,
      status: errors.length ? t('labBroken', errors.length) : t('labSaved', response.seconds),
    });
    this.set({ cells: notebook.spreadPositions(this.state.cells, response.pinned, this.stamp) });
    this.showMarks();
    announce(errors.length ? `${this.state.status}${t('colon')}${problemText(errors[0])}` : this.state.status);
  }

  async look() {
    this.apply(await this.call('look', { states: this.positionStates() }));
  }

  // --- notebook ------------------------------------------------------------------------------------------------

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

  // --- copies --------------------------------------------------------------------------------------------------

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
    return request('/api/tables', {
      name: settings().name,
      game: `lab:${session.lab}`,
      ...(this.profile ? { profile: this.profile } : {}),
    });
  }

  close() {
    clearTimeout(this.saving);
    clearTimeout(this.typing);
    if (this.keeping && this.state.session) this.keepTab().catch(() => {});
    clearTimeout(this.keeping);
    this.editor?.destroy();
    this.release();
    this.listeners.clear();
  }
}

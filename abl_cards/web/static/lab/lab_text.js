// Class LabText: the files of a laboratory: reading, saving, undoing, and the effects of each change.
import { announce } from '../announce.js';
import { t } from '../words.js';
import { LabNotebook } from './lab_notebook.js';
import * as notebook from './notebook.js';
import { problemText } from './problem_text.js';

const TYPING_PAUSE = 400;

export class LabText extends LabNotebook {
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
}

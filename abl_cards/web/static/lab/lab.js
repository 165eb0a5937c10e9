// Class Lab: the rules that this tab edits and its notebook. Components read `state` and call the methods.
import { request } from '../link.js';
import { t } from '../words.js';
import { findCopy } from './kept_copies.js';
import { STORAGE_KEY } from './lab_notebook.js';
import { INITIAL } from './lab_store.js';
import { LabText } from './lab_text.js';
import * as notebook from './notebook.js';
import { pinnedGame } from './pin.js';
import { claimLab } from './tab_claim.js';

export class Lab extends LabText {
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

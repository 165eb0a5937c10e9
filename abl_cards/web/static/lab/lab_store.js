// Class LabStore: the state of a laboratory, its listeners, and the calls to the server.
import { announce } from '../announce.js';
import { request } from '../link.js';
import { t } from '../words.js';
import { JobQueue, StoppedError } from './job_queue.js';
import { TextHistory } from './text_history.js';

const PROFILE_FILE = /^profiles\/(\w+)\.lp$/;

export const INITIAL = {
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

export class LabStore {
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
}

// Class JobQueue: long tasks of a laboratory, one after the other, with their progress.
const POLL_INTERVAL = 300;
const ACTIVE_STATES = ['waiting', 'working'];

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

export class StoppedError extends Error {}

export class JobQueue {
  constructor(call) {
    this.call = call;
    this.last = Promise.resolve();
    this.owner = null;
    this.stopped = new Set();
  }

  // Run a task of a cell when those before it have ended; `onProgress` gets its state and its result so far.
  run(owner, what, options, onProgress) {
    this.stopped.delete(owner);
    const task = this.last.then(() => this.work(owner, what, options, onProgress));
    this.last = task.catch(() => {});
    return task;
  }

  async work(owner, what, options, onProgress) {
    if (this.stopped.delete(owner)) throw new StoppedError();
    this.owner = owner;
    try {
      let { job } = await this.call('begin', { what, ...options });
      while (job && ACTIVE_STATES.includes(job.state)) {
        onProgress(job);
        await pause(POLL_INTERVAL);
        ({ job } = await this.call('job'));
      }
      if (!job || job.state === 'stopped') throw new StoppedError();
      if (job.state === 'failed') throw Object.assign(new Error(job.problem), { code: job.code });
      return job.result;
    } finally {
      this.owner = null;
    }
  }

  stop(owner) {
    if (this.owner === owner) return this.call('stop');
    this.stopped.add(owner);
    return Promise.resolve();
  }
}

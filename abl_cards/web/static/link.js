// The connection to a table: it is taken up again whenever it is lost, and the server shows the table anew.
export const token = () => {
  const key = /[#&]key=([\w-]+)/.exec(location.hash);
  if (key) {
    sessionStorage.setItem('key', key[1]);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem('key') || document.querySelector('meta[name=token]').content;
};

export async function ask(path, body) {
  const options =
    body === undefined
      ? { headers: { 'x-token': token() } }
      : {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json', 'x-token': token() },
        };
  const response = await fetch(path, options);
  const value = await response.json().catch(() => ({ error: response.statusText }));
  if (!response.ok) throw new Error(value.error || response.statusText);
  return value;
}

// In place of a connection, where there is none yet, or never.
export const NOBODY = { say() {}, ask: async () => ({ type: 'error', text: '' }) };

const GONE = 4404,
  REFUSED = 4401,
  ASLEEP = 4408; // the last one's table was put away, and is opened again for who comes back

export class Link {
  constructor(table, key, hear) {
    Object.assign(this, { table, key, hear, waits: 300, number: 0, asked: new Map(), closed: false, early: [] });
    this.open();
  }

  open() {
    const socket = new WebSocket(
      `${location.origin.replace(/^http/, 'ws')}/api/tables/${encodeURIComponent(this.table)}`,
    );
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ token: this.key }));
    socket.onmessage = (event) => {
      const told = JSON.parse(event.data);
      if (told.type === 'table') {
        this.waits = 300;
        for (const message of this.early?.splice(0) ?? []) this.say(message);
        this.early = null;
      }
      const asked = told.n != null && this.asked.get(told.n);
      if (asked) {
        this.asked.delete(told.n);
        asked(told);
      } else {
        this.hear(told);
      }
    };
    socket.onclose = (event) => {
      if (this.closed || this.socket !== socket) return;
      const over = event.code === GONE || event.code === REFUSED;
      if (over || !this.early) {
        for (const asked of this.asked.values()) asked({ type: 'error', text: '' });
        this.asked.clear();
      }
      if (over) {
        this.hear({ type: 'gone' });
        return;
      }
      this.hear({ type: 'lost' });
      if (event.code === ASLEEP) this.waits = 60_000;
      setTimeout(() => this.closed || this.open(), this.waits);
      this.waits = Math.min(8000, this.waits * 1.7);
    };
  }

  // What is said before the table was there for the first time is said then: the engine may still be loading.
  say(message) {
    if (this.early) this.early.push(message);
    else if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  // The answer to a question; an error is one, too.
  ask(message) {
    const n = ++this.number;
    return new Promise((resolve) => {
      if (!this.early && this.socket.readyState !== WebSocket.OPEN) return resolve({ type: 'error', text: '' });
      this.asked.set(n, resolve);
      this.say({ ...message, n });
    });
  }

  close() {
    this.closed = true;
    this.socket.close();
  }
}

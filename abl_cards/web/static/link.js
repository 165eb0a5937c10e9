// Requests to the server, and the connection to a table, which is reopened when it is lost.
import { errorText } from './text/error_text.js';
import { t } from './words.js';

export const token = () => {
  const key = /[#&]key=([\w-]+)/.exec(location.hash);
  if (key) {
    sessionStorage.setItem('key', key[1]);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem('key') || document.querySelector('meta[name=token]').content;
};

// The server makes a new access key when it starts; on this machine its page carries the key.
async function renewToken(used) {
  const page = await (await fetch(`${location.pathname}?key`)).text();
  const fresh = new DOMParser().parseFromString(page, 'text/html').querySelector('meta[name=token]')?.content;
  if (!fresh || fresh === used) return false;
  sessionStorage.removeItem('key');
  document.querySelector('meta[name=token]').content = fresh;
  return true;
}

export async function request(path, body, canRenew = true) {
  const key = token();
  const options =
    body === undefined
      ? { headers: { 'x-token': key } }
      : {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json', 'x-token': key },
        };
  const response = await fetch(path, options);
  if (response.status === 403 && canRenew && (await renewToken(key).catch(() => false)))
    return request(path, body, false);
  const value = await response.json().catch(() => ({ error: response.statusText }));
  if (response.status === 403) throw new Error(t('staleKey'));
  if (!response.ok) throw Object.assign(new Error(errorText(value) || response.statusText), { code: value.code });
  return value;
}

// Null object: used before a connection is open, and by tables that have none.
export const NO_LINK = { send() {}, request: async () => ({ type: 'error', text: '' }) };

const GONE = 4404,
  REFUSED = 4401,
  CLOSED = 4410, // by its owner
  ASLEEP = 4408; // the table was closed for want of connections, and is reopened on request

export class Link {
  constructor(table, key, onMessage) {
    Object.assign(this, {
      table,
      key,
      onMessage,
      retryDelay: 300,
      lastId: 0,
      pending: new Map(),
      closed: false,
      queued: [],
    });
    this.open();
  }

  open() {
    const socket = new WebSocket(
      `${location.origin.replace(/^http/, 'ws')}/api/tables/${encodeURIComponent(this.table)}`,
    );
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ token: this.key }));
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.type === 'table') {
        this.retryDelay = 300;
        for (const early of this.queued?.splice(0) ?? []) this.send(early);
        this.queued = null;
      }
      const resolve = message.n != null && this.pending.get(message.n);
      if (resolve) {
        this.pending.delete(message.n);
        resolve(message);
      } else {
        this.onMessage(message);
      }
    };
    socket.onclose = (event) => {
      if (this.closed || this.socket !== socket) return;
      const end = { [GONE]: 'gone', [REFUSED]: 'refused', [CLOSED]: 'closed' }[event.code];
      if (end || !this.queued) {
        for (const resolve of this.pending.values()) resolve({ type: 'error', text: '' });
        this.pending.clear();
      }
      if (end) {
        this.onMessage({ type: end });
        return;
      }
      this.onMessage({ type: 'lost' });
      if (event.code === ASLEEP) this.retryDelay = 60_000;
      setTimeout(() => this.closed || this.open(), this.retryDelay);
      this.retryDelay = Math.min(8000, this.retryDelay * 1.7);
    };
  }

  // Messages are queued until the first view of the table arrives: the engine may still be loading.
  send(message) {
    if (this.queued) this.queued.push(message);
    else if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  // Send a message and resolve with its response, which may be of type `error`.
  request(message) {
    const n = ++this.lastId;
    return new Promise((resolve) => {
      if (!this.queued && this.socket.readyState !== WebSocket.OPEN) return resolve({ type: 'error', text: '' });
      this.pending.set(n, resolve);
      this.send({ ...message, n });
    });
  }

  close() {
    this.closed = true;
    this.socket.close();
  }
}

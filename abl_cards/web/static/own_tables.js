// Tables at which this browser has played, the latest first; the home screen continues them.
import { storedList } from './stored_list.js';

const KEY = 'abl-cards-tables';
export const MAX_TABLES = 24;

const isEntry = (entry) =>
  typeof entry?.table === 'string' && typeof entry.key === 'string' && Array.isArray(entry.title);

const list = storedList(KEY, isEntry, MAX_TABLES);

export const ownTables = list.read;

// How a table stands, in one word: mine, others, end (of a deal) or over.
export const standing = (view) =>
  view.phase === 'over' || view.phase === 'end' ? view.phase : view.turn === view.me ? 'mine' : 'others';

// Number of the deal that is played, or that has ended last.
export const dealNumber = (view) => Math.max(1, view.episode + (view.phase === 'over' || view.phase === 'end' ? 0 : 1));

// What is kept of a table.
export const entryOf = (key, view, welcome) => ({
  table: welcome.table,
  key,
  title: welcome.title,
  game: welcome.game,
  deal: dealNumber(view),
  state: standing(view),
  isOwner: Boolean(view.owner),
  people: view.seats.filter((seat) => seat.kind === 'person').length,
});

export function keepTable(entry) {
  const entries = ownTables();
  const rest = entries.filter((other) => other.table !== entry.table);
  if (JSON.stringify(entries[0]) !== JSON.stringify(entry)) list.write([entry, ...rest]);
}

export const forgetTable = (table) => list.write(ownTables().filter((entry) => entry.table !== table));

export const isKept = (table) => ownTables().some((entry) => entry.table === table);

// Classes that this browser has opened or joined, and where their reviews are led.
import { storedList } from '../stored_list.js';

const KEY = 'abl-cards-classes';
const MAX_CLASSES = 8;

const isEntry = (entry) => typeof entry?.code === 'string' && typeof entry.token === 'string';

const list = storedList(KEY, isEntry, MAX_CLASSES);

export const ownClasses = list.read;

// Keep a class, and make it that of this browser tab.
export function enterClass(entry) {
  list.write([entry, ...ownClasses().filter((other) => other.code !== entry.code)]);
  sessionStorage.setItem('class', JSON.stringify(entry));
  dispatchEvent(new Event('class'));
}

export function leaveClass(code) {
  list.write(ownClasses().filter((entry) => entry.code !== code));
  if (currentClass()?.code === code) sessionStorage.removeItem('class');
  dispatchEvent(new Event('class'));
}

export function currentClass() {
  try {
    const entry = JSON.parse(sessionStorage.getItem('class'));
    return isEntry(entry) ? entry : null;
  } catch {
    return null;
  }
}

// The place to which a teacher leads at an address of the page: a review, or none.
export function placeOf(hash) {
  const place = hash.replace(/^#\//, '');
  return /^review\/[\w-]{1,40}(\/[\w.-]{1,60}){0,4}$/.test(place) ? place : '';
}

// What the tables of a class are doing, by number: pupils, waiting for a pupil, deals and matches that are over.
export function countTables(tables) {
  const counts = { pupils: 0, waiting: 0, ended: 0, away: 0 };
  for (const { pupils, view } of tables) {
    counts.pupils += pupils.length;
    if (!view) continue;
    if (view.phase === 'end' || view.phase === 'over') counts.ended += 1;
    else if (view.turn != null && view.seats[view.turn].kind === 'person') counts.waiting += 1;
    counts.away += view.seats.filter((seat) => seat.kind === 'person' && seat.taken && !seat.here).length;
  }
  return counts;
}

// Keep the views that the server left out because the browser has them.
export function mergeViews(tables, known) {
  return tables.map((table) => ({ ...table, view: table.view ?? known.get(table.table)?.view ?? null }));
}

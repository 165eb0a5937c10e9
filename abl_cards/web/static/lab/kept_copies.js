// Copies of laboratories kept in this browser, named ones and the last state of each tab, with bounded sizes.
const DATABASE = 'abl-cards-lab';
const STORE = 'copies';
export const MAX_NAMED = 40;
const MAX_RECOVERED = 12;
const MAX_LETTERS = 2_000_000;

const asPromise = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

let opening = null;

function openDatabase() {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  }).catch((problem) => {
    opening = null;
    throw Object.assign(new Error('no storage'), { reason: 'keepNoStorage', cause: problem });
  });
  return opening;
}

async function store(mode) {
  return (await openDatabase()).transaction(STORE, mode).objectStore(STORE);
}

export async function listCopies() {
  const copies = await asPromise((await store('readonly')).getAll());
  return copies.sort((first, second) => second.time - first.time);
}

export const findCopy = async (id) => (await asPromise((await store('readonly')).get(id))) ?? null;

export const removeCopy = async (id) => asPromise((await store('readwrite')).delete(id));

export const letters = (copy) => JSON.stringify(copy).length;

// Keep a copy. A copy that is too large loses the results of its cells; the error names a text of the page.
export async function keepCopy(copy) {
  let kept = { ...copy, time: Date.now() };
  if (letters(kept) > MAX_LETTERS) kept = { ...kept, cells: kept.cells.map((cell) => ({ ...cell, result: null })) };
  if (letters(kept) > MAX_LETTERS) throw Object.assign(new Error('too large'), { reason: 'keepTooLarge' });
  const known = (await listCopies()).filter((item) => item.id !== kept.id);
  const others = known.filter((item) => item.name === '');
  const named = known.filter((item) => item.name !== '');
  if (kept.name !== '' && named.length >= MAX_NAMED)
    throw Object.assign(new Error('too many'), { reason: 'keepTooMany' });
  if (kept.name === '') for (const old of others.slice(MAX_RECOVERED - 1)) await removeCopy(old.id);
  try {
    await asPromise((await store('readwrite')).put(kept));
  } catch (problem) {
    throw Object.assign(new Error('no room'), { reason: 'keepNoRoom', cause: problem });
  }
  return kept;
}

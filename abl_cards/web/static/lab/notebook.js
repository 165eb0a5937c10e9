// Cells of the notebook: a list that is never changed in place. A cell keeps its result and the text that it is of.
export const MAX_POSITIONS = 24;
export const MAX_CELLS = 60;

// Kinds of cells in the order of the menu. `options` are numbers and switches with their defaults;
// `isLong` marks a task with progress, `hasFile` a cell that is run by choosing a file, and `isLog` one with a row for
// each run, which names its text.
export const KINDS = {
  position: { options: {} },
  smallest: { options: { seed: 0 }, isLong: true },
  cases: { options: {}, isLong: true },
  mutations: { options: { edits: 24, seed: 0, parents: false }, isLong: true },
  coverage: { options: { games: 300, seed: 0 }, isLong: true },
  balance: { options: { games: 1000, seed: 0, player: 'kb' }, isLong: true },
  weights: { options: { factors: {}, games: 400, seed: 0 }, isLong: true, isLog: true },
  ablation: { options: { games: 400, seed: 0 }, isLong: true },
  words: { options: {} },
  replay: { options: {}, hasFile: true },
  play: { options: {}, isLog: true },
  note: { options: { text: '' }, isPassive: true },
};

// Bounds of the options that are numbers, as the server checks them.
export const BOUNDS = { edits: [1, 200], games: [2, 4000], seed: [0, 1_000_000] };

let lastId = 0;
const newId = () => `${Date.now().toString(36)}${(lastId += 1).toString(36)}`;

export const makeCell = (kind, options = {}) => ({
  id: newId(),
  kind,
  options: { ...KINDS[kind].options, ...options },
  result: null,
  version: null,
  profile: '',
  time: '',
  status: '',
  progress: null,
  problem: null,
});

export const findCell = (cells, id) => cells.find((cell) => cell.id === id);

export function insertCell(cells, cell, index = cells.length) {
  if (cells.length >= MAX_CELLS) return cells;
  if (cell.kind === 'position' && positions(cells).length >= MAX_POSITIONS) return cells;
  return [...cells.slice(0, index), cell, ...cells.slice(index)];
}

export const removeCell = (cells, id) => cells.filter((cell) => cell.id !== id);

export const changeCell = (cells, id, changes) =>
  cells.map((cell) => (cell.id === id ? { ...cell, ...changes } : cell));

// Move a cell up or down; at an end it stays.
export function moveCell(cells, id, step) {
  const from = cells.findIndex((cell) => cell.id === id);
  const to = from + step;
  if (from < 0 || to < 0 || to >= cells.length) return cells;
  const moved = cells.filter((cell) => cell.id !== id);
  moved.splice(to, 0, cells[from]);
  return moved;
}

export const positions = (cells) => cells.filter((cell) => cell.kind === 'position');

export const isRunning = (cell) => cell.status === 'waiting' || cell.status === 'working';

// Whether a result is of another text or profile than those of now.
export const isStale = (cell, { version, profile }) =>
  Boolean(cell.result) &&
  !KINDS[cell.kind].isPassive &&
  !KINDS[cell.kind].isLog &&
  (cell.version === null || cell.version !== version || cell.profile !== profile);

// Whether a cell is to be run with all others: it is new or stale, and needs nothing from the author.
export const isDue = (cell, stamp) => {
  const { isPassive, isLog, hasFile } = KINDS[cell.kind];
  return !isPassive && !isLog && !hasFile && (!cell.result || isStale(cell, stamp));
};

// Give the results of all positions to their cells; `version` is null if they are by an earlier text.
export function spreadPositions(cells, pinned, stamp) {
  const results = [...pinned];
  return cells.map((cell) => {
    if (cell.kind !== 'position') return cell;
    const result = results.shift();
    if (!result) return cell;
    const isSame = JSON.stringify(result) === JSON.stringify({ ...cell.result, reasons: undefined });
    return { ...cell, ...stamp, result: isSame ? cell.result : result, status: '', problem: null };
  });
}

const isValid = (cell) =>
  cell && typeof cell === 'object' && cell.kind in KINDS && cell.options && typeof cell.options === 'object';

// Cells as they are kept and restored: none of them is running.
export const storedCells = (cells) =>
  cells.filter(isValid).map((cell) => ({ ...cell, status: cell.status === 'failed' ? 'failed' : '', progress: null }));

export const restoredCells = (value) =>
  Array.isArray(value)
    ? storedCells(value)
        .slice(0, MAX_CELLS)
        .map((cell) => ({ ...makeCell(cell.kind), ...cell, options: { ...KINDS[cell.kind].options, ...cell.options } }))
    : [];

// Options that the server takes: numbers within their bounds.
export function boundedOptions(options) {
  const bounded = { ...options };
  for (const [name, [low, high]] of Object.entries(BOUNDS))
    if (name in bounded) bounded[name] = Math.min(high, Math.max(low, Math.round(Number(bounded[name]) || 0)));
  return bounded;
}

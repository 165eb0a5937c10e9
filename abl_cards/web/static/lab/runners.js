// What a cell does when it is run: a function of the laboratory, the cell and further options, by kind of cell.
import { boundedOptions, findCell } from './notebook.js';

const job = (kind) => (lab, cell, _, onProgress) =>
  lab.jobs.run(cell.id, kind, boundedOptions(cell.options), onProgress);

async function tryWeights(lab, cell, _, onProgress) {
  const options = boundedOptions(cell.options);
  const { version } = lab.state;
  const match = await lab.jobs.run(cell.id, 'match', options, onProgress);
  const tries = findCell(lab.state.cells, cell.id)?.result?.tries ?? [];
  return { tries: [...tries, { ...match, factors: options.factors, seed: options.seed, version }] };
}

async function openTable(lab, cell) {
  const { table, token } = await lab.openTable();
  const { version } = lab.state;
  return { tables: [...(cell.result?.tables ?? []), { table, token, version, time: new Date().toISOString() }] };
}

async function findSmallest(lab, cell, _, onProgress) {
  const { state } = await lab.jobs.run(cell.id, 'smallest', boundedOptions(cell.options), onProgress);
  if (!state) return { state: null };
  const { pinned } = await lab.call('look', { states: [state] });
  return { state, view: pinned[0] };
}

export const RUNNERS = {
  position: (lab) => lab.look(),
  smallest: findSmallest,
  cases: job('cases'),
  mutations: job('mutations'),
  coverage: async (lab, cell, options, onProgress) => {
    const result = await job('coverage')(lab, cell, options, onProgress);
    lab.editor.silent(result.silent.filter((rule) => rule.file === lab.state.file).map((rule) => rule.line));
    return result;
  },
  balance: job('balance'),
  weights: tryWeights,
  ablation: async (lab, cell, options, onProgress) => ({
    rows: await job('ablation')(lab, cell, options, (state) =>
      onProgress({ ...state, result: state.result && { rows: state.result } }),
    ),
  }),
  words: async (lab) => {
    const languages = ['en', 'zh'];
    const answers = await Promise.all(languages.map((language) => lab.call('words', { language })));
    return Object.fromEntries(languages.map((language, index) => [language, answers[index].sections]));
  },
  replay: async (lab, cell, { file }) => {
    const result = await lab.call('replay', { text: await file.text() });
    return { ...result, name: file.name };
  },
  play: openTable,
};

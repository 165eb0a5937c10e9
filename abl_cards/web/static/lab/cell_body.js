// Component CellBody: the result of a cell by its kind; `isStatic` for a document without buttons.
import { html } from '../html.js';
import { AblationResult } from './ablation_result.js';
import { BalanceResult } from './balance_result.js';
import { CaseResults } from './case_results.js';
import { CoverageResult } from './coverage_result.js';
import { MutationResults } from './mutation_results.js';
import { NoteCell } from './note_cell.js';
import { PlayResult } from './play_result.js';
import { PositionCell } from './position_cell.js';
import { ReplayCell } from './replay_cell.js';
import { SmallestResult } from './smallest_result.js';
import { WeightsCell } from './weights_cell.js';
import { WordsResult } from './words_result.js';

// Cells that show something before they are run.
const ALWAYS = { position: PositionCell, weights: WeightsCell, replay: ReplayCell, note: NoteCell };

const RESULTS = {
  smallest: SmallestResult,
  cases: CaseResults,
  mutations: MutationResults,
  coverage: CoverageResult,
  balance: BalanceResult,
  ablation: AblationResult,
  words: WordsResult,
  play: PlayResult,
};

export function CellBody({ cell, lab, state, language, isStatic = false }) {
  const Body = ALWAYS[cell.kind] ?? (cell.result && RESULTS[cell.kind]);
  if (!Body) return null;
  const openFile = isStatic ? undefined : (...place) => lab.openFile(...place).catch(lab.showError);
  return html`
    <${Body}
      cell=${cell}
      result=${cell.result}
      lab=${lab}
      state=${state}
      language=${language}
      openFile=${openFile}
      isStatic=${isStatic}
    />
  `;
}

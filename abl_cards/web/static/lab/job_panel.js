// Component JobPanel: progress and result of the current job.
import { fixedPercent } from '../format.js';
import { html } from '../html.js';
import { t } from '../words.js';
import { AblationTable } from './ablation_table.js';
import { CaseResults } from './case_results.js';
import { MutationResults } from './mutation_results.js';
import { ACTIVE_STATES } from './use_job.js';

const matchText = ({ rate, games, low, high }) =>
  t('matchWon', fixedPercent(rate), games, fixedPercent(low), fixedPercent(high));

export function JobPanel({ work, openFile }) {
  const { job } = work;
  if (!job) return null;
  const running = ACTIVE_STATES.includes(job.state);
  return html`
    <div class="lab-more job" data-state=${job.state} aria-busy=${running}>
      ${
        running
          ? html`
            <p role="status">
              <progress max=${job.total || 1} value=${job.done}></progress>${' '}
              ${job.state === 'waiting' ? t('workWaits') : `${job.done} / ${job.total || '…'}`}${' '}
              <button type="button" onClick=${work.stop}>
                ${t('workStop')}
              </button>
            </p>
          `
          : html`
            <button type="button" class="quiet" aria-label=${t('close')} onClick=${work.forget}>
              ✕
            </button>
          `
      }
      ${job.state === 'stopped' && html`<p>${t('workStopped')}</p>`}
      ${
        job.problem &&
        html`
          <p class="problem" role="alert">
            ${job.problem}
          </p>
        `
      }
      ${
        job.what === 'cases' &&
        job.result &&
        html`
          <${CaseResults} result=${job.result} running=${running} openFile=${openFile} />
        `
      }
      ${job.what === 'mutations' && job.result && html`<${MutationResults} result=${job.result} />`}
      ${job.what === 'match' && job.result && html`<p>${matchText(job.result)}</p>`}
      ${job.what === 'ablation' && job.result && html`<${AblationTable} rows=${job.result} />`}
    </div>
  `;
}

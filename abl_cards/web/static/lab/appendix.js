// Component Appendix: the notebook as a finished document: what was changed, and each cell with its result.
import { html } from '../html.js';
import { settings } from '../settings.js';
import { t } from '../words.js';
import { CellBody } from './cell_body.js';
import { DiffTable } from './diff_table.js';
import { aboutText, optionText } from './export_text.js';
import { isStale } from './notebook.js';

export function Appendix({ lab, state, about }) {
  const cells = state.cells.filter((cell) => cell.result || cell.kind === 'note');
  return html`
    <main class="appendix">
      <h1>${about.title}</h1>
      <p class="small">${aboutText(about)}</p>
      <section>
        <h2>${t('appendixChanges')}</h2>
        <${DiffTable} files=${about.diff} />
      </section>
      ${cells.map(
        (cell, index) => html`
          <section key=${cell.id} class=${`cell cell-${cell.kind}`}>
            ${
              cell.kind !== 'note' &&
              html`
                <h2>${index + 1} ${t(`cell_${cell.kind}`)}</h2>
                <p class="small">
                  ${optionText(cell)}${isStale(cell, lab.stamp) ? ` ${t('cellStale')}` : ''}
                </p>
              `
            }
            <${CellBody} cell=${cell} lab=${lab} state=${state} language=${settings().language} isStatic />
          </section>
        `,
      )}
    </main>
  `;
}

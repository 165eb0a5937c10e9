// Component MutationResults: rule edits that no test case detects.
import { html } from '../html.js';
import { t } from '../words.js';

export function MutationResults({ result }) {
  return html`
    <p role="status">
      ${t(
        'mutationsFound',
        result.noticed,
        result.edits - result.same,
        result.edits,
        result.of,
        result.same,
        result.cases,
      )}
    </p>
    <p>
      <b>${result.left.length ? t('mutationsLeft') : t('mutationsAll')}</b>
    </p>
    <ul class="problems">
      ${result.left.map(
        (mutation, index) => html`
          <li key=${index}>
            <code>${mutation.edit}</code> <span class="small">${mutation.said}</span>
            ${
              mutation.case &&
              html`
                <details>
                  <summary class="small">${t('wouldNotice')}</summary>
                  <code>${JSON.stringify(mutation.case)}</code>
                </details>
              `
            }
          </li>
        `,
      )}
    </ul>
  `;
}

// Component DiffTable: hunks of changed lines, by file.
import { html } from '../html.js';
import { t } from '../words.js';

const KINDS = { '-': 'removed', '+': 'added', ' ': 'kept' };

export function DiffTable({ files }) {
  if (!files.length) return html`<p class="small">${t('diffNone')}</p>`;
  return files.map(
    (file) => html`
      <section key=${file.name}>
        <h3>
          <code>${file.name}</code> <span class="small">${t('diffLines', file.added, file.removed)}</span>
        </h3>
        <div class="diff-lines">
          <table>
            ${file.hunks.map(
              (hunk, index) => html`
                <tbody key=${index}>
                  ${hunk.map(
                    ([kind, before, now, text], row) => html`
                      <tr key=${row} class=${KINDS[kind]}>
                        <td class="number">${before}</td>
                        <td class="number">${now}</td>
                        <td class="sign">${kind.trim()}</td>
                        <td><code>${text}</code></td>
                      </tr>
                    `,
                  )}
                </tbody>
              `,
            )}
          </table>
        </div>
      </section>
    `,
  );
}

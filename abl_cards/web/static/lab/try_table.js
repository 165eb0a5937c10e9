// Component TryTable: the matches tried so far, each with its weights, its seed and its result.
import { html } from '../html.js';
import { t } from '../words.js';
import { DotPlot } from './dot_plot.js';

export const factorText = (factors) =>
  Object.entries(factors)
    .map(([name, factor]) => `${name} × ${factor}`)
    .join(', ') || t('weightsAsRules');

export function TryTable({ tries, choose }) {
  return html`
    <div class="tries">
      <table>
        <thead>
          <tr>
            <th scope="col">${t('tryNumber')}</th>
            <th scope="col">${t('weightsIn')}</th>
            <th scope="col">${t('option_games')}</th>
            <th scope="col">${t('option_seed')}</th>
            <th scope="col">${t('tryRate')}</th>
          </tr>
        </thead>
        <tbody>
          ${tries.map(
            (row, index) => html`
              <tr key=${index}>
                <th scope="row">${index + 1}</th>
                <td>
                  ${
                    choose
                      ? html`
                        <button type="button" class="quiet" title=${t('trySet')} onClick=${() => choose(row.factors)}>
                          <code>${factorText(row.factors)}</code>
                        </button>
                      `
                      : html`<code>${factorText(row.factors)}</code>`
                  }
                  <span class="small"> ${t('textVersion', row.version)}</span>
                </td>
                <td>${row.games}</td>
                <td>${row.seed}</td>
                <td><${DotPlot} rows=${[row]} all=${tries} isFramed=${false} /></td>
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}

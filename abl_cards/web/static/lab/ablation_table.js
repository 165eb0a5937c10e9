// Component AblationTable: win rate of the agent without each preference.
import { fixedPercent } from '../format.js';
import { html } from '../html.js';
import { t } from '../words.js';

export function AblationTable({ rows }) {
  return html`
    <p class="small">${t('ablationOf')}</p>
    <table class="labels">
      <thead>
        <tr>
          <th scope="col">${t('weightsIn')}</th>
          <th scope="col">${t('ablationRate')}</th>
          <th scope="col">${t('interval')}</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) => html`
            <tr key=${row.name}>
              <th scope="row">${row.name}</th>
              <td>${fixedPercent(row.rate)}</td>
              <td>
                ${fixedPercent(row.low)} – ${fixedPercent(row.high)}
              </td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}

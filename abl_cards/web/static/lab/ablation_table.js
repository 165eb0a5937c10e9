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
          (each) => html`
            <tr key=${each.name}>
              <th scope="row">${each.name}</th>
              <td>${fixedPercent(each.rate)}</td>
              <td>
                ${fixedPercent(each.low)} – ${fixedPercent(each.high)}
              </td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}

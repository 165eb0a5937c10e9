// Component RankingTable: every legal move of a decision, the best first.
import { percent, signedPoints } from '../format.js';
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';

export function RankingTable({ ranking, names }) {
  const hasProbability = ranking.some((move) => move.probability != null);
  const hasPoints = ranking.some((move) => move.points != null);
  return html`
    <details>
      <summary>${t('ranking')}</summary>
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">${t('move')}</th>
            <th scope="col">${t('costs')}</th>
            ${hasProbability && html`<th scope="col">${t('probability')}</th>`}
            ${hasPoints && html`<th scope="col">${t('ahead')}</th>`}
          </tr>
        </thead>
        <tbody>
          ${ranking.map(
            (move) => html`
              <tr key=${move.row} class=${move.made ? 'is-made' : ''}>
                <th scope="row"><${Words} text=${move.text} names=${names} /></th>
                <td>${move.cost}</td>
                ${hasProbability && html`<td>${percent(move.probability)}</td>`}
                ${hasPoints && html`<td>${signedPoints(move.points)}</td>`}
              </tr>
            `,
          )}
        </tbody>
      </table>
    </details>
  `;
}

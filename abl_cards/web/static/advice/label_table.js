// Component LabelTable: probability and look-ahead points of each label.
import { percent, signedPoints } from '../format.js';
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';

export function LabelTable({ labels, names }) {
  if (!labels.length) return null;
  const hasPoints = labels.some((label) => label.points != null);
  return html`
    <table class="labels">
      <thead>
        <tr>
          <th scope="col">${t('label')}</th>
          <th scope="col">${t('probability')}</th>
          ${hasPoints && html`<th scope="col">${t('ahead')}</th>`}
        </tr>
      </thead>
      <tbody>
        ${labels.map(
          (label) => html`
            <tr key=${label.text}>
              <th scope="row"><${Words} text=${label.text} names=${names} /></th>
              <td>
                <meter min="0" max="1" value=${label.probability ?? 0} aria-hidden="true"></meter>${' '}
                ${percent(label.probability)}
              </td>
              ${hasPoints && html`<td>${signedPoints(label.points)}</td>`}
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}

// Component LabelTable: probability and look-ahead points of each label.
import { percent, signedPoints } from '../format.js';
import { html } from '../html.js';
import { t } from '../words.js';

export function LabelTable({ labels }) {
  if (!labels.length) return null;
  const looked = labels.some((each) => each.points != null);
  return html`
    <table class="labels">
      <thead>
        <tr>
          <th scope="col">${t('label')}</th>
          <th scope="col">${t('probability')}</th>
          ${looked && html`<th scope="col">${t('ahead')}</th>`}
        </tr>
      </thead>
      <tbody>
        ${labels.map(
          (each) => html`
            <tr key=${each.text}>
              <th scope="row">${each.text}</th>
              <td>
                <meter min="0" max="1" value=${each.probability ?? 0} aria-hidden="true"></meter>${' '}
                ${percent(each.probability)}
              </td>
              ${looked && html`<td>${signedPoints(each.points)}</td>`}
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}

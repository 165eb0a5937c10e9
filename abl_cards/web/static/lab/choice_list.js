// Component ChoiceList: the choice in each position of the notebook, before and with the weights.
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';

export function ChoiceList({ decisions, deck }) {
  const names = { deck, seat: (seat) => t('seat', seat), team: String };
  const words = (text) => html`<${Words} text=${text} names=${names} />`;
  if (!decisions.length) return html`<p class="small">${t('choicesNone')}</p>`;
  return html`
    <ol class="decided">
      ${decisions.map(
        (decision, index) => html`
          <li key=${index} class=${decision.changed ? 'changed' : ''}>
            ${
              decision.problem
                ? html`<span class="small" title=${decision.problem}>${t('stateRefused')}</span>`
                : html`
                  ${
                    decision.changed
                      ? html`<s>${words(decision.before)}</s> → <b>${words(decision.now)}</b>`
                      : html`<b>${words(decision.now)}</b> <span class="small">${t('choiceSame')}</span>`
                  }
                  <details>
                    <summary class="small">${t('costNow')}</summary>
                    <table class="labels">
                      <thead>
                        <tr>
                          <td></td>
                          <th scope="col">${t('costBefore')}</th>
                          <th scope="col">${t('costNow')}</th>
                        </tr>
                      </thead>
                      <tbody>
                        ${decision.moves.map(
                          (move) => html`
                            <tr key=${move.text}>
                              <th scope="row">${words(move.text)}</th>
                              <td>${move.before}</td>
                              <td>${move.now}</td>
                            </tr>
                          `,
                        )}
                      </tbody>
                    </table>
                  </details>
                `
            }
          </li>
        `,
      )}
    </ol>
  `;
}

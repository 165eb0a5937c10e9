// Component PlayKinds: the kinds of plays with drawn examples.
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { localise } from '../settings.js';

export function PlayKinds({ facts }) {
  return html`
    <ul class="kinds">
      ${facts.kinds.map(
        (kind) => html`
          <li key=${kind.kind}>
            <h3>${localise(kind.name)}</h3>
            <${CardRow} deck=${facts.deck} cards=${kind.example.cards} />
            <p class="small">
              ${localise(kind.shape) || localise(kind.size)}${' '}
              ${localise(kind.note) && html`<b>(${localise(kind.note)})</b>`}
            </p>
          </li>
        `,
      )}
    </ul>
  `;
}

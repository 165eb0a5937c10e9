// Component InfoList: public information in the corner of the table.
import { rankText } from '../cards/card_text.js';
import { html } from '../html.js';
import { localise } from '../settings.js';
import { t } from '../words.js';

export function InfoList({ view }) {
  const entries = view.told.filter((info) => info.plain);
  return html`
    <dl class="told">
      ${entries.map(
        (item) => html`
          <div key=${localise(item.name)}>
            <dt>${localise(item.name)}</dt>
            <dd>${rankText(item.value)}</dd>
          </div>
        `,
      )}
      ${
        view.aside > 0 &&
        !view.stock &&
        html`
          <div>
            <dt>${t('kitty')}</dt>
            <dd>${view.aside}</dd>
          </div>
        `
      }
      ${
        view.stock > 0 &&
        html`
          <div>
            <dt>${t('stock')}</dt>
            <dd>${view.stock}</dd>
          </div>
        `
      }
    </dl>
  `;
}

// Component InfoList: public information in the corner of the table.
import { rankText } from '../cards/card_text.js';
import { html } from '../html.js';
import { say } from '../settings.js';
import { t } from '../words.js';

export function InfoList({ seen }) {
  const plain = seen.told.filter((each) => each.plain);
  return html`
    <dl class="told">
      ${plain.map(
        (each) => html`
          <div key=${say(each.name)}>
            <dt>${say(each.name)}</dt>
            <dd>${rankText(each.value)}</dd>
          </div>
        `,
      )}
      ${
        seen.aside > 0 &&
        !seen.stock &&
        html`
          <div>
            <dt>${t('kitty')}</dt>
            <dd>${seen.aside}</dd>
          </div>
        `
      }
      ${
        seen.stock > 0 &&
        html`
          <div>
            <dt>${t('stock')}</dt>
            <dd>${seen.stock}</dd>
          </div>
        `
      }
    </dl>
  `;
}

// Component Hud: the score and other public facts of a position, always in view.
import { html } from '../html.js';
import { localise } from '../settings.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { placeStyle } from './place_style.js';

export function Hud({ position, rect }) {
  const items = position.told.map((item) => [localise(item.name), item.value]);
  if (position.aside > 0) items.push([t('kitty'), cardText(position.aside)]);
  if (position.stock > 0) items.push([t('stock'), cardText(position.stock)]);
  return html`
    <div class="hud" style=${placeStyle(rect)}>
      ${
        position.title &&
        html`
          <h1>${position.title}</h1>
        `
      }
      <dl class="told">
        ${items.map(
          ([name, value]) => html`
            <div key=${name}>
              <dt>${name}</dt>
              <dd>
                <${Words} text=${value} names=${position.names} />
              </dd>
            </div>
          `,
        )}
      </dl>
    </div>
  `;
}

const cardText = (n) => t('cards', n);

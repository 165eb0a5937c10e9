// Component Hud: the score and other public facts of a position, always in view.
import { html } from '../html.js';
import { t } from '../words.js';
import { HudItem } from './hud_item.js';
import { placeStyle } from './place_style.js';

export function Hud({ position, rect }) {
  const items = [...position.items];
  if (position.aside > 0) items.push({ name: t('kitty'), text: t('cards', position.aside) });
  if (position.stock > 0) items.push({ name: t('stock'), text: t('cards', position.stock) });
  return html`
    <div class="hud" style=${placeStyle(rect)}>
      ${
        position.title &&
        html`
          <h1>${position.title}</h1>
        `
      }
      <dl class="fluents">
        ${items.map(
          (item, index) => html`
            <${HudItem} key=${index} item=${item} position=${position} />
          `,
        )}
      </dl>
    </div>
  `;
}

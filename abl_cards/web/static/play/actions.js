// Component Actions: the buttons of the seat to decide; every button keeps its place in all phases.
import { html } from '../html.js';
import { placeStyle } from '../table/place_style.js';

export function Actions({ layout, main, items }) {
  return html`
    <p class="buttons actions" style=${placeStyle(layout.actions)}>
      <button type="button" class="strong main" disabled=${!main.isEnabled} onClick=${main.act}>
        ${main.text}
      </button>
      ${items.map(
        (item) => html`
          <button
            key=${item.name}
            type="button"
            class=${item.name}
            disabled=${!item.isEnabled}
            aria-busy=${Boolean(item.isBusy)}
            onClick=${item.act}
          >
            <span class="icon" aria-hidden="true">${item.icon}</span>
            ${item.text} ${item.key && html`<kbd>${item.key}</kbd>`}
          </button>
        `,
      )}
    </p>
  `;
}

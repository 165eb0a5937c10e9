// Component Actions: the buttons of the seat to decide; every button keeps its place in all phases.
import { html } from '../html.js';
import { placeStyle } from '../table/place_style.js';

// A button that was clicked by a pointer gives the focus back, so that the Enter key plays and does not click again.
const clicked = (action) => (event) => {
  if (event.detail) event.currentTarget.blur();
  action();
};

export function Actions({ layout, main, items }) {
  return html`
    <p class="buttons actions" style=${placeStyle(layout.actions)}>
      <button type="button" class="strong main" disabled=${!main.isEnabled} onClick=${clicked(main.act)}>
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
            onClick=${clicked(item.act)}
          >
            ${item.text} ${item.key && html`<kbd>${item.key}</kbd>`}
          </button>
        `,
      )}
    </p>
  `;
}

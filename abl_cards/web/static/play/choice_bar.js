// Component ChoiceBar: options that are no cards, such as bids, over the lower part of the trick.
import { html } from '../html.js';
import { placeStyle } from '../table/place_style.js';
import { Words } from '../text/words.js';

export function ChoiceBar({ layout, options, names, choose, advised }) {
  return html`
    <p class="buttons choices" style=${placeStyle(layout.choices)}>
      ${options.map(
        (option, index) => html`
          <button
            type="button"
            class=${`strong ${JSON.stringify(option.value) === advised ? 'advised' : ''}`}
            key=${JSON.stringify(option.value)}
            onClick=${() => choose(option.value)}
          >
            <${Words} text=${option.text} names=${names} /> ${index < 9 && html`<kbd>${index + 1}</kbd>`}
          </button>
        `,
      )}
    </p>
  `;
}

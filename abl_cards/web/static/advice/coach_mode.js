// Component CoachMode: whether the coach judges moves, after or before they are made.
import { html } from '../html.js';
import { updateSettings } from '../settings.js';
import { t } from '../words.js';

const MODES = ['off', 'after', 'before'];

export function CoachMode({ mode }) {
  return html`
    <span class="modes" role="radiogroup" aria-label=${t('coach')}>
      <span aria-hidden="true">${t('coach')}</span>
      ${MODES.map(
        (item) => html`
          <button
            key=${item}
            type="button"
            role="radio"
            class="way"
            aria-checked=${item === mode}
            onClick=${() => updateSettings({ coach: item })}
          >
            ${t(`coach_${item}`)}
          </button>
        `,
      )}
    </span>
  `;
}

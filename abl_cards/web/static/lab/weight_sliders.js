// Component WeightSliders: the weight of each preference, named by its whole sentence.
import { html } from '../html.js';
import { t } from '../words.js';

export function WeightSliders({ preferences, factors, language, change }) {
  if (!preferences) return null;
  if (!preferences.length) return html`<p class="small">${t('weightsNone')}</p>`;
  const index = language === 'zh' ? 1 : 0;
  const set = (name, value) => {
    const { [name]: _, ...others } = factors;
    change(value === 1 ? others : { ...others, [name]: value });
  };
  const weightText = ({ name, weights }) =>
    weights.map((weight) => Math.round(weight * (factors[name] ?? 1))).join(', ');
  return html`
    <div class="sliders" tabindex="0" role="group" aria-label=${t('weightsIn')}>
      ${preferences.map(
        (item) => html`
          <label key=${item.name} class=${item.name in factors ? 'changed' : ''}>
            <span>
              ${item.words[index]}${' '}
              <code class="small">${item.name} ${weightText(item)}</code>
            </span>
            <input
              type="range"
              min="-1"
              max="4"
              step="0.05"
              value=${factors[item.name] ?? 1}
              aria-valuetext=${t('weightOf', item.words[index], factors[item.name] ?? 1)}
              onInput=${(event) => set(item.name, Number(event.target.value))}
            />
          </label>
        `,
      )}
    </div>
  `;
}

// Component SampleList: records that come with the package, with a sentence about each.
import { html, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { localise, useSettings } from '../settings.js';
import { t } from '../words.js';

export function SampleList({ open }) {
  useSettings();
  const [samples, setSamples] = useState([]);
  useEffect(() => {
    request('/api/reviews/samples').then(setSamples, () => {});
  }, []);
  if (!samples.length) return null;
  return html`
    <section class="panel samples">
      <h2>${t('sampleGames')}</h2>
      <ul class="games">
        ${samples.map(
          ({ sample, title, words }) => html`
            <li key=${sample}>
              <button type="button" class="game" onClick=${() => open({ sample })}>
                <b>${localise(title)}</b>
                <span>${localise(words)}</span>
              </button>
            </li>
          `,
        )}
      </ul>
    </section>
  `;
}

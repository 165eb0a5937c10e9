// Component Gallery: reports of experiments as cards with their main figure and their question.
import { Chart } from '../chart/chart.js';
import { html } from '../html.js';
import { t } from '../words.js';
import { usePoll } from './use_poll.js';

const words = (name) => name.replaceAll('_', ' ');

export function Gallery({ version }) {
  const [cards] = usePoll(`/api/gallery?version=${version}`, 3600);
  if (!cards) return html`<p class="wait">${t('connecting')}</p>`;
  return html`
    <ul class="cards-grid">
      ${cards.map(
        (card) => html`
          <li key=${card.name} class="report-card">
            <a href=${`#/watch/report/${encodeURIComponent(card.name)}`}>
              <h3>${words(card.name.split('/').pop())}</h3>
              <p class="small">${card.summary}</p>
              ${card.plot && html`<div aria-hidden="true"><${Chart} plot=${card.plot} small=${true} /></div>`}
              ${card.missing && html`<p class="small part">${t('reportPart', card.missing)}</p>`}
              <p class="small">${t('reportCounts', ...card.counts)}</p>
            </a>
          </li>
        `,
      )}
    </ul>
  `;
}

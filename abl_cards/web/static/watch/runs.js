// Component Runs: training runs with their progress.
import { html } from '../html.js';
import { t } from '../words.js';
import { secondsSince } from './age.js';

const LIVE_SECONDS = 120;

const countText = (count) => (count ? count.toLocaleString('en') : '?');

export function Runs({ runs }) {
  return html`
    <ul class="cards-grid">
      ${runs.map((run) => {
        const age = secondsSince(run.written),
          isLive = age < LIVE_SECONDS;
        return html`
          <li key=${run.name} class="report-card">
            <a href=${`#/watch/run/${encodeURIComponent(run.name)}`}>
              <h3>${run.name}</h3>
              <p class="small">
                ${isLive && html`<b class="live">${t('runLive')}</b> `}
                ${run.decisions == null ? '' : t('runDecisions', countText(run.decisions), countText(run.total))}
              </p>
              ${
                run.total &&
                html`
                <progress max=${run.total} value=${run.decisions ?? 0}
                  aria-label=${t('runProgress', run.name)}></progress>`
              }
              <p class="small">${t('servedAgo', age)}</p>
            </a>
          </li>
        `;
      })}
    </ul>
  `;
}

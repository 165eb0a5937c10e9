// Component AgentSelect: person or agent of one seat.
import { html, useState } from '../html.js';
import { t } from '../words.js';

export function AgentSelect({ place, who, first, agents, choose }) {
  const own = who !== 'person' && !agents.includes(who);
  const [named, setNamed] = useState(own);
  return html`
    <p class="chooser">
      <label>
        ${t('seat', place)}${' '}
        <select
          value=${named ? '…' : who}
          onChange=${(event) => {
            setNamed(event.target.value === '…');
            if (event.target.value !== '…') choose(event.target.value);
          }}
        >
          <option value="person">${first || who !== 'person' ? t('me') : t('person')}</option>
          ${agents.map(
            (each) => html`
              <option key=${each} value=${each}>
                ${each}
              </option>
            `,
          )}
          <option value="…">${t('agentNamed')}</option>
        </select>
      </label>
      ${
        named &&
        html`
          <input
            aria-label=${t('agentNamed')}
            size="18"
            placeholder="kb:without=…"
            value=${own ? who : ''}
            onChange=${(event) => choose(event.target.value.trim() || 'kb')}
          />
        `
      }
    </p>
  `;
}

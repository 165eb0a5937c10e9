// Component AgentSelect: person or agent of one seat.
import { html, useState } from '../html.js';
import { agentTitle } from '../text/agent_name.js';
import { t } from '../words.js';

export function AgentSelect({ seat, player, first, agents, onSelect }) {
  const isCustom = player !== 'person' && !agents.includes(player);
  const [custom, setCustom] = useState(isCustom);
  return html`
    <p class="chooser">
      <label>
        ${t('seat', seat)}${' '}
        <select
          value=${custom ? '…' : player}
          onChange=${(event) => {
            setCustom(event.target.value === '…');
            if (event.target.value !== '…') onSelect(event.target.value);
          }}
        >
          <option value="person">${first || player !== 'person' ? t('me') : t('person')}</option>
          ${agents.map(
            (agent) => html`
              <option key=${agent} value=${agent}>
                ${agentTitle(agent)}
              </option>
            `,
          )}
          <option value="…">${t('agentNamed')}</option>
        </select>
      </label>
      ${
        custom &&
        html`
          <input
            aria-label=${t('agentNamed')}
            size="18"
            lang="en"
            placeholder="kb:without=…"
            value=${isCustom ? player : ''}
            onChange=${(event) => onSelect(event.target.value.trim() || 'kb')}
          />
        `
      }
    </p>
  `;
}

// Component AgentChoice: choose an agent of a review.
import { html } from '../html.js';
import { agentName } from '../text/agent_name.js';
import { t } from '../words.js';

export function AgentChoice({ id, word, agents, value, onChange }) {
  return html`
    <label>
      ${t(word)}${' '}
      <select id=${id} value=${value} onChange=${(event) => onChange(event.target.value)}>
        ${agents.map((agent) => html`<option key=${agent} value=${agent}>${agentName(agent)}</option>`)}
      </select>
    </label>
  `;
}

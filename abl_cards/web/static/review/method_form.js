// Component MethodForm: the agents, deals and seed by which mistakes are found, and the start of the search.
import { html } from '../html.js';
import { t } from '../words.js';
import { AgentChoice } from './agent_choice.js';

export function MethodForm({ work }) {
  const { choice, setChoice } = work;
  const isWorking = work.state === 'working';
  return html`
    <form
      class="method-form"
      onSubmit=${(event) => {
        event.preventDefault();
        work.start();
      }}
    >
      <${AgentChoice}
        id="review-agent"
        word="asker"
        agents=${work.explaining}
        value=${choice.agent}
        onChange=${(agent) => setChoice({ agent })}
      />
      <${AgentChoice}
        id="review-onward"
        word="onward"
        agents=${work.allAgents}
        value=${choice.onward}
        onChange=${(onward) => setChoice({ onward })}
      />
      <label>
        ${t('deals')}${' '}
        <input
          id="review-deals"
          type="number"
          min="4"
          max="1000"
          value=${choice.deals}
          onInput=${(event) => setChoice({ deals: event.target.value })}
        />
      </label>
      <button type="submit" class="strong" disabled=${isWorking}>${t('findMistakes')}</button>
      ${isWorking && html`<span role="status">${t('finding', work.done, work.total || '…')}</span>`}
      ${work.problem && html`<p class="problem" role="alert">${work.problem}</p>`}
    </form>
  `;
}

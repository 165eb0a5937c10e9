// Component MethodLine: how the numbers were found, and the command that finds the same.
import { html, useState } from '../html.js';
import { useSettings } from '../settings.js';
import { agentName } from '../text/agent_name.js';
import { t } from '../words.js';
import { reviewCommand } from './summaries.js';

export function MethodLine({ review, work }) {
  const { threshold } = useSettings();
  const [isCopied, setIsCopied] = useState(false);
  const { method } = work;
  if (!method) return html`<p class="method-line small">${t('noMethod')}</p>`;
  const command = reviewCommand(review, method, threshold);
  const copy = () =>
    navigator.clipboard.writeText(command).then(
      () => setIsCopied(true),
      () => setIsCopied(false),
    );
  return html`
    <p class="method-line small">
      <span class="method">
        ${t('method', agentName(method.agent), agentName(method.rollout_agent), method.deals, method.seed)}
      </span>${' '}
      <input
        class="command"
        aria-label=${t('sameAs')}
        readonly
        value=${command}
        onFocus=${(event) => event.target.select()}
      />
      <button type="button" class="quiet" onClick=${copy}>${t(isCopied ? 'copied' : 'copyCommand')}</button>
    </p>
  `;
}

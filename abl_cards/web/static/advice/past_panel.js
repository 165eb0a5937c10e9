// Component PastPanel: the reasons of a play on the table, by what its seat could know.
import { html } from '../html.js';
import { agentName } from '../text/agent_name.js';
import { errorText } from '../text/error_text.js';
import { plainText } from '../text/marked_text.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { ReasonList } from './reason_list.js';

export function PastPanel({ past, names }) {
  if (past.type === 'error') return html`<p class="problem">${errorText(past)}</p>`;
  const move = plainText(past.text, names);
  return html`
    <section class="past">
      <h3>${t('theirReasons', names.seat(past.seat), move)}</h3>
      <${ReasonList} reasons=${past.made.reasons} />
      ${
        past.best
          ? html`
            <h4>${t('agentInstead', agentName(past.agent))} <${Words} text=${past.best.text} names=${names} /></h4>
            <${ReasonList} reasons=${past.difference} />
          `
          : html`<p class="small">${t('asAgent', agentName(past.agent))}</p>`
      }
      <p class="small">${t('fromOwnCards')}</p>
    </section>
  `;
}

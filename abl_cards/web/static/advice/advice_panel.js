// Component AdvicePanel: the coach, hints, explanations, and reasons of plays on the table.
// Beside the table; on phones a sheet that opens on demand and moves nothing.
import { html } from '../html.js';
import { errorText } from '../text/error_text.js';
import { t } from '../words.js';
import { CoachMode } from './coach_mode.js';
import { CoachPanel } from './coach_panel.js';
import { HintAdvice } from './hint_advice.js';
import { PastPanel } from './past_panel.js';
import { WhyAdvice } from './why_advice.js';
import './words.js';

export { CoachButton } from './coach_button.js';

export function AdvicePanel({ advice, coach, past, picked, welcome, view, names, take, isOpen, close }) {
  const { answer, busy } = advice;
  const isEmpty = !answer && !past && !coach.judged && !coach.isBusy;
  return html`
    <section
      key=${isOpen}
      class=${`panel advice ${isOpen ? 'open' : ''}`}
      aria-label=${t('advice')}
      aria-busy=${Boolean(busy)}
      tabindex="-1"
    >
      <header>
        <h2>${t('advice')}</h2>
        ${view.me != null && html`<${CoachMode} mode=${coach.mode} />`}
        ${isOpen && html`<button type="button" class="quiet" aria-label=${t('close')} onClick=${close}>✕</button>`}
      </header>
      ${past && html`<${PastPanel} past=${past} names=${names} />`}
      <${CoachPanel} coach=${coach} picked=${picked} names=${names} take=${take} />
      ${isEmpty && !busy && html`<p class="small">${t('noAdvice')}</p>`}
      ${busy && html`<p class="small">${t('thinking')} …</p>`}
      ${answer?.type === 'error' && html`<p class="problem">${errorText(answer)}</p>`}
      ${answer?.type === 'hint' && html`<${HintAdvice} ...${{ answer, coach, welcome, view, names, take }} />`}
      ${answer?.type === 'why' && html`<${WhyAdvice} answer=${answer} names=${names} />`}
    </section>
  `;
}

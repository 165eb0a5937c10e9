// Component AdvicePanel: the coach, hints, explanations, and reasons of plays on the table.
// Beside the table; on phones a sheet that opens on demand and moves nothing.
import { html } from '../html.js';
import { otherNames } from '../table/seats.js';
import { agentName } from '../text/agent_name.js';
import { errorText } from '../text/error_text.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { CoachMode, CoachPanel } from './coach_panel.js';
import { HeatMap } from './heat_map.js';
import { ImaginedDeals } from './imagined_deals.js';
import { LabelTable } from './label_table.js';
import { PastPanel } from './past_panel.js';
import { ProofTree } from './proof_tree.js';
import { ReasonList } from './reason_list.js';
import { StepList } from './step_list.js';
import { Verdict } from './verdict.js';
import './words.js';

export { CoachButton } from './coach_button.js';

export function AdvicePanel({ advice, coach, past, picked, welcome, view, names, take, isOpen, close }) {
  const { answer, busy } = advice;
  const isEmpty = !answer && !past && !coach.judged && !coach.isBusy;
  return html`
    <section
      class=${`panel advice ${isOpen ? 'open' : ''}`}
      aria-label=${t('advice')}
      aria-busy=${Boolean(busy)}
      tabindex="-1"
    >
      <header>
        <h2>${t('advice')}</h2>
        ${isOpen && html`<button type="button" class="quiet" aria-label=${t('close')} onClick=${close}>✕</button>`}
      </header>
      ${view.me != null && html`<${CoachMode} mode=${coach.mode} />`}
      <${CoachPanel} coach=${coach} picked=${picked} names=${names} take=${take} />
      ${past && html`<${PastPanel} past=${past} names=${names} />`}
      ${isEmpty && !busy && html`<p class="small">${t('noAdvice')}</p>`}
      ${busy && html`<p class="small">${t('thinking')} …</p>`}
      ${answer?.type === 'error' && html`<p class="problem">${errorText(answer)}</p>`}
      ${answer?.type === 'hint' && html`<${Hint} ...${{ answer, coach, welcome, view, names, take }} />`}
      ${answer?.type === 'why' && html`<${Reasons} answer=${answer} names=${names} />`}
    </section>
  `;
}

function Hint({ answer, coach, welcome, view, names, take }) {
  const deck = welcome.deck;
  return html`
    <${Verdict} heading=${t('best')} verdict=${answer.best} names=${names} take=${take} moves=${answer.moves} />
    ${
      view.asked?.kind === 'play' &&
      !coach.judged &&
      html`
        <p><button type="button" aria-busy=${coach.isBusy} onClick=${coach.compare}>${t('compare')}</button></p>
      `
    }
    ${answer.next.map(
      (verdict) => html`
        <${Verdict}
          key=${verdict.text}
          heading=${t('nextBest')}
          verdict=${verdict}
          names=${names}
          take=${take}
          moves=${answer.moves}
        />
      `,
    )}
    <p class="small">${t('asks', agentName(answer.agent))}</p>
    ${
      answer.labels.length > 0 &&
      html`
        <details>
          <summary>${t('agentNumbers')}</summary>
          <${LabelTable} labels=${answer.labels} names=${names} />
        </details>
      `
    }
    ${
      answer.estimate &&
      html`
        <details>
          <summary>${t('estimated')}</summary>
          <${HeatMap} estimate=${answer.estimate} deck=${deck} names=${otherNames(view)} />
        </details>
      `
    }
    ${answer.imagined && html`<${ImaginedDeals} deals=${answer.imagined} deck=${deck} names=${otherNames(view)} />`}
  `;
}

function Reasons({ answer, names }) {
  return answer.readings.map(
        (reading, index) => html`
      <div key=${index}>
        <h3>
          <${Words} text=${reading.label ?? reading.verdict?.text} names=${names} />${t('colon')}
          ${reading.legal ? t('legal') : t('illegal')}
        </h3>
        ${reading.steps && html`<${StepList} steps=${reading.steps} names=${names} />`}
        ${
          reading.verdict &&
          html`
            <${Verdict} heading=${t('chosen')} verdict=${reading.verdict} names=${names} />
          `
        }
        ${
          reading.difference?.length > 0 &&
          html`
            <h4>
              ${t('difference')} <${Words} text=${answer.best.text} names=${names} />
            </h4>
            <${ReasonList} reasons=${reading.difference} />
          `
        }
        ${
          reading.why &&
          html`
            <details>
              <summary>${t('byRules')}</summary>
              <${ProofTree} node=${reading.why} />
            </details>
          `
        }
      </div>
    `,
  );
}

// Component AdvicePanel: a hint of an agent, or the explanation of the selected cards.
import { html } from '../html.js';
import { otherNames } from '../table/seats.js';
import { agentName } from '../text/agent_name.js';
import { errorText } from '../text/error_text.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { HeatMap } from './heat_map.js';
import { ImaginedDeals } from './imagined_deals.js';
import { LabelTable } from './label_table.js';
import { ProofTree } from './proof_tree.js';
import { ReasonList } from './reason_list.js';
import { StepList } from './step_list.js';
import { Verdict } from './verdict.js';

export function AdvicePanel({ advice, welcome, view, names, take }) {
  const { answer, busy } = advice;
  const deck = welcome.deck;
  let content = html`<p class="small">${busy ? t('thinking') + ' …' : t('noAdvice')}</p>`;
  if (answer?.type === 'error') content = html`<p class="problem">${errorText(answer)}</p>`;
  if (answer?.type === 'hint') {
    content = html`
      <p class="small">${t('asks', agentName(answer.agent))}</p>
      <${Verdict} heading=${t('best')} verdict=${answer.best} names=${names} take=${take} moves=${answer.moves} />
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
      <${LabelTable} labels=${answer.labels} names=${names} />
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
  if (answer?.type === 'why') {
    content = html`
      ${answer.readings.map(
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
      )}
    `;
  }
  return html`
    <section class="panel advice" aria-label=${t('advice')} aria-busy=${Boolean(busy)}>
      <h2>${t('advice')}</h2>
      ${content}
    </section>
  `;
}

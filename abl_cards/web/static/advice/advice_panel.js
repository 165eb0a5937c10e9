// Component AdvicePanel: a hint of an agent, or the explanation of the selected cards.
import { html } from '../html.js';
import { otherNames } from '../table/seats.js';
import { t } from '../words.js';
import { HeatMap } from './heat_map.js';
import { ImaginedDeals } from './imagined_deals.js';
import { LabelTable } from './label_table.js';
import { ProofTree } from './proof_tree.js';
import { ReasonList } from './reason_list.js';
import { StepList } from './step_list.js';
import { Verdict } from './verdict.js';

export function AdvicePanel({ advice, welcome, view, take }) {
  const { answer, busy } = advice;
  const deck = welcome.deck;
  let content = html`<p class="small">${busy ? t('thinking') + ' …' : t('noAdvice')}</p>`;
  if (answer?.type === 'error') content = html`<p class="problem">${answer.text}</p>`;
  if (answer?.type === 'hint') {
    content = html`
      <p class="small">${t('asks', answer.agent)}</p>
      <${Verdict} heading=${t('best')} verdict=${answer.best} deck=${deck} take=${take} moves=${answer.moves} />
      ${answer.next.map(
        (verdict) => html`
          <${Verdict}
            key=${verdict.text}
            heading=${t('nextBest')}
            verdict=${verdict}
            deck=${deck}
            take=${take}
            moves=${answer.moves}
          />
        `,
      )}
      <${LabelTable} labels=${answer.labels} />
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
              ${reading.label ?? reading.verdict?.text}: ${reading.legal ? t('legal') : t('illegal')}
            </h3>
            ${reading.steps && html`<${StepList} steps=${reading.steps} deck=${deck} />`}
            ${
              reading.verdict &&
              html`
                <${Verdict} heading=${reading.verdict.text} verdict=${reading.verdict} deck=${deck} />
              `
            }
            ${
              reading.difference?.length > 0 &&
              html`
                <h4>
                  ${t('difference')} (${answer.best.text})
                </h4>
                <${ReasonList} reasons=${reading.difference} />
              `
            }
            ${reading.why && html`<${ProofTree} node=${reading.why} />`}
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

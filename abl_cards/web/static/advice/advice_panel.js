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

export function AdvicePanel({ advice, welcome, seen, take }) {
  const { told, busy } = advice;
  const deck = welcome.deck;
  let inside = html`<p class="small">${busy ? t('thinking') + ' …' : t('noAdvice')}</p>`;
  if (told?.type === 'error') inside = html`<p class="problem">${told.text}</p>`;
  if (told?.type === 'hint') {
    inside = html`
      <p class="small">${t('asks', told.agent)}</p>
      <${Verdict} heading=${t('best')} verdict=${told.best} deck=${deck} take=${take} moves=${told.moves} />
      ${told.next.map(
        (each) => html`
          <${Verdict}
            key=${each.text}
            heading=${t('next')}
            verdict=${each}
            deck=${deck}
            take=${take}
            moves=${told.moves}
          />
        `,
      )}
      <${LabelTable} labels=${told.labels} />
      ${
        told.estimate &&
        html`
          <details>
            <summary>${t('estimated')}</summary>
            <${HeatMap} estimate=${told.estimate} deck=${deck} names=${otherNames(seen)} />
          </details>
        `
      }
      ${told.imagined && html`<${ImaginedDeals} deals=${told.imagined} deck=${deck} names=${otherNames(seen)} />`}
    `;
  }
  if (told?.type === 'why') {
    inside = html`
      ${told.readings.map(
        (each, place) => html`
          <div key=${place}>
            <h3>
              ${each.label ?? each.verdict?.text}: ${each.legal ? t('legal') : t('illegal')}
            </h3>
            ${each.steps && html`<${StepList} steps=${each.steps} deck=${deck} />`}
            ${each.verdict && html`<${Verdict} heading=${each.verdict.text} verdict=${each.verdict} deck=${deck} />`}
            ${
              each.difference?.length > 0 &&
              html`
                <h4>
                  ${t('difference')} (${told.best.text})
                </h4>
                <${ReasonList} reasons=${each.difference} />
              `
            }
            ${each.why && html`<${ProofTree} why=${each.why} />`}
          </div>
        `,
      )}
    `;
  }
  return html`
    <section class="panel advice" aria-label=${t('advice')} aria-busy=${Boolean(busy)}>
      <h2>${t('advice')}</h2>
      ${inside}
    </section>
  `;
}

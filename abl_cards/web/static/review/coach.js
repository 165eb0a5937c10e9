// Component Coach: the decision that is looked at: what it gave away, the moves on one scale, reasons, estimates.
import { ImaginedDeals } from '../advice/imagined_deals.js';
import { LabelTable } from '../advice/label_table.js';
import { Verdict } from '../advice/verdict.js';
import { html } from '../html.js';
import { settings } from '../settings.js';
import { t } from '../words.js';
import { EstimateLegend } from './estimate_legend.js';
import { EstimateMatrix } from './estimate_matrix.js';
import { Evaluation } from './evaluation.js';
import { ForAgainst } from './for_against.js';
import { othersOf } from './lines.js';
import { RankingTable } from './ranking_table.js';

export function Coach({ review, frame, names, advice, evaluation, glyph, hasTruth, playerName, method, isOn }) {
  const isChoice = frame.act == null && !frame.plays;
  return html`
    <section class="panel coach thought" aria-label=${t('advice')} aria-busy=${isOn && !advice}>
      ${evaluation && html`<${Evaluation} ...${{ evaluation, glyph, names, method }} />`}
      ${
        !isOn
          ? html`<p class="small">${t('coachOff')}</p>`
          : !advice
            ? html`<p class="small">${t('searching')}</p>`
            : advice.problem
              ? html`<p class="small">${isChoice ? t('noDecision') : advice.problem}</p>`
              : html`<${Advice} ...${{ review, frame, names, advice, hasTruth, playerName }} hasReasons=${hasReasons(evaluation, method)} />`
      }
    </section>
  `;
}

// Whether the reasons of the review stand there already, in the language of the page.
const hasReasons = (evaluation, method) =>
  Boolean(evaluation?.why.length) && method.language === settings().language;

function Advice({ review, frame, names, advice, hasReasons, hasTruth, playerName }) {
  const { best, made, estimate, imagined } = advice;
  const isOther = made && made.place !== best.place;
  const others = othersOf(frame.seat, review.after).map(playerName);
  return html`
    <${Verdict} heading=${t('best')} verdict=${best} names=${names} moves=${advice.moves} />
    ${isOther && html`<${Verdict} heading=${t('made')} verdict=${made} names=${names} moves=${advice.moves} />`}
    ${isOther && !hasReasons && html`<${ForAgainst} reasons=${advice.difference} />`}
    <${LabelTable} labels=${advice.labels} names=${names} />
    ${
      estimate &&
      html`
        <h3>${t('estimated')}</h3>
        <${EstimateLegend} error=${estimate.error} hasTruth=${hasTruth} />
        ${others.map(
          (name, seat) => html`
            <figure key=${seat} class="estimate-of">
              <figcaption class="small">${name}</figcaption>
              <${EstimateMatrix}
                deck=${review.deck}
                estimate=${estimate}
                seat=${seat}
                name=${name}
                width=${286}
                height=${96}
                hasTruth=${hasTruth}
                hasBelief
              />
            </figure>
          `,
        )}
      `
    }
    ${imagined && html`<${ImaginedDeals} deals=${imagined} deck=${review.deck} names=${others} />`}
    <${RankingTable} ranking=${advice.ranking} names=${names} />
  `;
}

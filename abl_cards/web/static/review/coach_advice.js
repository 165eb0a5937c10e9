// Component CoachAdvice: the best move and the one made, with reasons, probabilities and the estimates of hands.
import { ImaginedDeals } from '../advice/imagined_deals.js';
import { LabelTable } from '../advice/label_table.js';
import { ReasonList } from '../advice/reason_list.js';
import { Verdict } from '../advice/verdict.js';
import { html } from '../html.js';
import { t } from '../words.js';
import { EstimateLegend } from './estimate_legend.js';
import { EstimateMatrix } from './estimate_matrix.js';
import { othersOf } from './lines.js';
import { RankingTable } from './ranking_table.js';

export function CoachAdvice({ review, frame, names, advice, hasReasons, hasTruth, playerName }) {
  const { best, made, estimate, imagined } = advice;
  const isOther = made && made.place !== best.place;
  const others = othersOf(frame.seat, review.after).map(playerName);
  return html`
    <${Verdict} heading=${t('best')} verdict=${best} names=${names} moves=${advice.moves} />
    ${isOther && html`<${Verdict} heading=${t('madeMove')} verdict=${made} names=${names} moves=${advice.moves} />`}
    ${
      isOther &&
      !hasReasons &&
      html`
        <h4>${t('madeAgainstBest')}</h4>
        <${ReasonList} reasons=${advice.difference} />
      `
    }
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

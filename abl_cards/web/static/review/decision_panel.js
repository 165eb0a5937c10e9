// Component DecisionPanel: advice at one decision of a record, and the mistake made there.
import { HeatMap } from '../advice/heat_map.js';
import { ImaginedDeals } from '../advice/imagined_deals.js';
import { LabelTable } from '../advice/label_table.js';
import { ReasonList } from '../advice/reason_list.js';
import { Verdict } from '../advice/verdict.js';
import { fixedText, signedPoints } from '../format.js';
import { html } from '../html.js';
import { seatsFrom } from '../table/seats.js';
import { Words } from '../text/words.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
import { isMistake } from './summaries.js';

export function DecisionPanel({
  review,
  frame,
  names,
  decision,
  evaluation,
  threshold,
  showHands,
  playerName,
  method,
}) {
  const otherNames = seatsFrom(frame.seat, review.after).slice(1).map(playerName);
  return html`
    <section class="panel thought" aria-label=${t('advice')} aria-busy=${!decision}>
      ${
        !decision
          ? html`
            <p class="small">${t('searching')}</p>
          `
          : decision.problem
            ? html`
              <p class="small">${decision.problem}</p>
            `
            : html`
              ${
                evaluation &&
                html`
                  <p>
                    <b>
                      ${isMistake(evaluation, threshold) ? '?? ' : ''}
                      ${t('gaveAway', fixedText(evaluation.loss, 2), fixedText(2 * evaluation.error, 2))}
                    </b>
                    ${
                      evaluation.loss > 0 &&
                      html`
                        ; <${Words} text=${t('instead', localise(evaluation.better))} names=${names} />
                      `
                    }
                  </p>
                  ${
                    isMistake(evaluation, threshold) &&
                    evaluation.agreed &&
                    html`
                      <p class="contradiction">${t('disagrees', method.rollout_agent, method.agent)}</p>
                    `
                  }
                  <table class="grid">
                    <thead>
                      <tr>
                        <th scope="col">${t('move')}</th>
                        <th scope="col">${t('expected', method.rollout_agent)}</th>
                      </tr>
                    </thead>
                    <tbody>
                      ${evaluation.tried.map(
                        (move) => html`
                          <tr key=${move.row} class=${move.made ? 'is-made' : ''}>
                            <th scope="row"><${Words} text=${move.text} names=${names} /></th>
                            <td>${signedPoints(move.points)}</td>
                          </tr>
                        `,
                      )}
                    </tbody>
                  </table>
                `
              }
              <${Verdict} heading=${t('best')} verdict=${decision.best} names=${names} moves=${decision.moves} />
              ${
                decision.made &&
                decision.made.place !== decision.best.place &&
                html`
                  <${Verdict}
                    heading=${t('made')}
                    verdict=${decision.made}
                    names=${names}
                    moves=${decision.moves}
                  />
                  <h4>${t('difference')}</h4>
                  <${ReasonList} reasons=${decision.difference} />
                `
              }
              <${LabelTable} labels=${decision.labels} names=${names} />
              ${
                decision.estimate &&
                html`
                  <h3>${t('estimated')}</h3>
                  <p class="small">
                    ${t('truth')}; ${t('errorHere', `${(100 * decision.estimate.error).toFixed(0)}%`)}
                  </p>
                  <${HeatMap}
                    estimate=${decision.estimate}
                    deck=${review.deck}
                    names=${otherNames}
                    truth=${showHands ? decision.estimate.truth : null}
                  />
                `
              }
              ${
                decision.imagined &&
                html`
                  <${ImaginedDeals} deals=${decision.imagined} deck=${review.deck} names=${otherNames} />
                `
              }
              <details>
                <summary>${t('ranking')}</summary>
                <table class="grid">
                  <thead>
                    <tr>
                      <th scope="col">${t('move')}</th>
                      <th scope="col">${t('costs')}</th>
                      <th scope="col">${t('probability')}</th>
                      <th scope="col">${t('ahead')}</th>
                    </tr>
                  </thead>
                  <tbody>
                    ${decision.ranking.map(
                      (move) => html`
                        <tr key=${move.row} class=${move.made ? 'is-made' : ''}>
                          <th scope="row"><${Words} text=${move.text} names=${names} /></th>
                          <td>${move.cost}</td>
                          <td>${move.probability == null ? '' : `${(100 * move.probability).toFixed(1)}%`}</td>
                          <td>${signedPoints(move.points)}</td>
                        </tr>
                      `,
                    )}
                  </tbody>
                </table>
              </details>
            `
      }
    </section>
  `;
}

// Component MessageLine: whose turn it is, and what the picked cards are or why they cannot be played.
// Its size is fixed.
import { html } from '../html.js';
import { localise } from '../settings.js';
import { placeStyle } from '../table/place_style.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { PickProblem } from './pick_problem.js';

export function MessageLine({ view, names, selection, layout, turnText, wrongCount, hint, coach }) {
  const { matches, texts, reading } = selection;
  const decision = view.asked;
  const isPlay = decision?.kind === 'play';
  const current = matches.readings[reading];
  return html`
    <div class="message" style=${placeStyle(layout.message)}>
      <p class="turn" data-mine=${view.turn === view.me && view.me != null}>${turnText}</p>
      <p class="reads" role="status">
        ${
          isPlay &&
          texts.length > 0 &&
          (matches.readings.length > 1
            ? html`
              ${t('ways', matches.readings.length)}
              <span role="radiogroup" aria-label=${t('ways', matches.readings.length)}>
                ${matches.readings.map(
                  (item, index) => html`
                    <button
                      type="button"
                      key=${JSON.stringify(item.value)}
                      role="radio"
                      aria-checked=${index === reading}
                      class=${`way ${index === reading ? 'chosen' : ''}`}
                      onClick=${() => selection.setReading(index)}
                    >
                      <${Words} text=${item.text} names=${names} />
                    </button>
                  `,
                )}
              </span>
            `
            : current
              ? !hint &&
                html`
                  <${Words} text=${current.text} names=${names} />
                `
              : matches.waits
                ? ''
                : matches.plays
                  ? t('unfinished', matches.plays)
                  : html`
                    <${PickProblem} problem=${matches.problem} names=${names} select=${selection.select} />
                  `)
        }
        ${wrongCount && t('exactly', decision.count, texts.length)}
        ${isPlay && !texts.length && decision.plays === 1 && decision.passes && t('only')}
        ${
          hint &&
          html`
            <span class="advised">
              <b>
                ${t(hint.place ? 'nextHint' : 'best')}${t('colon')}
                <${Words} text=${hint.move.text} names=${names} />
              </b>
              ${hint.move.reasons[0] && html` <span>${localise(hint.move.reasons[0].words)}</span>`}
            </span>
          `
        }
      </p>
      ${coach}
    </div>
  `;
}

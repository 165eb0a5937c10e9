// Component ReviewHead: title, players and result of a record, and what can be done with it.
import { signedInteger } from '../format.js';
import { html } from '../html.js';
import { localise } from '../settings.js';
import { t } from '../words.js';

export function ReviewHead({ review, playerName, result, buttons, children }) {
  const players = review.pictures[0].hands.map((_, seat) => playerName(seat));
  return html`
    <header class="review-head">
      <h1>
        ${localise(review.title)}
        ${review.lines > 1 && html`<span class="small"> ${t('lineOf', review.line, review.lines)}</span>`}
      </h1>
      <p class="small players">
        ${players.join(' · ')}
        ${result && ` · ${t('ends')}${t('colon')}${result.points.map(signedInteger).join(' ')}`}
      </p>
      <div class="buttons">
        ${buttons.map(
          ({ word, key, isOn, isEnabled = true, act }) => html`
            <button
              key=${word}
              type="button"
              class=${isOn ? 'strong' : ''}
              aria-pressed=${Boolean(isOn)}
              disabled=${!isEnabled}
              onClick=${act}
            >
              ${t(word)} ${key && html`<kbd>${key}</kbd>`}
            </button>
          `,
        )}
        ${children}
        <a class="button" href="#/review/new">${t('openOtherGame')}</a>
      </div>
      ${
        review.refused &&
        html`
          <p class="problem" role="status">${t('oldRules')} ${review.refused}</p>
        `
      }
      ${review.problem && html`<p class="problem">${t('wrongFrom', '')}${review.problem}</p>`}
      ${review.damaged?.length > 0 && html`<p class="small">${t('damagedLines', '')}${review.damaged.join('; ')}</p>`}
    </header>
  `;
}

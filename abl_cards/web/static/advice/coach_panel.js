// Component CoachPanel: when the coach speaks, its light with one sentence, and on demand the best moves as bars.
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { LIGHT_SIGNS, judgedMove, verdictOf } from './coach_text.js';
import { MoveBars } from './move_bars.js';
import { ReasonList } from './reason_list.js';

export function CoachPanel({ coach, picked, names, take }) {
  const { judged, isBusy } = coach;
  if (!judged) return isBusy ? html`<p class="small" role="status">${t('coachThinks')}</p>` : null;
  const verdict = verdictOf(judged, picked);
  const move = judgedMove(judged, picked);
  const reasons = judged.difference.length ? judged.difference : (move ?? judged.moves[0]).reasons;
  return html`
    <details class=${`judged light-${verdict.light}`}>
      <summary>
        <span class="lamp" aria-hidden="true">${LIGHT_SIGNS[verdict.light]}</span>
        <span role="status"><${Words} text=${verdict.text} names=${names} /></span>
      </summary>
      ${
        judged.moves.length > 1 &&
        html`
          <${MoveBars} judged=${judged} names=${names} take=${judged.act == null ? take : null} />
        `
      }
      <h4>${judged.difference.length ? t('betterBecause') : t('reasons')}</h4>
      <${ReasonList} reasons=${reasons} />
    </details>
  `;
}

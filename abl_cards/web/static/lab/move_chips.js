// Component MoveChips: moves in words with their cards drawn; each shows its reasons.
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';

export function MoveChips({ heading, kind, moves, count, names, explain }) {
  if (!moves.length) return null;
  return html`
    <p class=${`moves ${kind}`}>
      <b>${heading}</b> <span class="small">${count}</span>${' '}
      ${moves.map((move, index) =>
        explain
          ? html`
            <button key=${index} type="button" class="move" title=${t('moveWhy')} onClick=${() => explain(move)}>
              <${Words} text=${move.text} names=${names} />
            </button>
          `
          : html`<span key=${index} class="move"><${Words} text=${move.text} names=${names} /></span>`,
      )}
      ${count > moves.length && html`<span class="small">${t('movesMore', count - moves.length)}</span>`}
    </p>
  `;
}

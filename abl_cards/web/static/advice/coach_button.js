// Component CoachButton: the light of the coach in one word, which opens the sheet of advice.
import { html } from '../html.js';
import { plainText } from '../text/marked_text.js';
import { t } from '../words.js';
import { LIGHT_SIGNS, verdictOf } from './coach_text.js';

export function CoachButton({ coach, advice, picked, names, isOpen, toggle }) {
  const verdict = coach.judged ? verdictOf(coach.judged, picked) : null;
  if (!verdict && coach.mode === 'off' && !advice.answer) return null;
  const word = coach.isBusy ? '…' : verdict?.light ? t(`light_${verdict.light}`) : t('coach');
  return html`
    <button
      type="button"
      class=${`coach-button light-${verdict?.light ?? ''}`}
      aria-expanded=${isOpen}
      title=${verdict ? plainText(verdict.text, names) : t('advice')}
      onClick=${toggle}
    >
      <span class="lamp" aria-hidden="true">${verdict ? LIGHT_SIGNS[verdict.light] : '☰'}</span> ${word}
    </button>
  `;
}

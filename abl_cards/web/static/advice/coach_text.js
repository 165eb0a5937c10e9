// Sentences and lights of a judgement of the coach.
import { localise } from '../settings.js';
import { t } from '../words.js';

const sameValue = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// The move that is judged: the one made, or before the move the one picked.
export const judgedMove = (judged, picked) =>
  judged.moves.find((move) => (judged.act != null ? move.made : picked != null && sameValue(move.value, picked)));

function lossSentence(judged, move) {
  const [best] = judged.moves;
  if (move === best) return t('coachBest');
  if (move.light === 'good') return t('coachEqual');
  return t('coachLoss', localise(best.text), move.loss.toFixed(2), move.loss_half.toFixed(2));
}

// Light and sentence of a judgement; before the move, without picked cards, the best move.
export function verdictOf(judged, picked) {
  const [best] = judged.moves;
  if (judged.legal === 1) return { light: 'good', text: t('coachForced') };
  const move = judgedMove(judged, picked);
  if (move) return { light: move.light, text: lossSentence(judged, move) };
  const equal = judged.moves.filter((other) => other !== best && other.light === 'good').length;
  const name = localise(best.text);
  return { light: '', text: equal ? t('coachFirstOf', name, equal) : t('coachFirst', name) };
}

export const LIGHT_SIGNS = { good: '✓', fair: '−', bad: '!', '': '★' };

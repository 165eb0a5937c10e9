// What happened at an act of the record, in one line: for the card of the timeline and for screen readers.
import { fixedText, signedFixed } from '../format.js';
import { t } from '../words.js';
import { lossTexts } from './summaries.js';

export function describeAct({ review, place, tricks, work, series, actText }) {
  const parts = [`${t('act', place + 1, review.pictures.length)}${t('comma')}${t('trickNumber', tricks[place])}`];
  parts.push(actText(review.pictures[place].act));
  const point = series.find((item) => item.place === place);
  if (point) parts.push(t('pointsHere', signedFixed(point.value), fixedText(point.half, 2)));
  const decision = work.decisionAt.get(place);
  const glyph = work.glyphs.get(place);
  if (glyph) parts.push(`${glyph} ${t('gaveAway', ...lossTexts(decision))}`);
  return parts.join(t('between'));
}

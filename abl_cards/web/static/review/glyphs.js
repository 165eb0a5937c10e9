// Glyphs of mistakes: ??, ? and ?!, by the share of what was at stake in the record.
import { isMistake } from './summaries.js';

export const GLYPHS = ['??', '?', '?!'];
const SHARES = [0.3, 0.15];

// Largest difference in points between two moves of one decision.
export function stakeOf(decisions) {
  const spreads = decisions.map(({ tried }) => {
    const points = tried.map((move) => move.points).filter((value) => value != null);
    return points.length ? Math.max(...points) - Math.min(...points) : 0;
  });
  return Math.max(0, ...spreads);
}

// Least points that a mistake with the first, and with the second glyph costs, in hundredths.
export const glyphLimits = (stake) => SHARES.map((share) => Math.max(0.01, Math.round(100 * share * stake) / 100));

export function glyphOf(decision, threshold, stake) {
  if (!isMistake(decision, threshold)) return '';
  const [blunder, mistake] = glyphLimits(stake);
  return decision.loss >= blunder ? GLYPHS[0] : decision.loss >= mistake ? GLYPHS[1] : GLYPHS[2];
}

// Next decision with a glyph after an act, from the first one again at the end; null without any.
export function nextWithGlyph(marks, glyph, index) {
  const places = [...marks].filter(([, mark]) => !glyph || mark === glyph).map(([place]) => place);
  return places.find((place) => place > index) ?? places[0] ?? null;
}

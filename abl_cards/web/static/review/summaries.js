// Mistakes of a review and their totals by seat, and the command that finds the same.
import { fixedText } from '../format.js';

export const isMistake = (decision, threshold) => decision.mistake && decision.loss >= threshold;

// Add mistakes and lost points at a threshold to the summaries of the server, which count plays and agreement.
export function summariseSeats(seats, decisions, threshold) {
  return seats.map((seat) => {
    const mistakes = decisions.filter((decision) => decision.seat === seat.seat && isMistake(decision, threshold));
    const loss = mistakes.reduce((sum, decision) => sum + decision.loss, 0);
    return { ...seat, mistakes: mistakes.length, loss };
  });
}

export function reviewCommand(review, method, threshold) {
  const options = {
    line: review.line,
    agent: method.agent,
    'rollout-agent': method.rollout_agent,
    deals: method.deals,
    seed: method.seed,
    lang: method.language,
    ...(threshold > 0 ? { 'min-loss': threshold } : {}),
  };
  const words = Object.entries(options).map(([name, value]) => `--${name} ${value}`);
  return ['abl-cards review', review.game, 'FILE', ...words].join(' ');
}

// Lost points and the half width of their interval, as texts.
export const lossTexts = ({ loss, error }) => [fixedText(loss, 2), fixedText(2 * error, 2)];

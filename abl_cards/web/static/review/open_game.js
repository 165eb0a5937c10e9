// Open a record as a review, and keep it in the list of recent games of this browser.
import { request } from '../link.js';
import { rememberGame } from './recent_games.js';

export function openText({ sample, text, line, game, profile }) {
  if (sample != null) return request('/api/reviews/sample', { sample });
  const lines = text.split('\n').filter((item) => item.trim());
  return request('/api/reviews', {
    text,
    game: game ?? '',
    line: Math.min(lines.length || 1, Math.max(1, Number(line) || 1)),
    ...(profile ? { profile } : {}),
  });
}

const LAST = 'review-open'; // the review that was looked at last: its address, and its record to open it again

export function readLast() {
  try {
    return JSON.parse(sessionStorage.getItem(LAST) ?? 'null');
  } catch {
    return null;
  }
}

export function keepLast(changes) {
  try {
    sessionStorage.setItem(LAST, JSON.stringify({ ...readLast(), ...changes }));
  } catch {
    /* a record too large to keep */
  }
}

export const forgetLast = () => sessionStorage.removeItem(LAST);

// Keep the record of a review with its variations; the server writes it.
export async function keepGame(review) {
  try {
    const record = await request(`/api/reviews/${review.review}/record`);
    keepLast({ id: review.review, text: JSON.stringify(record), game: review.game, profile: review.profile });
    rememberGame({
      game: review.game,
      profile: review.profile,
      title: review.title,
      players: review.players,
      points: review.ended?.points ?? [],
      time: Date.now(),
      text: JSON.stringify(record),
    });
  } catch {
    /* the list of recent games is a convenience */
  }
}

// Component TimelineCard: what happened at the act under the pointer.
import { html } from '../html.js';
import { pixels } from '../table/place_style.js';

const WIDTH = 240;

export function TimelineCard({ x, width, text }) {
  const left = Math.max(4, Math.min(width - WIDTH - 4, x - WIDTH / 2));
  return html`
    <p class="timeline-card" style=${pixels({ left, width: WIDTH })} role="presentation">${text}</p>
  `;
}

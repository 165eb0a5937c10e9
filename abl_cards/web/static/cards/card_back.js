// Component CardBack: the back of a card as SVG.
import { html } from '../html.js';

export function CardBack({ small }) {
  return html`
    <svg class=${`back ${small ? 'small' : ''}`} viewBox="0 0 60 84" aria-hidden="true">
      <rect x="0.5" y="0.5" width="59" height="83" rx="6" />
      <path d="M8 8h44v68H8z M8 25l44 34 M8 59l44-34" />
    </svg>
  `;
}

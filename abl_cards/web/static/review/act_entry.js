// Component ActEntry: an act in the list of acts, with its glyph.
import { html } from '../html.js';
import { ActText } from './act_text.js';
import { GLYPHS } from './glyphs.js';

export function ActEntry({ frame, place, glyph, names, isCurrent, go }) {
  return html`
    <button type="button" class="entry" aria-current=${isCurrent ? 'step' : undefined} onClick=${go}>
      <span class="number">${place + 1}</span>
      <span class="seat-of" title=${names.seat(frame.seat)}>${frame.seat}</span>
      <span class="act"><${ActText} act=${frame.act} names=${names} /></span>
      ${glyph && html`<span class=${`mark-of grade${GLYPHS.indexOf(glyph)}`}>${glyph}</span>`}
    </button>
  `;
}

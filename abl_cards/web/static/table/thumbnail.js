// Component Thumbnail: a small picture of a position, for lists of tables.
import { html } from '../html.js';
import { pixels } from './place_style.js';
import { Table } from './table.js';

const FULL = { width: 620, height: 310 };

export function Thumbnail({ position, width, isOpen = false }) {
  const scale = width / FULL.width;
  return html`
    <div class="thumbnail" aria-hidden="true" style=${pixels({ width, height: Math.round(FULL.height * scale) })}>
      <div style=${{ ...pixels(FULL), transform: `scale(${scale})`, transformOrigin: '0 0' }}>
        <${Table} position=${position} size=${FULL} isOpen=${isOpen} />
      </div>
    </div>
  `;
}

// Component PositionBlock: a position with its caption.
import { html } from '../html.js';
import { LessonTable } from './lesson_table.js';

export function PositionBlock({ block, context }) {
  return html`
    <figure class="block">
      <${LessonTable} block=${block} context=${context} label=${block.caption} />
      ${block.caption && html`<figcaption>${block.caption}</figcaption>`}
    </figure>
  `;
}

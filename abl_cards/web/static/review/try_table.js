// Component TryTable: the table of a position at which the user decides for the seat to act.
import { html } from '../html.js';
import { localise } from '../settings.js';
import { tableForm } from '../table/layout.js';
import { Table } from '../table/table.js';
import { t } from '../words.js';
import { TryControls } from './try_controls.js';
import { usePosition } from './use_position.js';

export function TryTable({ review, line, index, position, size, isOpen, turnText, onDecide, items }) {
  const { position: asked, link } = usePosition(review, line, index);
  const isReady = asked && !asked.problem;
  const own = (layout) =>
    isReady
      ? html`
        <${TryControls}
          layout=${layout}
          position=${asked}
          link=${link}
          deck=${review.deck}
          game=${review.game}
          names=${position.names}
          turnText=${turnText}
          onDecide=${onDecide}
          items=${items}
        />
      `
      : asked?.problem &&
        html`
          <p class="problem" role="alert">${asked.problem}</p>
        `;
  return html`
    <${Table}
      position=${{ ...position, hand: null, hasOwn: true }}
      size=${size}
      label=${localise(review.title)}
      trickLabel=${t('trick')}
      hasControls
      isOpen=${isOpen && tableForm(size) !== 'landscape'}
      parts=${{ own }}
    />
  `;
}

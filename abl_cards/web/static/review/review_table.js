// Component ReviewTable: the table of a review, to look at or, in `isTrying`, to decide at.
import { html } from '../html.js';
import { localise } from '../settings.js';
import { tableForm } from '../table/layout.js';
import { positionOfFrame } from '../table/position.js';
import { Table } from '../table/table.js';
import { useSize } from '../table/use_size.js';
import { t } from '../words.js';
import { EstimateOverlay } from './estimate_overlay.js';
import { TryControls } from './try_controls.js';
import { usePosition } from './use_position.js';

// The position of a review, seen from a seat; with estimates, their matrices take the place of the hidden cards.
function makePosition({ review, frame, bottom, isOpen, playerName, hasEstimates }) {
  const position = positionOfFrame(review, frame, bottom, isOpen, playerName);
  if (!hasEstimates) return position;
  const seats = position.seats.map((info) => (info.seat === frame.seat ? info : { ...info, face: null }));
  return { ...position, seats };
}

export function ReviewTable(props) {
  const { review, frame, isOpen, estimate, playerName, isTrying } = props;
  const [space, size] = useSize();
  const bottom = isTrying ? frame.seat : props.bottom;
  const hasEstimates = Boolean(estimate) && !isTrying;
  const position = makePosition({ review, frame, bottom, isOpen, playerName, hasEstimates });
  return html`
    <div class=${`table-space ${isTrying ? 'trying' : ''}`} ref=${space}>
      ${
        size &&
        (isTrying
          ? html`
            <${TryTable} key=${`${props.line}:${props.index}`} ...${props} position=${position} size=${size} />
          `
          : html`
            <${Table}
              position=${position}
              size=${size}
              label=${localise(review.title)}
              trickLabel=${t('trick')}
              isOpen
              parts=${{
                own: (layout) =>
                  hasEstimates &&
                  html`
                    <${EstimateOverlay}
                      layout=${layout}
                      position=${position}
                      estimate=${estimate}
                      actor=${frame.seat}
                      hasTruth=${isOpen}
                    />
                  `,
              }}
            />
          `)
      }
    </div>
  `;
}

function TryTable({ review, line, index, position, size, isOpen, turnText, onDecide, items }) {
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

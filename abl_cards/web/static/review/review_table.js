// Component ReviewTable: the table of a review, to look at or, in `isTrying`, to decide at.
import { html } from '../html.js';
import { localise } from '../settings.js';
import { positionOfFrame } from '../table/position.js';
import { Table } from '../table/table.js';
import { useSize } from '../table/use_size.js';
import { t } from '../words.js';
import { EstimateOverlay } from './estimate_overlay.js';
import { TryTable } from './try_table.js';

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

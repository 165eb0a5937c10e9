// Component ContinueItem: an open table of this browser, with its picture and whose turn it is
import { html, useState } from '../html.js';
import { dealNumber, standing } from '../own_tables.js';
import { localise } from '../settings.js';
import { positionOfView } from '../table/position.js';
import { Thumbnail } from '../table/thumbnail.js';
import { t } from '../words.js';

const WIDTH = 264;

function thumbnailPosition({ view, welcome }) {
  const position = positionOfView(view, welcome);
  return { ...position, hand: view.hand ?? null };
}

export function ContinueItem({ entry, live, onRemove }) {
  const [isAsking, setIsAsking] = useState(false);
  const title = localise(entry.title);
  const isOpen = live?.state === 'open';
  const state = isOpen ? standing(live.view) : entry.state;
  const deal = t('episode', isOpen ? dealNumber(live.view) : entry.deal);
  const isAlone = entry.people < 2;
  return html`
    <li class=${`table-card stands-${state}`}>
      <a class="table-open" href=${`#/play/${entry.table}/${entry.key}`}>
        <span class="picture">
          ${isOpen ? html`<${Thumbnail} position=${thumbnailPosition(live)} width=${WIDTH} />` : ''}
        </span>
        <span class="line"><b>${title}</b> <span class="small">${deal}</span></span>
        <span class="turn-of">${t(`stands_${state}`)}</span>
      </a>
      <button
        type="button"
        class="quiet remove"
        aria-label=${`${t(entry.isOwner ? 'closeTable' : 'forget')}${t('colon')}${title}`}
        onClick=${() => (entry.isOwner ? setIsAsking(true) : onRemove(false))}
      >
        ✕
      </button>
      ${
        isAsking &&
        html`
          <div class="asks" role="group" aria-label=${t('closeTable')}>
            <button type="button" class="strong" onClick=${() => onRemove(true)}>
              ${t(isAlone ? 'closeAlone' : 'closeForAll')}
            </button>
            <button type="button" onClick=${() => onRemove(false)}>${t('forget')}</button>
            <button type="button" class="quiet" onClick=${() => setIsAsking(false)}>${t('cancel')}</button>
          </div>
        `
      }
    </li>
  `;
}

// Component Pile: the last play of a seat in the trick, or what it chose, in a rectangle of fixed size.
import { CardFan } from '../cards/card_fan.js';
import { html } from '../html.js';
import { plainText } from '../text/marked_text.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { placeStyle } from './place_style.js';

const LINE = 20;

export function Pile({ position, seat, rect, side, card }) {
  const event = position.plays[seat];
  const { names, seats, owner, isFaded } = position;
  const said = !event && seats[seat].said;
  if (!event && !said) return null;
  const isBest = event && seat === owner && !event.passed;
  const ask = event?.act != null && position.ask ? () => position.ask(event) : null;
  const room = Math.max(16, rect.h - LINE * (event?.failed ? 2 : 1));
  const marks = {
    wins: isFaded && isBest,
    faded: isFaded && !isBest,
    leads: isBest,
    'now-played': event?.isNow,
    askable: ask,
  };
  const classes = ['lies', side, ...Object.keys(marks).filter((name) => marks[name])];
  return html`
    <div
      key=${event?.number ?? 'said'}
      class=${classes.join(' ')}
      data-number=${event?.number}
      style=${placeStyle(rect)}
      onClick=${ask}
    >
      ${
        event?.cards.length > 0 &&
        html`
          <${CardFan}
            deck=${names.deck}
            cards=${event.cards}
            wild=${position.wild}
            label=${seats[seat].name}
            width=${rect.w - 8}
            height=${Math.min(room, Math.round(card * 1.4))}
            card=${card}
          />
        `
      }
      <${ask ? 'button' : 'span'}
        class="what"
        type=${ask ? 'button' : undefined}
        title=${ask ? t('whyThey') : undefined}
      >
        ${
          said
            ? html`
              <${Words} text=${said.stage} names=${names} />${t('colon')}<${Words} text=${said.text} names=${names} />
            `
            : html`
              <${Words} text=${event.text} names=${names} />
            `
        }
      <//>
      ${
        event?.failed &&
        html`
          <span class="what failed">
            ${t('failedShort', plainText(event.failed.text, names))}${' '}
            <${Words} text=${event.failed.back.map((text) => `⟦${text}⟧`).join('')} names=${names} />
          </span>
        `
      }
    </div>
  `;
}

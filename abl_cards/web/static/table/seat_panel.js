// Component SeatPanel: name, relation, badges, number of cards and score of a seat, and its cards where they are open.
import { CardFan } from '../cards/card_fan.js';
import { html } from '../html.js';
import { localise } from '../settings.js';
import { cardCount, t } from '../words.js';
import { Badges } from './badges.js';
import { Clock } from './clock.js';
import { placeStyle } from './place_style.js';

export function SeatPanel({ position, info, rect, side, head = 46, isOwn = false }) {
  const isFlat = head < 30;
  const states = [info.isAlly && 'ally', info.isActing && 'acts', isFlat && 'flat'].filter(Boolean);
  const classes = [isOwn ? 'own' : 'seat', side, info.relation, ...states];
  const isTall = rect.h > head + 20;
  const label = [info.name, info.relation && t(info.relation)].filter(Boolean).join(t('comma'));
  return html`
    <section
      class=${classes.join(' ')}
      aria-label=${isOwn ? t('you') : info.name}
      title=${label}
      style=${placeStyle(rect)}
    >
      <h2 class="who">
        ${
          info.relation &&
          html`
            <span class="relation">${t(`${info.relation}Short`)}</span>
          `
        }
        <span class="name">${info.name}</span>
        <${Badges} badges=${info.badges.filter(({ text }) => !localise(text))} names=${position.names} />
        ${
          info.isAway &&
          html`
            <span class="away">${t('offline')}</span>
          `
        }
      </h2>
      <p class="held">
        ${
          info.cards != null &&
          html`
            <span class="count">${info.place ? t('place', info.place) : cardCount(info.cards)}</span>
          `
        }
        <${Badges} badges=${info.badges.filter(({ text }) => localise(text))} names=${position.names} />
        ${
          info.score &&
          html`
            <span class="points" title=${localise(info.score.name)}>
              ${info.score.value}/${info.score.target}
            </span>
          `
        }
        ${
          info.total != null &&
          !info.score &&
          html`
            <span class="points">${t('pointsOf', info.total)}</span>
          `
        }
        ${
          info.isActing &&
          info.since != null &&
          !isOwn &&
          html`
            <span class="thinks">
              ${t('thinking')}
              <${Clock} since=${info.since} />
            </span>
          `
        }
      </p>
      ${
        isTall &&
        info.face?.length > 0 &&
        html`
          <${CardFan}
            deck=${position.deck}
            cards=${info.face}
            wild=${position.wild}
            width=${rect.w - 12}
            height=${rect.h - head - 6}
            card=${44}
            numRows=${Math.max(1, Math.min(3, Math.ceil((info.face.length * 10) / (rect.w - 40))))}
            marked=${info.marked}
          />
        `
      }
    </section>
  `;
}

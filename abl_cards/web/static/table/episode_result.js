// Component EpisodeResult: sheet with points and remaining cards at the end of an episode or match.
// The trick stays visible above it.
import { CardRow } from '../cards/card_row.js';
import { signedInteger } from '../format.js';
import { html, useEffect, useRef, useState } from '../html.js';
import { t } from '../words.js';
import { placeStyle } from './place_style.js';
import { RecordButtons } from './record_buttons.js';
import { relationOf, seatName } from './seats.js';

export function EpisodeResult({ view, welcome, link, layout }) {
  const result = view.ended;
  const button = useRef(null);
  const [isFolded, setIsFolded] = useState(false);
  useEffect(() => {
    setIsFolded(false);
    button.current?.focus({ preventScroll: true });
  }, [result?.number, result?.over]);
  if (!result) return null;
  const winners = result.winners.map((seat) => seatName(view, seat)).join(t('and'));
  const sides = view.seats.map((info) => info.side);
  const relation = (seat) => (view.me == null ? '' : relationOf(seat, view.me, view.after, sides));
  const finished = (seat) => {
    const place = result.finish.indexOf(seat);
    return place >= 0 ? t('place', place + 1) : '';
  };
  const canGoOn = result.over ? view.owner : view.me != null;
  return html`
    <section
      class=${`ended ${isFolded ? 'folded' : ''}`}
      role="region"
      tabindex="0"
      aria-label=${t('result', result.episode + 1)}
      style=${placeStyle(layout.sheet)}
    >
      <header>
        <h2>${result.over ? t('matchOver') : t('result', result.episode + 1)}</h2>
        ${result.over && html`<p class="big">${result.draw ? t('draw') : `${winners} ${t('won')}`}</p>`}
        <span class="grow"></span>
        ${
          canGoOn &&
          html`
            <button
              type="button"
              class="strong"
              ref=${button}
              onClick=${() => link.send({ do: result.over ? 'again' : 'go' })}
            >
              ${t(result.over ? 'again' : 'goOn')} <kbd>G</kbd>
            </button>
          `
        }
        ${
          welcome.watch &&
          html`
            <button type="button" aria-expanded=${!isFolded} onClick=${() => setIsFolded(!isFolded)}>
              ${t(isFolded ? 'unfold' : 'fold')}
            </button>
          `
        }
      </header>
      <table>
        <thead>
          <tr>
            <th scope="col">${t('seats')}</th>
            <th scope="col">${t('points')}</th>
            <th scope="col">${t('total')}</th>
            <th scope="col">${t('left')}</th>
          </tr>
        </thead>
        <tbody>
          ${view.seats.map(
            (_, seat) => html`
              <tr key=${seat} class=${seat === view.me ? 'me' : relation(seat)}>
                <th scope="row">
                  ${seatName(view, seat)}
                  ${relation(seat) && html` <span class="relation">${t(`${relation(seat)}Short`)}</span>`}
                </th>
                <td>${signedInteger(result.points[seat])}</td>
                <td>${signedInteger(result.total[seat])}</td>
                <td>
                  ${finished(seat)}${' '}
                  <${CardRow} deck=${welcome.deck} cards=${result.hands[seat]} small />
                </td>
              </tr>
            `,
          )}
        </tbody>
      </table>
      ${
        welcome.watch &&
        html`
          <p class="buttons"><${RecordButtons} link=${link} welcome=${welcome} /></p>
        `
      }
    </section>
  `;
}

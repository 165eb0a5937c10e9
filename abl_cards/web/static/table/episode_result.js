// Component EpisodeResult: sheet with the order of finish, scores and remaining cards at the end of an episode or match.
// The trick stays visible above it.
import { CardRow } from '../cards/card_row.js';
import { signedInteger } from '../format.js';
import { html, useEffect, useRef, useState } from '../html.js';
import { t } from '../words.js';
import { placeStyle } from './place_style.js';
import { makeNames } from './position.js';
import { RecordButtons } from './record_buttons.js';
import { finishNames, resultLines, seatColumns } from './result_text.js';
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
  const sides = view.seats.map((info) => info.side);
  const names = makeNames(welcome.deck, (seat) => namedSeat(view, seat, sides), sides, view.me);
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
      <ul class="outcome">
        ${result.over && html`<li class="big">${winnerText(result, names)}</li>`}
        ${[...finishNames(result, names), ...resultLines(result, names)].map(
          (line) => html`
            <li key=${line}>${line}</li>
          `,
        )}
      </ul>
      <${SeatRows} view=${view} welcome=${welcome} result=${result} sides=${sides} />
      ${
        welcome.watch &&
        html`
          <p class="buttons"><${RecordButtons} link=${link} welcome=${welcome} /></p>
        `
      }
    </section>
  `;
}

// Name of a seat, with its relation to the player, as several agents have one name.
function namedSeat(view, seat, sides) {
  const relation = view.me == null ? '' : relationOf(seat, view.me, view.after, sides);
  const name = seatName(view, seat);
  return relation ? t('withCards', name, t(`${relation}Short`)) : name;
}

const winnerText = (result, names) =>
  result.draw ? t('draw') : `${result.winners.map(names.seat).join(t('and'))} ${t('won')}`;

// A row for each seat: points, further scores, and the cards that are left.
function SeatRows({ view, welcome, result, sides }) {
  const columns = seatColumns(result);
  const relation = (seat) => (view.me == null ? '' : relationOf(seat, view.me, view.after, sides));
  return html`
    <table>
      <thead>
        <tr>
          <th scope="col">${t('seats')}</th>
          <th scope="col">${t('points')}</th>
          ${columns.map(
            ({ name }) => html`
              <th key=${name} scope="col">${name}</th>
            `,
          )}
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
              ${columns.map(({ name, values }) => html`<td key=${name}>${values[seat]}</td>`)}
              <td>${signedInteger(result.total[seat])}</td>
              <td><${CardRow} deck=${welcome.deck} cards=${result.hands[seat]} small /></td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}

// Component EpisodeResult: sheet with the result of an episode or match.
// The trick stays visible above it.
import { html, useEffect, useRef, useState } from '../html.js';
import { t } from '../words.js';
import { placeStyle } from './place_style.js';
import { makeNames } from './position.js';
import { RecordButtons } from './record_buttons.js';
import { finishNames, resultLines } from './result_text.js';
import { SeatRows } from './seat_rows.js';
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

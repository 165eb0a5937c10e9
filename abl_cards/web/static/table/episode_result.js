// Component EpisodeResult: points and remaining cards at the end of an episode or match.
import { CardRow } from '../cards/card_row.js';
import { signedInteger } from '../format.js';
import { html, useEffect, useRef } from '../html.js';
import { t } from '../words.js';
import { RecordButtons } from './record_buttons.js';
import { seatName } from './seats.js';

export function EpisodeResult({ seen, welcome, link }) {
  const end = seen.ended;
  const button = useRef(null);
  useEffect(() => {
    button.current?.focus();
  }, [end?.number, end?.over]);
  if (!end) return null;
  const winners = end.winners.map((seat) => seatName(seen, seat)).join(', ');
  return html`
    <section class="ended" role="dialog" aria-label=${t('result', end.episode + 1)}>
      <h2>${end.over ? t('matchOver') : t('result', end.episode + 1)}</h2>
      ${end.over && html`<p class="big">${end.draw ? t('draw') : `${winners} ${t('won')}`}</p>`}
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
          ${seen.seats.map(
            (_, seat) => html`
              <tr key=${seat}>
                <th scope="row">${seatName(seen, seat)}</th>
                <td>${signedInteger(end.points[seat])}</td>
                <td>${signedInteger(end.total[seat])}</td>
                <td>
                  <${CardRow} deck=${welcome.deck} cards=${end.hands[seat]} small />
                </td>
              </tr>
            `,
          )}
        </tbody>
      </table>
      <p class="buttons">
        ${
          end.over
            ? seen.owner &&
              html`
                <button type="button" class="strong" ref=${button} onClick=${() => link.say({ do: 'again' })}>
                  ${t('again')} <kbd>G</kbd>
                </button>
              `
            : seen.me != null &&
              html`
                <button type="button" class="strong" ref=${button} onClick=${() => link.say({ do: 'go' })}>
                  ${t('goOn')} <kbd>G</kbd>
                </button>
              `
        }
        ${welcome.watch && html`<${RecordButtons} link=${link} welcome=${welcome} />`}
      </p>
    </section>
  `;
}

// Component EpisodeResult: points and remaining cards at the end of an episode or match.
import { CardRow } from '../cards/card_row.js';
import { signedInteger } from '../format.js';
import { html, useEffect, useRef } from '../html.js';
import { t } from '../words.js';
import { RecordButtons } from './record_buttons.js';
import { seatName } from './seats.js';

export function EpisodeResult({ view, welcome, link }) {
  const result = view.ended;
  const button = useRef(null);
  useEffect(() => {
    button.current?.focus();
  }, [result?.number, result?.over]);
  if (!result) return null;
  const winners = result.winners.map((seat) => seatName(view, seat)).join(', ');
  return html`
    <section class="ended" role="dialog" aria-label=${t('result', result.episode + 1)}>
      <h2>${result.over ? t('matchOver') : t('result', result.episode + 1)}</h2>
      ${result.over && html`<p class="big">${result.draw ? t('draw') : `${winners} ${t('won')}`}</p>`}
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
              <tr key=${seat}>
                <th scope="row">${seatName(view, seat)}</th>
                <td>${signedInteger(result.points[seat])}</td>
                <td>${signedInteger(result.total[seat])}</td>
                <td>
                  <${CardRow} deck=${welcome.deck} cards=${result.hands[seat]} small />
                </td>
              </tr>
            `,
          )}
        </tbody>
      </table>
      <p class="buttons">
        ${
          result.over
            ? view.owner &&
              html`
                <button type="button" class="strong" ref=${button} onClick=${() => link.send({ do: 'again' })}>
                  ${t('again')} <kbd>G</kbd>
                </button>
              `
            : view.me != null &&
              html`
                <button type="button" class="strong" ref=${button} onClick=${() => link.send({ do: 'go' })}>
                  ${t('goOn')} <kbd>G</kbd>
                </button>
              `
        }
        ${welcome.watch && html`<${RecordButtons} link=${link} welcome=${welcome} />`}
      </p>
    </section>
  `;
}

// Component ResultTables: for each deal, the cards dealt and what each pupil made of them.
import { CardRow } from '../cards/card_row.js';
import { signedInteger } from '../format.js';
import { html } from '../html.js';
import { t } from '../words.js';

export function ResultTables({ results, names, onReview = null, me = '' }) {
  if (!results.length) return null;
  return html`
    <section aria-labelledby="results-heading">
      <h2 id="results-heading">${t('sameCards')}</h2>
      <div class="results">
        ${[...results].reverse().map(({ match, episode, seat, dealt, rows }) => {
          const title = [
            match ? t('matchNumber', match + 1) : '',
            t('episode', episode + 1),
            seat ? t('seat', seat) : '',
          ];
          return html`
            <div key=${`${match}/${episode}/${seat}`} class="panel">
              <table class="grid">
                <caption>${title.filter(Boolean).join(' · ')}</caption>
                <thead>
                  <tr>
                    <th scope="col">${t('pupil')}</th>
                    <th scope="col">${t('points')}</th>
                    <th scope="col">${t('left')}</th>
                    ${
                      onReview &&
                      html`
                        <td></td>
                      `
                    }
                  </tr>
                </thead>
                <tbody>
                  ${rows.map(
                    (row, index) => html`
                      <tr key=${index} class=${row.name === me ? 'me' : ''}>
                        <th scope="row">${row.name}</th>
                        <td>${signedInteger(row.points)}</td>
                        <td>${row.place ? t('place', row.place) : t('cards', row.left)}</td>
                        ${
                          onReview &&
                          html`
                            <td>
                              ${
                                match === latestMatch(results) &&
                                html`
                                  <button type="button" class="quiet" onClick=${() => onReview(row.table, episode)}>
                                    ${t('reviewThis')}
                                  </button>
                                `
                              }
                            </td>
                          `
                        }
                      </tr>
                    `,
                  )}
                </tbody>
              </table>
              ${
                names &&
                dealt.length > 0 &&
                html`
                  <${CardRow} deck=${names.deck} cards=${dealt} label=${t('dealtCards')} small />
                `
              }
            </div>
          `;
        })}
      </div>
    </section>
  `;
}

const latestMatch = (results) => Math.max(...results.map((result) => result.match));

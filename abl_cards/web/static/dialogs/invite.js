// Component Invite: seats of the open table, their links, and who plays them.
import { html } from '../html.js';
import { t } from '../words.js';
import { CopyLink } from './copy_link.js';
import { Dialog } from './dialog.js';

const tableUrl = (table, key) => `${location.origin}${location.pathname}#/play/${table}/${key}`;

export function Invite({ seen, welcome, link }) {
  const seats = seen.seats.map((chair, seat) => ({ ...chair, seat }));
  const mayChange = (seat) => seen.owner || seat === seen.me;
  return html`
    <${Dialog} name="invite" heading=${t('seats')}>
      ${seats.map(
        ({ seat, kind, name, token }) => html`
          <div key=${seat} class="chooser">
            <p>
              ${t('seat', seat)}: <b>${seat === seen.me ? t('you') : name || t('openSeat')}</b>
              ${
                mayChange(seat) &&
                kind === 'person' &&
                html`
                  ${' '}
                  <label>
                    ${seat === seen.me ? t('giveUp') : ''}${' '}
                    <select
                      aria-label=${t('giveUp')}
                      value=""
                      onChange=${(event) =>
                        event.target.value && link.say({ do: 'seat', seat, player: event.target.value })}
                    >
                      <option value="">…</option>
                      ${welcome.agents.map(
                        (each) => html`
                          <option key=${each} value=${each}>
                            ${each}
                          </option>
                        `,
                      )}
                    </select>
                  </label>
                `
              }
              ${
                kind === 'agent' &&
                (seen.owner || seat === seen.chair) &&
                html`
                  ${' '}
                  <button type="button" onClick=${() => link.say({ do: 'seat', seat, player: 'person' })}>
                    ${seen.me == null ? t('sit') : t('person')}
                  </button>
                `
              }
            </p>
            ${
              token &&
              seat !== seen.me &&
              html`
                <${CopyLink} label=${t('linkFor', t('seat', seat))} value=${tableUrl(welcome.table, token)} />
              `
            }
          </div>
        `,
      )}
      ${welcome.watch && html`<${CopyLink} label=${t('watchLink')} value=${tableUrl(welcome.table, welcome.watch)} />`}
      ${
        seen.seed != null &&
        html`
          <p class="small">
            ${t('seed')}: ${seen.seed}
          </p>
        `
      }
    </${Dialog}>
  `;
}

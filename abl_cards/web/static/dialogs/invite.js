// Component Invite: seats of the open table, their links, and who plays them.
import { InviteLink } from '../home/invite_link.js';
import { html } from '../html.js';
import { seatName } from '../table/seats.js';
import { agentName } from '../text/agent_name.js';
import { t } from '../words.js';
import { CloseTable } from './close_table.js';
import { CopyLink } from './copy_link.js';
import { Dialog } from './dialog.js';

const tableUrl = (table, key) => `${location.origin}${location.pathname}#/play/${table}/${key}`;

const hasFreeSeat = (view) =>
  view.seats.some((info, seat) => info.kind === 'person' && seat !== view.chair && !info.taken);

export function Invite({ view, welcome, link }) {
  const seats = view.seats.map((info, seat) => ({ ...info, seat }));
  const canChange = (seat) => view.owner || seat === view.me;
  return html`
    <${Dialog} name="invite" heading=${t('seats')}>
      ${
        view.join &&
        hasFreeSeat(view) &&
        html`
          <${InviteLink} path=${`#/join/${welcome.table}/${view.join}`} label=${t('lobbyLink')} />
        `
      }
      ${seats.map(
        ({ seat, kind, token }) => html`
          <div key=${seat} class="chooser">
            <p>
              ${t('seat', seat)}: <b>${seatName(view, seat)}</b>
              ${
                canChange(seat) &&
                kind === 'person' &&
                html`
                  ${' '}
                  <label>
                    ${t('giveUp')}${' '}
                    <select
                      aria-label=${t('giveUp')}
                      value=""
                      onChange=${(event) =>
                        event.target.value && link.send({ do: 'seat', seat, player: event.target.value })}
                    >
                      <option value="">…</option>
                      ${welcome.agents.map(
                        (agent) => html`
                          <option key=${agent} value=${agent}>
                            ${agentName(agent)}
                          </option>
                        `,
                      )}
                    </select>
                  </label>
                `
              }
              ${
                kind === 'agent' &&
                (view.owner || seat === view.chair) &&
                html`
                  ${' '}
                  <button type="button" onClick=${() => link.send({ do: 'seat', seat, player: 'person' })}>
                    ${t(view.me == null ? 'sit' : 'personByLink')}
                  </button>
                `
              }
            </p>
            ${
              token &&
              seat !== view.me &&
              html`
                <${CopyLink} label=${t('linkFor', t('seat', seat))} value=${tableUrl(welcome.table, token)} />
              `
            }
          </div>
        `,
      )}
      ${welcome.watch && html`<${CopyLink} label=${t('watchLink')} value=${tableUrl(welcome.table, welcome.watch)} />`}
      ${
        view.seed != null &&
        html`
          <p class="small">
            ${t('seed')}${t('colon')}${view.seed}
          </p>
        `
      }
      ${
        view.owner &&
        html`
          <${CloseTable} link=${link} />
        `
      }
    </${Dialog}>
  `;
}

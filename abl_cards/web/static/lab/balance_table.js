// Component BalanceTable: statistics of simulated games before and after the edits.
import { html } from '../html.js';
import { t } from '../words.js';

export function BalanceTable({ sides }) {
  const [before, now] = sides;
  const share = (value) => `${(100 * value).toFixed(1)} %`;
  const roleShare = (side, role) => {
    const value = side.wins_by_role[side.roles.indexOf(role)];
    return value === undefined ? '–' : share(value);
  };
  const rows = [
    ...(now.roles.length > 1
      ? now.roles.map((role, index) => [t('labWins', role), roleShare(before, role), share(now.wins_by_role[index])])
      : []),
    [t('labFirst'), share(before.first_wins), share(now.first_wins)],
    [t('labLength'), before.decisions_an_episode, now.decisions_an_episode],
    ...(before.bombs_an_episode || now.bombs_an_episode
      ? [[t('labBombs'), before.bombs_an_episode, now.bombs_an_episode]]
      : []),
    [t('labForced'), share(before.forced_share), share(now.forced_share)],
    [t('labPasses'), share(before.pass_share), share(now.pass_share)],
  ];
  return html`
    <table class="labels">
      <thead>
        <tr>
          <th></th>
          <th scope="col">${t('labBefore')}</th>
          <th scope="col">${t('labNow')}</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([name, first, second]) => html`
            <tr key=${name}>
              <th scope="row">${name}</th>
              <td>${first}</td>
              <td>${second}</td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}

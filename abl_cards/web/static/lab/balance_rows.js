// Statistics of games before and after an edit as rows of a chart: shares in percent, and counts per game.
import { t } from '../words.js';

const asPercent = (value) => (value == null ? null : 100 * value);
const bar = (value, interval) => ({ value, low: interval?.[0] ?? null, high: interval?.[1] ?? null });
const shareBar = (value, interval) => bar(asPercent(value), interval?.map(asPercent));

export function balanceRows(sides) {
  const now = sides.at(-1);
  const roles = now.roles.length > 1 ? now.roles : [];
  const both = (make) => sides.map(make);
  const shares = [
    ...roles.map((role) => ({
      name: t('labWins', role),
      values: both((side) => {
        const place = side.roles.indexOf(role);
        return shareBar(side.wins_by_role[place] ?? null, side.role_wins_95[place]);
      }),
    })),
    ...(roles.length ? [] : now.wins_by_seat).map((_, seat) => ({
      name: t('labWins', t('seat', seat)),
      values: both((side) => shareBar(side.wins_by_seat[seat] ?? null, side.wins_95[seat])),
    })),
    { name: t('labFirst'), values: both((side) => shareBar(side.first_wins, side.first_wins_95)) },
    { name: t('labForced'), values: both((side) => shareBar(side.forced_share)) },
    { name: t('labPasses'), values: both((side) => shareBar(side.pass_share)) },
  ];
  const counts = [
    { name: t('labLength'), values: both((side) => bar(side.decisions_an_episode, side.decisions_95)) },
    { name: t('labBombs'), values: both((side) => bar(side.bombs_an_episode, side.bombs_95)) },
  ].filter((row) => row.values.some((item) => item.value));
  return { shares, counts };
}

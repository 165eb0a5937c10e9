// The table that the server has prepared for the next visitor. Where the address calls for a new table, it is requested
// while the other scripts load; this module imports nothing for this reason.
const key = () => sessionStorage.getItem('key') || document.querySelector('meta[name=token]').content;

const fetchTable = (game) =>
  fetch(`/api/first?game=${encodeURIComponent(game)}`, { method: 'POST', headers: { 'x-token': key() } })
    .then((response) => (response.ok ? response.json() : {}))
    .then(
      (offer) => (offer.table ? offer : null),
      () => null,
    );

// The game of a new table that an address calls for, '' for any; null for another address.
export function wantedGame(hash, hasTable) {
  const [, section, table, game = ''] = hash.split('/');
  if (section !== 'play') return null;
  if (table === 'new') return decodeURIComponent(game);
  return table || hasTable ? null : '';
}

let early = null;
if (typeof location === 'object') {
  const game = wantedGame(location.hash, Boolean(sessionStorage.getItem('table')));
  if (game != null) early = { game, offer: fetchTable(game) };
}

// Take the prepared table; resolves with null if there is none of this game.
export function takeFirstTable(game) {
  const offer = early?.game === game ? early.offer : fetchTable(game);
  early = null;
  return offer;
}

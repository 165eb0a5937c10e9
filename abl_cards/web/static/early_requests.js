// Requests that are sent while the other scripts load: for the prepared table where the address calls for a new one,
// and for the home screen. This module imports nothing for this reason.
const key = () => sessionStorage.getItem('key') || document.querySelector('meta[name=token]').content;

const fetchTable = (game) =>
  fetch(`/api/first?game=${encodeURIComponent(game)}`, { method: 'POST', headers: { 'x-token': key() } })
    .then((response) => (response.ok ? response.json() : {}))
    .then(
      (offer) => (offer.table ? offer : null),
      () => null,
    );

const fetchHome = () =>
  fetch('/api/home').then(
    (response) => (response.ok ? response.json() : null),
    () => null,
  );

// A link may have been cut within an escape, such as %E4%BD.
function decodePart(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// The section and the other parts of an address; names in it are encoded, because those of rule folders have slashes.
export const addressParts = (hash) => hash.split('/').slice(1).map(decodePart);

// The game of a new table that an address calls for, '' for any; null for another address.
export function wantedGame(hash, hasTable) {
  const [section, table, game = ''] = addressParts(hash);
  if (section !== 'play') return null;
  if (table === 'new') return game;
  return table || hasTable ? null : '';
}

export const isHome = (hash) => !hash.split('/')[1];

const early = {};
if (typeof location === 'object') {
  const game = wantedGame(location.hash, Boolean(sessionStorage.getItem('table')));
  if (game != null) early.table = { game, offer: fetchTable(game) };
  if (isHome(location.hash)) {
    early.home = fetchHome();
    const style = { rel: 'preload', as: 'style', href: 'static/home/home.css' };
    document.head.append(Object.assign(document.createElement('link'), style));
    import('./home/section.js').catch(() => {}); // the page reports the problem when it needs the module
  }
}

// Take the prepared table; resolves with null if there is none of this game.
export function takeFirstTable(game) {
  const offer = early.table?.game === game ? early.table.offer : fetchTable(game);
  early.table = null;
  return offer;
}

// The tiles of the games and the network, as the server states them before its engine is loaded; null on a failure.
export function readHome() {
  const home = early.home ?? fetchHome();
  early.home = null;
  return home;
}

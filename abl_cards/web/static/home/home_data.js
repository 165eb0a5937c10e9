// The home screen in data: the first game, links for other machines, and the seats of a table with friends.
// The game of the button that plays at once: that of the prepared table, or the first one.
export const firstOf = (home) => home?.games.find((game) => game.name === home.first) ?? home?.games[0] ?? null;

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;

// Address of the page for other machines, and whether they can reach it.
export function shareBase(place, network) {
  const isLoopback = LOOPBACK.test(place.hostname);
  if (!isLoopback) return { base: place.origin + place.pathname, isReachable: true };
  if (network?.lan) return { base: network.lan + place.pathname, isReachable: true };
  return { base: place.origin + place.pathname, isReachable: !network || !network.local };
}

// Seats of a table with friends: the opener's first, then partners, then the others; agents take the rest.
export function friendSeats(teams, people, agent) {
  const order = teams.map((_, seat) => seat).sort((a, b) => isOther(teams, a) - isOther(teams, b) || a - b);
  const chosen = new Set(order.slice(0, people));
  return teams.map((_, seat) => (chosen.has(seat) ? 'person' : agent));
}

const isOther = (teams, seat) => Number(teams[seat] !== teams[0]);

// Order of the tables of a server: those with people at them, then those that nobody uses.
export function groupTables(tables) {
  const isUsed = (table) => table.looking > 0 && table.state !== 'asleep';
  return { used: tables.filter(isUsed), idle: tables.filter((table) => !isUsed(table)) };
}

// Name of a player: that of an agent, a person's own, or the state of the seat.
export function playerText(player, seat, agentName, t) {
  if (player.kind !== 'person') return agentName(player.name);
  return player.name || t(player.taken ? 'guest' : 'openSeat', seat);
}

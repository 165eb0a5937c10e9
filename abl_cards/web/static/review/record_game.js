// Game that the first record of a text names, if it is one of the games offered; else null.
export function gameOfRecords(text, games) {
  const line = text.split('\n').find((line) => line.trim()) ?? '';
  try {
    const { game } = JSON.parse(line);
    return games.some((offered) => offered.name === game) ? game : null;
  } catch {
    return null;
  }
}

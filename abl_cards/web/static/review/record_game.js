// Records name a rule folder by the last part of its path.
const folderName = (game) => game.name.split(/[/\\]/).pop();

// Game that the first record of a text names, if it is one of the games offered; else null.
export function gameOfRecords(text, games) {
  const line = text.split('\n').find((line) => line.trim()) ?? '';
  try {
    const { game } = JSON.parse(line);
    return games.find((offered) => folderName(offered) === game)?.name ?? null;
  } catch {
    return null;
  }
}

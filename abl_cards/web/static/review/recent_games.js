// Records that were opened or finished in this browser, the latest first.
import { storedList } from '../stored_list.js';

const KEY = 'abl-cards-games';
export const MAX_GAMES = 12;
export const MAX_LETTERS = 200_000;

const list = storedList(KEY, (game) => typeof game?.text === 'string', MAX_GAMES);

export const readGames = list.read;

const withoutBranches = (text) => {
  try {
    return JSON.stringify({ ...JSON.parse(text), branches: undefined });
  } catch {
    return text;
  }
};

// Add a game to a list, in front; one with the same record is replaced.
export function addGame(games, game) {
  if (game.text.length > MAX_LETTERS) return games;
  const record = withoutBranches(game.text);
  const others = games.filter((other) => withoutBranches(other.text) !== record);
  return [game, ...others].slice(0, MAX_GAMES);
}

export const rememberGame = (game) => list.write(addGame(readGames(), game));

export const forgetGame = (text) => list.write(readGames().filter((game) => game.text !== text));

// Keep the last record of a table whose deal has ended.
export async function rememberFinished(link, welcome) {
  const { records = [] } = await link.request({ do: 'record' });
  const record = records.at(-1);
  if (!record) return;
  rememberGame({
    game: welcome.rules,
    profile: welcome.profile ?? '',
    title: welcome.title,
    players: record.players ?? [],
    points: record.points ?? [],
    time: Date.now(),
    text: JSON.stringify(record),
  });
}

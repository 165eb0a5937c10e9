// Texts of the result of an episode: order of finish, levels and scores, as the game states them.
import { localise } from '../settings.js';
import { plainText } from '../text/marked_text.js';
import { t } from '../words.js';
import { itemName } from './item_text.js';

const NOTHING = { places: null, lines: [] };
const linesOf = (result) => (result.shown ?? NOTHING).lines;

// The seats in the order in which they were out, in one line.
export function finishNames(result, names) {
  const { places } = result.shown ?? NOTHING;
  if (!places || !result.finish.length) return [];
  const place = (index) => localise(places[index]) || t('placeName', index + 1);
  return [result.finish.map((seat, index) => `${place(index)} ${names.seat(seat)}`).join(' · ')];
}

// A line for each fact that belongs to the table or to a side.
export function resultLines(result, names) {
  return linesOf(result)
    .filter((line) => line.seat == null)
    .map((line) => lineText(line, names));
}

function lineText(line, names) {
  const name = itemName(line, names);
  const text = line.text && plainText(line.text, names);
  if (line.gain > 0)
    return t('rises', line.team == null ? name : names.team(line.team), line.gain, plainText(line.before, names), text);
  if (line.target != null) {
    const key = line.value >= line.target ? 'scoreMet' : 'scoreShort';
    return t(key, name, line.value, line.target);
  }
  return line.kind === 'level' ? `${name} ${text}` : `${name}${t('colon')}${text ?? line.value}`;
}

// Columns of the facts that belong to seats: the name and the value of each seat.
export function seatColumns(result) {
  const columns = new Map();
  for (const line of linesOf(result)) {
    if (line.seat == null) continue;
    const name = localise(line.name);
    if (!columns.has(name)) columns.set(name, { name, values: {} });
    const value = line.value ?? localise(line.text);
    columns.get(name).values[line.seat] = line.target == null ? value : t('outOf', value, line.target);
  }
  return [...columns.values()];
}

// Component Section: the games to learn, how to play one of them, or a lesson.
import { html, loadStyle } from '../html.js';
import { GameList } from './game_list.js';
import { GamePage } from './game_page.js';
import { LessonPage } from './lesson_page.js';
import './words.js';

await loadStyle('learn/learn');

export function Section({ path }) {
  const [game, kind, file] = path;
  if (!game) return html`<${GameList} />`;
  if (kind === 'lesson' && file) return html`<${LessonPage} key=${`${game}/${file}`} game=${game} lesson=${file} />`;
  return html`<${GamePage} key=${game} game=${game} />`;
}

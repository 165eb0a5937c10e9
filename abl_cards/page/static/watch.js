// The section Watch.
import { html, useState, useEffect } from './html.js';
import { ask } from './link.js';
import { t, add } from './words.js';
import { say } from './settings.js';

add({ tablesHere: ['Tables of this page', '本页的牌桌'], noTables: ['No table is open.', '没有开着的牌桌。'], lookOn: ['look on', '观战'] });

export function Section() {
  const [told, hear] = useState(null);
  const [problem, trouble] = useState('');
  useEffect(() => {
    const look = () => ask('/api/watch').then((found) => { hear(found); trouble(''); }, (error) => trouble(error.message));
    look();
    const timer = setInterval(look, 3000);
    return () => clearInterval(timer);
  }, []);
  return html`<div class="panel opener"><h1>${t('tablesHere')}</h1>${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${told && (told.tables.length ? html`<ul class="list">${told.tables.map((each) => html`<li key=${each.table}><b>${say(each.title)}</b> ${each.players.join(' · ')} <span class="small">${t('episode', each.episode + 1)}</span> <a href=${`#/play/${each.table}/${each.watch}`}>${t('lookOn')}</a></li>`)}</ul>` : html`<p>${t('noTables')}</p>`)}</div>`;
}

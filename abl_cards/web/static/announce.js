// What is said to those who do not see: what happens, in order, and no more than can be listened to.
import { settings } from './settings.js';

let waiting = [];
let timer = 0;

export function announce(text) {
  if (!text || !settings().announce) return;
  waiting.push(text);
  waiting = waiting.slice(-6);
  clearTimeout(timer);
  timer = setTimeout(() => {
    document.getElementById('polite').textContent = waiting.join(' · ');
    waiting = [];
  }, 120);
}

// Announcements for screen readers: the latest six of a burst, in order.
import { settings } from './settings.js';

let pending = [];
let timer = 0;

export function announce(text) {
  if (!text || !settings().announce) return;
  pending.push(text);
  pending = pending.slice(-6);
  clearTimeout(timer);
  timer = setTimeout(() => {
    document.getElementById('polite').textContent = pending.join(' · ');
    pending = [];
  }, 120);
}

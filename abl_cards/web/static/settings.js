// What somebody likes: kept in this browser alone. Of a table nothing is kept but the link to it.
import { useState, useEffect } from './html.js';

const KEY = 'abl-cards';
const usual = {
  language: (navigator.language || 'en').toLowerCase().startsWith('zh') ? 'zh' : 'en',
  theme: 'system',
  colours: 4,
  order: 'rank',
  weak: true,
  pace: 600,
  name: '',
  advisor: '',
  threshold: 0.5,
  announce: true,
};

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) || '{}');
    return {
      ...usual,
      ...Object.fromEntries(Object.entries(kept).filter(([name, value]) => typeof value === typeof usual[name])),
    };
  } catch {
    return { ...usual };
  }
}

let now = read();
const hearing = new Set();

export const settings = () => now;

export function set(changes) {
  now = { ...now, ...changes };
  try {
    localStorage.setItem(KEY, JSON.stringify(now));
  } catch {
    /* private windows keep nothing */
  }
  apply();
  for (const hear of hearing) hear(now);
}

export function apply() {
  const root = document.documentElement;
  root.lang = now.language === 'zh' ? 'zh-CN' : 'en';
  root.dataset.theme = now.theme;
  root.dataset.colours = String(now.colours);
}

export function useSettings() {
  const [value, setValue] = useState(now);
  useEffect(() => {
    hearing.add(setValue);
    return () => hearing.delete(setValue);
  }, []);
  return value;
}

// One of a pair [English, Chinese] that the server has sent.
export const say = (pair) => (Array.isArray(pair) ? pair[now.language === 'zh' ? 1 : 0] : (pair ?? ''));

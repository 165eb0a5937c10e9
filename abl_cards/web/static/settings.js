// Settings of the user, stored in this browser.
import { useState, useEffect } from './html.js';

const KEY = 'abl-cards';
const defaults = {
  language: (navigator.language || 'en').toLowerCase().startsWith('zh') ? 'zh' : 'en',
  theme: 'system',
  colours: 4,
  orders: {},
  weak: true,
  pace: 600,
  think: 100, // milliseconds of agents that look ahead; 0: their own search
  name: '',
  advisor: '',
  threshold: 0,
  announce: true,
  sound: true,
  coach: 'off',
  openHands: false,
};

// Times to think that the server accepts, in milliseconds.
export const THINK_CHOICES = [0, 50, 100, 250, 1000];

const isValid = (name, value) =>
  value !== null && typeof value === typeof defaults[name] && (name !== 'think' || THINK_CHOICES.includes(value));

function read() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) || '{}');
    return {
      ...defaults,
      ...Object.fromEntries(Object.entries(stored).filter(([name, value]) => isValid(name, value))),
    };
  } catch {
    return { ...defaults };
  }
}

let current = read();
const listeners = new Set();

export const settings = () => current;

export function updateSettings(changes) {
  current = { ...current, ...changes };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    /* private windows have no storage */
  }
  applySettings();
  for (const listener of listeners) listener(current);
}

export function applySettings() {
  const root = document.documentElement;
  root.lang = current.language === 'zh' ? 'zh-CN' : 'en';
  root.dataset.theme = current.theme;
  root.dataset.colours = String(current.colours);
}

export function useSettings() {
  const [value, setValue] = useState(current);
  useEffect(() => {
    listeners.add(setValue);
    return () => listeners.delete(setValue);
  }, []);
  return value;
}

// Select the text of the current language from a pair [English, Chinese].
export const localise = (pair) => (Array.isArray(pair) ? pair[current.language === 'zh' ? 1 : 0] : (pair ?? ''));

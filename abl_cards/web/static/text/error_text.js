// Errors of the server: codes and values, which are worded here; where English has no words, the server's sentence.
import { loadModule } from '../html.js';
import { settings } from '../settings.js';

let errorWords = {};
const FALLBACK = ['The server refused this.', '服务器拒绝了这个请求。'];

export function setErrorWords(words) {
  errorWords = words;
}

// The words are loaded after the first table.
const loadWords = () => loadModule('text/error_words').then((module) => setErrorWords(module.errorWords));

export function preloadErrorWords(delay = 800) {
  setTimeout(() => loadWords().catch(() => {}), delay);
}

// Words of a code with its values; those of the code alone if there are none for so many values.
function findWords(code, values, isOfRules) {
  const key = String(code ?? '').replaceAll('-', '_');
  const exact = values.length ? errorWords[`${key}_${values.length}`] : null;
  return exact ?? errorWords[key] ?? (isOfRules ? errorWords.rules : null);
}

export function errorText({ code, values = [], text, error, rules = false }) {
  const sentence = text ?? error ?? '';
  const language = settings().language === 'zh' ? 1 : 0;
  let place = 0;
  const worded = findWords(code, values, rules)?.[language].replaceAll('{}', () => String(values[place++] ?? ''));
  if (worded) return worded;
  return language && /[A-Za-z]{2}/.test(sentence) ? FALLBACK[language] : sentence;
}

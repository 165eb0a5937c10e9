// Errors of the server: codes, which are worded here; in English the server's own sentence says more.
import { settings } from '../settings.js';
import { t } from '../words.js';

export function errorText({ code, text, error }) {
  const sentence = text ?? error ?? '';
  if (settings().language !== 'zh') return sentence;
  const key = `error_${String(code ?? '').replaceAll('-', '_')}`;
  const worded = t(key);
  if (code && worded !== key) return worded;
  return /[A-Za-z]{2}/.test(sentence) ? t('error_') : sentence;
}

// Errors of rule files as text: in Chinese by their codes, with the names that the message quotes.
import { settings } from '../settings.js';
import { t } from '../words.js';

const quoted = (text) => [...new Set([...String(text).matchAll(/'([^']{1,60})'/g)].map((match) => match[1]))];

export function problemText({ code = '', text = '', remedy = '' }) {
  if (settings().language !== 'zh') return remedy ? `${text} (${remedy})` : text;
  const key = `rule_${code.replaceAll('-', '_')}`;
  const worded = t(key);
  const sentence = worded === key ? t('rule_') : worded;
  const names = quoted(text).join('、');
  const suggestion = /^did you mean/.test(remedy) ? quoted(remedy).join('、') : '';
  return `${sentence}${names && t('ruleNames', names)}${suggestion && t('ruleMeant', suggestion)}`;
}

// The whole message of the checker, where the shown text leaves something out.
export const problemDetail = ({ text = '', remedy = '' }) =>
  settings().language === 'zh' ? [text, remedy].filter(Boolean).join('; ') : undefined;

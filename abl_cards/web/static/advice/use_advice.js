// Hook useAdvice: request hints and explanations for the current decision.
import { announce } from '../announce.js';
import { useEffect, useState } from '../html.js';
import { settings } from '../settings.js';
import { t } from '../words.js';

export function useAdvice(seen, link, welcome) {
  const [told, setTold] = useState(null);
  const [busy, setBusy] = useState('');
  const advisor = () =>
    welcome.agents.includes(settings().advisor)
      ? settings().advisor
      : welcome.agents.includes('abl') && settings().advisor !== 'kb'
        ? 'abl'
        : 'kb';
  useEffect(() => {
    setTold(null);
    setBusy('');
  }, [seen.at]);
  const ask = async (what, more = {}) => {
    if (!seen.asked) return;
    setBusy(what);
    let answer = await link.ask({ do: what, at: seen.at, lang: settings().language, agent: advisor(), ...more });
    if (answer.type === 'error' && advisor() !== 'kb')
      answer = await link.ask({ do: what, at: seen.at, lang: settings().language, agent: 'kb', ...more });
    setBusy('');
    setTold(answer);
    if (answer.type === 'hint')
      announce(
        `${t('best')}: ${answer.best.text}. ${answer.best.reasons
          .slice(0, 2)
          .map((each) => each.words)
          .join(' ')}`,
      );
    if (answer.type === 'why')
      announce(answer.readings.map((each) => (each.legal ? t('legal') : t('illegal'))).join(', '));
    if (answer.type === 'error') announce(answer.text);
    return answer;
  };
  return {
    told,
    busy,
    hint: () => ask('hint'),
    why: (value) => ask('why', { value }),
    close: () => setTold(null),
  };
}

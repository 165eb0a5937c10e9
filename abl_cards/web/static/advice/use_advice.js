// Hook useAdvice: request hints and explanations for the current decision.
import { announce } from '../announce.js';
import { useEffect, useState } from '../html.js';
import { settings } from '../settings.js';
import { errorText } from '../text/error_text.js';
import { plainText } from '../text/marked_text.js';
import { t } from '../words.js';

export function useAdvice(view, link, welcome, names) {
  const [answer, setAnswer] = useState(null);
  const [busy, setBusy] = useState('');
  const [shown, setShown] = useState(null);
  const advisor = () =>
    welcome.agents.includes(settings().advisor)
      ? settings().advisor
      : welcome.agents.includes('abl') && settings().advisor !== 'kb'
        ? 'abl'
        : 'kb';
  useEffect(() => {
    setAnswer(null);
    setShown(null);
    setBusy('');
  }, [view.at]);
  const fetchAdvice = async (kind, options = {}) => {
    if (!view.asked) return undefined;
    setBusy(kind);
    let response = await link.request({
      do: kind,
      at: view.at,
      lang: settings().language,
      agent: advisor(),
      ...options,
    });
    if (response.type === 'error' && advisor() !== 'kb')
      response = await link.request({ do: kind, at: view.at, lang: settings().language, agent: 'kb', ...options });
    setBusy('');
    setAnswer(response.type === 'error' && !errorText(response) ? null : response);
    if (response.type === 'hint')
      announce(
        `${t('best')}${t('colon')}${plainText(response.best.text, names)}. ${response.best.reasons
          .slice(0, 2)
          .map((reason) => reason.words)
          .join(' ')}`,
      );
    if (response.type === 'why')
      announce(response.readings.map((reading) => (reading.legal ? t('legal') : t('illegal'))).join(t('comma')));
    if (response.type === 'error') announce(errorText(response));
    return response;
  };
  // Move of the hint to show next: the best one, and after it the next best ones in turn.
  const nextHint = async () => {
    const current = answer?.type === 'hint' ? answer : await fetchAdvice('hint');
    if (current?.type !== 'hint' || current.at !== view.at) return null;
    const moves = [current.best, ...current.next];
    const place = shown && answer === current ? (shown.place + 1) % moves.length : 0;
    setShown({ place, move: moves[place] });
    return moves[place];
  };
  return {
    answer,
    busy,
    shown,
    nextHint,
    hint: () => fetchAdvice('hint'),
    advisor,
    why: (value) => fetchAdvice('why', { value }),
    close: () => {
      setAnswer(null);
      setShown(null);
    },
  };
}

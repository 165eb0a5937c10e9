// Hook useCoach: what an agent thinks of the decision that is looked at.
import { useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { useSettings } from '../settings.js';

const DELAY_MS = 60; // of a stroke over the timeline, only the last act is explained

export function useCoach({ review, line, index, agent, isOn, isRunning }) {
  const { language } = useSettings();
  const [advice, setAdvice] = useState(null);
  useEffect(() => {
    setAdvice(null);
    if (!isOn) return undefined;
    let isStopped = false;
    const query = new URLSearchParams({ agent, lang: language, ...(line == null ? {} : { line }) });
    const timer = setTimeout(
      () =>
        request(`/api/reviews/${review.review}/${index}?${query}`).then(
          (response) => isStopped || setAdvice(response),
          (error) => isStopped || setAdvice({ problem: error.message }),
        ),
      isRunning ? 0 : DELAY_MS,
    );
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [line, index, agent, isOn, language]);
  return advice;
}

// Component Clock: seconds since the seat began to think.
import { html, useEffect, useState } from '../html.js';
import { t } from '../words.js';

export function Clock({ since }) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.floor(Date.now() / 1000 - since));
  return seconds > 2
    ? html`
      ${' '}
      <span class="clock" aria-hidden="true">
        ${t('seconds', seconds)}
      </span>
    `
    : null;
}

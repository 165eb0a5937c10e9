// Component StartProgress: what the server does at its first start, in which its kernels are compiled.
import { html, useEffect, useState } from '../html.js';
import { t } from '../words.js';

const POLL_MS = 1000;

export function StartProgress() {
  const [start, setStart] = useState(null);
  useEffect(() => {
    const poll = () =>
      fetch('/api/start')
        .then((response) => response.json())
        .then(
          (read) => {
            setStart(read);
            if (read.ready) clearInterval(timer);
          },
          () => {},
        );
    const timer = setInterval(poll, POLL_MS);
    return () => clearInterval(timer);
  }, []);
  if (start?.share == null) return null;
  return html`
    <div class="start-progress" role="status">
      <p>${t('compiling', start.kernels)}</p>
      <progress max="1" value=${start.share} aria-label=${t('compiling', start.kernels)}></progress>
      <p class="small">
        ${Math.floor(100 * start.share)} % ${start.seconds != null && ` · ${t('remaining', Math.ceil(start.seconds))}`}
      </p>
    </div>
  `;
}

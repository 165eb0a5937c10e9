// Component InviteLink: a link for other machines, as text and as a QR code, and what they need to reach it.
import { CopyLink } from '../dialogs/copy_link.js';
import { readHome } from '../early_requests.js';
import { html, loadStyle, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { t } from '../words.js';
import { shareBase } from './home_data.js';
import './words.js';

await loadStyle('home/home');

export function QrCode({ text }) {
  const [code, setCode] = useState(null);
  useEffect(() => {
    let isLeft = false;
    request('/api/qr', { text }).then(
      (response) => isLeft || setCode(response),
      () => isLeft || setCode(null),
    );
    return () => {
      isLeft = true;
    };
  }, [text]);
  return html`
    <div class="qr">
      ${
        code &&
        html`
          <svg viewBox=${`0 0 ${code.size} ${code.size}`} role="img" aria-label=${t('qrCode')}>
            <rect class="ground" width=${code.size} height=${code.size} />
            <path class="modules" d=${code.path} />
          </svg>
        `
      }
    </div>
  `;
}

export function InviteLink({ path, label, network }) {
  const [known, setKnown] = useState(network ?? null);
  useEffect(() => {
    if (!known) readHome().then(setKnown);
  }, []);
  if (!known) return null;
  const { base, isReachable } = shareBase(location, known);
  const url = base + path;
  return html`
    <div class="invite-link">
      <${QrCode} key=${url} text=${url} />
      <div>
        <${CopyLink} label=${label} value=${url} />
        ${
          !isReachable &&
          html`
            <p class="note">${t('onlyHere')}</p>
            <p><code>${known.command}</code></p>
          `
        }
      </div>
    </div>
  `;
}

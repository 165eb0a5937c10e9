// Component QrCode: an address as QR code, drawn by the server
import { html, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { t } from '../words.js';

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

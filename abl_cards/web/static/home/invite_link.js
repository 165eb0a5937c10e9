// Component InviteLink: a link for other machines, as text and as a QR code, and what they need to reach it.
import { CopyLink } from '../dialogs/copy_link.js';
import { readHome } from '../early_requests.js';
import { html, loadStyle, useEffect, useState } from '../html.js';
import { t } from '../words.js';
import { shareBase } from './home_data.js';
import { QrCode } from './qr_code.js';
import './words.js';

await loadStyle('home/home');

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

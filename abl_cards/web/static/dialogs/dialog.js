// Component Dialog: a modal window with heading and close button.
import { html, useEffect, useRef } from '../html.js';
import { t } from '../words.js';

export function Dialog({ name, heading, children, shown }) {
  const self = useRef(null);
  useEffect(() => {
    const hear = () => shown?.();
    self.current.addEventListener('shown', hear);
    return () => self.current?.removeEventListener('shown', hear);
  });
  return html`
    <dialog
      id=${`dialog-${name}`}
      ref=${self}
      aria-labelledby=${`heading-${name}`}
      onClick=${(event) => event.target === self.current && self.current.close()}
    >
      <div class="inside">
        <header>
          <h2 id=${`heading-${name}`}>${heading}</h2>
          <button type="button" class="quiet" aria-label=${t('close')} onClick=${() => self.current.close()}>
            ✕
          </button>
        </header>
        ${children}
      </div>
    </dialog>
  `;
}

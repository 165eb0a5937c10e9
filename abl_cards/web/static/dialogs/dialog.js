// Component Dialog: a modal window with heading and close button.
import { html, useEffect, useRef } from '../html.js';
import { t } from '../words.js';

export function Dialog({ name, heading, children, onShow }) {
  const dialogRef = useRef(null);
  useEffect(() => {
    const handler = () => onShow?.();
    dialogRef.current.addEventListener('shown', handler);
    return () => dialogRef.current?.removeEventListener('shown', handler);
  });
  return html`
    <dialog
      id=${`dialog-${name}`}
      ref=${dialogRef}
      aria-labelledby=${`heading-${name}`}
      onClick=${(event) => event.target === dialogRef.current && dialogRef.current.close()}
    >
      <div class="inside">
        <header>
          <h2 id=${`heading-${name}`}>${heading}</h2>
          <button type="button" class="quiet" aria-label=${t('close')} onClick=${() => dialogRef.current.close()}>
            ✕
          </button>
        </header>
        ${children}
      </div>
    </dialog>
  `;
}

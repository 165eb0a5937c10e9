// Component Dialog: a modal window with heading and close button.
import { html, useLayoutEffect, useRef } from '../html.js';
import { t } from '../words.js';

export function Dialog({ name, heading, children, onShow }) {
  const dialogRef = useRef(null);
  // at once, since a dialog that is loaded when it is opened is shown by an effect, which may run before one of this
  useLayoutEffect(() => {
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

// Component TableTools: last trick, new table, seats and rules, and switches; in a menu where there is little room.
import { openDialog } from '../dialogs/open_dialog.js';
import { html, useRef } from '../html.js';
import { placeStyle } from '../table/place_style.js';
import { t } from '../words.js';

export function TableTools({ layout, items, toggles }) {
  const menu = useRef(null);
  const isWide = layout.form === 'desktop';
  const dialogs = [
    ['new', 'newTable'],
    ['invite', 'seats'],
    ['rules', 'howToPlay'],
  ];
  const dialogButtons = dialogs.map(
    ([name, word]) => html`
      <button
        key=${name}
        type="button"
        onClick=${() => {
          menu.current?.removeAttribute('open');
          openDialog(name);
        }}
      >
        ${t(word)}
      </button>
    `,
  );
  const itemButtons = items.map(
    (item) => html`
      <button key=${item.name} type="button" aria-pressed=${item.isPressed} onClick=${item.act}>
        ${item.text} ${item.key && html`<kbd>${item.key}</kbd>`}
      </button>
    `,
  );
  const toggleButtons = toggles.map(
    ({ name, isPressed, act }) => html`
      <button key=${name} type="button" role="switch" class="toggle" aria-checked=${isPressed} onClick=${act}>
        ${t(name)}
      </button>
    `,
  );
  return html`
    <div class="tools" style=${placeStyle(layout.tools)}>
      ${isWide ? dialogButtons : itemButtons}
      <details class="menu" ref=${menu}>
        <summary aria-label=${t('more')} title=${t('more')}>⋯</summary>
        <div>${isWide ? null : dialogButtons}${toggleButtons}</div>
      </details>
    </div>
  `;
}

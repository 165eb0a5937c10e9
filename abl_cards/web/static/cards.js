// Cards, drawn here: a corner tells all in a fan, a large sign the rest.
import { html } from './html.js';
import { say } from './settings.js';

const SUITS = { S: 's', H: 'h', D: 'd', C: 'c' };

export function face(deck, text) {
  return deck[text] || { rank: text, suit: '', symbol: '', name: [text, text] };
}

export const nameOf = (deck, text) => say(face(deck, text).name);

export const shown = (rank) => (rank === 'T' ? '10' : rank);

function Face({ card, wild }) {
  const rank = shown(card.rank);
  const long = !card.suit && card.rank.length > 1;
  const name = say(card.name);
  return html`
    <svg class="face" viewBox="0 0 60 84" aria-hidden="true" focusable="false">
      <rect class="paper" x="0.5" y="0.5" width="59" height="83" rx="6" />
      ${
        card.suit
          ? html`
            <text
              class="rank"
              x="10.5"
              y="20"
              text-anchor="middle"
              textLength=${rank.length > 1 ? 18 : undefined}
              lengthAdjust="spacingAndGlyphs"
            >
              ${rank}
            </text>
            <text class="suit" x="10.5" y="36" text-anchor="middle">
              ${card.symbol}
            </text>
            <text class="large" x="36" y="68" text-anchor="middle">
              ${card.symbol}
            </text>
          `
          : long
            ? html`
              <text class="down" transform=${/[^\x00-\x7f]/.test(name) ? undefined : 'translate(6 8) rotate(90)'}>
                ${
                  /[^\x00-\x7f]/.test(name)
                    ? [...name].slice(0, 4).map(
                        (letter, place) => html`
                          <tspan x="4" y=${18 + place * 14}>
                            ${letter}
                          </tspan>
                        `,
                      )
                    : name
                }
              </text>
              <text class="large plain" x="38" y="62" text-anchor="middle">
                ★
              </text>
            `
            : html`
              <text
                class="rank"
                x="10.5"
                y="20"
                text-anchor="middle"
                textLength=${rank.length > 1 ? 18 : undefined}
                lengthAdjust="spacingAndGlyphs"
              >
                ${rank}
              </text>
              <path class="pip" d="M37 34l13 20-13 20-13-20z" />
            `
      }
      ${
        wild &&
        html`
          <path
            class="wild"
            d="M50 5l1.900 4 4.400.500-3.200 3 .8 4.300L50 14.700l-3.900 2.100.8-4.300-3.200-3 4.400-.500z"
          />
        `
      }
    </svg>
  `;
}

export function Back({ small }) {
  return html`
    <svg class=${`back ${small ? 'small' : ''}`} viewBox="0 0 60 84" aria-hidden="true">
      <rect x="0.5" y="0.5" width="59" height="83" rx="6" />
      <path d="M8 8h44v68H8z M8 25l44 34 M8 59l44-34" />
    </svg>
  `;
}

export const kindOf = (card) => SUITS[card.suit] || (card.suit ? 'other' : 'none');

// Cards that lie on the table: a row, told as one picture.
export function Cards({ deck, cards, wild = [], label, small = false }) {
  if (!cards.length) return null;
  const names = cards.map((text) => nameOf(deck, text)).join(', ');
  return html`
    <span class=${`row ${small ? 'small' : ''}`} role="img" aria-label=${label ? `${label}: ${names}` : names}>
      ${cards.map(
        (text, place) => html`
          <span key=${`${text}${place}`} class=${`card ${kindOf(face(deck, text))}`}>
            <${Face} card=${face(deck, text)} wild=${wild.includes(text)} />
          </span>
        `,
      )}
    </span>
  `;
}

// A card of the hand: a switch that is on when it is picked.
export function HandCard({ deck, text, picked, dim, wild, tab, refer, toggle, focus, place }) {
  const card = face(deck, text);
  return html`
    <button
      type="button"
      ref=${refer}
      data-place=${place}
      data-card=${text}
      class=${`card ${kindOf(card)} ${picked ? 'picked' : ''} ${dim ? 'dim' : ''}`}
      aria-pressed=${picked}
      aria-label=${say(card.name)}
      tabindex=${tab ? 0 : -1}
      onClick=${toggle}
      onFocus=${focus}
    >
      <${Face} card=${card} wild=${wild} />
    </button>
  `;
}

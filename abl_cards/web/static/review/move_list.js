// Component MoveList: the acts of a record by tricks, with glyphs; variations stand below the act that they replace.
import { html, useEffect, useRef } from '../html.js';
import { t } from '../words.js';
import { ActText } from './act_text.js';
import { GLYPHS } from './glyphs.js';
import { groupTricks } from './lines.js';

export function MoveList({ review, line, index, glyphs, names, seatFilter, goTo, removeBranch }) {
  const list = useRef(null);
  useEffect(() => {
    const box = list.current;
    const current = box?.querySelector('[aria-current]');
    if (!current || box.scrollHeight <= box.clientHeight) return;
    const top = current.offsetTop - box.offsetTop;
    if (top < box.scrollTop + 30 || top > box.scrollTop + box.clientHeight - 50) box.scrollTop = top - box.clientHeight / 2;
  }, [line, index, glyphs]);
  const frames = review.pictures;
  const branchesAt = (place) =>
    review.branches.map((branch, number) => ({ branch, number })).filter(({ branch }) => branch.start === place);
  const isShown = (place) => seatFilter == null || frames[place].seat === seatFilter;
  return html`
    <nav class="panel moves" aria-label=${t('moveList')} ref=${list}>
      ${groupTricks(frames).map(
        ({ trick, start, indices }) => html`
          <section key=${start}>
            <h3>${trick ? t('trickOf', trick) : t('beforePlay')}</h3>
            <ol>
              ${indices.filter((place) => isShown(place) || branchesAt(place).length > 0).map(
                (place) => html`
                  <li key=${place}>
                    <${Entry}
                      frame=${frames[place]}
                      place=${place}
                      glyph=${glyphs.get(place)}
                      names=${names}
                      isCurrent=${line == null && place === index}
                      go=${() => goTo(place, null)}
                    />
                    ${branchesAt(place).map(
                      ({ branch, number }) => html`
                        <${Variation}
                          key=${number}
                          ...${{ branch, number, names, goTo }}
                          currentPlace=${line === number ? index : null}
                          remove=${() => removeBranch(number)}
                        />
                      `,
                    )}
                  </li>
                `,
              )}
            </ol>
          </section>
        `,
      )}
    </nav>
  `;
}

function Entry({ frame, place, glyph, names, isCurrent, go }) {
  return html`
    <button type="button" class="entry" aria-current=${isCurrent ? 'step' : undefined} onClick=${go}>
      <span class="number">${place + 1}</span>
      <span class="seat-of" title=${names.seat(frame.seat)}>${frame.seat}</span>
      <span class="act"><${ActText} act=${frame.act} names=${names} /></span>
      ${glyph && html`<span class=${`mark-of grade${GLYPHS.indexOf(glyph)}`}>${glyph}</span>`}
    </button>
  `;
}

function Variation({ branch, number, names, goTo, currentPlace, remove }) {
  return html`
    <div class="variation">
      <p class="small">
        ${t('variation', number + 1)}
        <button type="button" class="quiet" aria-label=${t('removeVariation', number + 1)} onClick=${remove}>✕</button>
      </p>
      <ol>
        ${branch.pictures.map(
          (frame, step) => html`
            <li key=${step}>
              <${Entry}
                frame=${frame}
                place=${branch.start + step}
                names=${names}
                isCurrent=${currentPlace === branch.start + step}
                go=${() => goTo(branch.start + step, number)}
              />
            </li>
          `,
        )}
      </ol>
    </div>
  `;
}

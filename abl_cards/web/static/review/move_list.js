// Component MoveList: the acts of a record by tricks, with glyphs; variations stand below the act that they replace.
import { html, useEffect, useRef } from '../html.js';
import { t } from '../words.js';
import { ActEntry } from './act_entry.js';
import { groupTricks } from './lines.js';
import { VariationActs } from './variation_acts.js';

export function MoveList({ review, line, index, glyphs, names, seatFilter, goTo, removeBranch }) {
  const list = useRef(null);
  useEffect(() => {
    const box = list.current;
    const current = box?.querySelector('[aria-current]');
    if (!current || box.scrollHeight <= box.clientHeight) return;
    const top = current.offsetTop - box.offsetTop;
    const isOut = top < box.scrollTop + 30 || top > box.scrollTop + box.clientHeight - 50;
    if (isOut) box.scrollTop = top - box.clientHeight / 2;
  }, [line, index, glyphs]);
  const frames = review.pictures;
  const branchesAt = (place) =>
    review.branches.map((branch, number) => ({ branch, number })).filter(({ branch }) => branch.start === place);
  const isShown = (place) => seatFilter == null || frames[place].seat === seatFilter;
  return html`
    <nav class="panel acts" aria-label=${t('moveList')} ref=${list}>
      ${groupTricks(frames).map(
        ({ trick, start, indices }) => html`
          <section key=${start}>
            <h3>${trick ? t('trickOf', trick) : t('beforePlay')}</h3>
            <ol>
              ${indices
                .filter((place) => isShown(place) || branchesAt(place).length > 0)
                .map(
                  (place) => html`
                  <li key=${place}>
                    <${ActEntry}
                      frame=${frames[place]}
                      place=${place}
                      glyph=${glyphs.get(place)}
                      names=${names}
                      isCurrent=${line == null && place === index}
                      go=${() => goTo(place, null)}
                    />
                    ${branchesAt(place).map(
                      ({ branch, number }) => html`
                        <${VariationActs}
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

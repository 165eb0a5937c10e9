// Component ClassBar: line of the class of this tab. The reviews of pupils follow the place of the teacher.
import { html, loadStyle, useEffect, useRef, useState } from '../html.js';
import { request } from '../link.js';
import { useSettings } from '../settings.js';
import { t } from '../words.js';
import { currentClass, placeOf } from './class_data.js';
import './words.js';

await loadStyle('class/class');

const RETRY_MS = 4000;

// Go where the teacher leads, as long as `follows`.
function useFollowing(entry, follows) {
  const [place, setPlace] = useState('');
  const latest = useRef({});
  latest.current = { follows };
  useEffect(() => {
    if (entry?.role !== 'pupil') return undefined;
    let isLeft = false;
    const wait = async (revision) => {
      let next = revision;
      try {
        const answer = await request(`/api/classes/${entry.code}`, { do: 'wait', token: entry.token, revision });
        if (isLeft) return;
        next = answer.revision;
        setPlace(answer.place);
        if (next !== revision && answer.place && latest.current.follows) location.hash = `#/${answer.place}`;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
      if (!isLeft) wait(next);
    };
    wait(-1);
    return () => {
      isLeft = true;
    };
  }, [entry?.code, entry?.token]);
  return place;
}

// Lead all pupils to the review that the teacher looks at, as long as `leads`.
function useLeading(entry, leads) {
  useEffect(() => {
    if (entry?.role !== 'teacher') return undefined;
    const lead = (place) =>
      request(`/api/classes/${entry.code}`, { do: 'lead', token: entry.token, place }).catch(() => {});
    if (!leads) return undefined;
    const follow = () => placeOf(location.hash) && lead(placeOf(location.hash));
    follow();
    addEventListener('hashchange', follow);
    return () => {
      removeEventListener('hashchange', follow);
      lead('');
    };
  }, [entry?.code, leads]);
}

export function ClassBar() {
  useSettings();
  const [entry, setEntry] = useState(currentClass);
  const [isOn, setIsOn] = useState(entry?.role === 'pupil');
  useEffect(() => {
    const update = () => {
      const current = currentClass();
      setEntry((known) => (known?.code === current?.code && known?.token === current?.token ? known : current));
      setIsOn((on) => (current?.code === entry?.code ? on : current?.role === 'pupil'));
    };
    addEventListener('class', update);
    return () => removeEventListener('class', update);
  }, [entry]);
  const place = useFollowing(entry, isOn);
  useLeading(entry, isOn);
  if (!entry) return null;
  const isTeacher = entry.role === 'teacher';
  return html`
    <div class="class-bar" role="region" aria-label=${t('class')}>
      <a href=${`#/class/${entry.code}/${entry.token}`}>
        ${t(isTeacher ? 'theWall' : 'theClass')} <code>${entry.code}</code>
      </a>
      <label>
        <input type="checkbox" checked=${isOn} onChange=${(event) => setIsOn(event.target.checked)} />${' '}
        ${t(isTeacher ? 'followMe' : 'followTeacher')}
      </label>
      ${place && !isTeacher && html`<a href=${`#/${place}`}>${t('toTeacher')}</a>`}
    </div>
  `;
}

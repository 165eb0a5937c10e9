// Hook useAnnouncements: what follows a change of the table: announcements, title of the page, settings of the server.
import { announce } from '../announce.js';
import { useEffect, useRef } from '../html.js';
import { localise, useSettings } from '../settings.js';
import { setTitle } from '../page_title.js';
import { eventText } from '../table/event_text.js';
import { plainText } from '../text/marked_text.js';
import { t } from '../words.js';

export function useAnnouncements({ view, names, link, selection, closeLast }) {
  const { pace, think, name, language } = useSettings();
  const lastThink = useRef(think);
  const lastEvent = useRef(null);
  const { asked: decision, me } = view;
  const { matches, reading } = selection;
  const readingText = matches.readings[reading] && plainText(matches.readings[reading].text, names);
  useEffect(() => {
    selection.clear();
    closeLast();
  }, [view.at]);
  useEffect(() => {
    if (me != null && Math.round(view.pace * 1000) !== pace) link.send({ do: 'pace', ms: pace });
  }, [pace, me, link]);
  useEffect(() => {
    // Only a change: a table that is continued keeps its value.
    if (view.owner && lastThink.current !== think) link.send({ do: 'think', ms: think });
    lastThink.current = think;
  }, [think]);
  useEffect(() => {
    if (me != null && name && view.seats[me].name !== name) link.send({ do: 'name', name });
  }, [name, me, link]);
  useEffect(() => {
    const isNew = (event) => lastEvent.current != null && event.number > lastEvent.current;
    for (const event of view.log.filter(isNew)) announce(eventText(names, event));
    lastEvent.current = view.log.at(-1)?.number ?? 0;
    if (decision) announce([t('yourTurn'), localise(decision.stage)].filter(Boolean).join(t('colon')));
  }, [view.revision]);
  useEffect(() => {
    if (!readingText) return;
    announce(matches.readings.length > 1 ? `${t('ways', matches.readings.length)} ${readingText}` : readingText);
  }, [readingText]);
  useEffect(() => {
    if (!decision) return undefined;
    setTitle({ mark: `▶ ${t('yourTurn')}` });
    return () => setTitle({ mark: '' });
  }, [Boolean(decision), language]);
}

// Hook useLearn: go through mistakes with the better move hidden, and grade plays made instead.
import { useState } from '../html.js';

const FRESH = { grade: null, isGrading: false, isSolved: false, problem: '' };

export function useLearn({ work, goTo }) {
  const [lesson, setLesson] = useState(null);
  const show = (next) => {
    setLesson({ ...FRESH, ...next });
    if (next) goTo(next.places[next.at], null);
  };
  const start = (places, from) => {
    if (!places.length) return;
    const next = places.findIndex((place) => place >= from);
    show({ places, at: Math.max(0, next) });
  };
  const play = async ({ value }) => {
    setLesson({ ...lesson, ...FRESH, isGrading: true });
    try {
      const grade = await work.grade(lesson.places[lesson.at], value);
      setLesson({ ...lesson, ...FRESH, grade });
    } catch (error) {
      setLesson({ ...lesson, ...FRESH, problem: error.message });
    }
  };
  return {
    isOn: lesson != null,
    place: lesson ? lesson.places[lesson.at] : null,
    start,
    panel: lesson && {
      ...lesson,
      again: () => setLesson({ ...lesson, ...FRESH }),
      solve: () => setLesson({ ...lesson, isSolved: true }),
      next: () => show({ places: lesson.places, at: (lesson.at + 1) % lesson.places.length }),
      stop: () => setLesson(null),
    },
    isAnswered: Boolean(lesson && (lesson.isSolved || (lesson.grade && !lesson.grade.mistake))),
    play,
    stop: () => setLesson(null),
  };
}

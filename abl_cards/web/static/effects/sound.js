// Sounds of a table, made of oscillators: no file is loaded.
const VOLUME = 0.14;

// Tones of each sound: [start in s, frequency in Hz, frequency at the end, length in s, loudness, wave].
const TONES = {
  card: [[0, 320, 120, 0.07, 1, 'triangle']],
  pass: [[0, 190, 150, 0.09, 0.6, 'sine']],
  deal: [0, 0.06, 0.12, 0.18].map((start) => [start, 420, 180, 0.04, 0.5, 'triangle']),
  turn: [
    [0.12, 659, 659, 0.1, 0.55, 'sine'],
    [0.22, 880, 880, 0.16, 0.55, 'sine'],
  ],
  strong: [
    [0, 160, 42, 0.34, 1.4, 'triangle'],
    [0, 90, 36, 0.4, 0.9, 'square'],
  ],
  won: [523, 659, 784, 1047].map((hertz, index) => [0.1 * index, hertz, hertz, 0.2, 0.6, 'sine']),
  ended: [523, 440, 349].map((hertz, index) => [0.13 * index, hertz, hertz, 0.24, 0.5, 'sine']),
};

let context = null;

function playTone([start, from, to, length, loudness, wave]) {
  const at = context.currentTime + start;
  const oscillator = new OscillatorNode(context, { type: wave, frequency: from });
  const gain = new GainNode(context, { gain: 0 });
  oscillator.frequency.setValueAtTime(from, at);
  oscillator.frequency.exponentialRampToValueAtTime(to, at + length);
  gain.gain.setValueAtTime(0.0001, at);
  gain.gain.linearRampToValueAtTime(VOLUME * loudness, at + 0.008);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + length + 0.02);
}

function play(name) {
  if (context.state === 'suspended') context.resume();
  for (const tone of TONES[name]) playTone(tone);
}

// Function that plays a sound by name; null before a gesture of the user, or without sound.
export function sounds() {
  if (!globalThis.AudioContext || navigator.userActivation?.hasBeenActive === false) return null;
  context ??= new AudioContext();
  return play;
}

// At one's turn: the phone shakes, and chimes where that was asked for. Neither needs a secure page.

const KEPT = "companion-chime";
const NOTES_HZ = [660, 880];

/** @type {AudioContext | null} made by the tap that asks for the chime: a browser lets nothing sound before */
let sound = null;
let before = /** @type {boolean | null} */ (null);

export const chimes = () => localStorage.getItem(KEPT) === "yes";

/** @param {boolean} isOn */
export function setChime(isOn) {
  localStorage.setItem(KEPT, isOn ? "yes" : "no");
  if (isOn) chime();
}

function chime() {
  sound ??= new AudioContext();
  const begins = sound.currentTime;
  for (const [n, frequency] of NOTES_HZ.entries()) {
    const [tone, loudness] = [sound.createOscillator(), sound.createGain()];
    tone.frequency.value = frequency;
    loudness.gain.setValueAtTime(0.2, begins + n * 0.16);
    loudness.gain.exponentialRampToValueAtTime(0.001, begins + n * 0.16 + 0.5);
    tone.connect(loudness).connect(sound.destination);
    tone.start(begins + n * 0.16);
    tone.stop(begins + n * 0.16 + 0.5);
  }
}

/**
 * Hears whose turn it is; a turn that was one's own before one looked is no news.
 * @param {boolean} isMine
 */
export function nudge(isMine) {
  const isNew = before === false && isMine;
  before = isMine;
  if (!isNew) return;
  navigator.vibrate?.([120, 80, 120]);
  if (chimes()) chime();
}

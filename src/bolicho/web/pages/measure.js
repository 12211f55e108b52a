// What the page of a step measures until its answer: visible time, keys, clicks and touches of a person, pasted texts.

let read = 0; // ms for which the page was visible, without the present stretch
let since = null; // beginning of the present stretch; null while the page is hidden
let counts = {};

export function startMeasuring() {
  read = 0;
  since = document.hidden ? null : performance.now();
  counts = {away: 0, keys: 0, touches: 0, pastes: 0};
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden && since !== null) {
    read += performance.now() - since;
    since = null;
    counts.away++;
  } else if (!document.hidden) since ??= performance.now();
});
// Events that a script makes are not trusted.
document.addEventListener("keydown", ({isTrusted}) => (counts.keys += Number(isTrusted)), true);
document.addEventListener("pointerdown", ({isTrusted}) => (counts.touches += Number(isTrusted)), true);
document.addEventListener("paste", () => counts.pastes++, true);

// With `signals`, all of it; otherwise the visible time alone.
export function measured(signals, trap) {
  const seconds = (read + (since === null ? 0 : performance.now() - since)) / 1000;
  const time = {read: Math.round(seconds * 1000) / 1000};
  return signals ? {...time, ...counts, trap, driver: navigator.webdriver === true} : time;
}

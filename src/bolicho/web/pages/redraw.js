// For tables whose parts are made anew at every view.

// Put children into a place, with the focus, and what was opened, as before: things are known by their `data-key`.
export function redraw(place, ...children) {
  const key = place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const open = new Map([...place.querySelectorAll("details")].map((one) => [one.dataset.key, one.open]));
  place.replaceChildren(...children.flat().filter(Boolean));
  for (const one of place.querySelectorAll("details")) one.open = open.get(one.dataset.key) ?? one.open;
  if (key) place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({preventScroll: true});
}

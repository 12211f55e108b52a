// For tables whose parts are rebuilt at every view.

// Replace the children of an element, keeping focus and expanded parts, matched by `data-key`.
export function redraw(place, ...children) {
  const key = place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const open = new Map([...place.querySelectorAll("details")].map((one) => [one.dataset.key, one.open]));
  place.replaceChildren(...children.flat().filter(Boolean));
  for (const one of place.querySelectorAll("details")) one.open = open.get(one.dataset.key) ?? one.open;
  if (key) place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({preventScroll: true});
}

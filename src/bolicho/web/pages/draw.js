// Creation of elements, and avatars of players.

const SVG = "http://www.w3.org/2000/svg";

// html("button", {class: "call", "data-action": "truco", on: {click: play}}, "truco!")
export function html(tag, attributes, ...children) {
  return dress(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return dress(document.createElementNS(SVG, tag), attributes, children);
}

function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") Object.entries(value).forEach(([event, listener]) => element.addEventListener(event, listener));
    else if (name === "style") Object.entries(value).forEach(([key, one]) => element.style.setProperty(key, one));
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Drawing from our own text, never from user input.
export function picture(text, attributes) {
  const drawn = new DOMParser().parseFromString(`<svg xmlns="${SVG}">${text}</svg>`, "image/svg+xml").documentElement;
  return dress(drawn, {"aria-hidden": "true", ...attributes}, []);
}

// --- Avatars: hat, hair, beard and poncho, derived from the name --------------------------------

const PONCHOS = ["#8f2f2b", "#2f5d8a", "#3f6b3a", "#8a5a1f", "#5d4a86", "#23707a", "#7c3a5e"];
const SKINS = ["#f0c8a0", "#d9a577", "#b97f52", "#8d5a37"];
const HAIRS = ["#2b2320", "#5a3a24", "#8a7a66", "#6b2f1c", "#d8d0c0"];
const BERETS = ["#2b2320", "#8f1f26", "#24447a"];

function numberOf(text) {
  let number = 2166136261;
  for (const letter of text) number = Math.imul(number ^ letter.codePointAt(0), 16777619) >>> 0;
  return number;
}

export function avatar(name, isAgent = false) {
  let luck = numberOf(name);
  const pick = (list) => {
    luck = Math.imul(luck ^ (luck >>> 13), 1597334677) >>> 0;
    return list[luck % list.length];
  };
  const [poncho, stripe, skin, hair] = [pick(PONCHOS), pick(PONCHOS), pick(SKINS), pick(HAIRS)];
  const parts = [
    `<circle cx="32" cy="32" r="31" class="avatar-ground"/>`,
    `<path d="M8 60C10 46 20 42 32 42s22 4 24 18A31 31 0 0 1 8 60Z" fill="${poncho}"/>`,
    `<path d="M27 42l5 9 5-9 3 2-8 15-8-15Z" fill="${stripe}"/><path d="M13 51q19 9 38 0" fill="none" stroke="#f4e3b2" stroke-width="1.6" opacity=".8"/>`,
    pick([
      `<path d="M19 26c-2 14 2 20 4 22h18c2-2 6-8 4-22Z" fill="${hair}"/>`,
      "",
      `<path d="M20 25q-2 9 1 14h22q3-5 1-14Z" fill="${hair}"/>`,
    ]),
    `<path d="M27 38h10v7q-5 4-10 0Z" fill="${skin}"/><ellipse cx="32" cy="30" rx="10.5" ry="12" fill="${skin}"/>`,
    isAgent && pick([
      `<path d="M21.6 31c0 10 5 13 10.4 13s10.4-3 10.4-13c-2 4-5 5-7 4.4h-6.8c-2 .6-5-.4-7-4.4Z" fill="${hair}"/>`,
      `<path d="M26 35.6q3-2.4 6-.4 3-2 6 .4-3 2.6-6 .8-3 1.8-6-.8Z" fill="${hair}"/>`,
      "",
    ]),
    `<g fill="#2b2320"><circle cx="28" cy="29" r="1.3"/><circle cx="36" cy="29" r="1.3"/></g>`,
    `<path d="M29 37.5q3 2 6 0" fill="none" stroke="#8a3b2c" stroke-width="1.3" stroke-linecap="round"/>`,
    pick([
      `<path d="M12 24q20-9 40 0-20 5-40 0Z" fill="#3b2a1c"/><path d="M21 22q1-13 11-13t11 13q-11-4-22 0Z" fill="#4a3524"/><path d="M21 21q11-4 22 0" stroke="${stripe}" stroke-width="2" fill="none"/>`,
      `<path d="M18 22q2-11 16-11 13 1 12 9-2 3-28 2Z" fill="${pick(BERETS)}"/>`,
      `<path d="M21 27q0-13 11-13t11 13q-4-7-11-7t-11 7Z" fill="${hair}"/>`,
      `<path d="M20 25q1-12 12-12t12 12q-12-5-24 0Z" fill="${stripe}"/><path d="M43 24l7 6-5 1Z" fill="${stripe}"/>`,
    ]),
  ];
  // Agents wear a star on the chest, so that they are not taken for people.
  if (isAgent) parts.push(
    `<path d="M46 44l2 4.2 4.6.6-3.4 3.2.9 4.6-4.1-2.2-4.1 2.2.9-4.6-3.4-3.2 4.6-.6Z" fill="#f3c13a" stroke="#7a4a12"/>`,
  );
  return picture(parts.filter(Boolean).join(""), {viewBox: "0 0 64 64", class: "avatar"});
}

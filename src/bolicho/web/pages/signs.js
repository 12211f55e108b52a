// Signs of 7 Wonders: resources, coins, shields, science, kinds of cards, the seven wonders; and texts of cards.py
// ("1 point + 1 coin per brown own") as signs.  Signs are visual only: every sign has a text beside it.

import {html, picture} from "/a/draw.js";

export const RAW = ["wood", "stone", "ore", "clay"];
export const GOODS = ["glass", "papyrus", "cloth"];
export const COLOURS = ["brown", "grey", "blue", "yellow", "red", "green", "purple"];

const disc = (fill, inside) => `<circle r="11" fill="${fill}" stroke="#2b1b10" stroke-width="1.2"/>${inside}`;
const plate = (fill, inside) => `<rect x="-10.5" y="-10.5" width="21" height="21" rx="6" fill="${fill}" stroke="#2b1b10" stroke-width="1.2"/>${inside}`;
const pen = (d, width = 1.8) => `<path d="${d}" fill="none" stroke="#fff8e6" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
const fill = (d) => `<path d="${d}" fill="#fff8e6"/>`;

// All within a square from -12 to 12.  Raw materials are round, manufactured goods square.
const SIGNS = {
  wood: disc("#5c7326", `<path d="M-7-3H4a4 4 0 0 1 0 7H-7Z" fill="#fff8e6"/><ellipse cx="-6.5" cy=".5" rx="2.6" ry="3.5" fill="#5c7326" stroke="#fff8e6" stroke-width="1.5"/>` + pen("M-1-4L2-8", 2)),
  stone: disc("#6f6f68", fill("M-7 5L-6-3L-1-6L6-4L7 5Z") + `<path d="M-6-3L0 0L6-4M0 0V5" stroke="#6f6f68" stroke-width="1.4" fill="none"/>`),
  ore: disc("#3f4a57", fill("M-7 5L-3-5H3L7 5Z") + `<path d="M-3-5L-1 5M3-5L1 5" stroke="#3f4a57" stroke-width="1.3"/>`),
  clay: disc("#a84a28", fill("M-7-5H-.7V-.7H-7ZM.7-5H7V-.7H.7ZM-3.5 .7H3.5V5H-3.5ZM-7 .7H-4.7V5H-7ZM4.7 .7H7V5H4.7Z")),
  glass: plate("#257585", fill("M-2-8H2V-3Q6-1 6 4Q6 8 0 8Q-6 8-6 4Q-6-1-2-3Z")),
  papyrus: plate("#8a6a22", fill("M-6-7H4Q7-7 7-4H4V5Q4 8 1 8H-6Q-3 7-3 4V-4Q-3-7-6-7Z") + `<path d="M-1-3H2M-1 0H2M-1 3H2" stroke="#8a6a22" stroke-width="1.3"/>`),
  cloth: plate("#8a3c66", pen("M-7-5Q-3.5-9 0-5T7-5M-7 0Q-3.5-4 0 0T7 0M-7 5Q-3.5 1 0 5T7 5", 2.2)),
  coin: `<circle r="11" fill="#e8b93c" stroke="#7a4a12" stroke-width="1.6"/><circle r="8.2" fill="none" stroke="#a8701a" stroke-width="1"/>`,
  shield: `<path d="M-9-10H9V0Q9 8 0 12Q-9 8-9 0Z" fill="#a3322a" stroke="#fff8e6" stroke-width="1.5"/>`,
  points: `<path d="M0-11L10-5V6L0 12L-10 6V-5Z" fill="#2a5a97" stroke="#fff8e6" stroke-width="1.5"/>`,
  defeat: `<path d="M-9-10H9V0Q9 8 0 12Q-9 8-9 0Z" fill="#5b5f63" stroke="#fff8e6" stroke-width="1.5"/>` + pen("M-2-9L2-3L-3 2L2 8", 1.6),
  compass: plate("#2f6e3c", pen("M0-5L-5 7M0-5L5 7M-6.5 3Q0 8 6.5 3") + `<circle cy="-6" r="2.4" fill="#fff8e6"/>`),
  gear: plate("#2f6e3c", `<circle r="5" fill="none" stroke="#fff8e6" stroke-width="2.6"/>` + pen("M0-8V-6M0 8V6M-8 0H-6M8 0H6M-5.7-5.7L-4.3-4.3M5.7 5.7L4.3 4.3M-5.7 5.7L-4.3 4.3M5.7-5.7L4.3-4.3", 2.6)),
  tablet: plate("#2f6e3c", `<path d="M-6 8V-3Q0-11 6-3V8Z" fill="#fff8e6"/><path d="M-3-1H3M-3 2H3M-3 5H3" stroke="#2f6e3c" stroke-width="1.4"/>`),
  wild: plate("#2f6e3c", fill("M0-8L2.3-2.6L8-2.2L3.6 1.5L5 7.2L0 4.1L-5 7.2L-3.6 1.5L-8-2.2L-2.3-2.6Z")),
  stage: `<path d="M0-10L11 10H-11Z" fill="#c9952c" stroke="#5b3a1c" stroke-width="1.4" stroke-linejoin="round"/><path d="M-7.3 3H7.3M-4-3H4" stroke="#5b3a1c" stroke-width="1.2"/>`,
  free: plate("#7a4a12", pen("M-6 8L2-2", 2.6) + fill("M-3-6L2-9L8-3L6 0L3-2L1 1Z")),
  revive: plate("#4d4038", fill("M-7 7V-1H7V7Z") + pen("M0-2V-9M-3-6L0-9L3-6", 2)),
  seventh: plate("#4d4038", `<rect x="-5" y="-8" width="10" height="16" rx="1.5" fill="#fff8e6"/><path d="M-2.5-4H2.5L-.5 4.5" fill="none" stroke="#4d4038" stroke-width="2"/>`),
  copy: plate("#684286", fill("M-8-5L-4-1L0-7L4-1L8-5L6.5 4H-6.5Z") + fill("M-6.5 5.5H6.5V8H-6.5Z")),
  // Kinds of cards, white on the colour of their band.
  brown: pen("M-7 8L3-3", 2.6) + pen("M-5-6Q3-10 8 3", 2.6),
  grey: fill("M-3-10H3V-7Q8-4 6 3Q5 7 3 9H-3Q-5 7-6 3Q-8-4-3-7Z"),
  blue: fill("M0-10L10-4H-10ZM-8-3H-5V6H-8ZM-1.5-3H1.5V6H-1.5ZM5-3H8V6H5ZM-10 7H10V9.5H-10Z"),
  yellow: `<path d="M0-9V8M-5 8H5M-8-6H8M-8-6L-11 1Q-8 4-5 1ZM8-6L5 1Q8 4 11 1Z" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round"/>`,
  red: pen("M-8-8L6 6M8-8L-6 6M-9 3L-3 9M9 3L3 9", 2.4),
  green: fill("M-3-10H3V-8H2V-3L8 7Q8 9.5 6 9.5H-6Q-8 9.5-8 7L-2-3V-8H-3Z"),
  purple: fill("M-10-6L-5 0L0-9L5 0L10-6L8 6H-8ZM-8 7H8V9.5H-8Z"),
  chain: plate("#1d4a27", `<g fill="none" stroke="#fff8e6" stroke-width="2.2"><rect x="-9" y="-3.5" width="10" height="7" rx="3.5"/><rect x="-1" y="-3.5" width="10" height="7" rx="3.5"/></g>`),
  left: `<path d="M6-8L-7 0L6 8Z" fill="currentColor"/>`,
  right: `<path d="M-6-8L7 0L-6 8Z" fill="currentColor"/>`,
  own: `<path d="M-8-6L0 7L8-6Z" fill="currentColor"/>`,
};

const drawn = new Map(); // parsed drawings, by name

// One sign, with its number if it has one.
export function sign(name, number = null) {
  const key = `${name} ${number}`;
  if (!drawn.has(key)) drawn.set(key, draw(name, number));
  return drawn.get(key).cloneNode(true);
}

function draw(name, number) {
  const ink = {coin: "#3d2606"}[name] ?? "#fff";
  const text = number === null ? "" : `<text y="${name === "coin" ? 5 : 4.5}" text-anchor="middle" font-size="13" font-weight="700" font-family="system-ui, sans-serif" fill="${ink}">${number}</text>`;
  return picture(SIGNS[name] + text, {viewBox: "-12.5 -12.5 25 25", class: "wn-sign"});
}

// --- Texts of cards.py as signs ------------------------------------------------------------------------

const TRADE = {left: ["left"], right: ["right"], both: ["left", "right"]};
const COUNTED = {own: ["own"], next: ["left", "right"], "own and next": ["left", "own", "right"]};
const WORDS = {"free build": "free", revive: "revive", "seventh card": "seventh", "copy guild": "copy", "wild symbol": "wild"};

const times = (number, what) => Array.from({length: number}, what);
const small = (names) => html("span", {class: "wn-small"}, names.map((name) => sign(name)));

// Signs of a cost ("2 clay, papyrus").
export function costSigns(cost) {
  return cost.split(", ").filter(Boolean).flatMap((part) => {
    const [amount, what] = part.includes(" ") ? part.split(" ") : [1, part];
    return what === "coin" ? [sign("coin", amount)] : times(Number(amount), () => sign(what));
  });
}

// Signs of the effect of a card or stage.
export function giftSigns(gives) {
  const [gifts, counted] = gives.split(" per ");
  const signs = gifts.split(" + ").flatMap(gift);
  if (!counted) return signs;
  const [, what, where] = /^(.*?) (own and next|own|next)$/.exec(counted);
  const things = what.split(", ").map((one) => (COLOURS.includes(one) ? html("span", {class: `wn-chip-sign wn-bg-${one}`}, sign(one)) : sign(one)));
  return [...signs, html("span", {class: "wn-per"}, "/"), ...things, small(COUNTED[where])];
}

function gift(text) {
  if (text in WORDS) return [sign(WORDS[text])];
  if (text.startsWith("raw trade")) return [sign("coin", 1), small(TRADE[text.split(" ")[2]]), small(RAW)];
  if (text === "goods trade") return [sign("coin", 1), small(["left", "right"]), small(GOODS)];
  const [, amount = 1, what] = /^(?:(\d+) )?(.*)$/.exec(text);
  if (/^(point|coin)s?$/.test(what)) return [sign(what.startsWith("point") ? "points" : "coin", amount)];
  if (/^shields?$/.test(what)) return times(Number(amount), () => sign("shield"));
  const kinds = what.split("/");
  if (kinds.length > 1) return [either(kinds)];
  return times(Number(amount), () => sign(what));
}

// Choice of one among some resources.
export const either = (kinds) =>
  html("span", {class: kinds.length > 2 ? "wn-either wn-small" : "wn-either"}, kinds.flatMap((kind, i) => (i ? ["/", sign(kind)] : [sign(kind)])));

// --- The seven wonders ----------------------------------------------------------------------------------

const WONDERS = {
  Gizah: "M8 58L46 12L84 58ZM60 58L88 26L116 58Z",
  Babylon: "M20 58V46H100V58ZM28 45V34H92V45ZM38 33V22H82V33ZM50 21V12H70V21ZM24 46Q28 38 32 46ZM60 34Q64 26 68 34ZM84 34Q88 26 92 34ZM44 22Q48 14 52 22Z",
  Olympia: "M44 58V40L38 36L42 24Q46 18 50 18Q48 8 60 6Q72 8 70 18Q76 18 79 24L84 34L78 38L76 34V58ZM30 58V20L28 14H34L32 20V58Z",
  Rhodos: "M40 58L50 36L48 22L36 24L35 19L52 14Q52 4 60 4Q68 4 68 14L80 8L92-2L95 2L84 14L72 24L70 36L80 58H70L60 40L50 58Z",
  Ephesos: "M60 8L102 24H18ZM22 26H98V30H22ZM26 32H33V52H26ZM42 32H49V52H42ZM71 32H78V52H71ZM87 32H94V52H87ZM57 32H63V52H57ZM18 53H102V58H18Z",
  Alexandria: "M50 58L53 34H67L70 58ZM54 32L55 16H65L66 32ZM56 14V8H64V14ZM55 7L60 1L65 7ZM30 58V50H90V58ZM40 9L52 6V10ZM80 9L68 6V10Z",
  Halikarnassos: "M26 58V50H94V58ZM30 48V44H90V48ZM34 43V28H39V43ZM46 43V28H51V43ZM69 43V28H74V43ZM81 43V28H86V43ZM57.5 43V28H62.5V43ZM30 27V23H90V27ZM36 22L54 8H66L84 22ZM56 7V2H64V7Z",
};

// Gradients of the wonders, defined once per page.
export const DEFINITIONS =
  '<linearGradient id="wn-sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#2f4a6b"/><stop offset=".55" stop-color="#c77b4a"/>' +
  '<stop offset="1" stop-color="#f0bf6a"/></linearGradient>';

// A wonder against the evening sky of the plains.
export function wonderPicture(board) {
  const wonder = board.slice(0, -2);
  return picture(
    '<rect x="-900" y="-40" width="1100" height="106" fill="url(#wn-sky)"/><circle cx="8" cy="44" r="13" fill="#ffe3a0" opacity=".9"/>' +
      '<path d="M-900 57Q-450 50 -40 57T200 55V66H-900Z" fill="#4a4a26"/>' +
      `<path d="${WONDERS[wonder] ?? ""}" fill="#2b1f1a"/><path d="M-900 60Q-400 56 60 59.5T200 58V70H-900Z" fill="#33351b"/>`,
    {viewBox: "0 -6 124 70", class: "wn-wonder", preserveAspectRatio: "xMaxYMax meet"},
  );
}

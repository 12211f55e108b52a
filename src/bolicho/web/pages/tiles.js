// Domino tiles: their drawing, and their positions in a line.  The unit is half a tile.

const THREE = [0.23, 0.5, 0.77];
const FOUR = [0.17, 0.39, 0.61, 0.83];
const CORNERS = [0.23, 0.77].flatMap((x) => [0.23, 0.77].map((y) => [x, y]));
const SIX = [0.23, 0.77].flatMap((x) => THREE.map((y) => [x, y]));
const EIGHT = THREE.flatMap((x) => THREE.map((y) => [x, y])).filter(([x, y]) => x !== 0.5 || y !== 0.5);
const TEN = FOUR.flatMap((x) => [0.23, 0.77].map((y) => [x, y]));
const CENTRE = [0.5, 0.5];
// Pips of a half by value, in a square of side 1.
const PIPS = [
  [],
  [CENTRE],
  [CORNERS[0], CORNERS[3]],
  [CORNERS[0], CENTRE, CORNERS[3]],
  CORNERS,
  [...CORNERS, CENTRE],
  SIX,
  [...SIX, CENTRE],
  EIGHT,
  [...EIGHT, CENTRE],
  [...TEN, [FOUR[1], 0.5], [FOUR[2], 0.5]],
  [...TEN, [FOUR[0], 0.5], CENTRE, [FOUR[3], 0.5]],
  FOUR.flatMap((x) => THREE.map((y) => [x, y])),
];

// Halves of a tile by its name: "6-4" -> [6, 4].
export const halves = (name) => name.split("-").map(Number);

// Name of the tile with these halves.
export const nameOf = (a, b) => `${Math.max(a, b)}-${Math.min(a, b)}`;

// --- Drawing ---------------------------------------------------------------------------------------

// Gradients of the tiles, defined once per page.
export const DEFINITIONS =
  '<linearGradient id="ivory" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#fffdf4"/>' +
  '<stop offset=".55" stop-color="#f8efd9"/><stop offset="1" stop-color="#e6d6b2"/></linearGradient>' +
  '<linearGradient id="tile-back" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#8e5730"/>' +
  '<stop offset=".5" stop-color="#74431f"/><stop offset="1" stop-color="#5a3216"/></linearGradient>' +
  '<radialGradient id="brass" cx=".35" cy=".3" r=".8"><stop offset="0" stop-color="#fff1b0"/>' +
  '<stop offset=".5" stop-color="#d7a537"/><stop offset="1" stop-color="#8a5e12"/></radialGradient>';

function pips(value, middle) {
  const radius = value < 10 ? 0.1 : 0.075;
  return PIPS[value]
    .map(([x, y]) => {
      const at = [(x - 0.5).toFixed(3), (middle + y - 0.5).toFixed(3)];
      const dark = (Number(at[1]) - 0.012).toFixed(3);
      return (
        `<circle cx="${at[0]}" cy="${at[1]}" r="${radius + 0.022}" fill="#fffef8" opacity=".75"/>` +
        `<circle cx="${at[0]}" cy="${dark}" r="${radius}" fill="#2b1b10"/>`
      );
    })
    .join("");
}

// Tile face up and upright, `first` above, centred at 0, 0.
export const face = (first, second) =>
  '<rect x="-.47" y="-.97" width=".94" height="1.94" rx=".15" fill="url(#ivory)" stroke="#6d5530" stroke-width=".03"/>' +
  '<rect x="-.425" y="-.925" width=".85" height="1.85" rx=".11" fill="none" stroke="#fff" stroke-width=".03" opacity=".7"/>' +
  '<path d="M-.37 .02H.37" stroke="#fffef8" stroke-width=".035"/><path d="M-.37 0H.37" stroke="#7a603a" stroke-width=".035"/>' +
  `${pips(first, -0.5)}${pips(second, 0.5)}` +
  '<circle r=".075" fill="url(#brass)" stroke="#7a5312" stroke-width=".015"/>';

// Tile face down, upright, centred at 0, 0: wood with a carved star.
export const back = () =>
  '<rect x="-.47" y="-.97" width=".94" height="1.94" rx=".15" fill="url(#tile-back)" stroke="#38200e" stroke-width=".04"/>' +
  '<rect x="-.37" y="-.87" width=".74" height="1.74" rx=".09" fill="none" stroke="#d9a764" stroke-width=".03" opacity=".65"/>' +
  '<path d="M0-.34L.09-.1L.3 0L.09 .1L0 .34L-.09 .1L-.3 0L-.09-.1Z" fill="#d9a764" opacity=".55"/>';

// --- Positions in a line ------------------------------------------------------------------------------

const OUT = {l: [-1, 0], r: [1, 0], u: [0, -1], d: [0, 1]};
const OPPOSITE = {l: "r", r: "l", u: "d", d: "u"};
const KEEP_OFF = 2.1; // least distance between arms: half a tile across, its own turn, and a gap

// One arm: straight out, then back and forth in the part of the table that is clockwise of it.
// Adds its tiles to `placed`; returns where the next one would join, and the direction there.
function layArm(placed, side, start, tiles, reach, back) {
  const out = OUT[side];
  const turned = [-out[1], out[0]]; // clockwise, with y downwards
  let [x, y] = [out[0] * start, out[1] * start]; // middle of the edge where the next tile joins
  let along = out;
  let sign = 1;
  let turns = 0;
  for (const [inner, outer] of tiles) {
    const distance = x * out[0] + y * out[1];
    const room = sign > 0 ? reach - distance : distance - back;
    if (turns === 1 || room < 2) {
      const next = turns === 0 ? turned : [-out[0] * sign, -out[1] * sign];
      placed.push({x: x + 0.5 * (along[0] + next[0]), y: y + 0.5 * (along[1] + next[1]), inner, outer, along: next});
      [x, y] = [x + 0.5 * along[0] + 1.5 * next[0], y + 0.5 * along[1] + 1.5 * next[1]];
      along = next;
      turns += 1;
      if (turns === 2) [sign, turns] = [-sign, 0];
    } else if (inner === outer) {
      placed.push({x: x + 0.5 * along[0], y: y + 0.5 * along[1], inner, outer, along: [-along[1], along[0]]});
      [x, y] = [x + along[0], y + along[1]];
    } else {
      placed.push({x: x + along[0], y: y + along[1], inner, outer, along});
      [x, y] = [x + 2 * along[0], y + 2 * along[1]];
    }
  }
  return {x, y, along};
}

// Position of every tile of a line, with the middle one (the spinner, or the first tile) at 0, 0; and its open ends.
export function layOut(line, ends, reach) {
  if (!line.row.length) return {placed: [], open: {}};
  const hasArms = line.spinner !== null;
  const middle = hasArms ? line.spinner : line.first;
  const [left, right] = line.row[middle];
  const across = left === right;
  const placed = [{x: 0, y: 0, inner: left, outer: right, along: across ? [0, 1] : [1, 0]}];
  const half = across ? 0.5 : 1;
  const arms = {
    l: [half, line.row.slice(0, middle).reverse().map(([outer, inner]) => [inner, outer])],
    r: [half, line.row.slice(middle + 1)],
    u: [1, line.up],
    d: [1, line.down],
  };
  const open = {};
  for (const [side, [start, tiles]] of Object.entries(arms)) {
    const end = layArm(placed, side, start, tiles, reach[side], hasArms ? KEEP_OFF : -reach[OPPOSITE[side]]);
    if (side in ends) open[side] = end;
  }
  return {placed, open};
}

// Bounding rectangle of all tiles, with room at the ends for the next one.
function bounds({placed, open}) {
  const box = {left: -1, right: 1, top: -1, bottom: 1};
  const hold = (x, y, dx, dy) => {
    box.left = Math.min(box.left, x - dx);
    box.right = Math.max(box.right, x + dx);
    box.top = Math.min(box.top, y - dy);
    box.bottom = Math.max(box.bottom, y + dy);
  };
  for (const {x, y, along} of placed) hold(x, y, along[0] ? 1 : 0.5, along[0] ? 0.5 : 1);
  for (const {x, y, along} of Object.values(open)) hold(x + 0.9 * along[0], y + 0.9 * along[1], 0.9, 0.9);
  return box;
}

const ACROSS = [22, 19, 16, 14.5, 13, 11.5, 10, 8.5, 7, 5.5, 4]; // lengths of arms before they turn
const DOWN = [8, 6.5, 5.5];
const LEAST = 5.5; // with four arms; a shorter arm would run into the next

// Bends of a line that make its tiles as large as possible; keeps those of `before` while they are about as good.
export function fit(line, ends, width, height, largest, before = null) {
  const measure = (reach) => {
    const laid = layOut(line, ends, reach);
    const box = bounds(laid);
    const unit = Math.min(largest, width / (box.right - box.left), height / (box.bottom - box.top));
    return {...laid, box, unit, reach};
  };
  const least = line.spinner === null ? 0 : LEAST;
  const across = ACROSS.filter((reach) => reach >= least);
  let best = null;
  for (const l of across) {
    for (const r of across) {
      for (const arm of line.spinner === null ? [LEAST] : DOWN) {
        const found = measure({l, r, u: arm, d: arm});
        if (!best || found.unit > 1.02 * best.unit) best = found;
      }
    }
  }
  const kept = before && Math.min(...Object.values(before)) >= least ? measure(before) : null;
  return kept && kept.unit > 0.88 * best.unit ? kept : best;
}

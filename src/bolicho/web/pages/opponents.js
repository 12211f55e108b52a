// Opponents as people see them: an animal of the pampas for each agent, with its name, face and level.

import {picture} from "/a/draw.js";
import {has, word} from "/a/settings.js";

export const LEVELS = 5;

// Name of an agent in a spec such as "mcts(iterations=200)".
export const baseOf = (spec) => spec.split("(")[0];
export const isCharacter = (spec) => has(`opponents.name.${baseOf(spec)}`);

// Name of an agent for people; the name of its technique if it is no character.
export const calledName = (spec) => (isCharacter(spec) ? word(`opponents.name.${baseOf(spec)}`) : baseOf(spec));
export const styleOf = (spec) => word(`opponents.style.${baseOf(spec)}`);

// Name of a player; several seats of one agent are numbered by the server ("rules 2").
export function playerName({name, agent}) {
  const base = typeof agent === "string" ? baseOf(agent) : null;
  return base && name.startsWith(base) ? calledName(base) + name.slice(base.length) : name;
}

// Characters with their levels, the easiest first, and the other agents; without measured games there is no level.
export function ranked(agents) {
  const shown = agents.filter(({name, bot}) => !bot && isCharacter(name));
  const rated = shown.filter(({rating}) => rating !== null).sort((a, b) => a.rating - b.rating);
  const level = (at) => 1 + Math.floor((at * LEVELS) / rated.length);
  return {
    characters: [
      ...rated.map((agent, at) => ({...agent, level: level(at)})),
      ...shown.filter(({rating}) => rating === null).map((agent) => ({...agent, level: null})),
    ],
    others: agents.filter(({name, bot}) => bot || !isCharacter(name)),
  };
}

// --- Faces --------------------------------------------------------------------------------------------

const ink = "#2b2320";
const EARS = {
  round: (c) => `<circle cx="17" cy="20" r="8" fill="${c}"/><circle cx="47" cy="20" r="8" fill="${c}"/>`,
  point: (c, d) => `<path d="M11 30L13 6L29 19ZM53 30L51 6L35 19Z" fill="${c}"/><path d="M15 22L16 12L23 18ZM49 22L48 12L41 18Z" fill="${d}"/>`,
  small: (c) => `<circle cx="19" cy="19" r="4.500" fill="${c}"/><circle cx="45" cy="19" r="4.500" fill="${c}"/>`,
  long: (c, d) => `<path d="M18 24Q10 2 22 6T27 22ZM46 24Q54 2 42 6T37 22Z" fill="${c}"/><path d="M20 21Q15 8 21 10T24 20ZM44 21Q49 8 43 10T40 20Z" fill="${d}"/>`,
  horns: (c) => `<path d="M17 22Q3 18 7 6Q11 14 21 15ZM47 22Q61 18 57 6Q53 14 43 15Z" fill="#efe4cc" stroke="${ink}" stroke-width=".8"/><path d="M15 28L5 24Q10 32 16 33ZM49 28L59 24Q54 32 48 33Z" fill="${c}"/>`,
  crest: (c, d) => `<path d="M30 16Q24 2 12 4Q22 8 24 18ZM34 16Q34 4 24 1Q30 8 29 18Z" fill="${d}"/>`,
  tufts: (c) => `<path d="M13 26L10 7L26 17ZM51 26L54 7L38 17Z" fill="${c}"/>`,
  mane: (c, d) => `<path d="M16 26L18 8L27 18ZM48 26L46 8L37 18Z" fill="${c}"/><path d="M26 18Q32 4 38 18L35 30H29Z" fill="${d}"/>`,
  none: () => "",
};
const HEADS = {
  wide: (c) => `<ellipse cx="32" cy="35" rx="20" ry="19" fill="${c}"/>`,
  long: (c) => `<path d="M14 28Q14 14 32 14T50 28Q49 42 43 54Q38 59 32 59T21 54Q15 42 14 28Z" fill="${c}"/>`,
  sharp: (c) => `<path d="M12 29Q14 15 32 15T52 29Q50 42 32 58Q14 42 12 29Z" fill="${c}"/>`,
  flat: (c) => `<path d="M9 38Q9 20 32 20T55 38Q55 53 32 53T9 38Z" fill="${c}"/>`,
};
const NOSES = {
  snout: (d) => `<ellipse cx="32" cy="45" rx="11" ry="8.500" fill="${d}"/><ellipse cx="32" cy="41" rx="4" ry="2.600" fill="${ink}"/><path d="M32 43v4M32 47q-4 4-7 1M32 47q4 4 7 1" fill="none" stroke="${ink}" stroke-width="1.400"/>`,
  muzzle: (d) => `<rect x="20" y="38" width="24" height="17" rx="8" fill="${d}"/><ellipse cx="26.500" cy="43" rx="2" ry="1.600" fill="${ink}"/><ellipse cx="37.500" cy="43" rx="2" ry="1.600" fill="${ink}"/><path d="M25 50q7 3 14 0" fill="none" stroke="${ink}" stroke-width="1.400"/>`,
  tip: (d) => `<path d="M22 40Q32 34 42 40L32 57Z" fill="${d}"/><ellipse cx="32" cy="54.500" rx="3.400" ry="2.600" fill="${ink}"/>`,
  beak: (d) => `<path d="M25 37H39L32 52Z" fill="${d}" stroke="${ink}" stroke-width=".8"/><path d="M27 41H37" stroke="${ink}" stroke-width=".8"/>`,
  hook: (d) => `<path d="M26 34Q32 30 38 34Q38 44 31 51Q32 44 26 40Z" fill="${d}" stroke="${ink}" stroke-width=".8"/>`,
  bill: (d) => `<path d="M27 36H37L33 62H31Z" fill="${d}" stroke="${ink}" stroke-width=".8"/>`,
  smile: () => `<path d="M16 42Q32 54 48 42" fill="none" stroke="${ink}" stroke-width="1.800"/><circle cx="29" cy="38" r="1" fill="${ink}"/><circle cx="35" cy="38" r="1" fill="${ink}"/>`,
};
const MARKS = {
  mask: (d) => `<path d="M15 29Q22 23 31 30Q24 36 16 34ZM49 29Q42 23 33 30Q40 36 48 34Z" fill="${d}"/>`,
  discs: (d) => `<circle cx="23.500" cy="29.500" r="8" fill="${d}"/><circle cx="40.500" cy="29.500" r="8" fill="${d}"/>`,
  bands: (d) => `<path d="M17 20Q32 14 47 20M15 25Q32 19 49 25" fill="none" stroke="${d}" stroke-width="2.200"/>`,
  stripes: (d) => `<path d="M27 16L29 25M32 15V25M37 16L35 25M12 38L19 39M12 43L19 42M52 38L45 39M52 43L45 42" stroke="${d}" stroke-width="2.200"/>`,
  spots: (d) => `<g fill="${d}"><circle cx="26" cy="20" r="2"/><circle cx="38" cy="20" r="2"/><circle cx="32" cy="18" r="1.600"/><circle cx="15" cy="37" r="1.800"/><circle cx="49" cy="37" r="1.800"/></g>`,
  cheeks: (d) => `<path d="M13 34Q19 36 24 46Q16 46 13 34ZM51 34Q45 36 40 46Q48 46 51 34Z" fill="${d}"/>`,
  cap: (d) => `<path d="M13 28Q14 15 32 15T51 28Q42 20 32 22T13 28Z" fill="${d}"/>`,
  blaze: (d) => `<path d="M29 16H35L36 38H28Z" fill="${d}"/>`,
  none: () => "",
};
// colour of the fur, second colour, ears, head, nose, marks, colour of the eyes
const FACES = {
  random: ["#b0763c", "#f0dcc0", "mane", "long", "muzzle", "blaze", ink],
  markov: ["#8f8478", "#b9ad9f", "long", "sharp", "tip", "bands", ink],
  "markov-plus": ["#7a5f49", "#a98b6f", "long", "sharp", "tip", "bands", ink],
  cautious: ["#9a7a55", "#c9a97e", "small", "wide", "snout", "none", ink],
  novice: ["#efe6d8", "#e8b9a4", "horns", "long", "muzzle", "none", ink],
  balanced: ["#8a5d35", "#6d4726", "small", "long", "muzzle", "none", ink],
  aggressive: ["#8c8f94", "#b3262b", "crest", "wide", "beak", "cap", "#b3262b"],
  bluffer: ["#a98b63", "#f2e5cf", "point", "sharp", "tip", "cheeks", "#5b3a12"],
  cbr: ["#c49a6c", "#f3e6cf", "tufts", "wide", "hook", "discs", "#c98a12"],
  sarsa: ["#b5713a", "#e0b98a", "none", "wide", "beak", "cap", ink],
  policy: ["#b57b45", "#f2e1c6", "long", "long", "snout", "none", ink],
  "neural-plus": ["#6b4a34", "#e2cfae", "small", "flat", "snout", "none", ink],
  neural: ["#7f9a4c", "#dce6b0", "none", "flat", "smile", "spots", "#b4801a"],
  dqn: ["#7d5b44", "#3a2a22", "round", "sharp", "tip", "mask", "#fff"],
  "dqn-plus": ["#c08a4c", "#f4e8d4", "round", "wide", "snout", "cheeks", "#5f7a1e"],
  cfr: ["#4a5158", "#e9e4cf", "none", "flat", "smile", "stripes", "#c9a227"],
  leaning: ["#a58a66", "#3d3026", "point", "wide", "snout", "stripes", "#6f8a24"],
  mcts: ["#5b4a3a", "#f3c13a", "none", "sharp", "hook", "cap", "#d99a18"],
  infer: ["#f3f2ec", "#e3b23c", "crest", "wide", "bill", "none", "#c98a12"],
  "pimc-search": ["#6f5a44", "#9a7f61", "round", "wide", "muzzle", "none", ink],
  pimc: ["#565a60", "#d9dce0", "round", "wide", "snout", "mask", "#fff"],
  rule: ["#6e4630", "#e6cfb4", "horns", "long", "muzzle", "blaze", ink],
};
FACES.rules = FACES.rule;
const DARK = {mask: "#3a2a22", cap: "#3b2c22", bands: "#5c5148", stripes: "#2f2a24", spots: "#57702f"};

// Face of a character; null for another agent.
export function face(spec) {
  const known = FACES[baseOf(spec)];
  if (!known || !isCharacter(spec)) return null;
  const [fur, second, ears, head, nose, marks, eyes] = known;
  const eye = (x) => `<circle cx="${x}" cy="29.500" r="3.600" fill="#fff8e8"/><circle cx="${x}" cy="29.500" r="2.400" fill="${eyes === "#fff" ? ink : eyes}"/><circle cx="${x}" cy="29.500" r="1.200" fill="${ink}"/>`;
  return picture(
    `<circle cx="32" cy="32" r="31" class="avatar-ground"/>${EARS[ears](fur, second)}${HEADS[head](fur)}` +
      `${MARKS[marks](DARK[marks] ?? second)}${NOSES[nose](second)}${eye(23.5)}${eye(40.5)}`,
    {viewBox: "0 0 64 64", class: "avatar"},
  );
}

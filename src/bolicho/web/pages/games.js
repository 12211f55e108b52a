// Built-in games on the home page: a line about each, the rules that people change, the default opponents.

import {has, word} from "/a/settings.js";

// Draw dominoes and all fives use the same tiles.
const TILE_RULES = [
  {name: "highest", label: "page.rule.highest", options: [6, 9, 12], value: 6},
  {name: "hand", label: "page.rule.hand", options: [5, 6, 7], value: 7},
  {name: "opens", label: "page.rule.opens", options: ["first", "lot", "double", "heaviest"], words: {first: "page.opens.first", lot: "page.opens.lot", double: "page.opens.double", heaviest: "page.opens.heaviest"}, value: "first"},
];

export const GAMES = {
  truco: {
    about: "page.about.truco",
    opponent: "balanced",
    seats: () => 2,
    rules: [
      {name: "target", label: "page.rule.target", options: [12, 24, 30], value: 24},
      {name: "flor", label: "page.rule.flor", value: true},
      {name: "face_down", label: "page.rule.face_down", value: true},
      {name: "envido_first", label: "page.rule.envido_first", value: false},
    ],
    art: '<g transform="translate(62 13) rotate(-15 28 110)"><rect width="56" height="86" rx="5" fill="#fdf7e6" stroke="#8c7a55"/><rect x="4" y="4" width="48" height="78" rx="3" fill="none" stroke="#2f4a6d"/><path d="M28 14l4 7-1 34h-6l-1-34Z" fill="#5d92d3" stroke="#1d3f75"/><path d="M19 53q9 6 18 0v5H19Z" fill="#f3c13a" stroke="#a8701a"/><path d="M26 58h4v12h-4Z" fill="#b3262b" stroke="#6e1216"/></g><g transform="translate(92 8)"><rect width="56" height="86" rx="5" fill="#fdf7e6" stroke="#8c7a55"/><rect x="4" y="4" width="48" height="78" rx="3" fill="none" stroke="#2f4a6d"/><path d="M14 24q0 26 14 28 14-2 14-28Z" fill="#d8343a" stroke="#6e1216"/><ellipse cx="28" cy="24" rx="14" ry="4" fill="#f3c13a" stroke="#a8701a"/><path d="M25 52h6v10h-6Z" fill="#c9292d"/><path d="M17 68q11-9 22 0Z" fill="#f3c13a" stroke="#a8701a"/></g><g transform="translate(122 13) rotate(15 28 110)"><rect width="56" height="86" rx="5" fill="#fdf7e6" stroke="#8c7a55"/><rect x="4" y="4" width="48" height="78" rx="3" fill="none" stroke="#2f4a6d"/><circle cx="28" cy="43" r="19" fill="#f3c13a" stroke="#a8701a" stroke-width="2"/><circle cx="28" cy="43" r="14" fill="#fbe08a" stroke="#c2401f"/><path d="M28 33l3 7 7 3-7 3-3 7-3-7-7-3 7-3Z" fill="#e2702a"/></g>',
  },
  dominoes: {
    about: "page.about.dominoes",
    opponent: "rule",
    seats: () => 2,
    rules: TILE_RULES,
    series: [100, 150, 200],
    art: '<g fill="#fbf3dc" stroke="#6b5636" stroke-width="1.500"><rect x="36" y="38" width="72" height="36" rx="6"/><rect x="111" y="20" width="36" height="72" rx="6"/><rect x="150" y="38" width="72" height="36" rx="6" transform="rotate(6 150 56)"/></g><g stroke="#6b5636"><path d="M72 42v28M115 56h28M186 46l-3 27"/></g><g fill="#2b2320"><circle cx="46" cy="48" r="3.500"/><circle cx="54" cy="56" r="3.500"/><circle cx="62" cy="64" r="3.500"/><circle cx="82" cy="46" r="3.500"/><circle cx="98" cy="46" r="3.500"/><circle cx="82" cy="66" r="3.500"/><circle cx="98" cy="66" r="3.500"/><circle cx="120" cy="30" r="3.500"/><circle cx="138" cy="30" r="3.500"/><circle cx="120" cy="46" r="3.500"/><circle cx="138" cy="46" r="3.500"/><circle cx="120" cy="66" r="3.500"/><circle cx="138" cy="66" r="3.500"/><circle cx="120" cy="82" r="3.500"/><circle cx="138" cy="82" r="3.500"/><circle cx="158" cy="49" r="3.500"/><circle cx="174" cy="51" r="3.500"/><circle cx="156" cy="66" r="3.500"/><circle cx="172" cy="68" r="3.500"/><circle cx="202" cy="62" r="3.500"/></g>',
  },
  fives: {
    about: "page.about.fives",
    opponent: "rule",
    seats: () => 2,
    rules: TILE_RULES,
    series: [61, 100, 150, 200, 250],
    art: '<g fill="#fbf3dc" stroke="#6b5636" stroke-width="1.500"><rect x="102" y="37" width="36" height="36" rx="6"/><rect x="28" y="37" width="72" height="36" rx="6"/><rect x="140" y="37" width="72" height="36" rx="6"/></g><path d="M64 41v28M176 41v28M105 55h30" stroke="#6b5636"/><g fill="#2b2320"><circle cx="38" cy="47" r="3.500"/><circle cx="54" cy="47" r="3.500"/><circle cx="46" cy="55" r="3.500"/><circle cx="38" cy="63" r="3.500"/><circle cx="54" cy="63" r="3.500"/><circle cx="82" cy="55" r="3.500"/><circle cx="112" cy="46" r="2.600"/><circle cx="128" cy="46" r="2.600"/><circle cx="112" cy="64" r="2.600"/><circle cx="128" cy="64" r="2.600"/><circle cx="150" cy="47" r="3.500"/><circle cx="166" cy="63" r="3.500"/><circle cx="186" cy="47" r="3.500"/><circle cx="202" cy="47" r="3.500"/><circle cx="194" cy="55" r="3.500"/><circle cx="186" cy="63" r="3.500"/><circle cx="202" cy="63" r="3.500"/></g><circle cx="120" cy="94" r="14" fill="#f3c13a" stroke="#a8701a" stroke-width="2"/><path d="M116 88h9M116 88v5q9-2 9 4t-9 3" fill="none" stroke="#6b3d0d" stroke-width="2.200"/>',
  },
  wonders: {
    about: "page.about.wonders",
    opponent: "rules",
    seats: (rules) => rules.players,
    rules: [
      {name: "players", label: "page.rule.players", options: [3, 4, 5, 6, 7], value: 3},
      {name: "sides", label: "page.rule.sides", options: ["random", "A", "B"], words: {random: "page.sides.random"}, value: "random"},
      {name: "trade", label: "page.rule.trade", options: ["cheapest", "choose"], words: {cheapest: "page.no", choose: "page.yes"}, value: "cheapest"},
    ],
    art: '<path d="M12 98H228" stroke="#b58d4f" stroke-width="3"/><path d="M40 96L92 28L144 96Z" fill="#e3b95c" stroke="#8a5f1d"/><path d="M92 28L112 96H144Z" fill="#c4923a"/><path d="M57 74H128M68 59H116M80 44H104" stroke="#8a5f1d" opacity=".6"/><g fill="#efe3c8" stroke="#7d6a4a"><path d="M150 96V62h64v34Z"/><path d="M144 62L182 40L220 62Z"/></g><g fill="#cdbb92"><path d="M158 66h7v30h-7ZM172 66h7v30h-7ZM186 66h7v30h-7ZM200 66h7v30h-7Z"/></g><path d="M24 96V50h14v46Z" fill="#8fa7b8" stroke="#4a6172"/><path d="M22 50h18l-4-8H26Z" fill="#5f7f95" stroke="#4a6172"/><path d="M31 42V34" stroke="#4a6172" stroke-width="3"/><circle cx="31" cy="30" r="5" fill="#f7b733"/>',
  },
};

// Rules in words; rules that are not given have their defaults.  With `isChange`, only those that differ.
export function rulesSaid(game, chosen, isChange = false) {
  return (GAMES[game]?.rules ?? []).flatMap(({name, label, value: usual, words = {}}) => {
    const value = chosen[name] ?? usual;
    if (isChange && value === usual) return [];
    const said = value in words ? word(words[value]) : typeof value === "boolean" ? word(value ? "page.yes" : "page.no") : String(value);
    return [word("page.rule.is", {rule: has(label) ? word(label) : label, value: said})];
  });
}

const USUAL = ["mcts", "pimc-search"]; // opponents that play every game, the default first

const ART =
  '<g stroke="#6b5636" stroke-width="1.500"><g transform="translate(58 20) rotate(-9)"><rect width="50" height="76" rx="6" fill="#fdf7e6"/><path d="M25 22l13 16-13 16-13-16Z" fill="#b3262b" stroke="#6e1216"/></g><rect x="112" y="46" width="48" height="48" rx="9" fill="#fbf3dc"/><path d="M186 94h-38q1-9 11-13l3-17h10l3 17q10 4 11 13Z" fill="#2f5d8a" stroke="#1d3f75"/><circle cx="167" cy="57" r="11" fill="#5d92d3" stroke="#1d3f75"/></g><g fill="#2b2320"><circle cx="124" cy="58" r="4"/><circle cx="136" cy="70" r="4"/><circle cx="148" cy="82" r="4"/></g>';

// Games without an entry above are described by the server's data.
export function addGames(games) {
  for (const game of games) GAMES[game.name] ??= described(game);
}

function described({title, seats, seat_numbers: numbers, seats_rule: rule, rules, agents}) {
  const about = title.split(": ").slice(1).join(": ");
  return {
    about: about || "page.about.generic",
    facts: {seats: {several: numbers, with: "or"}},
    opponent: USUAL.find((name) => agents.includes(name)) ?? agents[0],
    seats: (chosen) => (rule ? chosen[rule] : seats),
    rules: Object.entries(rules).map(([name, {type, default: value, choices}]) => ({name, type, value, options: choices, label: name.replaceAll("_", " ")})),
    art: ART,
  };
}

export const defaultRules = (game) => Object.fromEntries(GAMES[game].rules.map(({name, value}) => [name, value]));

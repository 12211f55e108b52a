// Rules of the built-in games with pictures, as a dialog at the table and on the page for learners.

import {html, picture} from "/a/draw.js";
import {closeButton, word} from "/a/settings.js";
import {COLOURS, costSigns, giftSigns, sign} from "/a/signs.js";
import {titleOf} from "/a/stage.js";
import {DEFINITIONS, face} from "/a/tiles.js";
import {cardPicture, nameOf, ready} from "/a/truco.js";

// Cards of Truco from the strongest to the weakest, as in games/truco/rules.py; a test compares them.
export const ORDER = [
  ["1e"], ["1p"], ["7e"], ["7o"], ["3e", "3p", "3c", "3o"], ["2e", "2p", "2c", "2o"], ["1c", "1o"],
  ["12e", "12p", "12c", "12o"], ["11e", "11p", "11c", "11o"], ["10e", "10p", "10c", "10o"], ["7p", "7c"],
  ["6e", "6p", "6c", "6o"], ["5e", "5p", "5c", "5o"], ["4e", "4p", "4c", "4o"],
];
const RAISES = [["truco", 2, 1], ["retruco", 3, 2], ["vale4", 4, 3]]; // accepted, refused
const COLOUR_SIGNS = {
  brown: () => costSigns("wood, stone, ore, clay"), grey: () => costSigns("glass, papyrus, cloth"), blue: () => [sign("points", 3)],
  yellow: () => giftSigns("raw trade left"), red: () => giftSigns("2 shields"), green: () => giftSigns("compass"),
  purple: () => giftSigns("1 point per brown next"),
};

const hand = (cards) => html("p", {class: "held"}, cards.map((card) => cardPicture(card, nameOf(card, {word}))));

const order = () => html(
  "ol",
  {class: "card-order"},
  ORDER.map((cards) => html("li", {}, hand(cards))),
);

const raises = () => html(
  "table",
  {class: "bets"},
  html("thead", {}, html("tr", {}, html("td", {}), html("th", {scope: "col"}, word("page.learn.accepted")), html("th", {scope: "col"}, word("page.learn.refused")))),
  html("tbody", {}, RAISES.map(([call, yes, no]) => html(
    "tr",
    {},
    html("th", {scope: "row"}, word(`truco.action.${call}`)),
    html("td", {}, String(yes)),
    html("td", {}, String(no)),
  ))),
);

// Tiles in a row; a double lies across.
function line(tiles, label) {
  let x = 0;
  const drawn = tiles.map(([first, second]) => {
    const isDouble = first === second;
    const width = isDouble ? 1 : 2;
    const at = `translate(${x + width / 2} 0)${isDouble ? "" : " rotate(-90)"}`;
    x += width;
    return `<g transform="${at}">${face(first, second)}</g>`;
  });
  return picture(
    `<defs>${DEFINITIONS}</defs>${drawn.join("")}`,
    {viewBox: `-.2 -1.1 ${x + 0.4} 2.2`, class: "tile-line", "aria-hidden": null, role: "img", "aria-label": label},
  );
}

const inWords = (tiles) => tiles.map((tile) => tile.join("-")).join(" ");
const drawnLine = (tiles) => line(tiles, inWords(tiles));

const colours = () => html(
  "ul",
  {class: "colours", role: "list"},
  COLOURS.map((colour) => html(
    "li",
    {},
    html("span", {class: `wn-chip-sign wn-bg-${colour}`, "aria-hidden": "true"}, sign(colour)),
    html("b", {}, word(`wonders.colour.${colour}`)),
    html("span", {}, word(`learn.colour.${colour}`)),
    html("span", {class: "signs", "aria-hidden": "true"}, COLOUR_SIGNS[colour]()),
  )),
);

const symbols = (names) => () => html("p", {class: "signs", "aria-hidden": "true"}, names.map((name) => sign(name)));

// Sections of the rules: the name of a text, and its picture.
const SECTIONS = {
  truco: [["goal"], ["order", order], ["tie"], ["raise", raises], ["envido", () => hand(["7o", "6o", "1e"])], ["flor", () => hand(["5c", "6c", "12c"])], ["down"]],
  dominoes: [["goal"], ["match", () => drawnLine([[6, 4], [4, 4], [4, 2]])], ["draw"], ["end"]],
  fives: [["goal"], ["ends", () => drawnLine([[5, 5], [5, 3], [3, 5]])], ["spinner"], ["end"]],
  wonders: [["goal"], ["choose", symbols(["blue", "stage", "coin"])], ["cost", () => html("p", {class: "signs", "aria-hidden": "true"}, costSigns("2 stone, glass"), sign("chain"))], ["colours", colours], ["war", symbols(["shield"])], ["science", symbols(["compass", "gear", "tablet"])]],
};

export const hasRules = (game) => game in SECTIONS;

// The drawings of the cards, loaded once per page.
let isReady = null;
const loaded = () => (isReady ??= document.querySelector("#card-1e") ? Promise.resolve() : ready());

export async function rulesOf(game) {
  if (game === "truco") await loaded();
  return SECTIONS[game].map(([name, drawn]) => html(
    "section",
    {class: "rule", "aria-labelledby": `rule-${name}`},
    html("h3", {id: `rule-${name}`}, word(`learn.${game}.${name}.title`)),
    html("p", {}, word(`learn.${game}.${name}`)),
    drawn?.(),
  ));
}

// Dialog with the rules; the table stays as it is.
export function rulesPanel(match) {
  const {game} = match.info;
  const dialog = html("dialog", {id: "rules-panel", "aria-labelledby": "rules-title", class: "rulebook"});
  document.body.append(dialog);
  return async () => {
    dialog.replaceChildren(
      closeButton(dialog),
      html("h2", {id: "rules-title"}, word("page.learn.of", {game: titleOf(game)})),
      ...(await rulesOf(game)),
    );
    dialog.showModal();
  };
}

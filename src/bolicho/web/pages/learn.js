// Page for learners: the rules of a game with pictures, a guided hand, and the puzzle of the day.

import {html} from "/a/draw.js";
import {startGuided} from "/a/guide.js";
import {gameHere, learnPage, puzzlePage} from "/a/places.js";
import {hasRules, rulesOf} from "/a/rules.js";
import {begin, onChange, settingsDialog, word} from "/a/settings.js";
import {gamesHere, titleOf, toast} from "/a/stage.js";

const $ = (selector) => document.querySelector(selector);
const game = gameHere();
let open = [];

await begin();
$("#settings").addEventListener("click", settingsDialog());
open = (await gamesHere().catch(() => [])).map(({name}) => name).filter(hasRules);
await draw();
onChange(draw);

async function draw() {
  $("#title").textContent = titleOf(game);
  document.title = `${word("page.learn.of", {game: titleOf(game)})} · Bolicho`;
  $(".tabs").replaceChildren(...open.map((one) => html("a", {class: "button", href: learnPage(one), "aria-current": one === game ? "page" : null}, titleOf(one))));
  if (!hasRules(game)) return $("#rules").replaceChildren(html("p", {class: "sorry"}, word("page.missing.why")));
  $("#ways").replaceChildren(
    html("button", {type: "button", class: "button main", id: "guided", on: {click: guided}}, word("page.learn.guided")),
    ...(puzzlePage ? [html("a", {class: "button", id: "daily", href: puzzlePage(game)}, word("page.puzzle.daily"))] : []),
    html("p", {class: "fine"}, word("page.learn.guided.why")),
  );
  $("#rules").replaceChildren(html("h2", {}, word("page.learn.of", {game: titleOf(game)})), ...(await rulesOf(game)));
}

async function guided(event) {
  const button = event.currentTarget;
  button.disabled = true;
  try {
    await startGuided(game);
  } catch (problem) {
    button.disabled = false;
    toast(problem.message);
  }
}

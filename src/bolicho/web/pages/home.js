// The home page: games, opponents, and the player's own tables.

import {ask} from "/a/api.js";
import {arrangeDialog, startMatch} from "/a/arrange.js";
import {avatar, html, picture} from "/a/draw.js";
import {GAMES, addGames, defaultOpponent} from "/a/games.js";
import {nameField} from "/a/joining.js";
import {tablePage} from "/a/places.js";
import {begin, has, onChange, say, settingsDialog, word} from "/a/settings.js";
import {gamesHere, titleOf, toast} from "/a/stage.js";
import {forget, myMatches} from "/a/tokens.js";

const $ = (selector) => document.querySelector(selector);
const FIRST = 6; // opponents shown before "more"
const RESUMED = 6; // own tables offered

const galleries = new Map();
let open = Object.keys(GAMES); // games of this server
let chosen = "truco";
let isWhole = false;

await begin();
$("#settings").addEventListener("click", settingsDialog());
const arrange = arrangeDialog(agentsOf);
draw();
onChange(draw);
showTables();
showWhatIsOpen();
addEventListener("pageshow", ({persisted}) => {
  if (!persisted) return; // restored by the back button: close dialogs and redraw
  /** @type {HTMLDialogElement} */ (document.querySelector("dialog[open]"))?.close();
  draw();
  showTables();
});

function draw() {
  $("#name").replaceChildren(nameField());
  $("ul.games").replaceChildren(...open.map(gameCard));
  $(".tabs").replaceChildren(
    ...open.map((game) => html(
      "button",
      {type: "button", "aria-pressed": String(game === chosen), on: {click: () => choose(game)}},
      titleOf(game),
    )),
  );
  showGallery();
}

async function showWhatIsOpen() {
  const games = await gamesHere().catch(() => null);
  if (!games || (games.length === open.length && games.every(({name}) => open.includes(name)))) return;
  addGames(games);
  open = games.map(({name}) => name);
  chosen = open.includes(chosen) ? chosen : open[0];
  draw();
}

function choose(game) {
  chosen = game;
  isWhole = false;
  draw();
}

// --- Games ---------------------------------------------------------------------------------------

function gameCard(game) {
  const {about, facts, opponent, art} = GAMES[game];
  const title = titleOf(game);
  const button = (text, more, click) => html(
    "button",
    {type: "button", class: "button", "aria-label": `${text}: ${title}`, ...more, on: {click}},
    text,
  );
  return html(
    "li",
    {class: `game ${game}`},
    picture(art, {viewBox: "0 0 240 110", class: "art"}),
    html("h3", {}, title),
    html("p", {}, word(about, facts)),
    html(
      "div",
      {class: "ways"},
      html(
        "button",
        {
          type: "button",
          class: "button main",
          "data-play": game,
          "aria-label": `${title}: ${word("page.play.with", {agent: opponent})}`,
          on: {click: (event) => start(event.currentTarget, game, defaultOpponent(game))},
        },
        html("span", {}, word("page.play")),
        html("small", {}, word("page.play.against", {agent: opponent})),
      ),
      button(word("page.invite"), {"data-invite": game}, () => arrange(game, "invite")),
      button(word("page.watch"), {"data-watch": game}, () => arrange(game, "watch")),
      button(word("page.arrange"), {"data-arrange": game, class: "button plain"}, () => arrange(game, "play")),
    ),
  );
}

async function start(button, game, opponents) {
  if (button.disabled) return;
  button.disabled = true;
  try {
    await startMatch(game, opponents);
  } catch (problem) {
    button.disabled = false;
    toast(problem.message);
  }
}

// --- Opponents -------------------------------------------------------------------------------------

// Requested once; repeated only after a failure.
function agentsOf(game) {
  if (!galleries.has(game)) {
    const asked = ask(`/api/agents?game=${game}`).then(({agents}) => agents);
    asked.catch(() => galleries.delete(game));
    galleries.set(game, asked);
  }
  return galleries.get(game);
}

async function showGallery() {
  const game = chosen;
  $("#gallery-title").textContent = word("page.gallery.of", {game: titleOf(game)});
  const list = $(".agents");
  try {
    const agents = await agentsOf(game);
    if (game !== chosen) return;
    const shown = isWhole ? agents : agents.slice(0, FIRST);
    const more = html(
      "li",
      {class: "more"},
      html(
        "button",
        {type: "button", class: "button", "aria-expanded": String(isWhole), on: {click: toggleWhole}},
        isWhole ? word("page.less") : word("page.more"),
      ),
    );
    list.replaceChildren(...shown.map((agent) => agentCard(game, agent)), ...(agents.length > FIRST ? [more] : []));
    if (!agents.length) list.replaceChildren(html("li", {}, word("page.gallery.empty")));
  } catch (problem) {
    list.replaceChildren(html("li", {class: "sorry"}, problem.message));
  }
}

function toggleWhole() {
  isWhole = !isWhole;
  showGallery().then(() => $(".agents .more button")?.focus());
}

function agentCard(game, agent) {
  const {name, bot, says, rating, interval, won, games, record} = agent;
  const half = Array.isArray(interval) ? (interval[1] - interval[0]) / 2 : interval;
  const rated = typeof rating === "number"
    ? (half ? word(
      "page.rating",
      {rating: Math.round(rating), interval: Math.round(half)},
    ) : word("page.rating.alone", {rating: Math.round(rating)}))
    : word("page.rating.none");
  const met = record && record.won + record.lost > 0;
  return html(
    "li",
    {class: "agent"},
    avatar(name, true),
    html(
      "div",
      {},
      html("h3", {}, name),
      says && has(says[0]) ? html("p", {}, say(says)) : null,
      html(
        "p",
        {class: "fine"},
        [
          rated,
          games ? word("page.won_share", {share: won, games}) : null,
          met ? word("page.record", record) : null,
        ].filter(Boolean).join(" · "),
      ),
    ),
    html(
      "button",
      {
        type: "button",
        class: "button main",
        "data-opponent": name,
        "aria-label": word("page.play.with", {agent: name}),
        on: {click: (event) => start(event.currentTarget, game, [bot ? {who: "bot", bot: name} : name])},
      },
      word("page.play"),
    ),
  );
}

// --- Own tables --------------------------------------------------------------------------------------

async function showTables() {
  const mine = myMatches().filter(({study}) => !study).slice(0, RESUMED);
  const found = await Promise.all(
    mine.map(async (match) => {
      try {
        return {...(await ask(`/api/matches/${match.id}`)), id: match.id, mine: match.seats};
      } catch (problem) {
        if (problem.status === 404) forget(match.id);
        return null;
      }
    }),
  );
  const unfinished = found.filter((match) => match && !["over", "void"].includes(match.state));
  $("#continue").hidden = !unfinished.length;
  $("#continue ul").replaceChildren(
    ...unfinished.map(({id, game, mine, players}) => {
      const others = players.flatMap(({name, taken}, seat) => (seat in mine || !taken ? [] : [name]));
      const text = others.length
        ? word("page.continue.against", {names: {several: others, with: "and"}})
        : word("page.state.waiting");
      return html("li", {}, html("a", {class: "button", href: tablePage(id)}, html("b", {}, titleOf(game)), ` ${text}`));
    }),
  );
}

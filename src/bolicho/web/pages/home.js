// The home page: games, opponents, and the player's own tables.

import {agentsFor, ask} from "/a/api.js";
import {arrangeDialog, changedRules, startMatch} from "/a/arrange.js";
import {avatar, html, picture} from "/a/draw.js";
import {GAMES, addGames, rulesSaid} from "/a/games.js";
import {nameField} from "/a/joining.js";
import {LEVELS, calledName, face, isCharacter, playerName, ranked, styleOf} from "/a/opponents.js";
import {learnPage, puzzlePage, tablePage} from "/a/places.js";
import {begin, has, keep, onChange, recall, say, settingsDialog, word} from "/a/settings.js";
import {gamesHere, titleOf, toast} from "/a/stage.js";
import {forget, myMatches} from "/a/tokens.js";

const $ = (selector) => document.querySelector(selector);
const RESUMED = 6; // own tables offered

const galleries = new Map(); // answers of the server, by game and rules
const suggestions = new Map(); // opponents, by game
let open = Object.keys(GAMES); // games of this server
let chosen = "truco";

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
  open.forEach(suggest);
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
  draw();
}

// --- Games ---------------------------------------------------------------------------------------

function gameCard(game) {
  const {about, facts, art} = GAMES[game];
  const title = titleOf(game);
  const agent = calledName(opponentOf(game));
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
    ...rulesNote(game),
    html(
      "div",
      {class: "ways"},
      html(
        "button",
        {
          type: "button",
          class: "button main",
          "data-play": game,
          "aria-label": `${title}: ${word("page.play.with", {agent})}`,
          on: {click: (event) => start(event.currentTarget, game, [opponentOf(game)])},
        },
        html("span", {}, word("page.play")),
        html("small", {}, word("page.play.against", {agent})),
      ),
      button(word("page.invite"), {"data-invite": game}, () => arrange(game, "invite")),
      button(word("page.watch"), {"data-watch": game}, () => arrange(game, "watch")),
      button(word("page.arrange"), {"data-arrange": game, class: "button plain"}, () => arrange(game, "play")),
      has(`page.game.${game}`) ? learnLinks(game, title) : null,
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

function learnLinks(game, title) {
  const link = (key, href) => html("a", {href, "aria-label": `${word(key)}: ${title}`}, word(key));
  return html("p", {class: "learn-links"}, link("page.learn.link", learnPage(game)), puzzlePage && link("page.puzzle.daily", puzzlePage(game)));
}

// The rules of the last table, if they are not the usual ones, since they hold for the next one too.
function rulesNote(game) {
  const target = recall(`series.${game}`);
  const said = [...rulesSaid(game, changedRules(game), true), ...(target ? [word("page.series.to", {target})] : [])];
  if (!said.length) return [];
  const forget = () => {
    for (const name of ["rules", "series"]) keep(`${name}.${game}`, null);
    suggestions.delete(game);
    draw();
    document.querySelector(`[data-play="${game}"]`)?.focus();
  };
  const usual = html("button", {type: "button", class: "link", "data-usual": game, on: {click: forget}}, word("page.rules.usual"));
  return [html("p", {class: "fine rules-note"}, word("page.rules.yours", {rules: said.join("; ")}), " ", usual)];
}

// --- Opponents -------------------------------------------------------------------------------------

function opponentOf(game) {
  return suggestions.get(game) ?? GAMES[game].opponent;
}

// The agents that play by the rules of the next table; requested once, and again after a failure.
function agentsOf(game, rules = changedRules(game)) {
  const key = JSON.stringify([game, rules]);
  if (!galleries.has(key)) {
    const asked = agentsFor(game, rules).then(({agents}) => agents);
    asked.catch(() => galleries.delete(key));
    galleries.set(key, asked);
  }
  return galleries.get(key);
}

// After a win the next harder opponent, after a loss the same; by rules that it does not play, the nearest below.
async function suggest(game) {
  const last = recall(`last.${game}`);
  if (!last && !Object.keys(changedRules(game)).length) return;
  const {characters} = ranked(await agentsOf(game).catch(() => []));
  const at = characters.findIndex(({name}) => name === (last?.agent ?? GAMES[game].opponent));
  if (!characters.length) return;
  const next = characters[Math.min(Math.max(at, 0) + (last?.won && at >= 0 ? 1 : 0), characters.length - 1)].name;
  if (next === opponentOf(game)) return;
  suggestions.set(game, next);
  document.querySelector(`.game.${CSS.escape(game)}`)?.replaceWith(gameCard(game));
  if (game === chosen) showGallery();
}

async function showGallery() {
  const game = chosen;
  $("#gallery-title").textContent = word("page.gallery.of", {game: titleOf(game)});
  const list = $("#gallery > .agents");
  try {
    const agents = await agentsOf(game);
    if (game !== chosen) return;
    const {characters, others} = ranked(agents);
    const bots = others.filter(({bot}) => bot);
    const techniques = others.filter(({bot}) => !bot);
    list.replaceChildren(...[...bots, ...characters].map((agent) => agentCard(game, agent)));
    $("#techniques").hidden = !techniques.length;
    $("#techniques ul").replaceChildren(...techniques.map((agent) => agentCard(game, agent)));
    if (!agents.length) list.replaceChildren(html("li", {}, word("page.gallery.empty")));
  } catch (problem) {
    list.replaceChildren(html("li", {class: "sorry"}, problem.message));
  }
}

function agentCard(game, agent) {
  const {name, bot, won} = agent;
  const shown = isCharacter(name) && !bot;
  const facts = [levelSaid(agent), shown && won !== null && word("page.opponent.won", {share: won})];
  return html(
    "li",
    {class: "agent"},
    (shown && face(name)) || avatar(name, true),
    html(
      "div",
      {},
      html(
        "h3",
        {},
        bot ? name : calledName(name),
        shown && opponentOf(game) === name ? html("small", {class: "suggested"}, word("page.opponent.suggested")) : null,
      ),
      html("p", {}, shown ? styleOf(name) : portrait(agent)),
      html("p", {class: "fine"}, agent.level ? levelDots(agent.level) : null, facts.filter(Boolean).join(" · ")),
      shown ? details(game, agent) : null,
    ),
    html(
      "button",
      {
        type: "button",
        class: "button main",
        "data-opponent": name,
        "aria-label": word("page.play.with", {agent: bot ? name : calledName(name)}),
        on: {click: (event) => start(event.currentTarget, game, [bot ? {who: "bot", bot: name} : name])},
      },
      word("page.play"),
    ),
  );
}

const portrait = ({says}) => (says && has(says[0]) ? say(says) : "");

const levelSaid = ({level, rating}) =>
  level ? word("page.opponent.level", {level, of: LEVELS}) : rating === null ? word("page.opponent.no_level") : null;

const levelDots = (level) => html(
  "span",
  {class: "level", "aria-hidden": "true"},
  Array.from({length: LEVELS}, (_, i) => html("i", {class: i < level ? "on" : ""})),
);

// The technique behind a character, its measured strength, and its options.
function details(game, agent) {
  const {name, rating, interval, games, record} = agent;
  const half = Array.isArray(interval) ? (interval[1] - interval[0]) / 2 : interval;
  const met = record && record.won + record.lost > 0;
  const lines = [
    `${name}: ${portrait(agent)}`,
    rating !== null && word("page.rating", {rating: Math.round(rating), interval: Math.round(half)}),
    games && word("page.won_share", {share: agent.won, games}),
    met && word("page.record", record),
  ];
  return html(
    "details",
    {class: "technique"},
    html("summary", {}, word("page.opponent.how")),
    lines.filter(Boolean).map((line) => html("p", {class: "fine"}, line)),
    html("button", {type: "button", class: "link", "data-options": name, on: {click: () => arrange(game, "play", name)}}, word("page.opponent.options")),
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
      const others = players.flatMap((player, seat) => (seat in mine || !player.taken ? [] : [playerName(player)]));
      const text = others.length
        ? word("page.continue.against", {names: {several: others, with: "and"}})
        : word("page.state.waiting");
      return html("li", {}, html("a", {class: "button", href: tablePage(id)}, html("b", {}, titleOf(game)), ` ${text}`));
    }),
  );
}

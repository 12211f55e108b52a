// One view of a match on the page: table, players, points and log; for live matches and replays.

import {ask} from "/a/api.js";
import {avatar, html} from "/a/draw.js";
import {face, isCharacter, playerName} from "/a/opponents.js";
import {has, isStill, say, word} from "/a/settings.js";
import {play as sound} from "/a/sound.js";

const $ = (selector) => document.querySelector(selector);
const SPOKEN = 8; // sentences kept in the live region; more if more arrive at once

const told = new Map(); // server's descriptions of games without texts here

// Name of a game; of a title such as "One-card poker: Kuhn's and Leduc's" the part before the colon.
export const titleOf = (game) =>
  hasTitle(game) ? word(`page.game.${game}`) : (told.get(game)?.title ?? game).split(": ")[0];
const hasTitle = (game) => has(`page.game.${game}`);

// Games of the server, with their descriptions.
export async function gamesHere() {
  const {games} = await ask("/api/games");
  for (const game of games) told.set(game.name, game);
  return games;
}

// Module that draws a match, after its style sheet, so that nothing is shown unstyled.
export async function gameModule({game, look}) {
  if (!hasTitle(game)) await gamesHere().catch(() => {}); // without a response the game's name is its title
  document.body.dataset.game = game;
  const link = html("link", {rel: "stylesheet", href: `/a/${look}.css`});
  const dressed = new Promise((done) => link.addEventListener("load", done) ?? link.addEventListener("error", done));
  document.head.append(link);
  const [module] = await Promise.all([import(`/a/${look}.js`), dressed]);
  await module.ready?.();
  return module;
}

// Show the cards of all seats at the end of a match where that was agreed.
export async function openCards(match, stage) {
  const isOpen = match.info.options?.open_end !== false && stage.module.opensCards && stage.shown;
  stage.opened = isOpen ? await openedAt(`/api/matches/${match.id}`, match, stage.shown.ply) : {};
  if (isOpen) stage.show(stage.shown);
}

// Tables of all seats at a ply, as each of them saw it.
export async function openedAt(path, {players, token, reader}, ply) {
  const seats = players.map((_, seat) => seat);
  const views = await Promise.all(seats.map((seat) => ask(`${path}/view?ply=${ply}&log=0&seat=${seat}`, {token: reader ?? token})));
  return Object.fromEntries(views.map(({view}, seat) => [seat, view.table]));
}

let toastTimer = null;

export function toast(text) {
  const box = $("#toast");
  box.replaceChildren(html("p", {}, text));
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => box.replaceChildren(), 6000);
}

export class Stage {
  // `can` has the capabilities of the page: isLive (no replay), send, cancel, canAct, plan, pace.
  constructor(module, match, can) {
    this.module = module;
    this.match = match;
    this.can = can;
    this.shown = null;
    this.log = [];
    this.logShown = 0;
    this.opened = {}; // tables of seats whose cards are open
    $("#talk").open = matchMedia("(min-width: 1081px)").matches;
    $("#table").addEventListener("keydown", (event) => walk(event));
    $("#table").addEventListener("click", dropSecond, true);
  }

  get names() {
    return this.match.players.map((player) => (player.taken === false ? word("page.empty_seat") : this.nameOf(player)));
  }

  // Agents have names of their own, except in a study, where its plan names them.
  nameOf = (player) => (this.match.info?.options?.study ? player.name : playerName(player));

  // Whom the table waits for; a player who is away does not think.
  waitedFor = (seat) => this.word(this.match.players[seat]?.here === false ? "page.turn_of.away" : "page.turn_of", {who: {seat}});

  say = (said) => say(said, this.names);
  word = (key, facts = {}) => word(key, facts, this.names);

  between(previous, view) {
    return previous && this.can.pace() ? (this.module.frames?.(previous, view) ?? []) : [];
  }

  // Draw the view; return the new entries of the log.
  show(view, {quiet = false} = {}) {
    const previous = this.shown;
    const fresh = this.note(view);
    const isNew = view !== previous;
    this.shown = view;
    const table = $("#table");
    table.dataset.ply = view.ply;
    table.dataset.over = String(view.over);
    table.dataset.turn = view.turn ?? "";
    const context = this.context(isNew ? previous : view);
    keepFocus(() => this.module.table(isNew ? {...view, log: quiet ? [] : fresh} : {...view, log: []}, context));
    this.score(view, context);
    if (isNew && !quiet) this.speak(fresh);
    return isNew ? fresh : [];
  }

  context(previous) {
    const {can, match} = this;
    return {
      root: $("#root"),
      seat: match.seat,
      names: this.names,
      players: match.players,
      isLive: can.isLive,
      canAct: can.canAct(),
      pace: can.pace(),
      animate: !isStill(),
      previous,
      say: this.say,
      word: this.word,
      waitedFor: this.waitedFor,
      isOver: match.state === "over", // also by a claim or an agreement, without a last ply
      opened: this.opened,
      send: can.send,
      plan: can.plan(),
      cancel: () => {
        can.cancel();
        this.show(this.shown);
      },
      bubble: (seat, text) => this.bubble(seat, text),
      sound,
    };
  }

  // --- The log -----------------------------------------------------------------------------------

  // Entries are identified by their position in the log, since they may be received more than once.
  hear(view) {
    view.log.forEach((entry, i) => (this.log[view.log_from + i] = entry));
  }

  note(view) {
    const before = this.logShown;
    this.hear(view);
    this.logShown = Math.max(before, view.log_from + view.log.length);
    const fresh = this.log.slice(before, this.logShown).filter(Boolean);
    this.write(fresh);
    return fresh;
  }

  // Back to an earlier ply: show the log of that view.
  rewind(view) {
    this.log = [];
    this.logShown = 0;
    $("#log").replaceChildren();
    return this.show(view, {quiet: true});
  }

  rewrite() {
    $("#log").replaceChildren();
    this.write(this.log.slice(0, this.logShown).filter(Boolean));
    this.show(this.shown);
  }

  sentence(entry) {
    return entry.says && has(entry.says[0])
      ? this.say(entry.says)
      : [entry.event, entry.action].filter(Boolean).join(" ");
  }

  write(entries) {
    const list = $("#log");
    for (const entry of entries) {
      const isMine = entry.seat === this.match.seat && entry.seat !== undefined;
      list.append(html(
        "li",
        {"data-event": entry.event, "data-seat": entry.seat, class: isMine ? "mine" : null},
        this.sentence(entry),
      ));
    }
    if (entries.length) list.scrollTop = list.scrollHeight;
  }

  // All actions but the player's own are announced.
  speak(entries) {
    const box = $("#live");
    const news = entries.filter((entry) => entry.event !== "chose" || entry.seat !== this.match.seat || this.match.seat === null);
    box.append(...news.map((entry) => html("p", {}, this.sentence(entry))));
    while (box.children.length > Math.max(SPOKEN, news.length)) box.firstChild.remove(); // text removed at once would not be announced
  }

  // --- Players and points --------------------------------------------------------------------------

  // The player's seat is last, below or on the right; the others before it, in the order of play.
  order() {
    const count = this.match.players.length;
    const first = ((this.match.seat ?? 0) + 1) % count;
    return Array.from({length: count}, (_, i) => (first + i) % count);
  }

  dressPlayers(match) {
    const seats = this.order();
    document.body.dataset.seats = String(seats.length);
    const list = $("#players");
    const known = JSON.stringify([
      seats,
      match.players.map(({name, agent, taken}) => [name, agent, taken]),
      match.seat,
      document.documentElement.lang,
    ]);
    if (list.dataset.known !== known) {
      list.dataset.known = known;
      list.replaceChildren(...seats.map((seat, place) => this.player(seat, place)));
    }
    match.players.forEach((player, seat) => {
      const item = list.querySelector(`[data-seat="${seat}"]`);
      const isMe = seat === match.seat; // the player is present, even if the server does not know yet
      const isHere = isMe || Boolean(player.agent) || player.here !== false || player.taken === false;
      item.classList.toggle("vacant", player.taken === false);
      item.classList.toggle("away", !isHere);
      item.querySelector(".presence").textContent = isHere ? "" : word("page.away");
    });
    this.tick(match);
  }

  player(seat, place) {
    const {name, agent} = this.match.players[seat];
    return html(
      "li",
      {"data-seat": seat, class: seat === this.match.seat ? "me" : null, style: {"--place": String(place)}},
      (typeof agent === "string" && face(agent)) || avatar(agent === true ? "" : name, Boolean(agent)), // hidden names share one avatar
      html(
        "span",
        {class: "name"},
        this.names[seat],
        seat === this.match.seat && this.match.token ? html("small", {}, ` ${word("page.you")}`) : null,
        agent && agent !== true && !name.startsWith(agent) && (agent.includes("(") || !isCharacter(agent)) ? html("small", {}, ` ${agent}`) : null,
      ),
      html("span", {class: "presence"}),
      html("span", {class: "clock"}),
      html("span", {class: "bubble", "aria-hidden": "true"}),
    );
  }

  score(view, context) {
    const title = this.module.title?.(view, context);
    if (title !== undefined) $("#stage").textContent = title;
    $("#score").replaceChildren(
      ...this.order().map((seat, place) =>
        html(
          "div",
          {
            class: seat === this.match.seat ? "points me" : "points",
            "data-seat": seat,
            style: {"--place": String(place)},
          },
          html("span", {class: "hush"}, `${this.names[seat]}: `),
          html("b", {}, String(view.scores[seat])),
          this.module.tally?.(view, seat, context),
        ),
      ),
    );
    for (const item of $("#players").children) {
      const isActing = Number(item.dataset.seat) === view.turn && !view.over;
      item.classList.toggle("acting", isActing);
      item.toggleAttribute("aria-current", isActing);
    }
  }

  tick(match) {
    const {clock} = match;
    document.body.classList.toggle("clocked", Boolean(clock));
    if (!clock) return;
    clock.left.forEach((left, seat) => {
      const passed = clock.running === seat ? (performance.now() - clock.heard) / 1000 : 0;
      const rest = Math.max(0, left - passed);
      const item = $(`#players [data-seat="${seat}"] .clock`);
      if (!item) return;
      item.textContent = `${Math.floor(rest / 60)}:${String(Math.floor(rest % 60)).padStart(2, "0")}`;
      item.classList.toggle("short", rest < 20);
    });
  }

  bubble(seat, text) {
    const box = $(`#players [data-seat="${seat}"] .bubble`);
    if (!box) return;
    box.textContent = text;
    box.classList.remove("said");
    void box.offsetWidth; // forces a reflow, so that the animation restarts for the same text
    box.classList.add("said");
    clearTimeout(box.timer);
    box.timer = setTimeout(() => box.classList.remove("said"), Math.max(2600, 2 * this.can.pace()));
  }
}

// Restore the focus to the same button of a redrawn table, or to the table.
function keepFocus(draw) {
  const table = $("#table");
  const root = $("#root");
  const held = document.activeElement;
  const had = root.contains(held);
  const key = held?.dataset?.action ?? held?.dataset?.key ?? held?.dataset?.gesture;
  const place = had ? targets(root).indexOf(held) : -1;
  draw();
  const now = targets(root);
  if (had && !root.contains(document.activeElement)) {
    const same = now.find((one) => key && [one.dataset.action, one.dataset.key, one.dataset.gesture].includes(key));
    const plays = now.filter((one) => (one.dataset.action ?? one.dataset.gesture) && !("call" in one.dataset));
    const next = same ?? passive(now) ?? plays[Math.min(place, plays.length - 1)];
    (next ?? table).focus({preventScroll: true});
    root.dataset.held = next ? "" : "yes";
  } else if (document.activeElement === table && root.dataset.held) {
    const first = passive(now) ?? now.find((one) => one.dataset.action && !("call" in one.dataset));
    first?.focus({preventScroll: true});
    if (first) root.dataset.held = "";
  }
}

// The answer that risks nothing takes the focus where an answer is due, so that Enter never raises.
const passive = (buttons) => buttons.find((one) => "passive" in one.dataset);

const targets = (root) => [...root.querySelectorAll("button:not(:disabled), a[href], summary, [tabindex='0']")];

// Ignore the second click of a double click, since another button may be below the pointer by then.
function dropSecond(event) {
  if (event.detail > 1 && event.target.closest("[data-action], [data-gesture]")) event.stopPropagation();
}

// Arrow keys move the focus between buttons of the table.
function walk(event) {
  const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.matches("input, select, textarea")) return;
  const all = targets($("#table"));
  const at = all.indexOf(document.activeElement);
  const next = all[(at + step + all.length) % all.length];
  if (at < 0 && event.target !== $("#table")) return;
  next?.focus();
  event.preventDefault();
}

// Games of a run, page by page, of all agents or of selected ones; each opens in the replay.

import {ask} from "/a/api.js";
import {token} from "/a/door.js";
import {html} from "/a/draw.js";
import {number} from "/a/numbers.js";
import {word} from "/a/settings.js";
import {toast} from "/a/stage.js";

const ANYBODY = "";

// Return the section, and a function that shows the games of two agents in it.
export function bouts(run, agents) {
  const chosen = [ANYBODY, ANYBODY];
  const body = html("tbody", {});
  const none = html("p", {class: "fine"});
  const more = html("button", {type: "button", class: "button", hidden: true, on: {click: () => load(more.next)}}, word("page.arena.more"));
  let asked = 0;

  const select = (i) => html(
    "select",
    {"aria-label": word("page.arena.filter", {number: i + 1}), on: {change: (event) => filter(i, event.target.value)}},
    html("option", {value: ANYBODY}, word("page.arena.anybody")),
    agents.map((name) => html("option", {value: name}, name)),
  );
  const selects = [select(0), select(1)];

  function filter(i, name) {
    chosen[i] = name;
    return load(0);
  }

  async function load(start) {
    const mine = ++asked;
    const wanted = [...new Set(chosen.filter(Boolean))].map((name) => `&agent=${encodeURIComponent(name)}`).join("");
    try {
      const told = await ask(`/api/arena/runs/${encodeURIComponent(run)}/games?start=${start}${wanted}`, {token: token()});
      if (mine !== asked) return;
      if (start === 0) body.replaceChildren();
      body.append(...told.games.map((game) => row(run, game)));
      none.textContent = body.children.length ? "" : word("page.arena.no_games");
      more.next = told.next;
      more.hidden = told.next === null;
    } catch (problem) {
      toast(problem.message);
    }
  }

  const section = html(
    "section",
    {class: "sheet", id: "games", "aria-labelledby": "games-title", tabindex: "-1"},
    html("h3", {id: "games-title"}, word("page.arena.games.title")),
    html("div", {class: "line"}, word("page.arena.games.of"), selects),
    html("div", {class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "games-title"}, html(
      "table",
      {},
      html("thead", {}, html("tr", {}, ["row", "deal", "players", "score", "plies", "open"].map(
        (name) => html("th", {scope: "col"}, word(`page.arena.column.${name}`)),
      ))),
      body,
    )),
    none,
    more,
  );
  function show(one, other) {
    [one, other].forEach((name, i) => {
      chosen[i] = name;
      selects[i].value = name;
    });
    section.scrollIntoView({block: "start"});
    section.focus({preventScroll: true});
    return load(0);
  }
  return {section, show, load: () => load(0)};
}

function row(run, {row: at, deal, agents, scores, payoffs, plies, forfeit}) {
  const best = Math.max(...payoffs);
  const isTie = payoffs.every((one) => one === best);
  const player = (name, seat) => html(
    payoffs[seat] === best && !isTie ? "b" : "span",
    {},
    name,
    seat === forfeit ? html("small", {class: "bad"}, ` ${word("page.arena.forfeit")}`) : null,
  );
  return html(
    "tr",
    {"data-row": at},
    html("th", {scope: "row"}, number(at)),
    html("td", {}, number(deal)),
    html("td", {class: "players"}, agents.flatMap((name, seat) => [seat ? " – " : null, player(name, seat)])),
    html("td", {}, scores.map((score) => number(score)).join(" – ")),
    html("td", {}, number(plies)),
    html("td", {}, html(
      "a",
      {href: replayOf(run, at), "aria-label": word("page.arena.replay.of", {row: number(at)})},
      word("page.arena.replay"),
    )),
  );
}

export const replayOf = (run, row) => `/replay/${encodeURIComponent(`run:${run}:${row}`)}`;

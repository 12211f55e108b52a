// Results of a run, finished or not: standings with intervals, and the cross table.

import {html} from "/a/draw.js";
import {between, number, percent} from "/a/numbers.js";
import {word} from "/a/settings.js";

const PAD = 0.04; // share of the width beside the widest interval

const share = (x) => number(100 * x, 1);
const points = (x) => number(x);
const signed = (x) => `${x < 0 ? "−" : "+"}${number(Math.abs(x), 2)}`;

// A table wider than the screen scrolls on its own, also by keyboard.
function grid(key, heading, caption, table) {
  return html(
    "section",
    {class: "sheet", "aria-labelledby": `${key}-title`},
    html("h3", {id: `${key}-title`}, heading),
    html("div", {class: "scroll", tabindex: "0", role: "region", "aria-labelledby": `${key}-title`, "data-key": key}, table),
    html("p", {class: "caption"}, caption),
  );
}

// --- Standings -----------------------------------------------------------------------------------------

export function standings({agents, ranked_by: ranked}) {
  const isByPayoff = ranked === "payoff";
  const scale = scaleOf(agents.map(({rating}) => rating));
  const columns = [
    "#",
    word("page.arena.agent"),
    isByPayoff ? word("page.arena.payoff") : null,
    word("page.arena.won"),
    word("page.arena.rating"),
    "",
    word("page.arena.games"),
  ].filter((one) => one !== null);
  const row = (one, i) => html(
    "tr",
    {"data-agent": one.agent},
    html("td", {class: "place"}, one.games ? String(i + 1) : "–"),
    html("th", {scope: "row"}, one.agent, marks(one)),
    isByPayoff ? html("td", {}, estimate(one.payoff, ({value}) => (value === null ? "–" : signed(value)), signed)) : null,
    html("td", {}, estimate(one.rate, percent, share)),
    html("td", {}, estimate(one.rating, ({value}) => points(value), points)),
    html("td", {class: "whisker", "aria-hidden": "true"}, whisker(one.rating, scale)),
    html("td", {}, number(one.games), one.forfeits ? html("small", {}, ` ${word("page.arena.forfeits", {count: one.forfeits})}`) : null),
  );
  const table = html(
    "table",
    {class: "standings"},
    html("thead", {}, html("tr", {}, columns.map((text) => html("th", {scope: "col"}, text || html("span", {class: "hush"}, word("page.arena.interval")))))),
    html("tbody", {}, agents.map(row)),
  );
  const isWhole = agents.every(({rate}) => rate.value !== null);
  const caption = word(isWhole ? "page.arena.standings.how" : "page.arena.standings.so_far");
  return grid("standings", word("page.arena.standings"), caption, table);
}

function marks({oracle, learns}) {
  const told = [oracle && word("page.arena.oracle"), learns && word("page.arena.learns")].filter(Boolean);
  return told.length ? html("small", {}, ` (${told.join(", ")})`) : null;
}

const estimate = (one, write, inside) => [
  html("b", {}, write(one)),
  html("small", {class: "interval"}, between(one, inside)),
];

function scaleOf(estimates) {
  const ends = estimates.flatMap(({value, low, high}) => [low ?? value, high ?? value]);
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const width = most - least || 1;
  return (x) => 100 * (PAD + (1 - 2 * PAD) * ((x - least) / width));
}

function whisker({value, low, high}, scale) {
  const at = (x) => `${scale(x).toFixed(2)}%`;
  const line = low === null ? null : html("i", {style: {left: at(low), width: `${(scale(high) - scale(low)).toFixed(2)}%`}});
  return html("span", {}, line, html("b", {style: {left: at(value)}}));
}

// --- Cross table -----------------------------------------------------------------------------------------

// A cell leads to the games of its two agents: `choose(one, other)`.
export function crossTable({agents, pairs}, choose) {
  const names = agents.map(({agent}) => agent);
  const rates = new Map();
  for (const {agent, against, rate, games} of pairs) {
    rates.set(`${agent}\n${against}`, {rate, games});
    rates.set(`${against}\n${agent}`, {rate: rest(rate), games});
  }
  const table = html(
    "table",
    {class: "cross"},
    html("thead", {}, html(
      "tr",
      {},
      html("th", {scope: "col"}, word("page.arena.against")),
      names.map((name, i) => html("th", {scope: "col"}, html("span", {"aria-hidden": "true"}, String(i + 1)), html("span", {class: "hush"}, name))),
    )),
    html("tbody", {}, names.map((one, i) => html(
      "tr",
      {},
      html("th", {scope: "row"}, html("span", {class: "place"}, `${i + 1} `), one),
      names.map((other) => cell(one, other, rates.get(`${one}\n${other}`), choose)),
    ))),
  );
  return grid("cross", word("page.arena.cross"), word("page.arena.cross.how"), table);
}

const rest = ({value, low, high}) => (value === null ? {value, low, high} : {value: 1 - value, low: 1 - high, high: 1 - low});

function cell(one, other, found, choose) {
  if (!found) return html("td", {class: "none"}, html("span", {"aria-hidden": "true"}, "·"));
  const {rate, games} = found;
  if (rate.value === null) return html("td", {class: "open"}, html("span", {class: "hush"}, word("page.arena.not_yet")));
  const heat = Math.abs(2 * rate.value - 1) ** 0.75; // makes small differences visible
  return html(
    "td",
    {class: rate.value >= 0.5 ? "won" : "lost", style: {"--heat": `${Math.round(55 * heat)}%`}},
    html(
      "button",
      {
        type: "button",
        "data-key": `${one} ${other}`,
        "data-pair": `${one}|${other}`,
        title: word("page.arena.cell", {one, other, share: percent(rate), interval: between(rate, share), games: number(games)}),
        on: {click: () => choose(one, other)},
      },
      html("b", {}, percent(rate)),
      html("small", {}, between(rate, (x) => number(100 * x))),
    ),
  );
}

// State of one study for researchers: progress, attrition, balance, results, participants.

import {html} from "/a/draw.js";
import {number} from "/a/numbers.js";
import {has, language, word} from "/a/settings.js";
import {TAGS} from "/a/i18n.js";

const STATES = ["invited", "declined", "consented", "playing", "finished", "withdrawn", "lost"];

const stateOf = (state) => word(`page.research.state.${state}`);
const stepOf = (name) => (has(`page.research.step.${name}`) ? word(`page.research.step.${name}`) : name);
// A table wider than the screen scrolls on its own, also by keyboard.
function grid(key, caption, head, rows) {
  const named = `${key}-caption`;
  return html(
    "div",
    {},
    html("p", {class: "caption", id: named}, caption),
    html("div", {class: "scroll", tabindex: "0", role: "region", "aria-labelledby": named, "data-key": key}, html(
      "table",
      {"aria-labelledby": named},
      html("thead", {}, html("tr", {}, head.map((text) => html("th", {scope: "col"}, text)))),
      html("tbody", {}, rows.map(([first, ...rest]) => html(
        "tr",
        {},
        html("th", {scope: "row"}, first),
        rest.map((cell) => (cell instanceof Element && cell.tagName === "TD" ? cell : html("td", {}, cell))),
      ))),
    )),
  );
}

// --- Progress ----------------------------------------------------------------------------------------

export function progress({counts, target, finished, scripted, of, replaced}) {
  return [
    html("p", {class: "big"}, word("page.research.finished_of", {finished, target})),
    html("progress", {max: target, value: Math.min(finished, target), "aria-label": word("page.research.progress")}),
    html("ul", {role: "list", class: "counts"}, STATES.map((state) => html(
      "li",
      {"data-state": state},
      html("b", {}, String(counts[state] ?? 0)),
      html("span", {}, stateOf(state)),
    ))),
    replaced ? html("p", {class: "fine"}, word("page.research.replaced", {count: replaced})) : null,
    of === "scripted" ? html("p", {class: "scripted"}, word("page.research.scripted", {count: scripted})) : null,
  ];
}

// --- Flow ---------------------------------------------------------------------------------------------

/** @type {[string, string[]][]} */
const FLOW = [["invited", ["unanswered", "declined"]], ["consented", ["withdrawn", "lost", "under_way", "replaced"]], ["finished", []]];

// CONSORT diagram: stages below each other, with those who left beside the arrows.
export function flow({flow: counts}) {
  const box = (name) => html("p", {class: "stage", "data-stage": name}, html("b", {}, String(counts[name])), ` ${word(`page.research.flow.${name}`)}`);
  return html("ol", {role: "list", class: "flow"}, FLOW.map(([stage, gone]) => html(
    "li",
    {},
    box(stage),
    gone.length ? html("ul", {role: "list", class: "gone"}, gone.map((name) => html("li", {}, box(name)))) : null,
  )));
}

// --- Attrition ----------------------------------------------------------------------------------------

export function attrition({attrition: steps}) {
  const most = Math.max(1, ...steps.map(([, , reached]) => reached));
  return grid(
    "attrition",
    word("page.research.attrition.caption"),
    [word("page.research.step"), word("page.research.reached"), word("page.research.done"), ""],
    steps.map(([name, place, reached, done]) => [
      `${place}. ${stepOf(name)}`,
      String(reached),
      String(done),
      html(
        "td",
        {class: "strip", "aria-hidden": "true"},
        html("span", {class: "reached", style: {width: `${(100 * reached) / most}%`}}),
        html("span", {class: "done", style: {width: `${(100 * done) / most}%`}}),
      ),
    ]),
  );
}

// --- Balance -------------------------------------------------------------------------------------------

export function balance({balance: {positions, successions}, labels}) {
  const agents = successions.map(([agent]) => agent);
  const code = (agent) => short(labels, agent);
  return [
    html("p", {class: "fine"}, word("page.research.balance.why")),
    html(
      "div",
      {class: "pair"},
      grid(
        "positions",
        word("page.research.positions"),
        [word("page.research.agent"), ...positions[0]?.[1].map((_, place) => String(place + 1)) ?? []],
        positions.map(([agent, counts]) => [code(agent), ...counts.map((count) => shaded(count, positions))]),
      ),
      grid(
        "successions",
        word("page.research.successions"),
        [word("page.research.agent"), ...agents.map((agent) => code(agent))],
        successions.map(([agent, counts], row) => [
          code(agent),
          ...counts.map((count, column) => (row === column ? "–" : shaded(count, successions))),
        ]),
      ),
    ),
  ];
}

// Higher counts are darker, so a balanced table has one colour.
function shaded(count, rows) {
  const most = Math.max(1, ...rows.flatMap(([, counts]) => counts));
  return html("td", {class: "share", style: {"--share": String(count / most)}}, String(count));
}

const code = (text) => html("code", {}, text);
const short = (labels, agent) => html("code", {title: agent}, labels[agent] ?? agent);

// --- Results -------------------------------------------------------------------------------------------

// Rows are measures and columns agents, so that four agents and all qualities fit the screen of a phone.
export function results({results: rows, scales, labels, target}) {
  const items = [...new Set(rows.flatMap(({answers}) => Object.keys(answers)))];
  const total = ({matches, won}) => (matches ? `${won} (${number((100 * won) / matches)}%)` : String(won));
  const named = rows.filter(({agent}) => (labels[agent] ?? agent) !== agent);
  return [
    html("p", {class: "once", id: "early"}, word("page.research.results.early", {target})),
    html("details", {id: "so-far", "data-key": "so-far"}, html("summary", {}, word("page.research.results.look")), grid(
      "results",
      word("page.research.results.caption"),
      [word("page.research.measure"), ...rows.map(({agent}) => short(labels, agent))],
      [
        [word("page.research.matches"), ...rows.map(({matches}) => String(matches))],
        [word("page.research.won"), ...rows.map(total)],
        ...items.map((item) => [item, ...rows.map(({answers, blank}) => answered(answers[item], blank[item], scales.includes(item)))]),
      ],
    )),
    named.length ? html(
      "details",
      {"data-key": "specs"},
      html("summary", {}, word("page.research.agents")),
      html("dl", {class: "specs"}, named.flatMap(({agent}) => [html("dt", {}, code(labels[agent])), html("dd", {}, code(agent))])),
    ) : null,
  ];
}

// Mean of a scale, number of answers, and a small bar per point or choice.
function answered(counts, blank, isScale) {
  const given = counts.reduce((sum, count) => sum + count, 0);
  if (!given) return html("td", {}, "–");
  const mean = counts.reduce((sum, count, i) => sum + (i + 1) * count, 0) / given;
  const most = Math.max(...counts);
  return html(
    "td",
    {class: "answered"},
    isScale ? html("b", {}, number(mean, 2)) : null,
    html(
      "span",
      {class: "spark", title: counts.join(" · "), "aria-hidden": "true"},
      counts.map((count) => html("i", {style: {height: `${(100 * count) / most}%`}})),
    ),
    html("small", {}, word("page.research.given", {given})),
    blank ? html("small", {}, word("page.research.blank", {blank})) : null,
  );
}

// --- Participants --------------------------------------------------------------------------------------

export function participants({participants: people}) {
  return [html("p", {class: "fine"}, word("page.research.signals.why")), grid(
    "participants",
    word("page.research.participants.caption", {count: people.length}),
    ["code", "state", "step", "seen", "signals"].map((name) => word(`page.research.column.${name}`)),
    people.map(({code: name, state, step, scripted, seen, replaced, signals}) => [
      html("span", {}, code(name), scripted ? html("span", {class: "tag"}, word("page.research.tag")) : null),
      replaced ? `${stateOf(state)}, ${word("page.research.tag.replaced")}` : stateOf(state),
      String(step),
      ago(seen),
      signals.map((name) => word(`page.research.signal.${name}`)).join(", ") || "–",
    ]),
  )];
}

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [["day", 86_400], ["hour", 3600], ["minute", 60]];

function ago(moment) {
  if (!moment) return "–";
  const passed = Math.max(0, Date.now() / 1000 - moment);
  const [unit, seconds] = UNITS.find(([, size]) => passed >= size) ?? UNITS[UNITS.length - 1];
  const clock = new Intl.RelativeTimeFormat(TAGS[language()], {numeric: "auto"});
  const said = clock.format(-Math.floor(passed / seconds), unit);
  const exact = new Date(1000 * moment).toLocaleString(TAGS[language()]);
  return html("time", {datetime: new Date(1000 * moment).toISOString(), title: exact}, said);
}

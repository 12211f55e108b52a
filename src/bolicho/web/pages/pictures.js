// Pictures of explanations: bars of all actions, cells of a matrix, retrieved cases and their votes.

import {html} from "/a/draw.js";

export function drawReason(picture, {say}) {
  const drawn = PICTURES[picture.kind]?.(picture, say);
  return drawn ? html("figure", {class: "reason"}, html("figcaption", {}, say(picture.title)), drawn) : null;
}

const PICTURES = {
  // A line per action; bars to the left of the middle are losses.
  bars({bars, unit}, say) {
    return html("div", {}, html("p", {class: "fine"}, say(unit)), barList(bars, say));
  },

  // A line per bet: the chance by the opponent's states, weak to strong, with marks for chance, minimum and draw.
  cells({rows}, say) {
    return html("div", {}, rows.map((row) => cellRow(row, say)));
  },

  // Votes of all retrieved cases, then the most similar ones, shaded by the similarity of each part.
  cases({title, columns, shaded, rows, votes}, say) {
    const cell = (value, i) => {
      const isShare = i >= shaded && typeof value === "number";
      const isPart = typeof value === "number" && i > 0;
      const text = Array.isArray(value) ? say(value) : isPart ? say(["agents.percent", {value}]) : String(value ?? "");
      return html("td", {class: isShare ? "share" : null, style: isShare ? {"--share": String(value)} : {}}, text);
    };
    const table = html(
      "table",
      {},
      html("thead", {}, html("tr", {}, columns.map((head) => html("th", {scope: "col"}, say(head))))),
      html("tbody", {}, rows.map((row) => html("tr", {}, row.map(cell)))),
    );
    return html(
      "div",
      {},
      barList(votes, say),
      rows.length
        ? html("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": say(title)}, table)
        : null,
    );
  },
};

// The longest bar fills the track, or `most` does.
export function barList(bars, say, most = 0) {
  const values = bars.map(({value}) => value);
  const low = Math.min(0, ...values);
  const span = Math.max(most, ...values) - low || 1;
  return html(
    "ul",
    {class: "bars", role: "list"},
    bars.map(({says, value, told, chosen}) =>
      html(
        "li",
        {class: chosen ? "chosen" : null},
        html("span", {class: "of"}, say(says)),
        html("span", {class: "told"}, say(told)),
        html(
          "span",
          {class: "track", "aria-hidden": "true"},
          html(
            "span",
            {
              class: value < 0 ? "bar-value loss" : "bar-value",
              style: {
                left: `${(100 * (Math.min(0, value) - low)) / span}%`,
                width: `${Math.max(1, (100 * Math.abs(value)) / span)}%`,
              },
            },
          ),
        ),
      ),
    ),
  );
}

function cellRow({says, cells, chance, minimum, draw, yes}, say) {
  const mark = (name, value) => (typeof value === "number" ? html(
    "span",
    {class: `mark ${name}`, style: {left: `${100 * value}%`}},
  ) : null);
  const percent = (value) => (typeof value === "number" ? say(["agents.percent", {value}]) : "–");
  return html(
    "div",
    {class: "bet"},
    html(
      "p",
      {},
      html("strong", {}, say(says)),
      ` ${say([yes ? "agents.yes" : "agents.no", {}])} `,
      html("span", {class: "fine"}, say(["page.why.chance", {chance: percent(chance), minimum: percent(minimum)}])),
    ),
    cells.length
      ? html(
        "div",
        {class: "cells", "aria-hidden": "true"},
        cells.map((cell) => html("span", {title: say(cell.says), style: {"--share": String(cell.share)}})),
      )
      : null,
    html(
      "div",
      {class: "scale", "aria-hidden": "true"},
      html("span", {class: "filled", style: {width: `${100 * (chance ?? 0)}%`}}),
      mark("minimum", minimum),
      mark("draw", draw),
    ),
  );
}

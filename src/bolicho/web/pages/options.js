// Options of agents and trainings: rows of a form, and the spec of an agent with the chosen values.

import {html} from "/a/draw.js";
import {has, word} from "/a/settings.js";

// Row for each option; `chosen` holds values that differ from the default, and `changed()` is called after changes.
export function optionRows(options, chosen, changed, prefix = "") {
  return Object.entries(options).map(([name, option]) => {
    const set = (value) => {
      if (value === null || value === option.default) delete chosen[name];
      else chosen[name] = value;
      changed();
    };
    const now = chosen[name] ?? option.default;
    const input = option.values ? choice(option.values, name, now, set) : amount(option, now, set);
    input.name = `${prefix}${name}`;
    return html("label", {class: "row"}, html("span", {}, word(`page.choice.${name}`)), input);
  });
}

function choice(values, name, now, set) {
  const one = (value) => html("option", {value, selected: value === now}, valueName(name, value));
  return html("select", {on: {change: (event) => set(event.target.value)}}, values.map(one));
}

// Name of a value in the catalogue; of a file its file name.
export function valueName(name, value) {
  const key = `page.choice.${name}.${value}`;
  return has(key) ? word(key) : value.split("/").at(-1).replace(/\.parquet$/, "");
}

function amount({least, most, whole}, now, set) {
  return html("input", {
    type: "number",
    min: least,
    max: most,
    step: whole ? 1 : "any",
    value: now,
    on: {input: ({target}) => set(target.value === "" ? null : Number(target.value))},
  });
}

// Spec such as "pvcnps(base=baseline, victory=share)", as the server writes it.
export function writeSpec(name, chosen) {
  const quoted = (value) => (/^[\w./-]+$/.test(value) ? value : JSON.stringify(value));
  const inside = Object.keys(chosen).sort().map((option) => `${option}=${quoted(chosen[option])}`).join(", ");
  return inside ? `${name}(${inside})` : name;
}

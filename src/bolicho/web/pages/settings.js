// Settings of the reader, stored in this browser; language and texts of the page.

import {html} from "/a/draw.js";
import {load, preferredLanguage, LANGUAGES, TAGS} from "/a/i18n.js";

const DEFAULTS = {language: null, theme: "system", sound: 0, animate: true, pace: 900, name: ""};
const LANGUAGE_NAMES = {pt: "Português", es: "Español", en: "English"};
const PACES = {1800: "page.pace.slow", 900: "page.pace.normal", 350: "page.pace.quick", 0: "page.pace.instant"};
const THEMES = {system: "page.theme.system", light: "page.theme.light", dark: "page.theme.dark"};
const SOUNDS = {0: "page.sound.off", 0.25: "page.sound.quiet", 0.7: "page.sound.on"};

// --- Storage; without it the page works, and settings last until it is closed --------------------

export function recall(key, otherwise = null) {
  try {
    return JSON.parse(localStorage.getItem(`bolicho.${key}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(`bolicho.${key}`);
    else localStorage.setItem(`bolicho.${key}`, JSON.stringify(value));
  } catch {
    // storage is disabled or full: keep the settings in memory
  }
}

export const settings = {...DEFAULTS, ...recall("settings", {})};

const RETRY = 2000; // ms

let words = null;
const listeners = [];

export function onChange(listener) {
  listeners.push(listener);
}

export async function set(name, value) {
  settings[name] = value;
  keep("settings", settings);
  if (name === "language") words = await load(value);
  dress();
  listeners.forEach((listener) => listener(name));
}

export const language = () => settings.language ?? preferredLanguage();
export const isStill = () => !settings.animate || matchMedia("(prefers-reduced-motion: reduce)").matches;
export const say = (said, names = []) => words.say(said, names);
export const word = (key, facts = {}, names = []) => words.say([key, facts], names);
export const has = (key) => key in words.templates;

// Load the catalogue, then set the text of each [data-word] and the label of each [data-label].
export async function begin() {
  dressTheme();
  words = await loadInTheEnd();
  dress();
  addEventListener("storage", async (event) => {
    if (event.key !== "bolicho.settings") return;
    const before = language();
    Object.assign(settings, recall("settings", {}));
    if (language() !== before) words = await load(language());
    dress();
    listeners.forEach((listener) => listener("language"));
  });
}

// A page without texts is useless, so a failed request is repeated until the server answers.
async function loadInTheEnd() {
  for (;;) {
    try {
      return await load(language());
    } catch {
      await new Promise((done) => setTimeout(done, RETRY));
    }
  }
}

function dressTheme() {
  document.documentElement.dataset.theme = settings.theme;
  document.documentElement.dataset.still = String(isStill());
}

export function dress(root = document) {
  dressTheme();
  document.documentElement.lang = TAGS[language()];
  for (const element of root.querySelectorAll("[data-word]")) element.textContent = word(element.dataset.word);
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", word(element.dataset.label));
    if (element.matches("button, a")) element.setAttribute("title", word(element.dataset.label));
  }
}

// --- Settings dialog ---------------------------------------------------------------------------

// The reader cannot change settings named by `fixed()`.
export function settingsDialog(fixed = () => []) {
  const dialog = html("dialog", {id: "settings-panel", "aria-labelledby": "settings-title"});
  const fill = () => dialog.replaceChildren(
    closeButton(dialog),
    html("h2", {id: "settings-title"}, word("page.settings")),
    ...rows(fixed()),
  );
  document.body.append(dialog);
  onChange(() => dialog.open && fill());
  return () => {
    fill();
    dialog.showModal();
  };
}

function rows(fixed) {
  return [
    choice("language", word("page.language"), LANGUAGES.map((one) => [one, LANGUAGE_NAMES[one]]), language()),
    choice("theme", word("page.theme"), spoken(THEMES), settings.theme),
    fixed.includes("pace")
      ? null
      : choice("pace", word("page.pace"), spoken(PACES).reverse(), String(settings.pace), Number),
    choice("sound", word("page.sound"), spoken(SOUNDS).sort(), String(settings.sound), Number),
    choice(
      "animate",
      word("page.animation"),
      [["true", word("page.yes")], ["false", word("page.no")]],
      String(settings.animate),
      (text) => text === "true",
    ),
    html("p", {class: "fine"}, word("page.keys")),
  ].filter(Boolean);
}

const spoken = (table) => Object.entries(table).map(([value, key]) => [value, word(key)]);

function choice(name, label, options, chosen, read = (text) => text) {
  const select = html(
    "select",
    {
      name,
      on: {
        change: (event) => set(name, read(event.target.value)).then(
          () => document.querySelector(`#settings-panel [name=${name}]`)?.focus(),
        ),
      },
    },
    options.map(([value, text]) => html(
      "option",
      {value, selected: value === chosen, lang: name === "language" ? TAGS[value] : null},
      text,
    )),
  );
  return html("label", {class: "row"}, html("span", {}, label), select);
}

// A dialog closes by its button, by Escape, and by a click outside.
export function closeButton(dialog) {
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close(); // no return value: a false one would cancel the click
  };
  return html(
    "form",
    {method: "dialog", class: "close"},
    html("button", {class: "shut", "aria-label": word("page.close"), title: word("page.close")}, "×"),
  );
}

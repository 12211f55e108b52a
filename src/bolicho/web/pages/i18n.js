// Texts of the pages, with the same template language as bolicho/i18n/__init__.py.
// A sentence is [key, facts]; a fact is a number, a text, another sentence, {seat: n}
// or {several: [...], with: "and"}.

export const LANGUAGES = ["pt", "es", "en"];
export const TAGS = {pt: "pt-BR", es: "es-AR", en: "en"};

const JOINS = {and: "page.and", or: "page.or"};
const FIELD = /\{\{|\}\}|\{(\w+)(?:\|([^|{}]*)\|([^|{}]*)|:(%|\d))?\}/g;

export class Catalogue {
  constructor(language, templates) {
    this.language = language;
    this.templates = templates;
  }

  /** @param {any[]} said */
  say([key, facts = {}], names = []) {
    const template = this.templates[key];
    if (template === undefined) return key;
    return template.replace(FIELD, (field, name, one, many, form) => {
      if (name === undefined) return field[0];
      const fact = facts[name];
      if (one !== undefined) return fact === 1 ? one : many;
      return form ? this.number(fact, form) : this.fact(fact, names);
    });
  }

  fact(fact, names) {
    if (Array.isArray(fact)) return this.say(fact, names);
    if (fact?.several) return this.several(fact.several.map((one) => this.fact(one, names)), fact.with);
    if (fact?.seat !== undefined) return names[fact.seat] ?? String(fact.seat);
    if (typeof fact === "number" && !Number.isInteger(fact)) return this.number(fact, "2");
    return String(fact);
  }

  several(parts, joined) {
    if (parts.length < 2 || joined === ",") return parts.join(", ");
    return `${parts.slice(0, -1).join(", ")} ${this.templates[JOINS[joined]]} ${parts.at(-1)}`;
  }

  number(fact, form) {
    const text = form === "%" ? `${fixed(100 * fact, 0)}%` : fixed(fact, Number(form));
    return this.language === "en" ? text : text.replace(".", ",");
  }
}

// Rounds like Python: exact halves to the even neighbour, where toFixed rounds up.
function fixed(x, decimals) {
  const scaled = x * 10 ** decimals;
  const isHalf = Number.isInteger(x * 2 ** (decimals + 1)) && Math.abs(scaled % 1) === 0.5;
  return isHalf ? ((2 * Math.round(scaled / 2)) / 10 ** decimals).toFixed(decimals) : x.toFixed(decimals);
}

// Portuguese unless the browser prefers another language.
export function preferredLanguage(wanted = navigator.languages ?? []) {
  for (const tag of wanted) {
    const language = tag.slice(0, 2).toLowerCase();
    if (LANGUAGES.includes(language)) return language;
  }
  return "pt";
}

export async function load(language) {
  const answer = await fetch(`/words/${language}.json`);
  if (!answer.ok) throw new Error(`no words in ${language}`);
  return new Catalogue(language, await answer.json());
}

// Editor of a study's plan: the text of its file, with the checks of the server.

import {ask} from "/a/api.js";
import {token} from "/a/door.js";
import {html} from "/a/draw.js";
import {press} from "/a/participant.js";
import {word} from "/a/settings.js";

// `save(plan)` stores the text; `more` are further buttons.
export function planEditor(plan, {label, save, more = []}) {
  const box = html("textarea", {id: "plan-text", spellcheck: "false", "aria-label": word("page.research.plan")}, plan);
  const state = html("p", {id: "plan-state", role: "status"});
  const fill = html("div", {id: "fill"});
  const check = async () => tell(await ask("/api/research/plan", {token: token(), body: {plan: box.value}}));

  const tell = ({steps, warnings, blanks}) => {
    state.className = "";
    state.textContent = word("page.research.plan.fine", {steps: steps.join(", ")});
    state.append(...warnings.map((text) => html("span", {class: "sorry"}, ` ${text}.`)));
    if (blanks.length) state.append(html("span", {}, ` ${word("page.research.blanks", {count: blanks.length})} ${blanks.map(([place, language]) => `${place} (${language})`).join(", ")}`));
    showFill([...new Set(blanks.map(([, , text]) => text))]);
  };
  const showFill = (blanks) => {
    const fields = blanks.map((blank) => html("input", {"data-blank": blank}));
    fill.replaceChildren(...(blanks.length ? [
      html("h4", {}, word("page.research.plan.fill")),
      ...fields.map((field, i) => html("label", {}, html("span", {}, blanks[i].slice(1, -1)), field)),
      press("apply", "page.research.plan.fill.apply", () => {
        for (const field of fields) if (field.value.trim()) box.value = box.value.replaceAll(field.dataset.blank, plain(field.value.trim()));
        run(check);
      }),
    ] : []));
  };
  // Text that is safe within the quotes of TOML, and is no blank again.
  const plain = (text) => text.replaceAll("\\", "/").replaceAll('"', "'").replaceAll("[", "(").replaceAll("]", ")");
  const run = async (act) => {
    state.textContent = "…";
    try {
      await act();
    } catch (problem) {
      state.className = "sorry";
      state.textContent = problem.message;
    }
  };
  const saved = () => run(async () => {
    await check();
    await save(box.value);
    state.prepend(`${word("page.research.plan.unsaved")} `);
  });
  run(check);
  return [
    html("p", {class: "fine"}, word("page.research.plan.how")),
    fill,
    box,
    state,
    html("p", {class: "line"}, press("check-plan", "page.research.plan.check", () => run(check)), press("save-plan", label, saved, "button main"), more),
  ];
}

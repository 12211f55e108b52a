// Login of the researchers' pages: a personal token, kept until the tab is closed.

import {html} from "/a/draw.js";
import {word} from "/a/settings.js";

const KEPT = "bolicho.research";

export const token = () => sessionStorage.getItem(KEPT);
export const forgetToken = () => sessionStorage.removeItem(KEPT);

// Form for the token; calls `enter` with a valid one.
export function door(enter, problem = "") {
  const field = html("input", {name: "token", type: "password", autocomplete: "off", required: true, id: "token"});
  const submit = (event) => {
    event.preventDefault();
    sessionStorage.setItem(KEPT, field.value.trim());
    enter();
  };
  return html(
    "form",
    {class: "sheet door", on: {submit}},
    html("h2", {}, word("page.research.door")),
    problem && html("p", {class: "sorry", role: "alert"}, problem),
    html("p", {}, word("page.research.door.how")),
    html("p", {}, html("code", {}, "bolicho token new NAME --scope research")),
    html("label", {class: "row"}, html("span", {}, word("page.research.token")), field),
    html("button", {class: "button main"}, word("page.research.enter")),
  );
}

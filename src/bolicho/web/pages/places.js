// Addresses: the match or game of this page, links to others, and the place in the address bar.  A site without a server has its
// own module of this name (bolicho/site/pages).

const named = () => decodeURIComponent(location.pathname.split("/")[2] ?? "");
export const matchHere = named;
export const gameHere = named;

export const homePage = "/";
export const tablePage = (id) => `/m/${id}`;
export const replayPage = (id) => `/replay/${id}`;
export const analysisPage = (id) => `/analysis/${id}`;
export const learnPage = (game) => `/learn/${game}`;
export const puzzlePage = (game) => `/puzzle/${game}`;

// Write the parameters of the fragment to the address bar.
export function keepPlace(parameters) {
  history.replaceState(null, "", `#${new URLSearchParams(parameters)}`);
}

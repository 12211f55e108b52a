// The service worker of a site without a server: after the first visit the pages work without a network.  Pages and
// modules are kept at once; the files of an agent when it is first chosen.

const VERSION = "@VERSION@";
const FIRST = JSON.parse('@FILES@');

oninstall = (event) => {
  event.waitUntil(caches.open(VERSION).then((kept) => kept.addAll(FIRST)).then(() => self.skipWaiting()));
};

onactivate = (event) => {
  event.waitUntil(
    caches.keys()
      .then((names) => Promise.all(names.filter((name) => name !== VERSION).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
};

onfetch = (event) => {
  if (event.request.method === "GET") event.respondWith(answer(event.request));
};

async function answer(request) {
  const kept = await caches.open(VERSION);
  const page = request.url.split(/[?#]/)[0].endsWith("/") ? "index.html" : request;
  const found = await kept.match(page, {ignoreSearch: true});
  if (found) return found;
  const fresh = await fetch(request);
  if (fresh.ok && new URL(request.url).origin === location.origin) await kept.put(request, fresh.clone());
  return fresh;
}

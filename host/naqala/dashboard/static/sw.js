// The service worker. Pages come from the companion while it answers; when it does not, the page as it was last seen is shown, and says
// so. `KEPT` (the files of the look) and `OFFLINE` (the page of last resort) stand above, put there by the companion.
"use strict";

const LOOK = "naqala-look";
const PAGES = "naqala-pages";
const PATIENCE_MS = 4000;

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(
    caches.open(LOOK).then(async (look) => {
      const had = new Set((await look.keys()).map((request) => new URL(request.url).pathname + new URL(request.url).search));
      for (const old of had) if (!KEPT.includes(old) && old !== OFFLINE) await look.delete(old);
      await look.addAll(KEPT.filter((one) => !had.has(one)));
      await look.put(OFFLINE, await fetch(OFFLINE, { cache: "reload" }));
    }),
  );
});

addEventListener("activate", (event) => event.waitUntil(clients.claim()));

async function page(request) {
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    // A seat that was left, or another table's: what is kept must not be shown under that address any more.
    if (!answer.ok || answer.redirected || answer.type === "opaqueredirect")
      await (await caches.open(PAGES)).delete(new URL(request.url).pathname);
    return answer;
  } catch {
    const kept = await (await caches.open(PAGES)).match(new URL(request.url).pathname);
    return kept || (await caches.match(OFFLINE)) || Response.error();
  }
}

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(request));
  else if (new URL(request.url).pathname.startsWith("/static/"))
    event.respondWith(caches.match(request).then((kept) => kept || fetch(request)));
});

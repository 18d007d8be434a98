// The page's end of the stream. All tabs of a browser share one connection (see streams.js); where a browser has no shared workers a
// page has its own, and lets it go while nobody can see the page.
"use strict";

(() => {
  const address = document.body.dataset.stream;
  const shared = document.body.dataset.streams;
  if (!address) return;

  // While the companion is away nothing on the page is known to be true, the dot of health least of all.
  function away(yes) {
    document.getElementById("offline").hidden = !yes;
    document.body.toggleAttribute("data-away", yes);
  }

  const kinds = {
    message: (data) => {
      show(JSON.parse(data));
      keepForLater();
    },
    picture: (data) => document.dispatchEvent(new CustomEvent("picture", { detail: JSON.parse(data) })),
    go: (data) => location.assign(data),
    refused: () => location.reload(), // the page itself knows where to go on
  };

  // --- over the shared connection ---------------------------------------------------------------------------------
  function overTheShared() {
    const worker = new SharedWorker(shared);
    const { port } = worker;
    let open = false;
    const join = () => {
      open = true;
      port.postMessage({ of: address, online: navigator.onLine });
    };
    port.onmessage = ({ data: said }) => {
      if (!open) return;
      if ("away" in said) away(said.away);
      else {
        away(false);
        kinds[said.kind](said.data);
      }
    };
    join();
    const here = (more) => port.postMessage({ here: address, ...more });
    setInterval(() => here(), 20000);
    addEventListener("pagehide", () => {
      open = false;
      port.postMessage({ gone: true });
    });
    addEventListener("pageshow", (event) => event.persisted && join());
    const look = () => document.visibilityState === "visible" && here({ look: true });
    document.addEventListener("visibilitychange", look);
    document.addEventListener("resume", look);
    addEventListener("focus", look);
    addEventListener("online", () => port.postMessage({ online: true, look: true }));
    addEventListener("offline", () => {
      away(true);
      port.postMessage({ online: false });
    });
  }

  // --- over a connection of its own ---------------------------------------------------------------------------------
  function overItsOwn() {
    const SILENT_MS = 12000;
    const HIDDEN_MS = 20000;
    const name = [...crypto.getRandomValues(new Uint8Array(16))]
      .map((one) => one.toString(16).padStart(2, "0"))
      .join("");
    let source = null;
    let lastHeard = 0;
    let letGo = 0;

    function heard() {
      lastHeard = Date.now();
      away(false);
    }

    function connect() {
      source?.close();
      lastHeard = Date.now();
      const url = new URL(address, location.href);
      url.searchParams.set("as", name);
      const mine = (source = new EventSource(url));
      mine.onopen = heard;
      mine.onerror = () => mine === source && away(true);
      mine.addEventListener("alive", heard);
      for (const [kind, act] of Object.entries(kinds))
        mine.addEventListener(kind, (event) => {
          heard();
          act(event.data);
        });
    }

    function close() {
      source?.close();
      source = null;
    }

    const stale = () => !source || source.readyState === EventSource.CLOSED || Date.now() - lastHeard > SILENT_MS;
    connect();
    setInterval(() => {
      if (navigator.onLine && document.visibilityState === "visible" && stale()) {
        away(true);
        connect();
      }
    }, 2000);
    document.addEventListener("visibilitychange", () => {
      clearTimeout(letGo);
      if (document.visibilityState === "hidden") letGo = setTimeout(close, HIDDEN_MS);
      else if (stale() || Date.now() - lastHeard > 5000) connect();
    });
    document.addEventListener("resume", connect); // after a sleep without being hidden
    addEventListener("pagehide", close);
    addEventListener("pageshow", (event) => event.persisted && connect());
    addEventListener("online", connect);
    addEventListener("offline", () => {
      close();
      away(true);
    });
  }

  // --- the last known state, for when the companion is away ----------------------------------------------------------
  let keeping = 0;
  function keepForLater() {
    if (!("caches" in window) || !document.body.dataset.keep) return;
    keeping ||= setTimeout(async () => {
      keeping = 0;
      const kept = await caches.open("naqala-pages");
      const headers = { "Content-Type": "text/html; charset=utf-8", "X-Naqala-Seen": String(Date.now()) };
      await kept.put(location.pathname, new Response(`<!doctype html>${document.documentElement.outerHTML}`, { headers }));
    }, 2000);
  }

  addEventListener("DOMContentLoaded", window.SharedWorker && shared ? overTheShared : overItsOwn); // when every script listens
})();

// A phone on the table stays awake: by a screen wake lock where the browser has one (https), elsewhere by a silent film of a few
// seconds without end. On by default; the switch in the page's foot is remembered. And the service worker is started here.
"use strict";

(() => {
  const KEY = "naqala-awake";
  const box = document.querySelector("[data-awake]");
  const wanted = () => localStorage.getItem(KEY) !== "no";
  let lock = null;
  let film = null;

  const tell = (how) => (document.body.dataset.awake = how);

  async function byLock() {
    if (lock && !lock.released) return;
    lock = await navigator.wakeLock.request("screen");
    tell("lock");
    lock.addEventListener("release", () => tell(""));
  }

  async function byFilm() {
    if (!film) {
      film = document.createElement("video");
      film.setAttribute("playsinline", "");
      film.loop = true; // with sound switched on, though there is none: for a muted film a phone goes to sleep
      film.title = "Naqala";
      film.className = "unseen";
      film.setAttribute("aria-hidden", "true");
      for (const src of document.body.dataset.film.split(" ")) {
        const kind = document.createElement("source");
        kind.src = src;
        kind.type = src.includes(".mp4") ? "video/mp4" : "video/webm";
        film.append(kind);
      }
      document.body.append(film);
    }
    await film.play();
    tell("film");
  }

  async function stay() {
    if (!wanted() || document.visibilityState !== "visible") return;
    try {
      await ("wakeLock" in navigator ? byLock() : byFilm());
    } catch {
      tell(""); // a browser may want a touch first, or save its battery: the next touch tries again
    }
  }

  async function letSleep() {
    await lock?.release();
    film?.pause();
    tell("");
  }

  if (document.body.dataset.film) {
    stay();
    // The lock is lost whenever the page is hidden; a film may need a touch to begin.
    document.addEventListener("visibilitychange", stay);
    addEventListener("pageshow", stay);
    addEventListener("pointerdown", () => document.body.dataset.awake || stay());
  }
  if (box) {
    box.checked = wanted();
    box.closest("label").hidden = false;
    box.addEventListener("change", () => {
      localStorage.setItem(KEY, box.checked ? "yes" : "no");
      box.checked ? stay() : letSleep();
    });
  }

  // Only where the browser trusts the page: with https, or on the companion's own machine.
  if (window.isSecureContext && "serviceWorker" in navigator)
    navigator.serviceWorker.register("/sw.js").catch(() => {});
})();

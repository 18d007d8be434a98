// A page that waits for something outside the browser: what it says is fetched again every few seconds and swapped when
// it has changed. Without a script people reload.
"use strict";

(() => {
  const place = document.querySelector("[data-again]");

  async function look() {
    try {
      const answer = await fetch(location.href, { credentials: "same-origin" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector("[data-again]");
      if (fresh && fresh.innerHTML !== place.innerHTML) place.replaceChildren(...fresh.childNodes);
    } catch {
      // The companion is away: the next look may find it.
    }
    setTimeout(look, 1000 * place.dataset.again);
  }
  setTimeout(look, 1000 * place.dataset.again);
})();

// Pictures that are tapped: the board and the cards while somebody tells, the brushes of a layout, what a hand hides.
// The server says what a tap leads to; without this script every tap is a link or a form.
"use strict";

(() => {
  // --- telling: a link leads to the next step, and its part of the page is put in the place of the old one -------
  let asking = false;
  const waiting = []; // ids of what was tapped meanwhile: the links have changed when their turn comes

  async function follow(link) {
    asking = true;
    try {
      const answer = await fetch(link.href, {
        headers: { Accept: "application/json" },
        credentials: "same-origin",
      });
      if (!answer.ok) throw new Error(answer.status);
      for (const [id, html] of Object.entries(await answer.json())) {
        const old = document.getElementById(id);
        if (old) swap(old, read(html));
      }
      document.dispatchEvent(new Event("shown"));
    } catch {
      waiting.length = 0;
      say(body.dataset.failed);
    } finally {
      asking = false;
    }
    const next = document.getElementById(waiting.shift() || "");
    if (next) follow(next);
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-teller]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (!asking) follow(link);
    else if (link.id) waiting.push(link.id);
  });

  // --- keys: a link that acts as a button obeys the space bar; arrows lead from tile to tile -----------------------
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  document.addEventListener("keydown", (event) => {
    const link = event.target.closest?.("a[role=button]");
    if (event.key === " " && link) {
      event.preventDefault();
      link.click();
    }
    const spot = event.target.closest?.("[data-picker] [data-tile]");
    if (!spot || !ARROWS[event.key]) return;
    event.preventDefault();
    const turned = body.dataset.picture === "turned" ? -1 : 1;
    const [right, down] = ARROWS[event.key].map((step) => step * turned);
    const { tile } = spot.dataset;
    const name = String.fromCharCode(tile.charCodeAt(0) + right, tile.charCodeAt(1) + down);
    spot.closest("[data-picker]").querySelector(`[data-tile="${CSS.escape(name)}"]`)?.focus();
  });

  // --- the picture, turned for who sits on the other side -----------------------------------------------------------
  body.dataset.picture = localStorage.getItem("naqala-picture") || "";
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-turn-picture]")) return;
    body.dataset.picture = body.dataset.picture ? "" : "turned";
    localStorage.setItem("naqala-picture", body.dataset.picture);
  });

  // --- brushes: when the box has no more of a kind, the next one is taken up ------------------------------------------
  function nextBrush() {
    const brushes = [...document.querySelectorAll(".brushes input[name=brush]")];
    const held = document.querySelector("input[name=brush]:checked");
    if (!brushes.length || (held && !held.disabled)) return;
    const after = brushes.slice(brushes.indexOf(held) + 1);
    const next = [...after, ...brushes].find((one) => !one.disabled);
    if (next) next.checked = true;
  }
  document.addEventListener("shown", nextBrush);
  nextBrush();

  // --- one more, one less ---------------------------------------------------------------------------------------------
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-count]");
    const field = button?.parentElement.querySelector("input[type=number]");
    if (!field) return;
    if (button.dataset.count === "1") field.stepUp();
    else field.stepDown();
  });

  // --- djinns by name -------------------------------------------------------------------------------------------------
  const plain = (text) => text.toLowerCase().replace(/[^a-z]/g, "");
  document.addEventListener("input", (event) => {
    const among = event.target.dataset?.search && document.querySelector(event.target.dataset.search);
    if (!among) return;
    const wanted = plain(event.target.value);
    for (const one of among.querySelectorAll("[data-name]")) one.hidden = !plain(one.dataset.name).includes(wanted);
  });

  // --- hold to see: gold and cards of one player, as long as the finger stays -------------------------------------------
  let held = null;
  async function see(button) {
    held = button;
    const place = document.getElementById(button.getAttribute("aria-controls"));
    try {
      const answer = await fetch(button.dataset.hold, { headers: { Accept: "text/html" }, credentials: "same-origin" });
      const text = await answer.text();
      if (held === button && answer.ok) place.replaceChildren(read(text));
    } catch {
      say(body.dataset.failed);
    }
  }
  function hide() {
    if (!held) return;
    document.getElementById(held.getAttribute("aria-controls"))?.replaceChildren();
    held = null;
  }
  document.addEventListener("pointerdown", (event) => {
    const button = event.target.closest?.("[data-hold]");
    if (button) see(button);
  });
  for (const kind of ["pointerup", "pointercancel", "blur"]) addEventListener(kind, hide);
  document.addEventListener("contextmenu", (event) => event.target.closest?.("[data-hold]") && event.preventDefault());
  document.addEventListener("visibilitychange", hide);
  document.addEventListener("keydown", (event) => {
    const button = event.target.closest?.("[data-hold]");
    if (button && !event.repeat && (event.key === " " || event.key === "Enter")) see(button);
  });
  document.addEventListener("keyup", hide);
})();

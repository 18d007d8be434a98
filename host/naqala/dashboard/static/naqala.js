// The one script: swaps what the stream sends, posts taps without leaving the page, turns the view, gives a short
// signal when a flag concerns this player. Without it every page still works: taps are forms, pages can be reloaded.
"use strict";

const body = document.body;
const toast = document.getElementById("toast");
const offline = document.getElementById("offline");
const still = matchMedia("(prefers-reduced-motion: reduce)");

// --- swapping -------------------------------------------------------------------------------------------------
// Elements marked data-keyed are changed child by child (by id), others as a whole; equal ones are left alone.
function swap(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.hasAttribute("data-keyed") && fresh.hasAttribute("data-keyed")) {
    const kept = new Map([...old.children].map((child) => [child.id || child.tagName, child]));
    const names = [...fresh.children].map((child) => child.id || child.tagName);
    if (names.length === kept.size && names.every((name) => kept.has(name))) {
      for (const child of [...fresh.children]) swap(kept.get(child.id || child.tagName), child);
      return;
    }
  }
  const active = old.contains(document.activeElement) ? document.activeElement : null;
  const opened = new Set([...old.querySelectorAll("details[open][id]")].map((one) => one.id));
  for (const one of fresh.querySelectorAll("details[id]")) if (opened.has(one.id)) one.open = true;
  const kept = new Map(
    [...old.querySelectorAll("select[name], input[type=checkbox][name]")].map((one) => [one.name, one]),
  );
  for (const one of fresh.querySelectorAll("select[name], input[type=checkbox][name]")) {
    const before = kept.get(one.name);
    if (before && one.tagName === "SELECT") one.value = before.value;
    else if (before) one.checked = before.checked;
  }
  old.replaceWith(fresh);
  arrive(fresh);
  if (active) {
    const again = active.id
      ? document.getElementById(active.id)
      : active.value
        ? [...fresh.querySelectorAll("button")].find((one) => one.value === active.value)
        : null;
    (again || fresh.querySelector("button, a, summary"))?.focus({ preventScroll: true });
  }
}

function arrive(element) {
  if (!still.matches)
    element.animate([{ opacity: 0.3 }, { opacity: 1 }], { duration: 150, easing: "ease-out" });
}

function read(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html.trim();
  return holder.content.firstElementChild;
}

function show(fragments) {
  for (const [id, html] of Object.entries(fragments)) {
    const old = document.getElementById(id);
    if (old) swap(old, read(html));
  }
  signal();
}

// --- the stream -----------------------------------------------------------------------------------------------
let source = null;
let lastHeard = 0;

function heard() {
  lastHeard = Date.now();
  offline.hidden = true;
}

function connect() {
  source?.close();
  lastHeard = Date.now();
  source = new EventSource(body.dataset.stream);
  source.onopen = heard;
  source.onmessage = (message) => {
    heard();
    show(JSON.parse(message.data));
  };
  source.addEventListener("alive", heard);
  source.addEventListener("go", (message) => {
    location.assign(message.data);
  });
  source.onerror = () => {
    offline.hidden = false;
  };
}

if (body.dataset.stream) {
  connect();
  // The browser reconnects by itself where it can; where it gave up, or heard nothing for long, we do.
  setInterval(() => {
    if (navigator.onLine && (source.readyState === EventSource.CLOSED || Date.now() - lastHeard > 12000)) {
      offline.hidden = false;
      connect();
    }
  }, 2000);
  addEventListener("offline", () => {
    source.close();
    offline.hidden = false;
  });
  addEventListener("online", connect);
}

// --- taps -----------------------------------------------------------------------------------------------------
let hideToast = 0;
function say(text) {
  toast.textContent = text;
  toast.hidden = !text;
  clearTimeout(hideToast);
  if (text)
    hideToast = setTimeout(() => {
      toast.hidden = true;
    }, 7000);
}
if (!toast.hidden) say(toast.textContent);

async function post(form, submitter) {
  const data = new FormData(form, submitter);
  submitter?.setAttribute("aria-disabled", "true");
  try {
    const answer = await fetch(submitter?.getAttribute("formaction") || form.getAttribute("action"), {
      method: "POST",
      body: new URLSearchParams(data),
      headers: { Accept: "application/json" },
      credentials: "same-origin",
    });
    const told = await answer.json();
    say(told.say || "");
    if (told.go) location.assign(told.go);
  } catch {
    say(body.dataset.failed);
  } finally {
    setTimeout(() => submitter?.removeAttribute("aria-disabled"), 600);
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.id !== "tap" && !form.hasAttribute("data-tap")) return;
  event.preventDefault();
  if (event.submitter?.getAttribute("aria-disabled") === "true") return;
  post(form, event.submitter);
});

for (const form of document.querySelectorAll("form[data-auto]")) {
  form.querySelector("[data-without-script]")?.setAttribute("hidden", "");
  form.addEventListener("change", () => form.requestSubmit());
}

// --- a flag that concerns this player ---------------------------------------------------------------------------
let sound = null;
addEventListener(
  "pointerdown",
  () => {
    sound ??= new (window.AudioContext || window.webkitAudioContext)();
    sound.resume?.();
  },
  { once: true },
);

function ring() {
  navigator.vibrate?.([120, 60, 120]);
  if (!sound || sound.state !== "running") return;
  [
    [523.25, 0],
    [392, 0.16],
  ].forEach(([pitch, at]) => {
    const tone = sound.createOscillator();
    const volume = sound.createGain();
    tone.type = "sine";
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.0001, sound.currentTime + at);
    volume.gain.exponentialRampToValueAtTime(0.25, sound.currentTime + at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, sound.currentTime + at + 0.3);
    tone.connect(volume).connect(sound.destination);
    tone.start(sound.currentTime + at);
    tone.stop(sound.currentTime + at + 0.32);
  });
}

let signalled = document.querySelector("[data-signal]")?.dataset.signal || "";
function signal() {
  const here = document.querySelector("[data-signal]")?.dataset.signal || "";
  if (here && here !== signalled) ring();
  signalled = here;
}

// --- the view, turned for who sits on the other side --------------------------------------------------------------
const turner = document.querySelector("[data-turn-view]");
function turn(degrees) {
  body.dataset.turn = degrees;
}
if (turner) {
  turn(localStorage.getItem("naqala-turn") || "0");
  turner.addEventListener("click", () => {
    const next = String((Number(body.dataset.turn) + 90) % 360);
    localStorage.setItem("naqala-turn", next);
    turn(next);
  });
}

// --- replay -------------------------------------------------------------------------------------------------------
const slider = document.querySelector("input[data-replay]");
if (slider) {
  let wanted = 0;
  slider.addEventListener("input", async () => {
    const mine = ++wanted;
    const answer = await fetch(`${slider.dataset.replay}?step=${slider.value}`, {
      headers: { Accept: "application/json" },
    });
    const fragments = await answer.json();
    if (mine === wanted) show(fragments);
  });
  document.addEventListener("click", (event) => {
    const step = event.target.closest?.("[data-step]");
    if (!step) return;
    event.preventDefault();
    slider.value = Number(slider.value) + Number(step.dataset.step); // bounded by the slider itself
    slider.dispatchEvent(new Event("input"));
  });
}

// --- the score sheet, category by category -------------------------------------------------------------------------
// A number of the sheet leads to its story: what is folded away there opens first.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-story]");
  const there = link && document.getElementById(link.hash.slice(1));
  if (there) there.closest("details").open = true;
});

const unveil = document.querySelector("[data-unveil]");
if (unveil) {
  const rows = [...document.querySelectorAll("[data-veiled]")];
  const after = [...document.querySelectorAll("[data-after-veil]")];
  if (sessionStorage.getItem(unveil.dataset.unveil) !== "done") {
    const stories = (row) => document.querySelectorAll(`[data-veiled-with="${row.dataset.veiled}"]`);
    for (const one of [...rows, ...after]) one.hidden = true;
    for (const row of rows) for (const one of stories(row)) one.hidden = true;
    unveil.hidden = false;
    unveil.addEventListener("click", () => {
      const next = rows.find((one) => one.hidden);
      if (next) {
        next.hidden = false;
        for (const one of stories(next)) one.hidden = false;
        arrive(next);
      }
      if (!rows.some((one) => one.hidden)) {
        for (const one of after) one.hidden = false;
        unveil.hidden = true;
        sessionStorage.setItem(unveil.dataset.unveil, "done");
      }
    });
  }
}

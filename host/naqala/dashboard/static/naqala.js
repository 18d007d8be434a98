// The one script: swaps what the stream sends, posts taps without leaving the page, turns the view, gives a short
// signal when a flag concerns this player. Without it every page still works: taps are forms, pages can be reloaded.
"use strict";

const body = document.body;
const toast = document.getElementById("toast");
const still = matchMedia("(prefers-reduced-motion: reduce)");

// --- swapping -------------------------------------------------------------------------------------------------
// Elements marked data-keyed are changed child by child (by id), others as a whole; equal ones are left alone.
// What changes several times a second is marked data-steady: it must not fade in each time.
function swap(old, fresh) {
  keep(old, fresh);
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
  const caret = active && "selectionStart" in active ? [active.selectionStart, active.selectionEnd] : null;
  const scrolled = within(old, "*").map((one) => [one.scrollTop, one.scrollLeft]);
  const like = within(old, "*").map((one) => one.tagName);
  old.replaceWith(fresh);
  within(fresh, "*").forEach((one, place) => {
    if (!scrolled[place]?.some(Boolean) || like[place] !== one.tagName) return;
    [one.scrollTop, one.scrollLeft] = scrolled[place];
  });
  arrive(fresh);
  if (active) focusAgain(active, caret, fresh);
}

const FIELDS = "select[name], textarea[name], input[name]:not([type=hidden])";
const within = (element, wanted) => [element, ...element.querySelectorAll("*")].filter((one) => one.matches(wanted));

// What people did to the old one: opened and folded details, chose, ticked and typed.
function keep(old, fresh) {
  const before = new Map(within(old, "details[id]").map((one) => [one.id, one.open]));
  for (const one of within(fresh, "details[id]")) if (before.has(one.id)) one.open = before.get(one.id);
  const kept = new Map(within(old, FIELDS).map((one) => [one.name + (one.type === "radio" ? one.value : ""), one]));
  for (const one of within(fresh, FIELDS)) {
    const told = kept.get(one.name + (one.type === "radio" ? one.value : ""));
    if (!told) continue;
    if (one.type === "checkbox" || one.type === "radio") one.checked = told.checked;
    else if (one.tagName !== "SELECT" || [...one.options].some((option) => option.value === told.value))
      one.value = told.value;
  }
}

function focusAgain(active, caret, fresh) {
  const again = active.id
    ? document.getElementById(active.id)
    : active.name
      ? within(fresh, `[name="${CSS.escape(active.name)}"]`).find(
          (one) => one.tagName !== "BUTTON" || one.value === active.value,
        )
      : active.tagName === "SUMMARY" && active.parentElement.id
        ? document.getElementById(active.parentElement.id)?.querySelector("summary")
        : null;
  (again || fresh.querySelector("button, a, summary"))?.focus({ preventScroll: true });
  if (again && caret && caret[0] !== null) again.setSelectionRange(...caret);
}

function arrive(element) {
  if (!still.matches && !element.matches("[data-steady]"))
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
    if (old) swapUnlessTold(old, read(html));
  }
  signal();
  unveil();
  document.dispatchEvent(new Event("shown"));
}

// What somebody is in the middle of telling stays as long as it belongs to the same step.
function swapUnlessTold(old, fresh) {
  if (!old.dataset.telling || old.dataset.telling !== fresh.dataset.telling) swap(old, fresh);
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
  const quick = form.hasAttribute("data-quick"); // the same place may be tapped twice in a second
  if (!quick) submitter?.setAttribute("aria-disabled", "true");
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
// A browser lets a page sound only after a touch, and takes it back when the phone slept: each touch and each waking asks again.
let sound = null;
function letSound() {
  if (sound?.state === "closed") sound = null;
  sound ??= new (window.AudioContext || window.webkitAudioContext)();
  if (sound.state !== "running") sound.resume?.().catch(() => {});
}
addEventListener("pointerdown", letSound);
document.addEventListener("visibilitychange", () => {
  if (sound && document.visibilityState === "visible") letSound();
});

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

// --- menus: closed by Esc, by a click elsewhere, by going on -------------------------------------------------------
const menus = () => document.querySelectorAll("details.menu[open]");
document.addEventListener("click", (event) => {
  for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of menus()) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// --- replay -------------------------------------------------------------------------------------------------------
const slider = document.querySelector("input[data-replay]");
if (slider) {
  const STEP_MS = 1200; // from one step to the next
  const player = document.querySelector("[data-play]");
  let wanted = 0;
  let run = null; // the one that plays, if one does

  async function showStep(step) {
    const mine = ++wanted;
    slider.value = step; // bounded by the slider itself
    const answer = await fetch(`${slider.dataset.replay}?step=${slider.value}`, {
      headers: { Accept: "application/json" },
    });
    const fragments = await answer.json();
    if (mine === wanted) show(fragments);
  }

  const atEnd = () => Number(slider.value) >= Number(slider.max);
  const pause = () => playing(null);

  function playing(which) {
    run = which;
    player.textContent = run ? player.dataset.pause : player.dataset.play;
    player.setAttribute("aria-pressed", String(Boolean(run)));
  }

  // The next step comes when its time has come and the one before is on show, so a slow answer skips none.
  async function play() {
    const mine = {};
    playing(mine);
    if (atEnd()) await showStep(0);
    while (run === mine && !atEnd()) {
      const due = Date.now() + STEP_MS;
      await showStep(Number(slider.value) + 1);
      await new Promise((go) => setTimeout(go, due - Date.now()));
    }
    if (run === mine) pause();
  }

  player.hidden = false;
  player.addEventListener("click", () => {
    if (run) pause();
    else
      play().catch(() => {
        pause();
        say(body.dataset.failed);
      });
  });
  slider.addEventListener("input", () => {
    pause();
    showStep(Number(slider.value));
  });
  document.addEventListener("click", (event) => {
    const step = event.target.closest?.("[data-step]");
    if (!step) return;
    event.preventDefault();
    pause();
    showStep(Number(slider.value) + Number(step.dataset.step));
  });
  // Keys: space plays and pauses wherever the focus is, unless it means something there.
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.closest("button, a, select, summary, textarea")) return;
    event.preventDefault();
    player.click();
  });
}

// --- the score sheet, category by category -------------------------------------------------------------------------
// A number of the sheet leads to its story: what is folded away there opens first.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-story]");
  const there = link && document.getElementById(link.hash.slice(1));
  if (there) there.closest("details").open = true;
});

// How many rows are open is the table's affair and comes with the stream; who cannot wait opens all of them for themselves.
function unveil() {
  const veil = document.getElementById("end-veil");
  if (!veil) return;
  const rows = [...document.querySelectorAll("[data-veiled]")];
  const open = sessionStorage.getItem(veil.dataset.key) === "all" ? rows.length : Number(veil.dataset.open);
  rows.forEach((row, place) => {
    const fresh = row.hidden && place < open;
    for (const one of [row, ...document.querySelectorAll(`[data-veiled-with="${row.dataset.veiled}"]`)])
      one.hidden = place >= open;
    if (fresh) arrive(row);
  });
  for (const one of document.querySelectorAll("[data-after-veil]")) one.hidden = open < rows.length;
  veil.hidden = open >= rows.length;
}
document.addEventListener("click", (event) => {
  if (!event.target.closest?.("[data-show-all]")) return;
  sessionStorage.setItem(document.getElementById("end-veil").dataset.key, "all");
  unveil();
});
unveil();

// --- review -------------------------------------------------------------------------------------------------------
const reviewing = document.querySelector("[data-review-progress]");
if (reviewing) {
  const LOOK_MS = 1000;
  const bar = reviewing.querySelector("progress");

  async function look() {
    const answer = await fetch(reviewing.dataset.reviewProgress, { headers: { Accept: "application/json" } });
    const told = await answer.json();
    if (told.turns || told.failed) return location.reload();
    bar.max = told.of;
    bar.value = told.done;
    setTimeout(look, LOOK_MS);
  }
  setTimeout(look, LOOK_MS);
}

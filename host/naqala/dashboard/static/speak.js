// The table speaks, on devices whose owner wants it: an element with data-speak holds the sentence of the moment, in the page's
// language, made by the server from what this viewer may read. The browser's own voices say it; no network is needed.
"use strict";

(() => {
  const KEY = "naqala-speak";
  const VOLUME = "naqala-speak-volume";
  const panel = document.querySelector("[data-speaking]");
  if (!panel || !("speechSynthesis" in window)) return;
  const box = panel.querySelector("[data-speak-on]");
  const volume = panel.querySelector("[data-speak-volume]");
  const wanted = () => localStorage.getItem(KEY) === "yes";
  let last = "";

  // A voice of the page's language, one that needs no network if there is one.
  function voice() {
    const fitting = speechSynthesis
      .getVoices()
      .filter((one) => one.lang.toLowerCase().startsWith(document.documentElement.lang));
    return fitting.find((one) => one.localService) || fitting[0] || null;
  }

  function speak(text) {
    if (!text) return;
    const words = new SpeechSynthesisUtterance(text);
    words.lang = document.documentElement.lang;
    words.voice = voice();
    words.volume = Number(volume.value);
    speechSynthesis.cancel(); // what was said of a moment that is over
    speechSynthesis.speak(words);
  }

  const moment = () => document.querySelector("[data-speak]:not([hidden])")?.dataset.speak || "";

  function look() {
    const now = moment();
    if (now === last) return;
    last = now;
    if (wanted()) speak(now);
  }

  panel.hidden = false;
  box.checked = wanted();
  volume.value = localStorage.getItem(VOLUME) || "1";
  box.addEventListener("change", () => {
    localStorage.setItem(KEY, box.checked ? "yes" : "no");
    if (box.checked) speak(moment());
    else speechSynthesis.cancel();
  });
  volume.addEventListener("input", () => localStorage.setItem(VOLUME, volume.value));
  panel.querySelector("[data-speak-again]").addEventListener("click", () => speak(moment()));
  new MutationObserver(look).observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["data-speak", "hidden"],
  });
  look();
})();

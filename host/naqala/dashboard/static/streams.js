// A shared worker: one connection to the companion for all tabs of a browser. Browsers open six connections to a machine at most,
// so a stream per tab would leave none for taps. Tabs say which stream they want; what comes is handed on to those who asked.
"use strict";

const SILENT_MS = 12000; // the companion says something every four seconds
const FORGOTTEN_MS = 300000; // a tab that said nothing for so long is gone
const NAME = [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join("");

const tabs = new Map(); // port -> { of, heard }
let source = null;
let order = [];
let lastHeard = 0;
let due = 0;
let away = false;
let online = true;

function tell(of, message) {
  for (const [port, tab] of tabs) if (of === null || tab.of === of) port.postMessage(message);
}

function heard() {
  lastHeard = Date.now();
  if (away) tell(null, { away: false });
  away = false;
}

function lost() {
  away = true;
  tell(null, { away: true });
}

function connect() {
  clearTimeout(due);
  due = 0;
  source?.close();
  source = null;
  order = [...new Set([...tabs.values()].map((tab) => tab.of))];
  if (!order.length || !online) return;
  lastHeard = Date.now();
  const asked = new URLSearchParams([["as", NAME], ...order.map((of) => ["of", of])]);
  const mine = (source = new EventSource(`/streams?${asked}`));
  mine.onopen = heard;
  mine.onerror = () => mine === source && lost();
  mine.addEventListener("alive", heard);
  for (const kind of ["message", "picture", "go", "refused"])
    mine.addEventListener(kind, (event) => {
      heard();
      const [, number, data] = /^(\d+) ([^]*)$/.exec(event.data);
      tell(order[number], { kind, data });
    });
}

function soon() {
  due ||= setTimeout(connect, 20); // several tabs may come at once
}

function stale() {
  return !source || source.readyState === EventSource.CLOSED || Date.now() - lastHeard > SILENT_MS;
}

setInterval(() => {
  for (const [port, tab] of tabs)
    if (Date.now() - tab.heard > FORGOTTEN_MS) {
      tabs.delete(port);
      soon();
    }
  if (tabs.size && online && !due && stale()) {
    lost();
    connect();
  }
}, 2000);

addEventListener("connect", ({ ports: [port] }) => {
  port.onmessage = ({ data: said }) => {
    if (said.of) {
      tabs.set(port, { of: said.of, heard: Date.now() });
      soon();
    } else if (said.gone) {
      if (tabs.delete(port)) soon();
    } else if (tabs.has(port)) tabs.get(port).heard = Date.now();
    else if (said.here) {
      tabs.set(port, { of: said.here, heard: Date.now() }); // it slept for longer than tabs are remembered
      soon();
    }
    if ("online" in said && said.online !== online) {
      online = said.online;
      if (online) soon();
      else {
        source?.close();
        source = null;
        lost();
      }
    }
    // A phone that wakes up must not wait: what was heard last may be an hour old.
    if (said.look && (away || stale() || Date.now() - lastHeard > 5000)) connect();
  };
});

// Moving pieces on the virtual table: drag with mouse or finger, or pick and put, or by keys. It draws what the stream
// says and posts gestures; where a piece is, only the table knows.
"use strict";

(() => {
  const root = document.getElementById("virtual");
  const token = document.querySelector("#tap input[name=csrf]").value;
  const spots = new Map([...root.querySelectorAll("[data-spot]")].map((one) => [one.dataset.spot, one]));
  const words = JSON.parse(root.dataset.words);
  // Where alike pieces are shown as one heap with their number: those at home there also when none is left, so that no
  // tray grows or shrinks under a hand.
  const heaps = {
    bag: ["meeple Y", "meeple W", "meeple G", "meeple B", "meeple R"],
    supply: ["palm", "palace"],
  };
  const colours = ["pink", "blue", "orange", "black"];
  for (const colour of colours) heaps[`before ${colour}`] = [`camel ${colour}`];
  let people = new Map(); // colour of the camels -> player
  let spare = 0; // camels of each colour that stay in the box in a game of so many
  let state = JSON.parse(root.dataset.state);
  let picked = null;

  // --- talking to the table ------------------------------------------------------------------------------------
  async function post(what, fields = {}) {
    try {
      const answer = await fetch(`${root.dataset.address}/${what}`, {
        method: "POST",
        body: new URLSearchParams({ csrf: token, ...fields }),
        headers: { Accept: "application/json" },
        credentials: "same-origin",
      });
      if (!answer.ok) throw new Error(answer.status);
    } catch {
      say(document.body.dataset.failed);
    }
  }
  const move = (tags, spot, lying = false) =>
    tags.length && post("move", { tags: tags.join(","), spot, lying: lying ? "yes" : "no" });
  const at = (spot) => state.spots[spot] || [];
  const find = (tag) =>
    Object.values(state.spots)
      .flat()
      .find((piece) => piece.tag === tag);

  // --- drawing ---------------------------------------------------------------------------------------------------
  function symbol(piece) {
    const [kind, which] = piece.piece.split(" ");
    return kind === "meeple" ? `meeple-${which}` : kind;
  }

  // A piece by its name: a camel by its player's.
  function name(piece) {
    const [kind, which] = piece.split(" ");
    if (kind === "camel" && people.has(which)) return words.camel.of.replace("%s", people.get(which));
    return words.one[kind === "tile" ? `tile ${which}` : piece] || piece;
  }

  function button(piece, count, heap = "") {
    const made = document.createElement("button");
    const [kind, which] = piece.piece.split(" ");
    made.type = "button";
    made.className = `virtual-piece${piece.lying ? " lying" : ""}${kind === "camel" ? ` player-${which}` : ""}${heap ? " heap" : ""}`;
    if (piece.tag) made.dataset.tag = piece.tag;
    made.dataset.piece = piece.piece;
    made.disabled = !piece.tag;
    made.tabIndex = -1;
    made.setAttribute("aria-label", heap ? `${heap}: ${count}` : name(piece.piece));
    made.setAttribute("aria-pressed", String(Boolean(piece.tag) && piece.tag === picked));
    made.title = heap || name(piece.piece);
    made.innerHTML = `<svg aria-hidden="true"><use href="#${symbol(piece)}"></use></svg>`;
    if (heap) {
      const label = document.createElement("span");
      label.className = "heap-name";
      label.textContent = heap;
      made.append(label);
    }
    if (count > 1 || heap) made.insertAdjacentHTML("beforeend", `<span class="many">${count}</span>`);
    return made;
  }

  function shown(spot) {
    const pieces = at(spot).filter((piece) => !piece.piece.startsWith("tile "));
    if (!heaps[spot]) return pieces.map((piece) => button(piece, 1));
    const kinds = new Map(heaps[spot].map((piece) => [piece, [{ piece }, 0]]));
    for (const piece of spot.startsWith("before ") ? pieces.slice(spare) : pieces) kinds.set(piece.piece, [piece, (kinds.get(piece.piece)?.[1] || 0) + 1]);
    return [...kinds].map(([piece, [one, count]]) =>
      button(one, count, words.heap[piece] || words.heap[piece.split(" ")[0]]),
    );
  }

  // Only places that changed are drawn again: a piece must not be taken away under a finger that is about to tap it.
  const drawn = new Map();

  function draw() {
    for (const [spot, element] of spots) {
      const now = JSON.stringify(at(spot));
      if (drawn.get(spot) === now) continue;
      drawn.set(spot, now);
      element
        .querySelector(".virtual-pieces")
        .replaceChildren(...shown(spot));
      if (!element.classList.contains("virtual-tile")) continue;
      const tile = at(spot).find((piece) => piece.piece.startsWith("tile "))?.piece.slice(5) || "";
      element.className = `virtual-tile ${tile ? tile.split(" ")[0] : "bare"}`;
      const print = root.querySelector(`[data-print="${tile}"]`);
      element.querySelector(".virtual-print").replaceChildren(...(print ? [print.content.cloneNode(true)] : []));
      element.setAttribute("aria-label", [spot, ...at(spot).map((piece) => name(piece.piece))].join(", "));
    }
    const line = document.getElementById("virtual-line");
    line.textContent = state.line.pulled ? line.dataset.pulled : state.line.noise ? line.dataset.noisy : "";
    root.dataset.version = state.version;
  }

  function pick(tag) {
    picked = tag;
    document.getElementById("virtual-picked").textContent = tag && find(tag) ? name(find(tag).piece) : "";
    for (const one of root.querySelectorAll("[data-tag]"))
      one.setAttribute("aria-pressed", String(one.dataset.tag === picked));
  }

  // Camels lie before their players; colours that nobody plays stay in the box.
  function seat() {
    const seats = document.getElementById("virtual-seats");
    people = new Map(new URLSearchParams(seats.dataset.people));
    spare = Number(seats.dataset.spareCamels);
    for (const colour of colours) {
      const tray = spots.get(`before ${colour}`);
      const heading = tray.querySelector("h2");
      heading.dataset.colour ??= heading.textContent;
      heading.textContent = people.get(colour) || heading.dataset.colour;
      tray.setAttribute("aria-label", `${heading.textContent}: ${words.heap.camel}`);
      tray.hidden = people.size > 0 && !people.has(colour);
    }
    drawn.clear();
    if (!dragged) draw();
  }

  // --- putting down ------------------------------------------------------------------------------------------------
  function put(spot) {
    const tag = picked || at("hand")[0]?.tag;
    pick(null);
    if (tag) move([tag], spot);
  }

  root.addEventListener("click", (event) => {
    const target = event.target.closest("button, [data-spot]");
    if (!target || dragged?.moved) return;
    // With a piece in hand a tap on a tile puts it down there, also where the finger meets a piece that stands on it.
    const tile = target.closest(".virtual-tile");
    if (target.dataset.tag && picked && tile && !at(tile.dataset.spot).some((piece) => piece.tag === picked))
      put(tile.dataset.spot);
    else if (target.dataset.lift) post("lift", { tile: target.dataset.lift });
    else if (target.dataset.tag) pick(target.dataset.tag === picked ? null : target.dataset.tag);
    else if (target.dataset.post) post(target.dataset.post);
    else if ("lay" in target.dataset) layOrStand();
    else if (target.dataset.spot && (picked || target.classList.contains("virtual-tile")))
      put(target.dataset.spot);
  });

  function layOrStand() {
    const piece = picked && find(picked);
    const spot = piece && Object.keys(state.spots).find((name) => at(name).includes(piece));
    if (piece) move([piece.tag], spot, !piece.lying);
  }

  for (const form of root.querySelectorAll("[data-form]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      post(form.dataset.form, Object.fromEntries(new FormData(form)));
    });
  }

  // --- dragging, with mouse or finger --------------------------------------------------------------------------------
  let dragged = null;
  const under = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-spot]");

  root.addEventListener("pointerdown", (event) => {
    const from = event.target.closest("[data-tag], [data-lift]");
    dragged = null;
    if (!from || event.button) return;
    const tags = from.dataset.tag
      ? [from.dataset.tag]
      : at(from.dataset.lift)
          .filter((piece) => piece.piece.startsWith("meeple "))
          .map((piece) => piece.tag);
    dragged = { tags, x: event.clientX, y: event.clientY, moved: false, ghost: null, over: null };
  });

  addEventListener("pointermove", (event) => {
    if (!dragged || !dragged.tags.length) return;
    if (!dragged.moved && Math.hypot(event.clientX - dragged.x, event.clientY - dragged.y) < 6) return;
    if (!dragged.moved) {
      dragged.moved = true;
      dragged.ghost = button(find(dragged.tags[0]), dragged.tags.length);
      dragged.ghost.removeAttribute("data-tag");
      dragged.ghost.classList.add("dragged");
      root.append(dragged.ghost);
    }
    dragged.ghost.style.left = `${event.clientX}px`;
    dragged.ghost.style.top = `${event.clientY}px`;
    dragged.over?.classList.remove("virtual-over");
    dragged.over = under(event);
    dragged.over?.classList.add("virtual-over");
  });

  // A dragging finger scrolls nothing. Without this a quick drop counts as a fling, and the tap after it is swallowed.
  root.addEventListener("touchmove", (event) => dragged && event.preventDefault(), { passive: false });

  function drop(event, done) {
    if (!dragged) return;
    if (dragged.moved) {
      dragged.ghost.remove();
      dragged.over?.classList.remove("virtual-over");
      const spot = done && under(event)?.dataset.spot;
      if (spot) {
        pick(null);
        move(dragged.tags, spot);
      }
    }
    setTimeout(() => {
      dragged = null;
      draw(); // what came meanwhile
    }); // the click that follows a drag is none
  }
  addEventListener("pointerup", (event) => drop(event, true));
  addEventListener("pointercancel", (event) => drop(event, false));
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    drop(event, false);
    pick(null);
  });

  // --- keys ------------------------------------------------------------------------------------------------------------
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  function go(from, [across, down]) {
    const column = Math.min(5, Math.max(0, from.charCodeAt(0) - 65 + across));
    const row = Math.min(5, Math.max(1, Number(from[1]) + down));
    for (const one of root.querySelectorAll(".virtual-tile")) one.tabIndex = -1;
    const tile = spots.get(String.fromCharCode(65 + column) + row);
    tile.tabIndex = 0;
    tile.focus();
  }

  const kinds = {
    Y: "meeple Y",
    W: "meeple W",
    G: "meeple G",
    B: "meeple B",
    R: "meeple R",
    P: "palm",
    H: "palace",
  };
  // Where a kind of piece is at home when it is not on the board.
  const home = (piece) =>
    piece.startsWith("camel ") ? `before ${piece.slice(6)}` : piece.startsWith("meeple ") ? "bag" : "supply";

  function wanted(event, letter) {
    const digit = /^Digit([1-4])$/.exec(event.code);
    return digit ? `camel ${colours[digit[1] - 1]}` : kinds[letter];
  }

  function pickFrom(piece, spot) {
    pick(at(spot).find((one) => one.piece === piece)?.tag || null);
  }

  root.addEventListener("keydown", (event) => {
    if (event.target.matches("select, input, summary") || event.ctrlKey || event.metaKey || event.altKey)
      return;
    const place = event.target.closest("[data-spot]");
    const letter = event.key.length === 1 ? event.key.toUpperCase() : "";
    if (event.key in steps && place?.classList.contains("virtual-tile"))
      go(place.dataset.spot, steps[event.key]);
    else if (letter === "L" && place?.classList.contains("virtual-tile"))
      post("lift", { tile: place.dataset.spot });
    else if (wanted(event, letter)) {
      const piece = wanted(event, letter);
      pickFrom(
        piece,
        event.shiftKey && place ? place.dataset.spot : piece.startsWith("meeple ") ? "hand" : home(piece),
      );
    } else if (event.key === "Enter" && event.target === place) put(place.dataset.spot);
    else if (event.key === "Backspace" && picked) put(home(find(picked).piece));
    else if (letter === "D") layOrStand();
    else if (letter === "T") post("draw");
    else if (letter === "Z") post("back");
    else return;
    event.preventDefault();
  });

  // --- the stream, which is the page's ---------------------------------------------------------------------------------------
  document.addEventListener("picture", (message) => {
    state = message.detail;
    if (!dragged) draw();
  });
  new MutationObserver(seat).observe(document.getElementById("virtual-seats").parentElement, { childList: true });
  seat();
})();

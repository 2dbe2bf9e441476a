// The picture of the path: pointing at a box, reaching it by keyboard or touching it shows its
// figures beside it; choosing it opens its row below. Without scripts browsers show its title.
(() => {
  const boxesIn = (place) => [...place.querySelectorAll(".diagram svg a")];
  const MARGIN = 8;
  let shown;

  // What it says is in the names of boxes, for those who hear it.
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  document.body.append(tip);

  const rowOf = (box) => document.getElementById(box.getAttribute("href").slice(1));

  function show(box, hint = "") {
    const parts = [...rowOf(box).querySelectorAll(":scope > strong, :scope > dl")];
    tip.replaceChildren(...parts.map((part) => part.cloneNode(true)), hint);
    shown = box;
    place();
  }

  function hide() {
    shown = undefined;
    tip.hidden = true;
  }

  // Below its box, above it where there is more room, and always within the window.
  function place() {
    if (shown === undefined) return;
    const box = shown.getBoundingClientRect();
    tip.hidden = box.bottom < 0 || box.top > innerHeight;
    const { width, height } = tip.getBoundingClientRect();
    const within = (at, length, room) => Math.max(MARGIN, Math.min(at, room - length - MARGIN));
    const below = box.bottom + MARGIN;
    const isBelow = innerHeight - box.bottom >= Math.min(box.top, height + 2 * MARGIN);
    const top = isBelow ? below : box.top - MARGIN - height;
    tip.style.left = `${within(box.left, width, document.documentElement.clientWidth)}px`;
    tip.style.top = `${within(top, height, innerHeight)}px`;
  }

  // A row, the folds around it, and what it stands for.
  function open(row) {
    row.querySelectorAll("details").forEach((one) => (one.open = true));
    for (let at = row; at; at = at.parentElement.closest("details")) at.open = true;
  }

  function prepare(box) {
    const title = box.querySelector("title");
    box.setAttribute("aria-label", title.textContent.replaceAll("\n", ", "));
    title.remove();
    // A finger cannot point: its first touch shows what pointing does, the next one leads on.
    let isFirst = false;
    box.addEventListener("pointerdown", ({ pointerType }) => {
      isFirst = pointerType === "touch" && shown !== box;
    });
    box.addEventListener("pointerenter", ({ pointerType }) => {
      if (pointerType !== "touch") show(box);
    });
    box.addEventListener("pointerleave", ({ pointerType }) => {
      if (pointerType !== "touch") hide();
    });
    box.addEventListener("focus", () => {
      if (box.matches(":focus-visible")) show(box);
    });
    box.addEventListener("blur", hide);
    box.addEventListener("click", (event) => {
      if (isFirst) {
        isFirst = false;
        event.preventDefault();
        show(box, "Touch it again for its row below.");
        return;
      }
      hide();
      open(rowOf(box));
    });
  }

  const boxes = boxesIn(document);
  boxes.forEach(prepare);
  // Boxes of a case that is chosen later.
  document.addEventListener("case", ({ detail }) => boxesIn(detail).forEach(prepare));
  if (boxes.length > 0) {
    addEventListener("pointerdown", ({ target }) => {
      if (!target.closest?.(".diagram svg a")) hide();
    });
    addEventListener("keydown", ({ key }) => {
      if (key === "Escape") hide();
    });
    addEventListener("scroll", place, { capture: true, passive: true });
    addEventListener("resize", place);
  }

  // An address that names a row.
  function follow() {
    const row = document.getElementById(location.hash.slice(1));
    if (!row?.matches(".diagram .row")) return;
    open(row);
    row.scrollIntoView();
  }
  addEventListener("hashchange", follow);
  follow();
  // What is drawn above it later does not push it away, until the reader moves.
  const keep = new ResizeObserver(follow);
  keep.observe(document.body);
  for (const moves of ["wheel", "touchstart", "pointerdown", "keydown", "hashchange"]) {
    addEventListener(moves, () => keep.disconnect(), { capture: true, once: true, passive: true });
  }
})();

// Draws each chart when it comes into view, gives its data as CSV, and shows the case that is
// chosen. Without it the page still has its verdict, tables and the picture of the path.
"use strict";
(() => {
  // A long fold is made when it is opened.
  function fill({ target }) {
    const late = target.querySelector(":scope > template");
    if (!target.open || !late) return;
    late.replaceWith(late.content);
    document.dispatchEvent(new CustomEvent("case", { detail: target }));
  }
  addEventListener("toggle", fill, { capture: true });

  // Browsers of before 2023 cannot unpack: they show the first cases and no chart.
  if (!("DecompressionStream" in window)) {
    const note = document.createElement("p");
    note.className = "hint";
    note.textContent = "This browser cannot unpack charts and further cases (DecompressionStream).";
    document.querySelector("main").prepend(note);
    return;
  }

  let library;
  // A server allows the scripts that know the word of its answer.
  const { nonce } = document.currentScript;

  // The chart library lies packed at the end of the page.
  const load = () => (library ??= unpack().then(() => window.Plotly));

  async function unpack() {
    const script = document.createElement("script");
    script.nonce = nonce;
    script.textContent = await unpacked(document.getElementById("plotly").textContent);
    document.head.append(script);
  }

  // What gzip and base64 made of a text.
  function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(plain).text();
  }

  // Buttons over a chart are for those who can point at them.
  const settings = {
    responsive: true,
    displaylogo: false,
    displayModeBar: matchMedia("(hover: hover)").matches ? "hover" : false,
    modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d", "toImage"],
  };

  // Data of figures, large ones packed; once they are there, they are there at once.
  const held = new WeakMap();
  async function dataOf(figure) {
    if (!held.has(figure)) {
      const { type, textContent } = figure.querySelector(":scope > script");
      const text = type === "application/json" ? textContent : await unpacked(textContent);
      held.set(figure, JSON.parse(text));
    }
    return held.get(figure);
  }

  // Puts columns and the colours of the theme where the description only names them.
  function filled(value, columns, style) {
    if (typeof value === "string") {
      const name = /^var\((--[a-z0-9-]+)\)$/.exec(value);
      return name ? style.getPropertyValue(name[1]).trim() : value;
    }
    if (Array.isArray(value)) return value.map((one) => filled(one, columns, style));
    if (value === null || typeof value !== "object") return value;
    if ("column" in value) {
      const values = columns[value.column].values;
      if (value.per === undefined) return values.map(escaped);
      const named = (one) => (typeof one === "string" ? escaped(one) : one);
      const scaled = (one) => (typeof one === "number" ? one / value.per : named(one));
      const colored = (one) => (typeof one === "number" ? Math.log10(one) : one);
      return values.map(value.log ? colored : scaled);
    }
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, one]) => [key, filled(one, columns, style)]));
  }

  const escaped = (one) =>
    String(one ?? "").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

  // On a phone long titles are broken.
  const NARROW = 600;
  const broken = (title) => title.replace(/(.{24}\S*) /g, "$1<br>");
  function narrow({ xaxis, yaxis }) {
    for (const { title } of [xaxis, yaxis]) title.text = broken(title.text);
  }

  // Names of phases stand above those that are as wide as their names.
  const LETTER = 6;
  function nameShades({ shapes, margin: { l, r } }, annotations, width) {
    const ends = shapes.flatMap(({ x0, x1 }) => [x0, x1]);
    const per = (width - l - r) / (Math.max(...ends) - Math.min(...ends));
    const hasRoom = ({ text }, at) => (shapes[at].x1 - shapes[at].x0) * per >= text.length * LETTER;
    return annotations.filter(hasRoom);
  }

  // Names down the vertical axis leave room for the chart: of those with many words the first and
  // the last lines are kept; hovering and the table below have them whole.
  const ROOM = { narrow: { lines: 3, length: 18 }, wide: { lines: 2, length: 48 } };
  function foldNames(chart, columns, layout, room) {
    if (layout.yaxis.type !== "category" || layout.yaxis.ticktext) return;
    const names = [...new Set(chart.data.flatMap(({ y }) => columns[y.column].values))];
    const text = (name) => linesOf(name, room).map(escaped).join("<br>");
    const labels = { tickvals: names.map(escaped), ticktext: names.map(text) };
    Object.assign(layout.yaxis, { tickmode: "array" }, labels);
  }

  function linesOf(name, { lines: most, length }) {
    const lines = [];
    for (const word of name.split(" ")) {
      const longer = `${lines.at(-1)} ${word}`;
      if (lines.length > 0 && longer.length <= length) lines.splice(-1, 1, longer);
      else lines.push(word);
    }
    if (lines.length > most) {
      lines.splice(most - 1, lines.length - most);
      lines[most - 2] += " …";
    }
    const cut = (line) => {
      const characters = [...line];
      if (characters.length <= length + 2) return line;
      const end = (from, to) => characters.slice(from, to).join("");
      return `${end(0, length / 2)}…${end(1 - length / 2)}`;
    };
    return lines.map(cut);
  }

  async function draw(figure) {
    await Promise.all([load(), dataOf(figure)]);
    return drawNow(figure);
  }

  // A chart in the colours of now, for so much room.
  function described(figure, width) {
    const { columns, chart } = held.get(figure);
    const { data, layout } = filled(chart, columns, getComputedStyle(root));
    const isNarrow = width < NARROW;
    if (isNarrow) narrow(layout);
    layout.annotations = nameShades(layout, layout.annotations, width);
    foldNames(chart, columns, layout, isNarrow ? ROOM.narrow : ROOM.wide);
    return { data, layout };
  }

  function drawNow(figure) {
    const place = figure.querySelector(".chart");
    // On paper as large as it is there, and not as the window is.
    const { clientWidth: width, clientHeight: height } = place;
    const { data, layout } = described(figure, width);
    if (isOnPaper()) Object.assign(layout, { width, height });
    const done = window.Plotly.react(place, data, layout, settings);
    figure.dataset.drawn = "";
    return done;
  }

  const figuresIn = (place) => [...place.querySelectorAll("figure:has(> .chart)")];
  const figures = () => figuresIn(document);
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        draw(target);
      }
    },
    { rootMargin: "200px" },
  );
  figures().forEach((figure) => observer.observe(figure));

  // Whether a figure is not in a closed fold; one that is cannot be drawn as large as it will be.
  const isOpen = (figure) => figure.checkVisibility();
  const drawn = () => figures().filter((figure) => "drawn" in figure.dataset);

  // Draws again what is open; the rest when it comes into view again.
  function again(how) {
    for (const figure of drawn()) {
      if (isOpen(figure)) {
        how(figure);
      } else {
        anew(figure);
      }
    }
  }
  function anew(figure) {
    delete figure.dataset.drawn;
    observer.observe(figure);
  }
  document.addEventListener("case", ({ detail }) => figuresIn(detail).forEach(anew));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", () => again(draw));

  // A browser prints what is there when the event ends: what is not in a closed fold is drawn at
  // once, in the light colours and the width of paper, and for the window again afterwards.
  const root = document.documentElement;
  const isOnPaper = () => root.classList.contains("paper");
  const isReady = (figure) => window.Plotly !== undefined && held.has(figure);
  const redraw = (figure) => (isReady(figure) ? drawNow : draw)(figure);
  function print(paper) {
    root.classList.toggle("paper", paper);
    if (paper) {
      figures().filter(isOpen).forEach(redraw);
    } else {
      again(redraw);
      const open = drawn().filter(isOpen);
      open.forEach((figure) => window.Plotly.Plots.resize(figure.querySelector(".chart")));
    }
  }
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));

  // For that, and for the first chart, everything is unpacked when there is nothing else to do.
  const whenIdle = window.requestIdleCallback ?? ((task) => setTimeout(task, 500));
  async function prepare() {
    await load();
    for (const figure of figures().filter(isOpen)) await dataOf(figure);
  }
  if (figures().length > 0) addEventListener("load", () => whenIdle(prepare));

  // A chart as it is on paper, below its title, as text for a file.
  async function saved({ figure, title, room }) {
    await Promise.all([load(), dataOf(figure)]);
    const { clientWidth: width, clientHeight } = figure.querySelector(".chart");
    const height = clientHeight + room;
    const wasOnPaper = isOnPaper();
    root.classList.add("paper");
    const { data, layout } = described(figure, width);
    layout.paper_bgcolor = getComputedStyle(root).getPropertyValue("--paper").trim();
    root.classList.toggle("paper", wasOnPaper);
    const top = { x: 0, xanchor: "left", y: 1, yanchor: "top", yref: "container" };
    const inside = { l: 12, t: 10 };
    layout.title = { text: escaped(title), font: { size: 14 }, pad: inside, ...top };
    layout.margin.t += room;
    const size = { width, height };
    const address = await window.Plotly.toImage({ data, layout }, { format: "svg", ...size });
    return { text: decodeURIComponent(address.slice(address.indexOf(",") + 1)), ...size };
  }
  document.addEventListener("save", ({ detail }) => {
    detail.drawn = saved(detail);
  });

  // Numbers as they are, names in quotes (RFC 4180).
  function csv(columns) {
    const cell = (one) =>
      one === null ? "" : typeof one === "number" ? String(one) : `"${one.replaceAll('"', '""')}"`;
    const length = Math.max(0, ...columns.map((column) => column.values.length));
    const lines = [columns.map((column) => cell(column.name)).join(",")];
    for (let row = 0; row < length; row += 1) {
      lines.push(columns.map((column) => cell(column.values[row] ?? null)).join(","));
    }
    return lines.join("\r\n") + "\r\n";
  }

  // The first click makes the file, which the second, our own, fetches.
  const isMade = (link) => link.href.startsWith("blob:");
  addEventListener("click", async (event) => {
    const link = event.target.closest("a.csv");
    if (!link || isMade(link)) return;
    event.preventDefault();
    const { columns } = await dataOf(link.closest("figure"));
    link.href = URL.createObjectURL(new Blob([csv(columns)], { type: "text/csv" }));
    link.click();
  });

  // The case that all sections of a page or a run show. What was shown of another one is kept, and
  // its charts are drawn again when they come into view, as the window may be another by then.
  const lists = [...document.querySelectorAll(".choice select")];
  const kept = new WeakMap();
  async function show(cases, trial) {
    if (!kept.has(cases)) {
      const all = [...cases.children].map((one) => [one.dataset.case, one]);
      kept.set(cases, { shown: cases.children[0], all: new Map(all) });
    }
    const own = kept.get(cases);
    own.wanted = trial;
    const next = await opened(own, trial);
    // Another one may have been chosen while this one was unpacked.
    if (own.wanted !== trial || next === undefined || next === own.shown) return;
    own.shown.replaceWith(next);
    own.shown = next;
    figuresIn(next).forEach(anew);
  }

  // The place of a case; made of its template, or of what is packed, where it has not been shown.
  async function opened({ all }, trial) {
    const one = all.get(trial);
    if (one === undefined || one.localName === "div") return one;
    const html = one.localName === "script" ? await unpacked(one.textContent) : undefined;
    if (all.get(trial) !== one) return all.get(trial);
    const place = document.createElement("div");
    place.dataset.case = trial;
    if (html === undefined) place.append(one.content);
    else place.innerHTML = html;
    one.remove();
    all.set(trial, place);
    document.dispatchEvent(new CustomEvent("case", { detail: place }));
    return place;
  }

  // Lists that stand where they stood at first are not in the address.
  function choose(list) {
    const { parentElement: around } = list.closest(".choice");
    const own = around.querySelectorAll(":scope > section .cases");
    own.forEach((cases) => show(cases, list.value));
  }
  function write() {
    const chosen = lists.filter((list) => list.selectedIndex > 0);
    const named = chosen.map(({ name, value }) => `${name}=${value}`).join("&");
    history.pushState(null, "", named ? `#${named}` : location.href.split("#")[0]);
  }
  // An address that names no case is one of a section or a row, and leaves what is shown.
  function read() {
    const named = new URLSearchParams(location.hash.slice(1));
    const isCase = lists.some(({ name }) => named.has(name));
    if (!isCase && location.hash !== "") return;
    for (const list of lists) {
      const at = [...list.options].findIndex(({ value }) => value === named.get(list.name));
      list.selectedIndex = Math.max(0, at);
      choose(list);
    }
  }
  for (const list of lists) {
    list.closest("label").hidden = false;
    list.addEventListener("change", () => {
      choose(list);
      write();
    });
  }
  addEventListener("hashchange", read);
  addEventListener("DOMContentLoaded", read);
})();

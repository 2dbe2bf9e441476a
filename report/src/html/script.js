// Draws each chart when it comes into view, and gives its data as CSV. Without it the page still
// has its verdict, tables and the picture of the path.
"use strict";
(() => {
  let library;
  // A server allows the scripts that know the word of its answer.
  const { nonce } = document.currentScript;

  // The chart library lies packed at the end of the page.
  const load = () => (library ??= unpack().then(() => window.Plotly));

  async function unpack() {
    const packed = atob(document.getElementById("plotly").textContent);
    const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.nonce = nonce;
    script.textContent = await new Response(plain).text();
    document.head.append(script);
  }

  // Buttons over a chart are for those who can point at them.
  const settings = {
    responsive: true,
    displaylogo: false,
    displayModeBar: matchMedia("(hover: hover)").matches ? "hover" : false,
    modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"],
  };

  const parsed = new WeakMap();
  const dataOf = (figure) => {
    if (!parsed.has(figure)) {
      parsed.set(figure, JSON.parse(figure.querySelector("script").textContent));
    }
    return parsed.get(figure);
  };

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
      const scaled = (one) => (typeof one === "number" ? one / value.per : one);
      const colored = (one) => (typeof one === "number" ? Math.log10(one) : one);
      return values.map(value.log ? colored : scaled);
    }
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, one]) => [key, filled(one, columns, style)]));
  }

  const escaped = (one) =>
    String(one ?? "").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

  // On a phone long titles are broken; names down the vertical axis would leave no room for the
  // chart, and hovering and the table below have them whole.
  const NARROW = 600;
  const SHORT = 18;
  const broken = (title) => title.replace(/(.{24}\S*) /g, "$1<br>");
  function narrow(data, layout) {
    for (const { title } of [layout.xaxis, layout.yaxis]) title.text = broken(title.text);
    const axis = layout.yaxis;
    if (axis.type !== "category") return;
    const names = [...new Set(data.flatMap((trace) => [...trace.y]))];
    const cut = (name) => (name.length > SHORT ? `${name.slice(0, SHORT - 1)}…` : name);
    Object.assign(axis, { tickmode: "array", tickvals: names, ticktext: names.map(cut) });
  }

  async function draw(figure) {
    const place = figure.querySelector(".chart");
    const { columns, chart } = dataOf(figure);
    const plotly = await load();
    const style = getComputedStyle(document.documentElement);
    const { data, layout } = filled(chart, columns, style);
    if (place.clientWidth < NARROW) narrow(data, layout);
    await plotly.react(place, data, layout, settings);
    figure.dataset.drawn = "";
  }

  const figures = [...document.querySelectorAll("figure:has(> .chart)")];
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
  figures.forEach((figure) => observer.observe(figure));

  const drawn = () => figures.filter((figure) => "drawn" in figure.dataset);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", () => drawn().forEach(draw));
  addEventListener("beforeprint", () => figures.forEach(draw));

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

  document.querySelectorAll("a.csv").forEach((link) =>
    link.addEventListener("click", () => {
      const { columns } = dataOf(link.closest("figure"));
      link.href = URL.createObjectURL(new Blob([csv(columns)], { type: "text/csv" }));
    }),
  );
})();

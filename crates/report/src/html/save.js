// Saves a chart or the picture of the path as a file: as it is on paper, light, with its title.
"use strict";
(() => {
  const root = document.documentElement;
  const NAMESPACE = "http://www.w3.org/2000/svg";
  // Room for a title above a picture, blank around it, and dots of a PNG for each of the page.
  const TITLE = 28;
  const BLANK = 12;
  const SHARP = 2;
  // What a style sheet says of a picture's parts.
  const STYLES = ["fill", "stroke", "stroke-width", "opacity", "font", "text-anchor"];

  // The picture of the path with the styles of the page in its parts.
  function drawn(figure) {
    const own = figure.querySelector(".wide > svg");
    const { width, height } = own.viewBox.baseVal;
    const svg = own.cloneNode(true);
    const parts = [...svg.querySelectorAll("*")];
    const wasOnPaper = root.classList.contains("paper");
    root.classList.add("paper");
    const paper = getComputedStyle(root).getPropertyValue("--paper").trim();
    svg.style.font = getComputedStyle(own).font;
    [...own.querySelectorAll("*")].forEach((one, at) => {
      const style = getComputedStyle(one);
      STYLES.forEach((name) => parts[at].style.setProperty(name, style.getPropertyValue(name)));
    });
    const ink = getComputedStyle(own).fill;
    root.classList.toggle("paper", wasOnPaper);
    // Rows that the boxes lead to are not in the file.
    svg.querySelectorAll("a").forEach((one) => one.removeAttribute("href"));
    const room = Math.max(width, widthOf(titleOf(figure), svg.style.font)) + 2 * BLANK;
    const size = { width: Math.ceil(room), height: Math.ceil(height + TITLE + 2 * BLANK) };
    const place = { x: -BLANK, y: -TITLE - BLANK, ...size, fill: paper };
    svg.setAttribute("viewBox", `${place.x} ${place.y} ${size.width} ${size.height}`);
    svg.setAttribute("width", size.width);
    svg.setAttribute("height", size.height);
    const title = { x: 0, y: 12 - TITLE, fill: ink, "font-weight": 600 };
    svg.prepend(part("rect", place), part("text", title, titleOf(figure)));
    return { text: new XMLSerializer().serializeToString(svg), ...size };
  }

  function part(name, attributes, text = "") {
    const made = document.createElementNS(NAMESPACE, name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    made.textContent = text;
    return made;
  }

  function widthOf(text, font) {
    const context = document.createElement("canvas").getContext("2d");
    context.font = `600 ${font}`;
    return context.measureText(text).width;
  }

  const titleOf = (figure) => figure.querySelector("figcaption strong").textContent;

  // Whoever draws the charts answers with a promise of the text and the size of one.
  function chart(figure) {
    const asked = { figure, title: titleOf(figure), room: TITLE };
    document.dispatchEvent(new CustomEvent("save", { detail: asked }));
    return asked.drawn;
  }

  async function dots({ text, width, height }) {
    const image = new Image(width, height);
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: width * SHARP, height: height * SHARP });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  addEventListener("click", async ({ target }) => {
    const button = target.closest("button.save");
    if (!button) return;
    const figure = button.closest("figure");
    const svg = figure.matches(".diagram") ? drawn(figure) : await chart(figure);
    if (!svg) return;
    const isSvg = button.value === "svg";
    const file = isSvg ? new Blob([svg.text], { type: "image/svg+xml" }) : await dots(svg);
    const link = document.createElement("a");
    Object.assign(link, { href: URL.createObjectURL(file), download: button.name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  });
})();

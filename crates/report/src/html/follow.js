// Follows a run under way; leads to its report when it has ended.
"use strict";
(() => {
  const INTERVAL_MS = 1000;

  async function look() {
    try {
      const answer = await fetch(location.href);
      if (answer.redirected) {
        location.replace(answer.url);
        return;
      }
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        document.title = page.title;
        for (const part of ["header", "main"]) {
          document.querySelector(part).replaceWith(page.querySelector(part));
        }
      }
    } catch {
      // The server is away: what was seen last stays, and the next look may find it.
    }
    setTimeout(look, INTERVAL_MS);
  }

  setTimeout(look, INTERVAL_MS);
})();

// The minutes that are left to write, counted down where a page says them.
(() => {
  "use strict";

  const ends = new WeakMap();

  function tick() {
    for (const left of document.querySelectorAll("[data-left]")) {
      if (!ends.has(left)) ends.set(left, Date.now() + Number(left.dataset.left) * 1000);
      const minutes = (ends.get(left) - Date.now()) / 60000;
      const words = left.dataset.words.replace("#", Math.max(1, Math.round(minutes)).toLocaleString(document.documentElement.lang));
      if (left.textContent !== words) left.textContent = words;
    }
  }

  tick();
  setInterval(tick, 1000);
})();

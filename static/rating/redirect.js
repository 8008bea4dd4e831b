// The way back to the platform: after some seconds, unless the rater stays.
(() => {
  "use strict";

  function redirect(box) {
    let left = Number(box.dataset.seconds);
    box.hidden = false;
    const clock = setInterval(() => {
      left -= 1;
      box.querySelector("[data-count]").textContent = left.toLocaleString(document.documentElement.lang);
      if (left <= 0) { clearInterval(clock); location.assign(box.dataset.redirect); }
    }, 1000);
    box.querySelector("[data-stop]").addEventListener("click", () => { clearInterval(clock); box.remove(); });
  }

  document.querySelectorAll("[data-redirect]").forEach(redirect);
})();

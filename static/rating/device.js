// The class of device, by the width of the window, beside each answer. Nothing that identifies; without this file nothing.
(() => {
  "use strict";

  const device = () => (innerWidth < 600 ? "phone" : innerWidth < 1024 ? "tablet" : "desktop");
  const note = () => document.querySelectorAll("[data-device]").forEach((input) => { input.value = device(); });

  document.addEventListener("htmx:afterSettle", note);
  addEventListener("resize", note);
  note();
})();

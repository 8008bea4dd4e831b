// The waiting room goes on by itself, also in a tab that is not in view.
(() => {
  "use strict";

  const RETRY_MS = 5000;
  const here = document.getElementById("waiting");
  const events = new EventSource(here.dataset.events);
  events.addEventListener("end", () => { events.close(); location.replace(here.href); });
  // A broken connection is opened again by the browser; one that was refused is not.
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(() => location.replace(here.href), RETRY_MS);
  });
})();

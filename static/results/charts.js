// A chart that the server could not draw in time says so, and is asked for again: by itself, later each time, and by a
// button. Without this script its text alternative and its data remain.
(() => {
  "use strict";

  const WAITS_S = [5, 10, 20, 40];

  function watch(image) {
    const note = document.createElement("p");
    const words = document.createElement("span");
    const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet small", textContent: "Try again" });
    let tries = 0;
    let timer = 0;
    let isLoading = true;
    note.className = "not-drawn";
    note.setAttribute("role", "status");
    note.append(words, " ", button);

    // Setting the same address asks for a picture again if it is not there.
    const again = () => {
      if (isLoading) return;
      isLoading = true;
      clearTimeout(timer);
      words.textContent = "Loading the chart.";
      image.src = image.getAttribute("src");
    };
    const failed = () => {
      if (!isLoading) return;
      isLoading = false;
      const wait = WAITS_S[tries];
      tries += 1;
      words.textContent = "This chart could not be loaded; the server may be busy.";
      if (wait) words.textContent += ` It is tried again in ${wait} seconds.`;
      if (wait) timer = setTimeout(again, wait * 1000);
      if (!note.isConnected) image.closest(".drawing").after(note);
    };
    button.addEventListener("click", again);
    image.addEventListener("error", failed);
    image.addEventListener("load", () => {
      const hadFocus = note.contains(document.activeElement);
      note.remove();
      tries = 0;
      if (hadFocus) image.closest(".drawing").focus();
    });
    if (image.complete && !image.naturalWidth) failed();
  }

  document.querySelectorAll(".drawing img").forEach(watch);
})();

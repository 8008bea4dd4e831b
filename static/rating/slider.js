// Sliders. Without this file a number is typed. There is no handle until somebody gave a value.
(() => {
  "use strict";

  function make(box) {
    if (box.dataset.ready) return;
    box.dataset.ready = "yes";
    const number = box.querySelector("input[type=number]");
    const range = Object.assign(document.createElement("input"), { type: "range", min: number.min, max: number.max, step: number.step });
    const question = box.closest("fieldset");
    if ("turned" in box.dataset) range.dir = document.documentElement.dir === "rtl" ? "ltr" : "rtl";
    range.setAttribute("aria-label", question.querySelector("legend").textContent.trim());
    const show = () => {
      range.classList.toggle("untouched", number.value === "");
      // Without a number it is the middle of the ends.
      range.value = number.value;
      range.setAttribute("aria-valuetext", number.value || box.dataset.notSet);
    };
    const take = () => {
      number.value = range.value;
      question.querySelectorAll("input[type=radio]").forEach((radio) => { radio.checked = false; });
      show();
    };
    const begin = () => {
      if (number.value !== "") return;
      take();
      range.dispatchEvent(new Event("change", { bubbles: true }));
    };
    // A press where the handle would be changes no value, yet it is an answer. A finger makes no click on a slider.
    range.addEventListener("click", begin);
    range.addEventListener("pointerup", ({ pointerType }) => { if (pointerType !== "mouse") begin(); });
    // The first key sets the handle where it would be, in the middle; the next ones move it.
    range.addEventListener("keydown", (event) => {
      if (number.value !== "" || event.ctrlKey || event.metaKey || event.altKey || !/^(Arrow|Page| )/.test(event.key)) return;
      event.preventDefault();
      begin();
    });
    range.addEventListener("input", take);
    number.addEventListener("input", show);
    question.addEventListener("change", ({ target }) => { if (target.type === "radio") { number.value = ""; show(); } });
    const hint = Object.assign(document.createElement("p"), { className: "slider-hint", textContent: box.dataset.hint });
    hint.setAttribute("aria-hidden", "true");
    const track = Object.assign(document.createElement("div"), { className: "slider-track" });
    track.append(range, hint);
    number.before(track);
    box.closest("[data-slot]").addEventListener("attune:shown", show);
    show();
  }

  const start = () => document.querySelectorAll("[data-slider]").forEach(make);
  document.addEventListener("htmx:afterSettle", start);
  start();
})();

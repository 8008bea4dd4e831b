// How a text answer is typed, where the study says so: changes by keys, pasted characters, time from the first to the last.
// Which keys were pressed is not looked at. The counts outlive a reload of the page in the same tab.
(() => {
  "use strict";

  const PASTES = ["insertFromPaste", "insertFromDrop"];
  const counts = new Map();
  const nameOf = (input) => `attune-typing:${input.form.dataset.save ?? location.pathname}#${input.name}`;

  function stored(name) {
    try { return JSON.parse(sessionStorage.getItem(name)); } catch { return null; }
  }

  function keep(name, count) {
    try { sessionStorage.setItem(name, JSON.stringify(count)); } catch { /* storage may be off: counts live as long as the page */ }
  }

  // Time in which the page was not open does not count: it goes on from the time so far.
  function countOf(name) {
    if (!counts.has(name)) counts.set(name, { keys: 0, pasted: 0, ms: 0, ...stored(name), last: null });
    return counts.get(name);
  }

  function write(input) {
    const { keys, pasted, ms } = countOf(nameOf(input));
    input.value = `${keys},${pasted},${Math.round(ms)}`;
  }

  const fieldOf = (area) => area.closest("[data-slot]")?.querySelector("[data-typing]");
  const isAnswer = (area, input) => input && input.name === `${area.name}.typing`;

  // Before saving.js reads the form, so in the capture phase.
  document.addEventListener("input", (event) => {
    const input = event.target.matches?.("textarea") ? fieldOf(event.target) : null;
    if (!isAnswer(event.target, input)) return;
    const name = nameOf(input);
    const count = countOf(name);
    if (!PASTES.includes(event.inputType)) {
      const now = performance.now();
      count.keys += 1;
      count.ms += count.last === null ? 0 : now - count.last;
      count.last = now;
    }
    keep(name, count);
    write(input);
  }, true);

  function pasted(event, text) {
    const input = event.target.matches?.("textarea") ? fieldOf(event.target) : null;
    if (!isAnswer(event.target, input) || !text) return;
    countOf(nameOf(input)).pasted += [...text].length;
  }

  document.addEventListener("paste", (event) => pasted(event, event.clipboardData?.getData("text")), true);
  document.addEventListener("drop", (event) => pasted(event, event.dataTransfer?.getData("text")), true);

  const begin = () => document.querySelectorAll("[data-typing]").forEach(write);
  document.addEventListener("htmx:afterSettle", begin);
  begin();
})();

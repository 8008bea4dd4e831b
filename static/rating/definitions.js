// What an answer means, in a line of its own below the question, while the pointer, a finger or the focus is on the answer
// or on its word. Without this file all definitions are in the list below the line.
(() => {
  "use strict";

  const { $, $$ } = attune;
  const questionOf = (target) => { const question = target.closest?.(".question"); return question && $(".means-now", question) ? question : null; };

  function pointOf(target, question) {
    const head = target.closest(".head");
    return head ? $$(".points", question)[0].querySelectorAll(".point")[[...head.parentElement.children].indexOf(head)] : target.closest(".point");
  }

  function tell(question, point) {
    const line = $(".means-now", question);
    line.textContent = point?.dataset.means ?? line.dataset.hint;
  }

  for (const kind of ["pointerover", "focusin"]) {
    document.addEventListener(kind, ({ target }) => {
      const question = questionOf(target);
      const point = question && pointOf(target, question);
      if (point) tell(question, point);
    });
  }
  document.addEventListener("pointerout", ({ target, pointerType, relatedTarget }) => {
    const question = questionOf(target);
    if (!question || pointerType === "touch" || question.contains(relatedTarget)) return;
    tell(question, $(".point:has(:focus)", question));
  });

  // The longest definition has room.
  function start() {
    for (const line of $$(".means-now")) {
      const now = line.textContent;
      line.hidden = false;
      line.style.minHeight = "";
      const heights = $$("[data-means]", line.closest(".question")).map(({ dataset }) => { line.textContent = dataset.means; return line.getBoundingClientRect().height; });
      line.textContent = now;
      line.style.minHeight = `${Math.max(...heights)}px`;
    }
  }
  addEventListener("resize", start);
  document.addEventListener("htmx:afterSettle", start);
  start();
})();

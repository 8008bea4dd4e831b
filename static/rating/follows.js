// Questions that follow from an answer on the same page appear and go at once. Without this script the server asks them
// when the page is sent. A disabled fieldset sends nothing, so the answers of hidden questions stay here.
(() => {
  "use strict";

  const holds = (values, { answers, atLeast }) => values.some((value) => (
    atLeast === undefined ? JSON.parse(answers).some((one) => one === value || (value.trim() && Number(one) === Number(value))) : value.trim() && Number(value) >= Number(atLeast)
  ));

  // In the order of the page: a question that goes takes along those that follow from it.
  function update() {
    for (const box of document.querySelectorAll("fieldset[data-follows]")) {
      const values = new FormData(box.form).getAll(box.dataset.follows).filter(Boolean);
      const isAsked = holds(values, box.dataset);
      box.hidden = !isAsked;
      box.disabled = !isAsked;
    }
  }

  for (const event of ["change", "input", "attune:shown"]) document.addEventListener(event, update);
  update();
})();

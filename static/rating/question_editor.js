// The question editor: click a question to edit it, drag it, move it with keys. Without this file there are buttons.
(() => {
  "use strict";

  const $ = (selector, within = document) => within.querySelector(selector);

  // A button of the list, as if it was pressed.
  function press(value) {
    const form = $("#list-form");
    const button = Object.assign(document.createElement("button"), { type: "submit", name: "do", value, hidden: true });
    form.replaceChildren(button);
    button.click();
  }

  document.addEventListener("click", (event) => {
    if (!event.target.closest(".asked-as-seen :is(legend, .legend, .asked)")) return;
    const edit = $("[data-edit]", event.target.closest(".asked-one"));
    if (edit) { event.preventDefault(); edit.click(); }
  });

  document.addEventListener("keydown", (event) => {
    const one = event.target.closest?.(".asked-one");
    if (!one || !event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    const button = $(`.asked-tools [value^="${event.key === "ArrowUp" ? "up" : "down"} "]`, one);
    if (!button.disabled) button.click();
  });

  // Dragging starts at the handle only, so that text can still be selected.
  let dragged = null;
  document.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.(".drag")?.closest(".asked-one") ?? null;
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", "");
    event.dataTransfer.setDragImage(dragged, 20, 20);
  });
  document.addEventListener("dragover", (event) => {
    const over = dragged && event.target.closest(".asked-one");
    for (const one of document.querySelectorAll(".is-over")) one.classList.remove("is-over");
    if (!over || over.parentElement !== dragged.parentElement) return;
    event.preventDefault();
    over.classList.add("is-over");
  });
  document.addEventListener("drop", (event) => {
    const over = dragged && event.target.closest(".asked-one");
    if (!over || over === dragged) return;
    event.preventDefault();
    press(`place ${over.dataset.place} ${dragged.dataset.key}`);
  });
  document.addEventListener("dragend", () => { dragged = null; });

  // What is typed is not saved yet. Whatever else is pressed, it is saved first.
  let isTyped = false;
  document.addEventListener("input", ({ target }) => {
    if (target.form?.id !== "design-form") return;
    isTyped = true;
    const line = $("#design-state [role=status]");
    line.classList.remove("problem");
    line.textContent = "Saving…";
  });
  document.addEventListener("htmx:beforeRequest", ({ detail }) => { if (detail.elt.id === "saves") isTyped = false; });
  document.addEventListener("htmx:confirm", (event) => {
    const { elt, issueRequest } = event.detail;
    const saves = $("#saves");
    if (!isTyped || !saves || ["saves", "design-form"].includes(elt.id)) return;
    event.preventDefault();
    saves.addEventListener("htmx:afterRequest", () => issueRequest(true), { once: true });
    globalThis.htmx.trigger(saves, "now");
  });

  // The answer to a save may come when its question is no longer open.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!event.detail.target.isConnected) event.detail.shouldSwap = false;
  });

  const show = () => { for (const one of document.querySelectorAll(".drag")) one.hidden = false; };
  document.addEventListener("htmx:afterSwap", show);
  show();
})();

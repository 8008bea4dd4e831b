// What the scripts of a page with questions share. Without any of them the page is a form that works.
globalThis.attune = (() => {
  "use strict";

  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const form = () => $("form[data-save], form[data-unsaved]");

  // A browser may forbid or fill its storage; then what would be kept there lives as long as the page.
  const kept = {
    get(name) { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } },
    set(name, value) { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* see above */ } },
    drop(name) { try { localStorage.removeItem(name); } catch { /* see above */ } },
    names(prefix) { try { return Object.keys(localStorage).filter((name) => name.startsWith(prefix)).sort(); } catch { return []; } },
  };

  // What scripts say stands in the page, in its language.
  const words = () => $("#save-state")?.dataset ?? {};

  function say(state, text) {
    const status = $("#save-state");
    if (!status) return;
    status.dataset.state = state;
    if (status.textContent !== text) status.textContent = text;
  }

  // Questions: each group is answered by one gesture, or marked, or written.
  const groups = () => $$("fieldset[data-group], fieldset[data-highlight], textarea[data-required]", form()).filter((group) => !group.closest("fieldset:disabled"));

  function isAnswered(group) {
    if (group.matches("textarea")) return group.value.trim() !== "";
    if (group.matches("[data-highlight]")) return $("input[type=hidden]", group).value !== "";
    if (group.dataset.strengthOf) {
      const side = $(`[name="${group.dataset.strengthOf}"]:checked`);
      return !["left", "right"].includes(side?.value) || $(":checked", group) !== null;
    }
    return $(":checked", group) !== null || ($("input[type=number]", group)?.value ?? "") !== "";
  }

  const isMissing = (group) => group.matches("[data-required], [data-strength-of]") && !isAnswered(group);

  // "None of these" stands alone.
  document.addEventListener("change", ({ target }) => {
    if (target.type !== "checkbox" || !target.checked) return;
    for (const other of $$("input[type=checkbox]", target.closest("fieldset") ?? target)) {
      if (other !== target && ("exclusive" in target.dataset || "exclusive" in other.dataset)) other.checked = false;
    }
  });

  // What was wrong with an answer is said until the answer changes; the list above the page tells what was submitted. Its
  // room is kept: an answer changes when a button is pressed, and that button must not move away under the pointer.
  document.addEventListener("change", ({ target }) => {
    const slot = target.closest("[data-slot]");
    const error = slot && $(".error-text", slot);
    if (!error || target.name?.endsWith(".comment")) return;
    for (const field of $$(`[aria-describedby~="${error.id}"]`, slot)) {
      field.setAttribute("aria-describedby", field.getAttribute("aria-describedby").replace(error.id, "").trim());
    }
    slot.classList.remove("is-wrong");
    error.classList.add("is-settled");
  });

  // Without a preference it has no strength: what is not stored can neither be chosen nor stay chosen.
  function askStrength() {
    for (const box of $$("[data-strength-of]")) {
      const choice = $(`[name="${box.dataset.strengthOf}"]:checked`);
      box.disabled = Boolean(choice) && !["left", "right"].includes(choice.value);
      if (box.disabled) for (const input of $$(":checked", box)) input.checked = false;
    }
  }
  for (const event of ["change", "attune:shown", "htmx:afterSwap"]) document.addEventListener(event, askStrength);
  askStrength();

  // A report about the item is sent in place: the page and its answers stay as they are.
  document.addEventListener("submit", async (event) => {
    const report = event.target;
    if (!report.matches("#report form")) return;
    event.preventDefault();
    const button = $("button", report);
    button.disabled = true;
    const answer = await fetch(report.action, { method: "POST", body: new URLSearchParams(new FormData(report)), headers: { "HX-Request": "true" } })
      .catch(() => null);
    if (answer?.ok || answer?.status === 422) {
      const now = document.createRange().createContextualFragment(await answer.text());
      report.replaceChildren(...$("form", now).childNodes);
      $("textarea", report).focus();
      return;
    }
    button.disabled = false;
    $("[role=status]", report).replaceChildren(Object.assign(document.createElement("p"), { className: "error-text", textContent: report.dataset.unsent }));
  });

  return { $, $$, form, kept, words, say, groups, isAnswered, isMissing };
})();

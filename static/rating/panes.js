// The texts follow the questions: the response that is being rated, or the turn, comes into view in its pane.
(() => {
  "use strict";

  const { $, $$, form, isAnswered } = attune;
  const isPhone = matchMedia("(max-width: 47.99rem)");
  const isAbove = matchMedia("(max-width: 74.99rem)");
  const isCalm = matchMedia("(prefers-reduced-motion:reduce)");
  const places = new Map();
  let byPointer = false;

  const scrolls = (element) => element && element.scrollHeight > element.clientHeight + 1 && ["auto", "scroll"].includes(getComputedStyle(element).overflowY);
  const pane = () => ["#reading", "#texts"].map((id) => $(id)).find(scrolls);
  const switchNow = () => { const now = $(".switch"); return now && getComputedStyle(now).display !== "none" ? now : null; };

  function reveal(target) {
    const box = pane();
    if (!box || !target) return;
    const [outer, inner] = [box.getBoundingClientRect(), target.getBoundingClientRect()];
    // At the end of a page its upper part lies behind the bar.
    const top = Math.max(outer.top, $(".sheet-bar")?.getBoundingClientRect().bottom ?? 0) + (switchNow()?.offsetHeight ?? 0);
    const bottom = Math.min(outer.bottom, innerHeight);
    const isWhole = inner.top >= top - 1 && inner.bottom <= bottom + 1;
    const fills = inner.top <= top + 1 && inner.bottom >= bottom - 1;
    if (!isWhole && !fills) box.scrollTop += inner.top - top - 4;
  }

  // Whoever goes to and fro between two long texts finds each where they left it.
  function turnTo(radio) {
    if (radio.checked) return;
    const before = $(".switch :checked");
    const box = pane();
    if (box) places.set(before.value, box.scrollTop);
    radio.checked = true;
    arrive(radio);
  }

  function arrive(radio) {
    const box = pane();
    if (!box) return;
    if (places.has(radio.value)) box.scrollTop = places.get(radio.value);
    else reveal($(`[data-response="${radio.value}"]`));
  }

  function rest() {
    $$(".slot.now").forEach((other) => other.classList.remove("now"));
    $$(".in-view").forEach((other) => other.classList.remove("in-view"));
  }

  function attend(slot, { of, turn } = slot.dataset) {
    rest();
    slot.classList.add("now");
    if (slot.closest(".question-choice")) { if (!switchNow()) reveal($(".responses")); return; }
    const response = $(`[data-response="${of}"]`);
    const radio = $(`.switch [value="${of}"]`);
    if (radio) {
      response.classList.add("in-view");
      if (switchNow() && !$(".switch [value=all]").checked) turnTo(radio);
    }
    const said = turn && $(`[data-text="${of}"][data-turn="${turn}"]`)?.closest(".turn");
    said?.classList.add("in-view");
    if (said || radio) reveal(said ?? response);
  }

  // By touch: after a tap the next row that is open is the one to look at.
  function goOn(slot) {
    const slots = $$(".slot", form());
    const isOpen = (other) => $$("fieldset[data-group]", other).some((group) => !isAnswered(group));
    const next = isOpen(slot) ? slot : slots.slice(slots.indexOf(slot) + 1).find(isOpen);
    if (!next || next === slot) return;
    attend(next);
    next.closest(".question").scrollIntoView({ block: "nearest", behavior: isCalm.matches ? "auto" : "smooth" });
  }

  document.addEventListener("pointerdown", () => { byPointer = true; }, true);
  document.addEventListener("keydown", () => { byPointer = false; }, true);
  document.addEventListener("focusin", ({ target }) => { const slot = target.closest?.(".asks .slot"); if (slot) attend(slot, target.closest("[data-of]").dataset); else if (!byPointer) rest(); });
  document.addEventListener("change", ({ target }) => {
    if (target.matches("[data-show]")) { evenOut(); arrive(target); return; }
    const slot = target.closest(".asks .slot");
    if (slot && byPointer && isPhone.matches && target.type === "radio") setTimeout(() => { if (slot.isConnected) goOn(slot); }, 250);
  });

  // Only what scrolls takes a stop of Tab.
  function measure() {
    for (const id of ["#texts", "#reading"]) {
      const box = $(id);
      if (!box) continue;
      if (scrolls(box)) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }

  // Above the questions, one response at a time takes the room of the longest: a pane that grew while a finger is on a row
  // would move the row away from under it, and the tap would be lost. Beside them, a short response takes only its own.
  function evenOut() {
    const group = $(".responses"), now = switchNow();
    if (!group) return;
    group.style.minHeight = "";
    if (!now || !isAbove.matches || $("[value=all]", now).checked) return;
    const each = $$(".response", group);
    each.forEach((response) => { response.style.display = "block"; });
    const tallest = Math.ceil(Math.max(...each.map((response) => response.getBoundingClientRect().height)));
    const room = (pane()?.clientHeight ?? Infinity) - now.offsetHeight;
    each.forEach((response) => { response.style.display = ""; });
    group.style.minHeight = `${Math.min(tallest, room)}px`;
  }

  function start() {
    places.clear();
    evenOut();
    measure();
    reveal($(".turn-now"));
  }

  addEventListener("resize", () => { evenOut(); measure(); });
  document.addEventListener("htmx:afterSettle", start);
  document.addEventListener("toggle", ({ target }) => {
    measure();
    // They open at the end of the page, below what is in sight.
    if (target.matches(".sheet-more > details") && target.open) target.scrollIntoView({ block: "nearest", behavior: isCalm.matches ? "auto" : "smooth" });
  }, true);
  start();
})();

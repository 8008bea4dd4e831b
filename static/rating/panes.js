// The texts follow the questions: the response that is being rated, or the turn, comes into view in its pane.
(() => {
  "use strict";

  const { $, $$, form, isAnswered } = attune;
  const isPhone = matchMedia("(max-width: 47.99rem)");
  const isAbove = matchMedia("(max-width: 74.99rem)");
  const isCalm = matchMedia("(prefers-reduced-motion:reduce)");
  const places = new Map();
  let byPointer = false;
  let going = 0;

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
    const all = next.closest(".matrix") ? next : next.closest(".question");
    all.scrollIntoView({ block: "nearest", behavior: isCalm.matches ? "auto" : "smooth" });
  }

  // What is under a finger stays there until it is lifted: while the page moves, a tap would meet nothing, or another answer.
  function stand() {
    clearTimeout(going);
    scrollTo(scrollX, scrollY);
  }

  function showAnswered() {
    for (const question of $$(".asks .question")) {
      const all = $$("[data-group]", question);
      question.classList.toggle("is-answered", all.length > 0 && all.every(isAnswered));
    }
  }

  for (const event of ["change", "attune:shown"]) document.addEventListener(event, showAnswered);
  document.addEventListener("pointerdown", () => { byPointer = true; stand(); }, true);
  document.addEventListener("keydown", () => { byPointer = false; }, true);
  document.addEventListener("focusin", ({ target }) => { const slot = target.closest?.(".asks .slot"); if (slot) attend(slot, target.closest("[data-of]").dataset); else if (!byPointer) rest(); });
  document.addEventListener("change", ({ target }) => {
    // A response that is chosen right after a tap stays in view.
    clearTimeout(going);
    if (target.matches("[data-show]")) {
      if (target.value === "situation") repeatSituation();
      evenOut();
      arrive(target);
      return;
    }
    const slot = target.closest(".asks .slot");
    if (slot && byPointer && isPhone.matches && target.type === "radio") going = setTimeout(() => { if (slot.isConnected) goOn(slot); }, 250);
  });

  // On a phone, a copy of the situation in the pane of the responses. It is only read: no words can be marked in it.
  function repeatSituation() {
    const copies = $$(".situation details > :not(summary)").map((part) => part.cloneNode(true));
    for (const part of copies.flatMap((copy) => [copy, ...$$("*", copy)])) for (const name of ["id", "data-text", "data-turn", "tabindex"]) part.removeAttribute(name);
    $(".situation-copy").replaceChildren(...copies);
  }

  // Only what scrolls takes a stop of Tab.
  function measure() {
    for (const id of ["#texts", "#reading"]) {
      const box = $(id);
      if (!box) continue;
      if (scrolls(box)) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
      fade(box);
    }
    keepHeads();
  }

  const fade = (box) => box.classList.toggle("is-cut", scrolls(box) && box.scrollTop + box.clientHeight < box.scrollHeight - 4);

  // The labels of a matrix stay in sight below the bar and the texts while three fifths of the window hold all of it.
  function keepHeads() {
    const heightOf = (name) => ($(name) && getComputedStyle($(name)).position === "sticky" ? $(name).offsetHeight : 0);
    const bar = heightOf(".sheet-bar");
    const height = bar + (isAbove.matches ? heightOf("#texts") + heightOf("#reading") : 0);
    const desk = $(".desk");
    // A bar of two lines, as in a narrow window in German, covers nothing.
    if (bar) desk?.style.setProperty("--bar", `${bar}px`); else desk?.style.removeProperty("--bar");
    desk?.style.setProperty("--above", `${height}px`);
    for (const heads of $$(".matrix .heads")) heads.classList.toggle("stays", height + heads.offsetHeight < innerHeight * .62 && heads.offsetHeight < innerHeight / 4);
  }

  // A pane grows and shrinks with what it shows.
  const resized = new ResizeObserver(measure);

  // Above the questions, one response at a time takes the room of the longest: a pane that grew while a finger is on a row
  // would move the row away from under it, and the tap would be lost. Beside them, a short response takes only its own.
  function evenOut() {
    const group = $(".responses"), now = switchNow();
    if (!group) return;
    group.style.minHeight = "";
    if (!now || !isAbove.matches || $("[value=all]", now).checked) return;
    const each = $$(".response", group);
    if ($("[value=situation]:checked", now)) each.push($(".situation-copy"));
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
    resized.disconnect();
    for (const name of [".sheet-bar", "#texts", "#reading"]) if ($(name)) resized.observe($(name));
    reveal($(".turn-now"));
    showAnswered();
  }

  addEventListener("resize", () => { evenOut(); measure(); });
  document.addEventListener("scroll", ({ target }) => { if (target.matches?.("#texts, #reading")) fade(target); }, { capture: true, passive: true });
  document.addEventListener("htmx:afterSettle", start);
  document.addEventListener("toggle", ({ target }) => {
    measure();
    // They open at the end of the page, below what is in sight.
    if (target.matches(".sheet-more > details") && target.open) target.scrollIntoView({ block: "nearest", behavior: isCalm.matches ? "auto" : "smooth" });
  }, true);
  start();
})();

// Marking passages of a text. Without this file the words are copied into a field; the server finds them.
(() => {
  "use strict";

  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const length = (text) => [...text].length;
  const KINDS = 4;
  let last = null;
  let used = null;
  let tapped = null;

  // Texts
  const textsOf = (box) => $$(`[data-text="${box.dataset.of}"]${box.dataset.turn ? `[data-turn="${box.dataset.turn}"]` : ""}`);

  function textOf(box, span) {
    const texts = textsOf(box);
    return span.turn ? texts.find((text) => text.dataset.turn === String(span.turn)) : texts[0];
  }

  // Spans count characters, a DOM range counts halves of some of them.
  function rangeOf(box, span) {
    const text = textOf(box, span);
    const characters = [...text.textContent];
    const at = (n) => characters.slice(0, n).join("").length;
    const range = document.createRange();
    range.setStart(text.firstChild, at(span.start));
    range.setEnd(text.firstChild, at(span.end));
    return range;
  }

  function spanIn(text, selected, inTurns) {
    if (!text.firstChild || !selected.intersectsNode(text)) return null;
    const range = document.createRange();
    range.selectNodeContents(text);
    if (range.compareBoundaryPoints(Range.START_TO_START, selected) < 0) range.setStart(selected.startContainer, selected.startOffset);
    if (range.compareBoundaryPoints(Range.END_TO_END, selected) > 0) range.setEnd(selected.endContainer, selected.endOffset);
    const words = range.toString();
    if (!words.trim()) return null;
    const before = document.createRange();
    before.selectNodeContents(text);
    before.setEnd(range.startContainer, range.startOffset);
    const start = before.toString().length + words.length - words.trimStart().length;
    const [first, end] = wholeWords(text, start, start + words.trim().length);
    const all = text.textContent;
    return { turn: inTurns ? Number(text.dataset.turn) : null, start: length(all.slice(0, first)), end: length(all.slice(0, end)) };
  }

  // Whoever lets go in the middle of a word means the word.
  function wholeWords(text, start, end) {
    const words = wordsOf(text);
    const [first] = words.find(([from, to]) => from < start && start < to) ?? [start];
    const [, final] = words.find(([from, to]) => from < end && end < to) ?? [end, end];
    return [first, final];
  }

  // What is marked
  const field = (box) => box.querySelector("input[type=hidden]");
  const write = (spans) => spans.map(({ turn, start, end }) => `${turn ? `${turn}:` : ""}${start}-${end}`).join("|");

  function read(box) {
    return field(box).value.split("|").filter(Boolean).map((part) => {
      const [, turn, start, end] = part.match(/^(?:(\d+):)?(\d+)-(\d+)$/);
      return { turn: turn ? Number(turn) : null, start: Number(start), end: Number(end) };
    });
  }

  function joined(spans) {
    const found = [];
    for (const span of spans.sort((a, b) => (a.turn ?? 0) - (b.turn ?? 0) || a.start - b.start)) {
      const before = found.at(-1);
      if (before && before.turn === span.turn && span.start <= before.end) before.end = Math.max(before.end, span.end);
      else found.push({ ...span });
    }
    return found;
  }

  // What is marked is seen in the text; that nothing was, only here.
  function report(box, words, isSeen) {
    const status = box.querySelector("[role=status]");
    status.classList.toggle("visually-hidden", !isSeen);
    status.textContent = words;
  }

  function keep(box, spans, word, words) {
    field(box).value = write(spans);
    draw(box);
    report(box, word + words, false);
    field(box).dispatchEvent(new Event("change", { bubbles: true }));
  }

  function mark(box) {
    used = box;
    const button = box.querySelector("[data-mark]");
    const selection = getSelection();
    const selected = selection.rangeCount && !selection.isCollapsed ? selection.getRangeAt(0) : last;
    const inTurns = "inTurns" in box.dataset;
    const added = selected ? textsOf(box).map((text) => spanIn(text, selected, inTurns)).filter(Boolean) : [];
    if (!added.length) { report(box, button.dataset.nothing, true); return; }
    keep(box, joined([...read(box), ...added]), button.dataset.marked, rangeOf(box, added[0]).toString());
    selection.removeAllRanges();
    last = tapped = null;
  }

  // On the page
  function draw(box) {
    const spans = read(box);
    const list = box.querySelector(".marks");
    list.replaceChildren(...spans.map((span, place) => {
      const words = rangeOf(box, span).toString();
      const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: "×" });
      button.setAttribute("aria-label", list.dataset.remove + words);
      button.addEventListener("click", () => {
        keep(box, spans.filter((_, other) => other !== place), box.querySelector("[data-mark]").dataset.removed, words);
        (list.querySelectorAll("button")[place] ?? box.querySelector("[data-mark]")).focus();
      });
      const quote = Object.assign(document.createElement("q"), { textContent: words, dir: "auto" });
      const item = document.createElement("li");
      item.append(quote, button);
      return item;
    }));
    paint();
  }

  function paint() {
    if (!CSS.highlights) return;
    for (let kind = 0; kind < KINDS; kind += 1) CSS.highlights.delete(`mark-${kind}`);
    $$("[data-highlight]").forEach((box, number) => {
      const name = `mark-${number % KINDS}`;
      box.dataset.kind = number % KINDS;
      const ranges = [...(CSS.highlights.get(name) ?? []), ...read(box).map((span) => rangeOf(box, span))];
      if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
    });
  }

  // Choosing words by the arrow keys
  function wordsOf(text) {
    const all = text.textContent;
    if (!globalThis.Intl?.Segmenter) return [...all.matchAll(/\S+/gu)].map((word) => [word.index, word.index + word[0].length]);
    const segments = new Intl.Segmenter(document.documentElement.lang || undefined, { granularity: "word" }).segment(all);
    return [...segments].filter((part) => part.isWordLike).map((part) => [part.index, part.index + part.segment.length]);
  }

  function walk(event) {
    const text = event.currentTarget;
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === "Enter" && !getSelection().isCollapsed) { markFrom(text); event.preventDefault(); return; }
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    event.preventDefault();
    const words = wordsOf(text);
    if (!words.length) return;
    const isForward = (key === "ArrowRight") === (getComputedStyle(text).direction === "ltr");
    const from = Number(text.dataset.head ?? -1);
    const head = Math.max(0, Math.min(words.length - 1, from + (isForward ? 1 : -1)));
    const anchor = event.shiftKey && from >= 0 ? Number(text.dataset.anchor) : head;
    Object.assign(text.dataset, { head, anchor });
    const [first, final] = [Math.min(head, anchor), Math.max(head, anchor)];
    getSelection().setBaseAndExtent(text.firstChild, words[first][0], text.firstChild, words[final][1]);
  }

  // On a touch screen, a tap chooses a word, and the next tap all words up to another one.
  function caretAt({ clientX, clientY }) {
    const caret = document.caretPositionFromPoint?.(clientX, clientY);
    if (caret) return [caret.offsetNode, caret.offset];
    const range = document.caretRangeFromPoint?.(clientX, clientY);
    return range ? [range.startContainer, range.startOffset] : [];
  }

  function tap(text, offset) {
    const words = wordsOf(text);
    const place = words.findIndex(([from, to]) => from <= offset && offset <= to);
    if (place < 0) return;
    const from = tapped?.text === text ? tapped.place : place;
    tapped = tapped?.text === text ? null : { text, place };
    const [first, final] = [Math.min(from, place), Math.max(from, place)];
    getSelection().setBaseAndExtent(text.firstChild, words[first][0], text.firstChild, words[final][1]);
  }

  function press(event) {
    const text = event.currentTarget;
    const [node, offset] = caretAt(event);
    if (node !== text.firstChild || (getSelection().isCollapsed && !tapped && unmark(text, offset))) return;
    if (event.pointerType === "touch") tap(text, offset);
  }

  // A click or a tap on what is marked removes the mark.
  function unmark(text, offset) {
    const at = length(text.textContent.slice(0, offset));
    const isHit = ({ turn, start, end }) => (!turn || String(turn) === text.dataset.turn) && start <= at && at < end;
    const box = boxesOf(text).find((one) => read(one).some(isHit));
    if (!box) return false;
    const words = rangeOf(box, read(box).find(isHit)).toString();
    keep(box, read(box).filter((span) => !isHit(span)), box.querySelector("[data-mark]").dataset.removed, words);
    return true;
  }

  const boxesOf = (text) => $$("[data-highlight]").filter((box) => textsOf(box).includes(text));

  function markFrom(text) {
    const boxes = boxesOf(text);
    if (boxes.length) mark(boxes.includes(used) ? used : boxes[0]);
  }

  // Buttons beside the words that a mouse selected, so that the pointer is already there. For keys and screen readers, there are the buttons above.
  const here = Object.assign(document.createElement("div"), { className: "mark-here rater", hidden: true, ariaHidden: "true" });
  document.body.append(here);

  function offer() {
    const selection = getSelection();
    const range = selection.isCollapsed ? null : selection.getRangeAt(0);
    const boxes = range ? $$("[data-highlight]").filter((box) => textsOf(box).some((text) => spanIn(text, range, false))) : [];
    here.hidden = !boxes.length;
    if (here.hidden) return;
    here.replaceChildren(...boxes.map((box) => {
      const words = box.querySelector(boxes.length > 1 ? "legend > [dir]" : "[data-mark]").firstChild.textContent.trim();
      const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet highlight", tabIndex: -1, textContent: words });
      button.dataset.kind = box.dataset.kind;
      button.addEventListener("click", () => { here.hidden = true; mark(box); });
      return button;
    }));
    const { bottom, top, left, right } = [...range.getClientRects()].at(-1);
    const isRight = getComputedStyle(document.documentElement).direction === "rtl";
    here.style.left = `${Math.max(8, Math.min(isRight ? left - here.offsetWidth : right, innerWidth - here.offsetWidth - 8))}px`;
    here.style.top = `${bottom + here.offsetHeight + 8 < innerHeight ? bottom + 6 : top - here.offsetHeight - 6}px`;
  }

  // The selection is known a moment after the mouse button is released.
  document.addEventListener("pointerup", ({ pointerType, target }) => { if (pointerType === "mouse" && !here.contains(target)) setTimeout(offer); });
  document.addEventListener("scroll", () => { here.hidden = true; }, { capture: true, passive: true });
  here.addEventListener("mousedown", (event) => event.preventDefault());

  document.addEventListener("selectionchange", () => {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) { here.hidden = true; return; }
    const node = selection.getRangeAt(0).commonAncestorContainer;
    const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    if (element.closest("[data-text]") || element.querySelector("[data-text]")) last = selection.getRangeAt(0).cloneRange();
  });

  function make(box) {
    if (box.dataset.ready) return;
    box.dataset.ready = "yes";
    field(box).disabled = false;
    box.querySelector(".by-hand").hidden = true;
    box.querySelector(".by-marking").hidden = false;
    box.querySelector("[data-mark]").addEventListener("click", () => mark(box));
    const name = box.querySelector("legend").textContent.trim();
    for (const text of textsOf(box).filter((one) => !one.hasAttribute("tabindex") && one.firstChild)) {
      const label = text.closest("section")?.querySelector("h2")?.textContent.trim() ?? name;
      const roles = { tabindex: "0", role: "textbox", "aria-readonly": "true", "aria-multiline": "true", "aria-label": label };
      Object.entries(roles).forEach(([attribute, value]) => text.setAttribute(attribute, value));
      text.addEventListener("keydown", walk);
      text.addEventListener("click", press);
    }
    box.closest("[data-slot]").addEventListener("attune:shown", () => draw(box));
    draw(box);
  }

  const start = () => { used = last = tapped = null; $$("[data-highlight]").forEach(make); };
  document.addEventListener("htmx:afterSettle", start);
  start();
})();

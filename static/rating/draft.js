// A text that is saved as one writes, with suggestions that come without reloading the page. Without this file the same
// buttons work. What the server does not have yet is on this device, and outlives a reload of the page in the same tab.
(() => {
  "use strict";

  const KEEP = `attune-draft:${location.pathname}`;
  const PAUSE_MS = 1500, WAITS_MS = [1000, 2000, 4000, 8000, 15000];
  const at = (id, within = document) => within.getElementById?.(id) ?? within.querySelector(`#${id}`);
  const wait = (ms) => new Promise((done) => { setTimeout(done, ms); });
  const form = at("draft"), field = at("message");
  // What the server has: the text, and the revision that the next change is made from.
  let saved = field.defaultValue, sending = null, events = null, timer = 0, isRefused = Boolean(at("message-problem"));
  let busy = Promise.resolve();

  const keep = () => { try { sessionStorage.setItem(KEEP, JSON.stringify({ text: field.value, number: number(), sent: sending })); } catch { /* storage may be off */ } };
  const forget = () => { try { sessionStorage.removeItem(KEEP); } catch { /* storage may be off */ } };
  function kept() { try { return JSON.parse(sessionStorage.getItem(KEEP)); } catch { return null; } }
  const number = () => form.elements.number.value;
  const say = (words) => { at("talk-state").textContent = words; };
  const note = (words) => { at("draft-saved").textContent = words; };
  const isSaved = () => field.value === saved;

  // Words as the server counts them.
  function count() {
    const n = field.value.split(/[ \t\n\r\f\v]+/).filter(Boolean).length;
    const most = Number(form.dataset.most);
    at("draft-count").textContent = form.dataset.count.replace("#", n);
    at("draft-count").classList.toggle("too-many", n > most);
  }

  // Sent again until the server answers: what has come there already is not stored or done twice.
  async function ask(fields, headers = {}) {
    for (let n = 0; ; n += 1) {
      try {
        const answer = await fetch(fields ? form.action : location.href, fields ? { method: "POST", body: new URLSearchParams(fields), headers } : {});
        if (answer.status < 500 && answer.status !== 429) {
          if (n) say("");
          return answer;
        }
      } catch { /* no connection */ }
      say(form.dataset.offline);
      await Promise.race([wait(WAITS_MS[Math.min(n, WAITS_MS.length - 1)]), new Promise((done) => { addEventListener("online", done, { once: true }); })]);
    }
  }

  // One request at a time, so that a revision is never used twice.
  const inTurn = (work) => (busy = busy.then(work, work));

  // Take over the page as the server has it now. What was typed since then stays in the field, to be saved next.
  async function take(answer, sent) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = at("message", page);
    if (!fresh || !at("draft", page)) { forget(); location.assign(answer.url || location.href); return; }
    isRefused = Boolean(at("message-problem", page));
    const had = at("draft-foot").contains(document.activeElement);
    at("draft-top").replaceWith(at("draft-top", page));
    at("draft-foot").replaceWith(at("draft-foot", page));
    if (!isRefused) {
      saved = fresh.defaultValue;
      if (field.value === sent && field.value !== saved) field.value = saved;
    }
    field.readOnly = fresh.readOnly;
    if (isRefused) field.setAttribute("aria-invalid", "true"); else field.removeAttribute("aria-invalid");
    document.title = page.title;
    if (isSaved()) forget(); else if (!isRefused) later();
    if (had) field.focus({ preventScroll: true });
    begin();
    if (isRefused) at("message-problem").scrollIntoView({ block: "nearest" });
  }

  const fields = (does, more) => ({ ...Object.fromEntries(new FormData(form)), does, ...more });

  // A text that the server refused is sent again when it is changed, or when a button is pressed.
  const save = () => inTurn(async () => {
    clearTimeout(timer);
    if (isSaved() || isRefused) return;
    const sent = sending = field.value;
    keep();
    note(form.dataset.saving);
    const answer = await ask(fields("keep", { message: sent }), { Accept: "application/json" });
    sending = null;
    if (!answer.headers.get("content-type")?.startsWith("application/json")) { await take(answer, sent); return; }
    const stored = await answer.json();
    form.elements.number.value = stored.number;
    saved = sent;
    if (at("draft-alert")) at("draft-alert").hidden = !stored.alert;
    if (isSaved()) { forget(); note(form.dataset.saved); } else { keep(); later(); }
  });

  function later() {
    clearTimeout(timer);
    timer = setTimeout(save, PAUSE_MS);
  }

  const press = (does) => inTurn(async () => {
    clearTimeout(timer);
    const sent = sending = field.value;
    keep();
    const answer = await ask(fields(does, { message: sent }));
    sending = null;
    await take(answer, sent);
  });

  const refresh = () => inTurn(async () => {
    const sent = field.value;
    await take(await ask(), isSaved() ? sent : null);
    if (at("suggestion") || at("draft-back")) say(form.dataset.come);
  });

  function listen(address) {
    events?.close();
    events = new EventSource(address);
    events.addEventListener("end", () => { events.close(); save().then(refresh); });
    // A broken connection is opened again by the browser; one that was refused is not.
    events.addEventListener("error", () => { if (events.readyState === EventSource.CLOSED) wait(WAITS_MS[1]).then(refresh); });
  }

  let over = 0;
  function begin() {
    const { reply, seconds } = at("talk-state").dataset;
    if (reply) listen(reply);
    clearTimeout(over);
    // A day is as long as a timer can be.
    if (Number(seconds) > 0) over = setTimeout(() => { field.readOnly = true; save().then(refresh); }, Number(seconds) * 1000 + 500);
    count();
  }

  // Where the cursor is, with a space around it where words would run together; the browser can take it back.
  function insert(words) {
    const [start, end] = [field.selectionStart, field.selectionEnd];
    const before = field.value.slice(0, start), after = field.value.slice(end);
    const text = `${before && !/\s$/.test(before) ? " " : ""}${words}${after && !/^[\s.,;:!?]/.test(after) ? " " : ""}`;
    field.focus();
    if (!document.execCommand("insertText", false, text)) field.setRangeText(text, start, end, "end");
  }

  field.addEventListener("input", () => {
    isRefused = false;
    at("draft-back")?.remove();
    note("");
    keep();
    count();
    later();
  });

  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    (at("suggestion")?.querySelector("[value='take']") ?? at("ask"))?.click();
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter;
    if (!button) return;
    if (button.value === "take" && "atCursor" in button.dataset) {
      insert(at("suggestion-text").textContent);
      press("taken");
    } else press(button.value);
  });

  // Before the page goes, in the time that is left.
  addEventListener("pagehide", () => { if (!isSaved() && !isRefused) navigator.sendBeacon?.(form.action, new URLSearchParams(fields("keep"))); });
  addEventListener("visibilitychange", () => { if (document.hidden) save(); });

  const own = kept();
  if (own && own.text !== saved && !isRefused) {
    // Of this tab: not saved yet, or saved while the page went. Of an older state: another window has gone on.
    if (own.number !== number() && own.sent !== saved) form.elements.number.value = own.number;
    field.value = own.text;
    later();
  }
  begin();
})();

// A text that is saved as one writes, with suggestions that come without reloading the page. Without this file the same
// buttons work. What the server does not have yet is on this device, and outlives a reload of the page in the same tab.
(() => {
  "use strict";

  const PAUSE_MS = 1500, WAITS_MS = [1000, 2000, 4000, 8000, 15000];
  const at = (id, within = document) => within.getElementById?.(id) ?? within.querySelector(`#${id}`);
  const wait = (ms) => new Promise((done) => { setTimeout(done, ms); });
  const form = at("draft"), field = at("message");
  // The address of the page names no trial before the first one is over.
  const trialOf = (page) => at("draft", page)?.getAttribute("action");
  const KEEP = `attune-draft:${trialOf(document)}`;
  // What the server has: the text, and the revision that the next change is made from.
  let saved = field.defaultValue, sending = null, gone = null, events = null, timer = 0, isRefused = Boolean(at("message-problem"));
  let busy = Promise.resolve();

  const keep = () => { try { sessionStorage.setItem(KEEP, JSON.stringify({ text: field.value, number: number(), sent: sending, batch, changes })); } catch { /* storage may be off */ } };
  const forget = () => { try { sessionStorage.removeItem(KEEP); } catch { /* storage may be off */ } };
  function kept() { try { return JSON.parse(sessionStorage.getItem(KEEP)); } catch { return null; } }
  const number = () => form.elements.number.value;
  const say = (words) => { at("talk-state").textContent = words; };
  const note = (words) => { at("draft-saved").textContent = words; };
  const isSaved = () => field.value === saved;

  // How the text is changed, only where the consent form says so: when, where and how many characters, never which. A
  // batch has the same name when it is sent again, so that it is stored once.
  const MOST = 2000, PASTES = /^insertFrom(Paste|Drop)/, KEYS = /^(delete|insert(Text|LineBreak|Paragraph|CompositionText)$)/;
  const began = performance.now() - Number(form.dataset.age);
  let batch = null, changes = [], before = field.value, isInserting = false;
  const hasKeys = () => batch !== null || changes.length > 0;

  function record(kind) {
    if (!("age" in form.dataset)) return;
    const after = field.value, shorter = Math.min(before.length, after.length);
    // The cursor is behind what was added, which may repeat what is around it.
    const most = Math.min(shorter, after.length - (kind === "suggested" ? 0 : field.selectionEnd));
    let end = 0, at = 0;
    while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
    while (at < shorter - end && before[at] === after[at]) at += 1;
    const change = [Math.round(performance.now() - began), kind, at, before.length - at - end, after.length - at - end];
    if (change[3] || change[4]) changes.push(change);
    before = after;
  }

  function keystrokes() {
    batch ??= changes.length ? { id: `${Date.now()}-${Math.random().toString(36).slice(2)}`, changes: changes.splice(0, MOST) } : null;
    return batch && { keystrokes: JSON.stringify(batch) };
  }

  // Words as the server counts them.
  function count() {
    const n = field.value.split(/[ \t\n\r\f\v]+/).filter(Boolean).length;
    const most = Number(form.dataset.most);
    at("draft-count").textContent = form.dataset.count.replace("#", n.toLocaleString(document.documentElement.lang));
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

  // The same for a form. What this tab sent as its page went, which a reload may overtake, is no other window's text.
  async function post(make, headers = {}) {
    const answer = await ask(make(), headers);
    if (answer.status !== 422 || gone === null) return answer;
    const page = new DOMParser().parseFromString(await answer.clone().text(), "text/html");
    if (page.querySelector(".draft-other .verbatim")?.textContent !== gone) return answer;
    gone = null;
    form.elements.number.value = at("draft-foot", page).querySelector("[name='number']").value;
    return ask(make(), headers);
  }

  // One request at a time, so that a revision is never used twice.
  const inTurn = (work) => (busy = busy.then(work, work));

  // Take over the page as the server has it now. What was typed since then stays in the field, to be saved next.
  async function take(answer, sent) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = at("message", page);
    // Another tab may be in the next trial. Of a refusal, such as by a closed study, the form's address shows no page.
    if (trialOf(page) !== trialOf(document)) { forget(); location.assign((answer.ok && answer.url) || location.href); return; }
    isRefused = Boolean(at("message-problem", page));
    const had = at("draft-foot").contains(document.activeElement);
    const [alert, now] = [at("draft-alert"), at("draft-alert", page)];
    // The countries that the rater opened stay open.
    if (alert && now) { alert.hidden = now.hidden; now.replaceWith(alert); }
    at("draft-top").replaceWith(at("draft-top", page));
    at("draft-foot").replaceWith(at("draft-foot", page));
    if (!isRefused) {
      saved = fresh.defaultValue;
      if (field.value === sent && field.value !== saved) { field.value = saved; record("suggested"); }
    }
    field.readOnly = fresh.readOnly;
    if (isRefused) field.setAttribute("aria-invalid", "true"); else field.removeAttribute("aria-invalid");
    document.title = page.title;
    if (isSaved() && !hasKeys()) forget(); else if (!isRefused) { keep(); later(); }
    if (had) field.focus({ preventScroll: true });
    begin();
    if (isRefused) at("message-problem").scrollIntoView({ block: "nearest" });
  }

  const fields = (does, more) => ({ ...Object.fromEntries(new FormData(form)), does, ...more, ...keystrokes() });

  // A text that the server refused is sent again when it is changed, or when a button is pressed.
  const save = () => inTurn(async () => {
    clearTimeout(timer);
    if ((isSaved() && !hasKeys()) || isRefused) return;
    const sent = sending = field.value;
    note(form.dataset.saving);
    const answer = await post(() => { const given = fields("keep", { message: sent }); keep(); return given; }, { Accept: "application/json" });
    sending = batch = null;
    if (!answer.headers.get("content-type")?.startsWith("application/json")) { await take(answer, sent); return; }
    const stored = await answer.json();
    form.elements.number.value = stored.number;
    saved = sent;
    if (at("draft-alert")) at("draft-alert").hidden = !stored.alert;
    if (isSaved()) note(form.dataset.saved);
    if (isSaved() && !hasKeys()) forget(); else { keep(); later(); }
  });

  function later() {
    clearTimeout(timer);
    timer = setTimeout(save, PAUSE_MS);
  }

  const press = (does) => inTurn(async () => {
    clearTimeout(timer);
    const sent = sending = field.value;
    let answer, isWhole;
    // More changes than one batch has go first: nothing is sent after the last page.
    do {
      answer = await post(() => {
        const given = fields(does, { message: sent });
        isWhole = changes.length === 0;
        keep();
        return isWhole ? given : { ...given, does: "keep" };
      });
      batch = null;
    } while (!isWhole);
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
    if (Number(seconds) > 0) over = setTimeout(() => { field.readOnly = true; press("keep"); }, Number(seconds) * 1000 + 500);
    count();
  }

  // Where the cursor is, with a space around it where words would run together; the browser can take it back.
  function insert(words) {
    const [start, end] = [field.selectionStart, field.selectionEnd];
    const before = field.value.slice(0, start), after = field.value.slice(end);
    const text = `${before && !/\s$/.test(before) ? " " : ""}${words}${after && !/^[\s.,;:!?]/.test(after) ? " " : ""}`;
    field.focus();
    isInserting = true;
    if (!document.execCommand("insertText", false, text)) { field.setRangeText(text, start, end, "end"); record("suggested"); }
    isInserting = false;
  }

  const kindOf = (type = "") => (PASTES.test(type) ? "pasted" : KEYS.test(type) ? "typed" : "other");

  field.addEventListener("input", (event) => {
    record(isInserting ? "suggested" : kindOf(event.inputType));
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
  addEventListener("pagehide", () => {
    if ((isSaved() && !hasKeys()) || isRefused) return;
    const given = fields("keep");
    keep();
    navigator.sendBeacon?.(form.action, new URLSearchParams(given));
  });
  addEventListener("visibilitychange", () => { if (document.hidden) save(); });

  const own = kept();
  if (own && own.text !== saved && !isRefused) {
    // Of this tab: not saved yet, or saved while the page went. Of an older state: another window has gone on.
    if (own.number !== number() && own.sent !== saved) form.elements.number.value = own.number;
    field.value = before = gone = own.text;
    later();
  }
  if (own?.batch || own?.changes?.length) { batch = own.batch; changes = own.changes; later(); }
  begin();
})();

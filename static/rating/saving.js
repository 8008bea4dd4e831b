// Saving as one goes, and leaving the page. Every change is kept on this device at once and goes to the server with all
// others, one request at a time; whatever is still under way travels with the page when it is submitted.
(() => {
  "use strict";

  const { $, $$, form, kept, words, say, groups, isAnswered, isMissing } = attune;
  const ANSWER = "attune-answer:", AWAY = "attune-away:";
  const PAUSE = 400, TYPING = 1000, COMPLETE = 2000, GAP = 3000, PATIENCE = 15000;
  const EXPIRED = [401, 403, 404];

  // An answer that goes out twice bears the same key, and counts once. crypto.randomUUID is missing on plain http.
  function uuid() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }

  // When an answer was given, by the server's clock: of two the later one counts, whichever arrives first. On one page it
  // never goes back, even if this device's clock is set.
  let clock = 0, latest = 0;
  // When this page began to arrive, which is what its time is for: its scripts may run seconds later.
  let arrived = Date.now() - performance.now() + (performance.getEntriesByType("navigation")[0]?.responseStart || performance.now());
  const now = () => (latest = Math.max(latest, Math.round(Date.now() + clock)));

  // What the server does not have yet: one entry for each question, the latest.
  const queue = new Map(kept.names(ANSWER).map((name) => [name, kept.get(name)]).filter(([, entry]) => entry?.url && entry.fields));
  const underWay = new Map();
  const seen = new Map();
  const closed = new Set();
  const skipped = new Set();
  let sending = null;
  let timer = 0;
  let waitingSince = 0;
  let lastSent = 0;
  let nFailures = 0;

  const nameOf = (url, slot) => `${ANSWER}${url}#${slot}`;
  // What the server would not take stays here until it is changed: parts of an answer about a set, and what it refused.
  const isHeld = ({ isPartial, refused }) => isPartial || Boolean(refused);
  const isOpen = (entry) => !isHeld(entry) && !closed.has(entry.url) && !underWay.has(entry.key);
  const mine = () => [...queue.values()].filter(({ url }) => url === form()?.dataset.save);
  const isAllSaved = () => mine().every(isHeld);
  // The server stores an answer about a set as a whole: until it is complete it is kept here alone.
  const isPartial = (box) => $("[data-incomplete]", box) !== null || $$("[data-set] [data-group]", box).some((one) => !isAnswered(one));

  function fieldsOf(slot) {
    return [...new FormData(form())].filter(([name]) => name === slot || (name.startsWith(`${slot}.`) && !/\.(key|at)$/.test(name)));
  }

  function save(box, delay) {
    const { slot } = box.dataset;
    const url = form().dataset.save;
    const fields = fieldsOf(slot);
    const same = JSON.stringify(fields);
    if (seen.get(slot) === same) return;
    seen.set(slot, same);
    changed();
    const entry = { url, slot, fields, key: uuid(), at: now(), isPartial: isPartial(box) };
    queue.set(nameOf(url, slot), entry);
    kept.set(nameOf(url, slot), entry);
    if (nFailures || entry.isPartial) return;
    say("saving", words().saving);
    schedule(delay);
  }

  function schedule(delay) {
    clearTimeout(timer);
    waitingSince ||= Date.now();
    // A page that is complete is about to be submitted: one request does for both.
    const isComplete = delay && form() && !groups().some(isMissing);
    const due = Math.min(Date.now() + (isComplete ? COMPLETE : delay), waitingSince + 5000);
    timer = setTimeout(send, Math.max(due, lastSent + GAP) - Date.now());
  }

  function settle(entries) {
    for (const { url, slot, key } of entries) {
      const name = nameOf(url, slot);
      if (queue.get(name)?.key === key) queue.delete(name);
      if (kept.get(name)?.key === key) kept.drop(name);
    }
  }

  const send = () => (sending ??= sendAll().finally(() => {
    sending = null;
    if (!nFailures && [...queue.values()].some(isOpen)) schedule(PAUSE);
  }));

  async function sendAll() {
    clearTimeout(timer);
    waitingSince = 0;
    let said = ["saved", words().saved];
    const open = [...queue.values()].filter(isOpen);
    for (const url of new Set(open.map((entry) => entry.url))) {
      const entries = open.filter((entry) => entry.url === url);
      const answer = await post(url, entries);
      if (skipped.has(url)) continue;
      if (isBusy(answer)) return later(answer);
      nFailures = 0;
      if (EXPIRED.includes(answer.status)) { closed.add(url); said = ["waiting", words().expired]; continue; }
      const problem = await take(answer, entries);
      if (url === form()?.dataset.save) said = problem ?? said;
    }
    tell(open.filter(({ url }) => !skipped.has(url)), said);
  }

  // On a page where nothing was answered yet, nothing is said of earlier pages, unless there is a problem. While a page
  // could not be sent, that is what counts.
  function tell(sent, said) {
    const isOwn = sent.some(({ url }) => url === form()?.dataset.save);
    if (!sent.length || (said[0] !== "waiting" && (nRefusals || !isAllSaved()))) return;
    if (isOwn || said[0] === "waiting") say(...said);
    else if ($("#save-state")?.dataset.state === "waiting") say("", "");
  }

  const isBusy = (answer) => !answer || answer.status >= 500 || answer.status === 429 || answer.status === 408;

  async function post(url, entries, isLast = false) {
    const fields = entries.flatMap(({ slot, fields: own, key, at }) => [["slot", slot], ...own, [`${slot}.key`, key], [`${slot}.at`, at]]);
    const options = { method: "POST", body: new URLSearchParams(fields), headers: { Accept: "application/json" }, keepalive: isLast };
    entries.forEach((entry) => underWay.set(entry.key, entry));
    lastSent = Date.now();
    try { return await fetch(url, { ...options, signal: AbortSignal.timeout(PATIENCE) }); } catch { return null; }
    finally { entries.forEach(({ key }) => underWay.delete(key)); }
  }

  // What the server stored leaves this device; what it refused stays, with the reason. Returns the problem, if any.
  async function take(answer, entries) {
    const { detail, older = [], refused = {} } = (await answer.json().catch(() => null)) ?? {};
    settle(entries.filter(({ slot }) => !(slot in refused)));
    for (const entry of entries.filter(({ slot }) => slot in refused)) hold(entry, refused[entry.slot]);
    const reason = heldReason();
    if (reason || !answer.ok) return ["waiting", `${words().refused} ${reason ?? detail ?? words().reload}`];
    return older.length ? ["waiting", words().otherBrowser] : null;
  }

  // Unless the answer was changed meanwhile.
  function hold(entry, reason) {
    const name = nameOf(entry.url, entry.slot);
    if (queue.get(name)?.key !== entry.key) return;
    const held = { ...entry, refused: reason };
    queue.set(name, held);
    kept.set(name, held);
  }

  const heldReason = () => mine().find(({ refused }) => refused)?.refused;

  function pauseAfter(answer, n) {
    const asked = Number(answer?.headers.get("Retry-After")) * 1000;
    return Math.max(asked || 0, Math.min(PATIENCE, 1000 * 2 ** Math.min(n, 4)));
  }

  function later(answer) {
    nFailures += 1;
    say("waiting", words().retrying);
    timer = setTimeout(send, pauseAfter(answer, nFailures));
  }

  // The page goes away: what is not under way leaves at once, and is kept here until the server has it.
  function flush() {
    if (leaving) return;
    const open = [...queue.values()].filter(isOpen);
    for (const url of new Set(open.map((entry) => entry.url))) {
      const entries = open.filter((entry) => entry.url === url);
      post(url, entries, true).then(async (answer) => {
        if (!answer?.ok) return;
        const problem = await take(answer, entries);
        tell(entries, problem ?? ["saved", words().saved]);
      });
    }
  }

  // Answers that this device holds come back into the form: the server's page does not know them yet.
  function show({ slot, fields }) {
    const box = $(`[data-slot="${slot}"]`);
    for (const input of box ? $$(":is(input, textarea)", box) : []) {
      const values = fields.filter(([name]) => name === input.name).map(([, value]) => value);
      if (input.type === "radio" || input.type === "checkbox") input.checked = values.includes(input.value);
      else if (values.length) [input.value] = values;
    }
    seen.set(slot, JSON.stringify(fields));
    box?.dispatchEvent(new CustomEvent("attune:shown", { bubbles: true }));
  }

  addEventListener("storage", ({ key: name, newValue }) => {
    const entry = name?.startsWith(ANSWER) && newValue && JSON.parse(newValue);
    if (!entry || entry.url !== form()?.dataset.save) return;
    queue.delete(name);
    show(entry);
    say("waiting", words().elsewhere);
  });

  // Leaving. Once the page is sent nothing on it changes any more.
  let leaving = null;
  let nRefusals = 0;
  let again = 0;
  // What to press again if the connection failed: a reason to skip, otherwise *Next*.
  let pressed = null;

  async function leave(issue) {
    if (leaving) return;
    leaving = issue;
    clearTimeout(again);
    // An older answer to the same question is on its way: it must not arrive after this page.
    if (sending && mine().some(({ slot }) => [...underWay.values()].some((entry) => entry.slot === slot && queue.get(nameOf(entry.url, slot))?.key !== entry.key))) await sending;
    clearTimeout(timer);
    travel();
    const hidden = $("[name=hidden_ms]", form());
    if (hidden) hidden.value = Math.round(away().ms);
    stamp(form());
    issue(true);
    form().inert = true;
  }

  function stamp(left) {
    const at = $("[name=at]", left);
    if (at) at.value = now();
  }

  function travel() {
    $("[data-travels]", form())?.remove();
    const box = Object.assign(document.createElement("div"), { hidden: true });
    box.dataset.travels = "";
    for (const { slot, key, at } of mine()) {
      for (const [name, value] of [["key", key], ["at", at]]) box.append(Object.assign(document.createElement("input"), { type: "hidden", name: `${slot}.${name}`, value }));
    }
    form().append(box);
  }

  function stay(state, text) {
    leaving = null;
    form().inert = false;
    say(state, text);
    if (document.activeElement === document.body) $("#next").focus({ preventScroll: true });
  }

  // A connection that was closed meanwhile is opened again at once; after that with growing pauses.
  function tryAgain({ elt, triggeringEvent }, answer, text) {
    nRefusals += 1;
    pressed = elt.closest("#skip") ? triggeringEvent.submitter : null;
    const pause = nRefusals === 1 && !answer ? 200 : pauseAfter(answer, nRefusals - 1);
    if (pause > 200) stay("waiting", text); else leaving = null;
    again = setTimeout(resubmit, pause);
  }

  function resubmit() {
    clearTimeout(again);
    if (!nRefusals || leaving) return;
    form().inert = false;
    if (pressed) pressed.click();
    else form().requestSubmit($("#next"));
  }

  // An answer after a page could not leave: it is sent with the next try, but an item that is rated is not skipped.
  function changed() {
    if (!pressed) return;
    clearTimeout(again);
    pressed = null;
    nRefusals = 0;
    $("#skip").open = false;
  }

  const headersOf = (xhr) => ({ headers: { get: (name) => xhr.getResponseHeader(name) } });

  // The second half of a double click can fall on the next page, which nobody has answered yet.
  document.addEventListener("click", (event) => { if (event.detail > 1 && event.target.closest("#next")) event.preventDefault(); }, true);

  document.addEventListener("htmx:confirm", (event) => {
    if (event.detail.elt !== form()) return;
    event.preventDefault();
    leave(event.detail.issueRequest);
  });
  document.addEventListener("submit", ({ target }) => { if (target.closest("#skip")) stamp(target); }, true);
  document.addEventListener("htmx:beforeRequest", ({ detail }) => { if (detail.elt.closest("#skip")) form().inert = true; });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    const left = detail.requestConfig?.elt;
    // After the last page, htmx follows the address in the answer without calling the request successful.
    const isTaken = detail.successful || detail.xhr?.status === 204;
    if (isTaken && left?.closest("#skip")) { nRefusals = 0; forget($("form[data-save]", left.closest("#rate")).dataset.save); }
    if (left?.id !== "rate-form") return;
    if (isTaken) { nRefusals = 0; settle(mineAt(left)); }
    leaving = null;
  });
  const mineAt = (left) => [...queue.values()].filter(({ url, key }) => url === left.dataset.save && $$("[data-travels] input", left).some((input) => input.value === key));
  document.addEventListener("htmx:sendError", ({ detail }) => tryAgain(detail.requestConfig, null, words().offline));
  document.addEventListener("htmx:responseError", ({ detail }) => {
    const { xhr, requestConfig } = detail;
    if (xhr.status >= 500 || xhr.status === 429) tryAgain(requestConfig, headersOf(xhr), words().busy);
    else if (EXPIRED.includes(xhr.status)) { closed.add(form().dataset.save); stay("waiting", words().expired); }
    else location.reload();
  });
  // Answers to an item that was skipped are not stored, here neither.
  function forget(url) {
    skipped.add(url);
    settle([...queue.values()].filter((entry) => entry.url === url));
  }

  // A page without htmx: the same, and then the browser's own way.
  document.addEventListener("submit", (event) => {
    if (event.target !== form() || form().hasAttribute("hx-post")) return;
    event.preventDefault();
    leave(() => form().submit());
  });

  // A new page is shown a moment before htmx knows its form: what is submitted in between waits, so that the browser
  // does not load the whole page.
  let isEarly = false;
  document.addEventListener("submit", (event) => {
    if (event.target !== form() || form().dataset.ready) return;
    event.preventDefault();
    isEarly = true;
  }, true);

  document.addEventListener("change", ({ target }) => {
    const box = target.closest("form[data-save] [data-slot]");
    if (box && !form().inert) save(box, PAUSE);
  });
  document.addEventListener("input", ({ target }) => {
    const box = target.matches("textarea, input[type=number]") && target.closest("form[data-save] [data-slot]");
    if (box && !form().inert) save(box, TYPING);
  });

  // Time away: while the tab is hidden or closed nobody reads.
  const isTimed = () => Boolean(form()?.dataset.save);
  const awayName = () => AWAY + form().dataset.save;
  const away = () => (isTimed() && kept.get(awayName())) || { ms: 0, since: null };

  function goAway() {
    flush();
    if (isTimed() && away().since === null) kept.set(awayName(), { ...away(), since: Date.now() });
  }

  function comeBack() {
    if (!isTimed()) return;
    const { ms, since } = away();
    kept.set(awayName(), { ms: since === null ? ms : ms + Date.now() - since, since: null });
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? goAway() : comeBack()));
  addEventListener("pagehide", goAway);
  addEventListener("pageshow", ({ persisted }) => { comeBack(); if (persisted && form()) { leaving = null; form().inert = false; } });
  addEventListener("online", () => { if (nRefusals) resubmit(); else send(); });

  // A page can be answered before its scripts have run; such an answer is younger than what is kept here.
  const isEarlyAnswer = (input) => input.name && (/^(radio|checkbox)$/.test(input.type) ? input.checked !== input.defaultChecked : input.value !== input.defaultValue);
  const answeredEarly = () => (isTimed() ? $$("[data-slot]", form()).filter((box) => $$(":is(input, textarea)", box).some(isEarlyAnswer)) : []);

  // Returns what saves the early answers, once the scripts of the questions have run too.
  function ready() {
    form().dataset.ready = "yes";
    if (form().dataset.now) clock = Number(form().dataset.now) - arrived;
    seen.clear();
    nRefusals = 0;
    kept.names(AWAY).filter((name) => name !== awayName()).forEach(kept.drop);
    comeBack();
    const early = answeredEarly();
    mine().filter(({ slot }) => !early.some((box) => box.dataset.slot === slot)).forEach(show);
    const reason = heldReason();
    if (reason) say("waiting", `${words().refused} ${reason}`);
    if (queue.size) schedule(0);
    return () => early.filter((box) => box.isConnected).forEach((box) => save(box, PAUSE));
  }

  document.addEventListener("htmx:beforeOnLoad", () => { arrived = Date.now(); });

  // With the page, not when it has settled: a screen reader says the title at once.
  document.addEventListener("htmx:afterSwap", () => {
    if (form()) document.title = $("#rate").dataset.title;
  });

  document.addEventListener("htmx:afterSettle", () => {
    if (!form() || form().dataset.ready) return;
    setTimeout(ready());
    ($("#summary") ?? $(".turn-now") ?? $("#item-heading")).focus({ preventScroll: true });
    if (!queue.size) say("", "");
    if (isEarly) form().requestSubmit($("#next"));
    isEarly = false;
  });
  if (form()) addEventListener("DOMContentLoaded", ready());
  else if (queue.size) schedule(0);
})();

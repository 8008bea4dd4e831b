// The rating page: saving as one goes, keys, time. Without this file the page is a form that works.
(() => {
  "use strict";

  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const form = () => $("form[data-save], form[data-unsaved]");
  const ANSWER = "attune-answer:", AWAY = "attune-away:";

  // A browser may forbid or fill its storage; then what would be kept there lives as long as the page.
  const kept = {
    get(name) { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } },
    set(name, value) { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* see above */ } },
    drop(name) { try { localStorage.removeItem(name); } catch { /* see above */ } },
    names(prefix) { try { return Object.keys(localStorage).filter((name) => name.startsWith(prefix)).sort(); } catch { return []; } },
  };

  // What this script says stands in the page, in its language.
  const words = () => $("#save-state")?.dataset ?? {};

  function say(state, text) {
    const status = $("#save-state");
    if (!status) return;
    status.dataset.state = state;
    if (status.textContent !== text) status.textContent = text;
  }

  // crypto.randomUUID is missing on plain http.
  function uuid() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }

  // Saving: answers queue up, go out one after the other, and stay on this device until the server has them. An answer
  // that goes out twice carries the same key, and counts once.
  let queue = kept.names(ANSWER).map((name) => kept.get(name)).filter((entry) => entry?.url);
  let sending = null;
  let retry = 0;
  let n_failures = 0;
  const typing = new Map();

  function answerOf(question) {
    const slot = question.dataset.slot;
    const fields = [...new FormData(form())].filter(([name]) => name === slot || name.startsWith(`${slot}.`));
    return new URLSearchParams([["slot", slot], ...fields]);
  }

  function save(question) {
    clearTimeout(typing.get(question));
    typing.delete(question);
    const { slot } = question.dataset;
    const url = form().dataset.save;
    const key = uuid();
    const body = `${answerOf(question)}&idempotency_key=${key}`;
    const entry = { id: `${Date.now().toString().padStart(15, "0")}-${key}`, url, slot, body };
    const waiting = sending ? queue.slice(1) : queue;
    waiting.filter((old) => old.url === url && old.slot === slot).forEach(forget);
    queue.push(entry);
    kept.set(ANSWER + entry.id, entry);
    if (n_failures === 0) say("saving", words().saving);
    return send();
  }

  function forget(entry) {
    queue = queue.filter((other) => other !== entry);
    kept.drop(ANSWER + entry.id);
  }

  // Whether everything is at the server.
  const send = () => (sending ??= sendAll().finally(() => { sending = null; }));

  async function sendAll() {
    clearTimeout(retry);
    let trouble = "";
    const hadWork = queue.length > 0;
    while (queue.length) {
      const entry = queue[0];
      const answer = await post(entry);
      if (!answer || answer.status >= 500 || answer.status === 429) return later();
      forget(entry);
      n_failures = 0;
      if (!answer.ok) trouble = await reason(answer);
    }
    if (trouble) say("waiting", `${words().refused} ${trouble}`);
    else if (hadWork) say("saved", words().saved);
    return true;
  }

  async function post(entry) {
    const options = { method: "POST", body: new URLSearchParams(entry.body), headers: { Accept: "application/json" }, keepalive: true };
    try { return await fetch(entry.url, { ...options, signal: AbortSignal.timeout(15000) }); } catch { return null; }
  }

  const reason = (answer) => answer.json().then((body) => body.error.message).catch(() => words().reload);

  function later() {
    n_failures += 1;
    say("waiting", words().retrying);
    retry = setTimeout(sendAgain, Math.min(15000, 1000 * 2 ** Math.min(n_failures, 4)));
    return false;
  }

  const sendAgain = async () => { if (await send()) leaveNow(); };

  // Answers that this device still holds come back into the form: the server's page does not know them yet.
  function restore() {
    for (const entry of queue.filter(({ url }) => url === form().dataset.save)) {
      const values = new URLSearchParams(entry.body);
      for (const input of $$(`[data-slot="${entry.slot}"] :is(input, textarea)`)) {
        if (input.type === "radio" || input.type === "checkbox") input.checked = values.getAll(input.name).includes(input.value);
        else if (values.has(input.name)) input.value = values.get(input.name);
      }
    }
  }

  // Leaving: what is unsaved goes first, so that no older answer can arrive after the page that was submitted.
  let leaving = null;

  async function leave(issue) {
    if (leaving) return;
    leaving = issue;
    [...typing.keys()].forEach(save);
    if (await send()) leaveNow();
    else say("waiting", words().offline);
  }

  function leaveNow() {
    if (!leaving) return;
    const issue = leaving;
    const hidden = $("[name=hidden_ms]", form());
    if (hidden) hidden.value = Math.round(away().ms);
    issue(true);
  }

  // Time away: while the tab is hidden or closed nobody reads.
  const awayName = () => AWAY + form().dataset.save;
  const away = () => kept.get(awayName()) ?? { ms: 0, since: null };

  function goAway() {
    if (form() && away().since === null) kept.set(awayName(), { ...away(), since: Date.now() });
  }

  function comeBack() {
    if (!form()) return;
    const { ms, since } = away();
    kept.set(awayName(), { ms: since === null ? ms : ms + Date.now() - since, since: null });
  }

  // Keys
  const groups = () => $$("fieldset[data-group], textarea[data-required]", form());
  const isTextField = (element) => element.matches("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=submit])");

  function isAnswered(group) {
    if (group.matches("textarea")) return group.value.trim() !== "";
    if (group.dataset.strengthOf) {
      const side = $(`[name="${group.dataset.strengthOf}"]:checked`);
      return !["left", "right"].includes(side?.value) || $(":checked", group) !== null;
    }
    return $(":checked", group) !== null || ($("input[type=number]", group)?.value ?? "") !== "";
  }

  const isMissing = (group) => (group.matches("[data-required], [data-strength-of]")) && !isAnswered(group);

  function focusGroup(group) {
    const target = group.matches("textarea") ? group : $(":checked", group) ?? $("input:not([type=hidden])", group);
    target.focus({ preventScroll: true });
    (group.closest(".question") ?? group).scrollIntoView({ block: "nearest" });
  }

  function moveOn(group) {
    const all = groups();
    const next = all.slice(all.indexOf(group) + 1).find((other) => !isAnswered(other) || isMissing(other)) ?? all.find(isMissing);
    if (next) focusGroup(next);
    else $("#next").focus();
  }

  function groupFor(kinds) {
    const focused = document.activeElement.closest?.("fieldset[data-group]");
    if (focused && kinds.includes(focused.dataset.group)) return focused;
    const fitting = groups().filter((group) => kinds.includes(group.dataset.group));
    return fitting.find((group) => !isAnswered(group)) ?? (kinds.includes("choice") ? fitting[0] : undefined);
  }

  function press(group, input) {
    if (!group || !input) return false;
    input.click();
    if (group.dataset.group !== "boxes") moveOn(group);
    return true;
  }

  function submitIfComplete() {
    const missing = groups().filter(isMissing);
    if (!missing.length) { form().requestSubmit($("#next")); return; }
    say("", `${words().missing} ${missing.length.toLocaleString(document.documentElement.lang)}`);
    focusGroup(missing[0]);
  }

  // Where a layout has other letters and digits (Arabic, Greek, Russian), the place of the key counts.
  function latin({ key, code }) {
    if (key === "؟") return "?";
    return key.length === 1 && key > "~" ? code.match(/^(?:Key|Digit|Numpad)([A-Z0-9])$/)?.[1] ?? key : key;
  }

  function act(key, target) {
    const choice = { a: "A", b: "B", t: "T", 0: "T", n: "N" }[key];
    if (choice) { const group = groupFor(["choice"]); return press(group, group && $(`[aria-keyshortcuts="${choice}"]`, group)); }
    if (/^[1-9]$/.test(key)) { const group = groupFor(["points", "boxes"]); return press(group, group && $$(".points input", group)[key - 1]); }
    if (key === "enter") { if (target.matches("a, button, summary")) return false; submitIfComplete(); return true; }
    if (key === "backspace") { $("#back")?.click(); return true; }
    const fold = { s: $("#skip"), "?": $("#keys-help") }[key];
    if (fold) { fold.open = !fold.open; $("summary", fold).focus(); return true; }
    return false;
  }

  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const key = latin(event);
    if (key === "Escape" && $("#keys-help[open]")) { $("#keys-help").open = false; return; }
    if (!form() || form().closest("[data-keys]").dataset.keys === "off") return;
    if (event.defaultPrevented || event.repeat || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTextField(target)) return;
    if (act(key.toLowerCase(), target)) event.preventDefault();
  });

  document.addEventListener("change", ({ target }) => {
    const question = target.closest("form[data-save] .question");
    if (question) save(question);
  });

  document.addEventListener("input", ({ target }) => {
    const question = target.matches("textarea, input[type=number]") && target.closest("form[data-save] .question");
    if (!question) return;
    clearTimeout(typing.get(question));
    typing.set(question, setTimeout(() => save(question), 800));
  });

  document.addEventListener("visibilitychange", () => (document.hidden ? goAway() : comeBack()));
  addEventListener("pagehide", goAway);
  addEventListener("pageshow", comeBack);
  addEventListener("online", sendAgain);

  // htmx
  document.addEventListener("htmx:confirm", (event) => {
    if (event.detail.elt !== form()) return;
    event.preventDefault();
    leave(event.detail.issueRequest);
  });
  // A page without htmx: the same, and then the browser's own way.
  document.addEventListener("submit", (event) => {
    if (event.target !== form() || form().hasAttribute("hx-post")) return;
    event.preventDefault();
    leave(() => form().submit());
  });
  addEventListener("pageshow", ({ persisted }) => { if (persisted) leaving = null; });
  const fail = () => say("waiting", words().notSent);
  document.addEventListener("htmx:afterRequest", () => { leaving = null; });
  document.addEventListener("htmx:sendError", fail);
  document.addEventListener("htmx:responseError", ({ detail }) => (detail.xhr.status < 500 ? location.reload() : fail()));
  document.addEventListener("htmx:afterSettle", () => {
    if (!form() || form().dataset.ready) return;
    ready();
    document.title = $("#rate").dataset.title;
    ($("#summary") ?? $(".turn-now") ?? $("#item-heading")).focus({ preventScroll: true });
    if (!$("#summary")) say("", "");
  });

  function ready() {
    form().dataset.ready = "yes";
    typing.forEach(clearTimeout); typing.clear(); // of a page that was skipped
    kept.names(AWAY).filter((name) => name !== awayName()).forEach(kept.drop);
    comeBack();
    restore();
  }

  if (form()) ready();
  if (queue.length) sendAgain();
})();

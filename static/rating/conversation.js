// A conversation without reloading the page: messages are sent, replies appear as they are written. Without this file
// the same forms work, and a link shows the reply.
(() => {
  "use strict";

  const WAITS_MS = [1000, 2000, 4000, 8000, 15000];
  const TYPING_MS = 3000;
  // `isSending`: what comes meanwhile is in the answer too, or is asked for after it.
  let events = null, isSending = false;

  const at = (id, within = document) => within.getElementById?.(id) ?? within.querySelector(`#${id}`);
  const wait = (ms) => new Promise((done) => { setTimeout(done, ms); });
  // The address of the page names no trial before the first one is over.
  const trialOf = (page) => at("talk", page)?.dataset.trial;
  const KEEP = `attune-message:${trialOf(document)}`;

  // What is typed outlives a reload of the page in the same tab.
  const keep = (words) => { try { sessionStorage.setItem(KEEP, words); } catch { /* storage may be off */ } };
  const kept = () => { try { return sessionStorage.getItem(KEEP) ?? ""; } catch { return ""; } };

  // Say how it is, where screen readers hear it.
  function say(words) { const state = at("talk-state"); if (state) state.textContent = words; }

  // The page as the server has it now, with the turns that are not here yet, sent again until it answers: a message that
  // is there already is not stored twice.
  async function ask(address, form) {
    for (let n = 0; ; n += 1) {
      const headers = { "Attune-After": at("turns").lastElementChild?.dataset.number ?? "0" };
      try {
        const answer = await fetch(address, form ? { method: "POST", headers, body: new URLSearchParams(form) } : { headers });
        if (answer.status < 500 && answer.status !== 429) return new DOMParser().parseFromString(await answer.text(), "text/html");
      } catch { /* no connection */ }
      say(at("talk").dataset.offline);
      await Promise.race([wait(WAITS_MS[Math.min(n, WAITS_MS.length - 1)]), new Promise((done) => { addEventListener("online", done, { once: true }); })]);
    }
  }

  // Where the rater is writing, only the words around the field are taken over; false if there is no such field.
  function update(page) {
    const number = (document_) => at("say-form", document_)?.elements.number.value;
    const field = at("message");
    if (!field || field.readOnly || at("message-problem", page) || number(document) !== number(page)) return false;
    const names = ["talk-state", "talk-typing", "message-hint", "end-form"];
    if (names.some((name) => !at(name) !== !at(name, page))) return false;
    for (const name of names) if (at(name) && at(name).innerHTML !== at(name, page).innerHTML) at(name).innerHTML = at(name, page).innerHTML;
    // Whether the partner writes is told anew.
    if (at("talk-typing")) at("talk-typing").hidden = true;
    return true;
  }

  // Take over what is new. The field keeps what was typed meanwhile, and the focus stays where it was.
  function take(page) {
    const fresh = at("talk", page);
    // Another tab may be in the next trial. What a partner who is gone has had deleted goes from the page too.
    if (trialOf(page) !== trialOf(document) || (fresh.dataset.gone && !at("talk").dataset.gone)) { location.reload(); return; }
    const turns = at("turns");
    const there = new Set([...turns.children].map((turn) => turn.dataset.number));
    at("turns", page).querySelectorAll(".turn").forEach((turn) => { if (!there.has(turn.dataset.number)) turns.append(turn); });
    const field = at("message", page);
    // It is over: what is in the field is sent all the same, to be refused and shown with the reason.
    if (!field && !fresh.dataset.reply && at("message")?.value.trim()) { at("say-form").requestSubmit(); return; }
    if (field && !field.value) field.value = kept();
    const had = at("talk-foot").contains(document.activeElement) || document.activeElement === document.body;
    const isTyping = update(page);
    if (!isTyping) at("talk-foot").replaceWith(at("talk-foot", page));
    document.title = page.title;
    for (const name of ["reply", "partner", "typing", "seconds"]) at("talk").dataset[name] = fresh.dataset[name] ?? "";
    if (had && !isTyping) (field ?? at("talk-foot").querySelector("button"))?.focus({ preventScroll: true });
    begin();
    at("talk-foot").scrollIntoView({ block: "nearest" });
  }

  const refresh = async () => {
    const page = await ask(location.href);
    if (!isSending) take(page);
  };

  function show(words) {
    const writing = at("talk-writing");
    if (!writing) return;
    writing.hidden = false;
    writing.lastElementChild.textContent = words;
    at("talk-state").scrollIntoView({ block: "nearest" });
  }

  function listen(address) {
    events?.close();
    events = new EventSource(address);
    events.addEventListener("text", (event) => show(JSON.parse(event.data)));
    events.addEventListener("end", () => { events.close(); refresh(); });
    // A broken connection is opened again by the browser; one that was refused is not.
    events.addEventListener("error", () => { if (events.readyState === EventSource.CLOSED) wait(WAITS_MS[1]).then(refresh); });
  }

  // Another rater: whether they write, and when there is something new. What is read is the new turn, once.
  function watch(address) {
    events?.close();
    events = new EventSource(address);
    events.addEventListener("typing", (event) => { const typing = at("talk-typing"); if (typing) typing.hidden = event.data !== "true"; });
    events.addEventListener("end", () => { events.close(); refresh(); });
    events.addEventListener("error", () => { if (events.readyState === EventSource.CLOSED) wait(WAITS_MS[1]).then(refresh); });
  }

  let over = 0;
  function begin() {
    const { reply, partner, seconds } = at("talk").dataset;
    if (reply) listen(reply);
    else if (partner) watch(partner);
    clearTimeout(over);
    if (Number(seconds) > 0) over = setTimeout(refresh, Number(seconds) * 1000 + 500);
  }

  // Tell the partner that one writes, once in some seconds.
  let told = 0;
  function typing() {
    const address = at("talk").dataset.typing;
    if (!address || Date.now() - told < TYPING_MS) return;
    told = Date.now();
    fetch(address, { method: "POST" }).catch(() => {});
  }

  document.addEventListener("input", (event) => {
    if (event.target.id !== "message") return;
    keep(event.target.value);
    typing();
  });

  // Enter sends where there is a keyboard; with Shift it makes a line, and so it does on a touch screen and in a diary.
  document.addEventListener("keydown", (event) => {
    if (event.target.id !== "message" || event.key !== "Enter" || event.isComposing) return;
    const sends = event.ctrlKey || event.metaKey || (!event.shiftKey && event.target.rows < 6 && matchMedia("(pointer: fine)").matches);
    if (!sends) return;
    event.preventDefault();
    event.target.form.requestSubmit();
  });

  document.addEventListener("submit", async (event) => {
    if (event.target.id !== "say-form" || event.submitter?.hasAttribute("formaction")) return;
    event.preventDefault();
    const form = event.target;
    if (form.dataset.sent) return;
    told = 0;
    form.dataset.sent = "1";
    at("message").readOnly = isSending = true;
    const page = await ask(form.action, new FormData(form));
    isSending = false;
    if (trialOf(page) === trialOf(document) && !at("message-problem", page)) keep(at("message").value = "");
    take(page);
  });

  const field = at("message");
  if (field && !field.value) field.value = kept();
  // The address of a form that was refused shows no page: what is new is read from the trial's, and so is a reload.
  if (at("message-problem")) history.replaceState(null, "", trialOf(document));
  begin();
})();

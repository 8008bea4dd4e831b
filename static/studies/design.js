// The design pages save by themselves; this puts problems at their fields and draws the preview anew.
const frame = document.getElementById("preview-frame");

document.body.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "design-state") return;
  const problems = [...event.target.querySelectorAll("[data-problems] li")];
  for (const place of document.querySelectorAll(".field-problem[data-at]")) {
    const own = place.dataset.at ? problems.filter((one) => one.dataset.path === place.dataset.at) : [];
    place.textContent = own.map((one) => one.textContent).join(" ");
  }
  frame?.contentWindow.location.reload();
});

// Somebody else has changed the same part: both changes are shown, and what is typed here goes along.
document.body.addEventListener("htmx:responseError", async ({ detail }) => {
  const form = document.getElementById("design-form");
  if (detail.xhr.status === 409) form?.submit();
  else if (form) {
    typed.add(form);
    if (await obstacle() === "no-session") {
      notSaved("Not saved: your session has ended. ", signIn(), " in a new tab and come back: this page then saves what you entered.");
    } else notSaved("Not saved. Press Save to see why; what you entered is kept.");
  }
});

// Once one of both changes is chosen, going back shows the part as it is, not the browser's question to send the other again.
const decision = document.querySelector("[data-decides]");
for (const name of ["submit", "click"]) {
  decision?.addEventListener(name, ({ target }) => {
    if (target === decision || target.closest("a")) history.replaceState(null, "", location.href);
  });
}

// What was typed is sent again until it has arrived, or once the lead has signed in again; lead.js asks before it is left.
let again = 0;
document.body.addEventListener("htmx:sendError", () => {
  const form = document.getElementById("design-form");
  notSaved(`Not saved: no connection to the server.${form ? " Leave this page open: it saves once the connection is back." : ""}`);
  if (form) typed.add(form);
  clearTimeout(again);
  again = setTimeout(saveAgain, 5000);
});
document.body.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.successful) typed.delete(document.getElementById("design-form"));
});
addEventListener("online", saveAgain);
addEventListener("focus", saveAgain);
function saveAgain() {
  const form = document.getElementById("design-form");
  if (typed.has(form)) form.dispatchEvent(new Event("change", { bubbles: true }));
}
function signIn() {
  return document.getElementById("no-session").content.querySelector("a").cloneNode(true);
}

// Who leaves within a second of typing leaves before it is saved: it is sent along.
let isUnsaved = false;
document.addEventListener("input", ({ target }) => { if (target.form?.id === "design-form") isUnsaved = true; });
document.addEventListener("submit", () => { isUnsaved = false; });
document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  if (detail.elt.getAttribute("hx-include") === "#design-form") isUnsaved = false;
});
window.addEventListener("pagehide", () => {
  const form = document.getElementById("design-form");
  if (isUnsaved && form) navigator.sendBeacon(form.action, new FormData(form));
});

// A pasted text is there again after going back, until the browser's tab is closed.
const keepPasted = () => {
  const area = document.querySelector("textarea[data-kept]");
  if (area && !area.value) area.value = sessionStorage.getItem(area.dataset.kept) ?? "";
};
document.addEventListener("input", ({ target }) => { if (target.dataset?.kept) sessionStorage.setItem(target.dataset.kept, target.value); });
keepPasted();

// Without this, the line would still say when an earlier change was saved.
function notSaved(...words) {
  const line = document.querySelector("#design-state [role=status]");
  line?.classList.replace("soft", "problem");
  line?.replaceChildren(...words);
}

// The page that is chosen is shown at once.
const pages = document.getElementById("preview-page");
pages?.addEventListener("change", () => pages.form.requestSubmit());

// A link of the checklist leads to a field, which may be among those that are folded away.
function showField() {
  const field = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let more = field?.closest("details"); more; more = more.parentElement.closest("details")) more.open = true;
  field?.scrollIntoView({ block: "center" });
  field?.focus();
}
addEventListener("hashchange", showField);
showField();

// A preview that is to be redrawn stays where it was scrolled to.
let scrolled = 0;
frame?.addEventListener("load", () => {
  frame.contentWindow.scrollTo(0, scrolled);
  frame.contentWindow.addEventListener("scroll", () => { scrolled = frame.contentWindow.scrollY; });
});

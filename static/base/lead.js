// Copying a rater's link. Without this script the address can still be marked and copied by hand.
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Marked: press Ctrl+C";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 3000);
});

// Also those of a part of the page that was drawn anew.
function showCopyButtons() {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
}
showCopyButtons();
document.addEventListener("htmx:afterSettle", showCopyButtons);

// What is drawn anew every few seconds stays as it was left: open or closed, scrolled, in focus.
function selectorOf(one) {
  if (one.id) return `#${CSS.escape(one.id)}`;
  if (one.matches("summary")) return `${selectorOf(one.parentElement)} > summary`;
  const name = one.hasAttribute("href") ? "href" : "aria-label";
  return `${one.localName}[${name}="${CSS.escape(one.getAttribute(name) ?? "")}"]`;
}
let left = [];
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  left = [];
  if (!detail.requestConfig.elt.matches("[hx-trigger^=every]")) return;
  for (const one of document.querySelectorAll("details, .table-scroll, :focus")) {
    left.push({ one, selector: selectorOf(one), isOpen: one.open, scrolled: one.scrollLeft, isFocused: one.matches(":focus") });
  }
});
document.addEventListener("htmx:afterSwap", () => {
  for (const { one, selector, isOpen, scrolled, isFocused } of left) {
    const now = one.isConnected ? null : document.querySelector(selector);
    if (!now) continue;
    if (now.localName === "details") now.open = isOpen;
    now.scrollLeft = scrolled;
    if (isFocused) now.focus({ preventScroll: true });
  }
});

// On a narrow screen the tabs and the parts of a design lie in one line that scrolls: the current one is in sight.
for (const line of document.querySelectorAll(".tabs, .sections")) {
  const here = line.querySelector("[aria-current]");
  if (here) line.scrollLeft += here.getBoundingClientRect().right - line.getBoundingClientRect().right + line.clientWidth / 3;
}

// Too large a file is said at once, instead of after minutes of sending it.
for (const form of document.querySelectorAll("form[data-max-bytes]")) {
  const most = Number(form.dataset.maxBytes);
  const problem = form.querySelector(".problem");
  form.addEventListener("submit", (event) => {
    const files = [...form.querySelectorAll("input[type=file]")].flatMap((input) => [...input.files]);
    const size = files.reduce((sum, file) => sum + file.size, 0);
    problem.textContent = "";
    if (size <= most) return;
    event.preventDefault();
    problem.textContent = `This is ${Math.ceil(size / 1048576)} MB; at most ${Math.floor(most / 1048576)} MB can be sent.`;
  });
}

// What takes seconds says that it runs, and cannot be sent twice. The page of the answer replaces this one.
for (const words of document.querySelectorAll("[data-busy]")) {
  const buttons = [...words.closest("form").querySelectorAll("button")];
  const show = (isBusy) => {
    words.textContent = isBusy ? words.dataset.busy : "";
    for (const button of buttons) button.disabled = isBusy;
  };
  // The button's own value is sent only if it is not disabled yet; a problem found above stops the sending.
  words.closest("form").addEventListener("submit", (event) => setTimeout(() => { if (!event.defaultPrevented) show(true); }));
  // Going back shows the page as it was left.
  window.addEventListener("pageshow", () => show(false));
}

// A dropped or chosen spreadsheet is sent at once; a changed role is, too. Without this script there are buttons.
for (const field of document.querySelectorAll("[data-send]")) {
  field.addEventListener("change", () => field.form.requestSubmit(document.getElementById(field.dataset.send)));
}

// What was typed or chosen is sent once the server says that it would take it. Without a connection or a session the form
// stays as it was filled in, and says why; it is not left by mistake.
const session = document.querySelector("[data-session]")?.dataset.session;
const typed = new Set();
const asking = new Set();

// The name of the template that says why nothing can be sent; empty if it can.
async function obstacle() {
  const how = { headers: { "HX-Request": "true" }, cache: "no-store", signal: AbortSignal.timeout(15000) };
  const answer = await fetch(session, how).catch(() => null);
  return answer?.ok ? "" : answer?.status === 403 ? "no-session" : "no-connection";
}

async function sendIfPossible(form, button) {
  asking.add(form);
  const name = await obstacle();
  asking.delete(form);
  for (const old of document.querySelectorAll(".not-sent")) old.remove();
  if (name) {
    (button?.closest("form") ?? button?.parentElement ?? form).append(document.getElementById(name).content.cloneNode(true));
    document.querySelector(".not-sent").scrollIntoView({ block: "nearest" });
  } else if (form.isConnected) {
    typed.delete(form);
    form.requestSubmit(button?.form === form ? button : null);
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!typed.has(form)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (!asking.has(form)) sendIfPossible(form, event.submitter);
}, true);

// The forms of a design save by themselves: only what could not be saved is typed and not sent.
document.addEventListener("input", ({ target }) => {
  if (session && target.form?.matches("[method=post]:not(#design-form)")) typed.add(target.form);
});
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.failed && detail.elt.matches("[method=post]")) typed.add(detail.elt);
});
addEventListener("beforeunload", (event) => { if ([...typed].some((form) => form.isConnected)) event.preventDefault(); });

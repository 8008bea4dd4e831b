// Keys: one for each option that shows one, Enter, Backspace, ?. They can be switched off.
(() => {
  "use strict";

  const { $, $$, form, words, say, groups, isAnswered, isMissing } = attune;
  const isTextField = (element) => element.matches("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=submit])");
  const optionOf = (group, key) => $$("input[aria-keyshortcuts]", group).find((input) => input.getAttribute("aria-keyshortcuts").toLowerCase() === key);

  function focusGroup(group) {
    const target = group.matches("textarea") ? group : $("[data-mark], input[type=number]", group) ?? $(":checked", group) ?? $("input:not([type=hidden])", group);
    target.focus({ preventScroll: true });
    (group.closest(".question") ?? group).scrollIntoView({ block: "nearest" });
    target.closest(".point, button, textarea")?.scrollIntoView({ block: "nearest" });
  }

  function moveOn(group) {
    const all = groups();
    const next = all.slice(all.indexOf(group) + 1).find((other) => !isAnswered(other) || isMissing(other)) ?? all.find(isMissing);
    if (next) focusGroup(next);
    else $("#next").focus();
  }

  // The focused question obeys first, then the first one that is open and has such an option.
  function groupFor(key) {
    const focused = document.activeElement.closest?.("fieldset[data-group]");
    if (focused && optionOf(focused, key)) return focused;
    const fitting = groups().filter((group) => optionOf(group, key));
    return fitting.find((group) => !isAnswered(group)) ?? fitting.find((group) => group.dataset.group === "choice");
  }

  function press(key) {
    const group = groupFor(key);
    if (!group) return false;
    const input = optionOf(group, key);
    input.click();
    if (group.dataset.group === "boxes") input.focus();
    else moveOn(group);
    return true;
  }

  function submitIfComplete() {
    const missing = groups().filter(isMissing);
    if (!missing.length) { form().requestSubmit($("#next")); return; }
    say("", `${words().missing} ${missing.length.toLocaleString(document.documentElement.lang)}`);
    focusGroup(missing[0]);
  }

  function mark() {
    const box = document.activeElement.closest?.("[data-highlight]") ?? $("[data-highlight]", $(".slot.now") ?? form()) ?? $("[data-highlight]");
    if (!box) return false;
    $("[data-mark]", box).click();
    return true;
  }

  // Where a layout has other letters and digits (Arabic, Greek, Russian), the place of the key counts.
  function latin({ key, code }) {
    if (key === "؟") return "?";
    return key.length === 1 && key > "~" ? code.match(/^(?:Key|Digit|Numpad)([A-Z0-9])$/)?.[1] ?? key : key;
  }

  function act(key, target) {
    if (key.length === 1 && (press(key) || (key === "0" && press("t")))) return true;
    if (key === "m") return mark();
    if (key === "enter") { if (target.matches("a, button, summary, [role=textbox]")) return false; submitIfComplete(); return true; }
    if (key === "backspace") { $("#back")?.click(); return true; }
    const fold = { s: $("#skip"), "?": $("#keys-help") }[key];
    if (fold) { fold.open = !fold.open; $("summary", fold).focus(); return true; }
    return false;
  }

  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const key = latin(event);
    const fold = $(".bar-fold[open]");
    if (key === "Escape" && fold) { fold.open = false; $("summary", fold).focus(); return; }
    if (!form() || form().inert || form().closest("[data-keys]").dataset.keys === "off") return;
    if (event.defaultPrevented || event.repeat || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTextField(target)) return;
    if (act(key.toLowerCase(), target)) event.preventDefault();
  });
})();

// Allocations. Without this file each response has a number field, and the server adds up. With it, buttons change the
// points in portions, and the page says how many are shared and left.
(() => {
  "use strict";

  const inputs = (box) => [...box.querySelectorAll("input[type=number]")];
  const totalOf = (box) => Number(box.dataset.allocation);
  const sumOf = (box) => inputs(box).reduce((sum, input) => sum + (Number(input.value) || 0), 0);
  const said = (number) => number.toLocaleString(document.documentElement.lang);

  function show(box) {
    const [total, sum] = [totalOf(box), sumOf(box)];
    const isBegun = inputs(box).some((input) => input.value !== "");
    const line = box.querySelector(".allocation-sum");
    const { shared, left, over } = box.dataset;
    line.classList.toggle("is-over", sum > total);
    const rest = sum > total ? `${over}${said(sum - total)}` : `${left}${said(total - sum)}`;
    line.textContent = `${shared}${said(sum)} / ${said(total)} · ${rest}`;
    // The server stores the points as a whole: until they add up, they are kept on the page.
    box.toggleAttribute("data-incomplete", isBegun && (sum !== total || inputs(box).some((input) => input.value === "")));
  }

  function change(button) {
    const box = button.closest("[data-allocation]");
    const input = button.closest(".allocation-row").querySelector("input");
    const portion = Math.max(1, Math.floor(totalOf(box) / 20));
    const now = Number(input.value) || 0;
    const most = button.dataset.step > 0 ? Math.min(portion, Math.max(0, totalOf(box) - sumOf(box))) : portion;
    input.value = String(Math.max(0, now + Number(button.dataset.step) * most));
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }

  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.("[data-allocation] [data-step]");
    if (button) change(button);
  });
  // Capturing: the page saves on the same events, and must know whether the points add up.
  for (const event of ["input", "change"]) {
    document.addEventListener(event, ({ target }) => {
      const box = target.closest?.("[data-allocation]");
      if (box) show(box);
    }, true);
  }

  const start = () => document.querySelectorAll("[data-allocation]").forEach((box) => {
    box.querySelectorAll("[data-step]").forEach((button) => { button.hidden = false; });
    show(box);
  });
  document.addEventListener("htmx:afterSettle", start);
  start();
})();

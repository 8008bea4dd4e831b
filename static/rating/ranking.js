// Rankings. Without this file each response gets its rank by a row of radio buttons. With it, a rank that another
// response has changes places with it, so that no rank is given twice, and the order is read back.
(() => {
  "use strict";

  const rows = (ranking) => [...ranking.querySelectorAll(".ranking-row")];
  const picked = (row) => row.querySelector(":checked");
  const rankOf = (row) => Number(picked(row)?.value ?? 0);
  const nameOf = (row) => row.querySelector("legend").textContent.trim();

  // The rank that a row had before it changed.
  const remember = (ranking) => rows(ranking).forEach((row) => { row.dataset.rank = String(rankOf(row) || ""); });

  function swap(ranking, row) {
    const other = rows(ranking).find((one) => one !== row && rankOf(one) === rankOf(row));
    if (!other) return;
    const freed = other.querySelector(`input[value="${row.dataset.rank}"]`);
    if (freed) freed.checked = true;
    else picked(other).checked = false;
  }

  function show(ranking) {
    const all = rows(ranking);
    const line = ranking.querySelector(".ranking-order");
    line.textContent = "";
    if (!all.every(picked)) return;
    const ranks = [...new Set(all.map(rankOf))].sort((a, b) => a - b);
    const places = ranks.map((rank) => all.filter((row) => rankOf(row) === rank).map(nameOf).join(" = "));
    line.textContent = `${ranking.dataset.order}${places.join(" > ")}`;
  }

  // Capturing: the page saves on the same event, and must find the ranks in order.
  document.addEventListener("change", ({ target }) => {
    const ranking = target.closest?.("[data-ranking]");
    const row = target.closest?.(".ranking-row");
    if (!ranking || !row) return;
    if (!("ties" in ranking.dataset)) swap(ranking, row);
    remember(ranking);
    show(ranking);
  }, true);

  const start = () => document.querySelectorAll("[data-ranking]").forEach((ranking) => { remember(ranking); show(ranking); });
  document.addEventListener("htmx:afterSettle", start);
  start();
})();

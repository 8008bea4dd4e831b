// Rankings. Without this file each response gets its rank by a row of radio buttons. With it, a rank that another
// response has changes places with it, so that no rank is given twice, and the order is read back. A pointer can also drag
// letters into order; keys and screen readers have the buttons.
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

  const make = (className, text = "") => Object.assign(document.createElement("div"), { className, textContent: text });

  // The row that has each rank, undefined where none has it.
  const orderOf = (ranking) => rows(ranking).map((_, at) => rows(ranking).find((row) => rankOf(row) === at + 1));

  // Unlike a button, a letter that is dropped on another moves those in between on.
  function drop(ranking, row, at) {
    const order = orderOf(ranking);
    const gaps = order.flatMap((one, place) => (one ? [] : [place]));
    const from = order.includes(row) ? order.indexOf(row) : (gaps.find((gap) => gap >= at) ?? gaps.at(-1));
    order.splice(from, 1);
    order.splice(at, 0, row);
    order.forEach((one, place) => { if (one) one.querySelector(`input[value="${place + 1}"]`).checked = true; });
    picked(row).dispatchEvent(new Event("change", { bubbles: true }));
  }

  function nearest(places, { clientX, clientY }) {
    const away = places.map((place) => {
      const { left, top, width, height } = place.getBoundingClientRect();
      return Math.hypot(clientX - left - width / 2, clientY - top - height / 2) / width;
    });
    const least = Math.min(...away);
    return least < 1 ? away.indexOf(least) : -1;
  }

  function letterOf(ranking, row, places) {
    const letter = make("letter", row.querySelector(".row-name").textContent);
    let start = null;
    const aim = (at) => places.forEach((place, one) => place.classList.toggle("is-aim", one === at));
    letter.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault();
      letter.setPointerCapture(event.pointerId);
      start = event;
    });
    letter.addEventListener("pointermove", (event) => {
      if (!start) return;
      letter.style.translate = `${event.clientX - start.clientX}px ${event.clientY - start.clientY}px`;
      aim(nearest(places, event));
    });
    const end = (event) => {
      const at = start && event.type === "pointerup" ? nearest(places, event) : -1;
      start = null;
      letter.style.translate = "";
      aim(-1);
      if (at >= 0 && rankOf(row) !== at + 1) drop(ranking, row, at);
    };
    letter.addEventListener("pointerup", end);
    letter.addEventListener("pointercancel", end);
    return letter;
  }

  function showLetters(ranking) {
    if ("ties" in ranking.dataset) return;
    let box = ranking.querySelector(".ranking-drag");
    if (!box) {
      box = make("ranking-drag");
      box.setAttribute("aria-hidden", "true");
      ranking.querySelector(".ranking-rows").after(box);
    }
    const order = orderOf(ranking);
    const letters = make("letters");
    const places = order.map((_, at) => make("place", rows(ranking)[0].querySelector(`input[value="${at + 1}"]`).labels[0].querySelector(".words").textContent));
    for (const row of rows(ranking)) (places[order.indexOf(row)] ?? letters).append(letterOf(ranking, row, places));
    const row = make("places");
    row.append(...places);
    box.style.setProperty("--n", places.length);
    box.replaceChildren(make("help", ranking.dataset.drag), letters, row);
  }

  function show(ranking) {
    showLetters(ranking);
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

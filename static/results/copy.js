// "Copy" at each answer, table and chart of the results: text for a paper; a table with its caption, as cells for
// spreadsheets and word processors; a chart as a picture. Without this script, texts can be marked and charts downloaded.
(() => {
  "use strict";

  const SAID_MS = 3000;
  const clean = (text) => text.replace(/\s+/g, " ").trim();

  function copyButton(name, content) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
    button.setAttribute("aria-label", `Copy ${name}`);
    button.addEventListener("click", async () => {
      let said = "Copied";
      try {
        await content();
      } catch {
        said = "Not copied: your browser does not allow it";
      }
      button.textContent = said;
      button.setAttribute("aria-label", said);
      setTimeout(() => {
        button.textContent = "Copy";
        button.setAttribute("aria-label", `Copy ${name}`);
      }, SAID_MS);
    });
    return button;
  }

  const write = (text) => navigator.clipboard.writeText(text);
  const blob = (text, type) => new Blob([text], { type });

  // The words of an answer, without buttons and pictures.
  function words(element) {
    const copy = element.cloneNode(true);
    copy.querySelectorAll("button, svg, .chip").forEach((one) => one.remove());
    return clean(copy.textContent);
  }

  function cardWords(card) {
    const part = (selector) => [...card.querySelectorAll(selector)].map(words);
    const [label, effect, details] = [part("h2")[0], part(".effect")[0], part(".effect + .soft")[0]];
    return `${label}: ${effect}. ${details}`;
  }

  function rowWords(row) {
    const [statistic, of, estimate, p] = [...row.cells].map(words);
    const interval = words(row.cells[2].querySelector(".interval"));
    const value = clean(estimate.slice(0, estimate.length - interval.length));
    return `${statistic} (${of}): ${value}${interval ? ` (${interval})` : ""}${p ? `, p ${/^[<>]/.test(p) ? p : `= ${p}`}` : ""}.`;
  }

  function nameOf(table) {
    const said = table.caption ?? table.closest(".card")?.querySelector("h2, summary");
    return said ? words(said) : table.closest("[aria-label]")?.getAttribute("aria-label") ?? "Table";
  }

  // Only what a table says: no classes, links or hidden words.
  function copyTable(table) {
    const caption = nameOf(table);
    const rows = [...table.rows].map((row) => [...row.cells].map((cell) => [cell.tagName.toLowerCase(), words(cell), cell.colSpan]));
    const text = [caption, ...rows.map((row) => row.map((cell) => cell[1]).join("\t"))].join("\n");
    const copy = document.createElement("table");
    copy.createCaption().textContent = caption;
    for (const row of rows) {
      const line = copy.insertRow();
      for (const [tag, said, span] of row) {
        const cell = Object.assign(document.createElement(tag), { textContent: said, colSpan: span });
        line.append(cell);
      }
    }
    const item = { "text/plain": blob(text, "text/plain"), "text/html": blob(copy.outerHTML, "text/html") };
    return navigator.clipboard.write([new ClipboardItem(item)]);
  }

  function addressOf(picture) {
    return new Promise((give, fail) => {
      const reader = new FileReader();
      reader.addEventListener("load", () => give(reader.result));
      reader.addEventListener("error", fail);
      reader.readAsDataURL(picture);
    });
  }

  // As a picture, and for word processors as a figure with its caption. A browser that cannot copy pictures, or a chart
  // that is not ready, gives its address.
  function copyChart(figure, address) {
    const picture = fetch(address).then((response) => {
      if (!response.ok || !response.headers.get("content-type").startsWith("image/png")) throw new Error("no picture");
      return response.blob();
    });
    const html = picture.then(addressOf).then((source) => {
      const copy = document.createElement("figure");
      const image = Object.assign(document.createElement("img"), { src: source, alt: figure.querySelector("img").alt });
      const caption = document.createElement("figcaption");
      caption.textContent = `${words(figure.querySelector("h3"))}. ${image.alt}`;
      copy.append(image, caption);
      return blob(copy.outerHTML, "text/html");
    });
    return navigator.clipboard.write([new ClipboardItem({ "image/png": picture, "text/html": html })]).catch(() => write(address));
  }

  for (const answer of document.querySelectorAll(".primary-answer")) {
    answer.append(" ", copyButton("this answer", () => write(words(answer))));
  }
  for (const card of document.querySelectorAll(".card.answer")) {
    const title = card.querySelector("h2");
    title.append(" ", copyButton(`the answer: ${words(title)}`, () => write(cardWords(card))));
  }
  for (const table of document.querySelectorAll("table.estimates, table.summary-table")) {
    const button = copyButton(`the table: ${nameOf(table)}`, () => copyTable(table));
    // In a card beside its heading, so that the page does not grow.
    const title = table.closest("section.card")?.querySelector("h2");
    if (title && !title.querySelector(".copy")) title.append(" ", button);
    else (table.closest(".table-scroll") ?? table).after(button);
  }
  for (const figure of document.querySelectorAll("figure.chart")) {
    const link = figure.querySelector('.downloads a[href*=".png"]');
    if (link) link.parentElement.append(" ", copyButton(`the chart: ${clean(figure.querySelector("h3").textContent)}`, () => copyChart(figure, link.href)));
  }
  // Hundreds of rows: their buttons are made when they are first seen.
  function copyRows(details) {
    for (const row of details.querySelectorAll(".with-recipes tbody tr:not([data-can-copy])")) {
      row.dataset.canCopy = "";
      if (/\d/.test(row.cells[2].textContent)) row.cells[0].append(" ", copyButton(words(row.cells[0]), () => write(rowWords(row))));
    }
  }
  for (const details of document.querySelectorAll("details.recipes")) {
    if (details.open) copyRows(details);
    details.addEventListener("toggle", () => copyRows(details));
  }
})();

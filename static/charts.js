// Draws the charts of the page from their specifications; the tables beneath them say the same.
const places = [...document.querySelectorAll("[data-chart]")];
const source = document.querySelector("[data-charts]");
const dark = matchMedia("(prefers-color-scheme: dark)");
const options = {
  ast: true, actions: false, defaultStyle: false, renderer: "svg", tooltip: { disableDefaultStyle: true },
};
const drawn = new Map();

// The heading of the page says what the chart is of; pictures for papers keep their title.
function untitled({ title, ...spec }) {
  const line = title?.subtitle;
  return line ? { ...spec, title: { ...title, text: line, subtitle: undefined, fontSize: 12, fontWeight: "normal" } } : spec;
}

async function draw() {
  if (!places.length || !window.vegaEmbed) return;
  const answer = await fetch(`${source.dataset.charts}?theme=${dark.matches ? "dark" : "light"}`);
  if (!answer.ok || answer.redirected) return;
  const specs = await answer.json();
  for (const place of places) {
    const spec = specs[place.dataset.chart];
    if (!spec) continue;
    place.hidden = false;
    drawn.get(place)?.finalize();
    const canvas = document.createElement("div");
    place.replaceChildren(canvas);
    drawn.set(place, await window.vegaEmbed(canvas, untitled(spec), options));
  }
}

draw();
dark.addEventListener("change", draw);

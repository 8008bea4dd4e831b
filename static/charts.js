// Draws the charts that come into view from their specifications; the tables beneath them say the same.
const source = document.querySelector("[data-charts]");
const places = [...document.querySelectorAll("[data-chart]")];
const dark = matchMedia("(prefers-color-scheme: dark)");
const options = {
  ast: true, actions: false, defaultStyle: false, renderer: "svg", tooltip: { disableDefaultStyle: true },
};
const AHEAD = "600px";
const drawn = new Map();
const waiting = new Set();

// The heading of the page says what the chart is of; pictures for papers keep their title.
function untitled({ title, ...spec }) {
  const line = title?.subtitle;
  return line ? { ...spec, title: { ...title, text: line, subtitle: undefined, fontSize: 12, fontWeight: "normal" } } : spec;
}

async function specifications(keys) {
  const query = new URLSearchParams([
    ["of", source.dataset.of], ["theme", dark.matches ? "dark" : "light"], ...keys.map((key) => ["key", key]),
  ]);
  const answer = await fetch(`${source.dataset.charts}?${query}`);
  return answer.ok && !answer.redirected ? answer.json() : {};
}

async function draw(some) {
  const specs = await specifications(some.map((place) => place.dataset.chart));
  for (const place of some) {
    const spec = specs[place.dataset.chart];
    place.hidden = !spec;
    if (!spec) continue;
    const canvas = document.createElement("div");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", place.dataset.words);
    place.replaceChildren(canvas);
    drawn.get(place)?.finalize();
    drawn.set(place, await window.vegaEmbed(canvas, untitled(spec), options));
    place.classList.add("drawn");
  }
}

// Those that come into view together are asked for together: one request for all of them.
function ask(place) {
  waiting.add(place);
  if (waiting.size > 1) return;
  setTimeout(() => {
    const some = [...waiting];
    waiting.clear();
    draw(some);
  }, 50);
}

if (window.vegaEmbed && places.length) {
  const sight = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      sight.unobserve(target);
      ask(target);
    }
  }, { rootMargin: AHEAD });
  for (const place of places) {
    place.hidden = false;
    sight.observe(place);
  }
  dark.addEventListener("change", () => draw([...drawn.keys()]));
}

// Replacing selected words of a text by a mark, wherever they stand in it. Without this script the fields are edited by hand.
const review = document.querySelector(".text-review");
const tools = review.querySelector(".review-tools");
const status = tools.querySelector("[role=status]");
const fields = [...review.querySelectorAll("textarea")];
let last = fields[0];
tools.hidden = false;
for (const field of fields) field.addEventListener("focus", () => { last = field; });

const escaped = (words) => words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function replace(kind) {
  const [start, end] = [last.selectionStart, last.selectionEnd];
  const words = last.value.slice(start, end).trim();
  if (!words) {
    status.textContent = "Select words first.";
    return;
  }
  // A whole word: “Ann” is not taken out of “Annual”.
  const all = new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(words)}(?![\\p{L}\\p{N}_])`, "gu");
  const mark = `[${kind}]`;
  // What is selected is replaced also if it is a part of a word.
  last.setRangeText(last.value.slice(start, end).replace(words, mark), start, end, "end");
  let n = 1;
  for (const field of fields) {
    const at = field.selectionStart;
    const value = field.value.replace(all, () => { n += 1; return mark; });
    if (value !== field.value) {
      field.value = value;
      field.setSelectionRange(at, at);
    }
  }
  last.focus();
  status.textContent = n === 1 ? `Replaced by ${mark}.` : `Replaced by ${mark} in ${n} places.`;
}

for (const button of tools.querySelectorAll("[data-kind]")) {
  // The field keeps its selection.
  button.addEventListener("mousedown", (event) => event.preventDefault());
  button.addEventListener("click", () => replace(button.dataset.kind));
}
document.addEventListener("keydown", (event) => {
  if (!event.altKey || event.ctrlKey || event.metaKey) return;
  const button = tools.querySelectorAll("[data-kind]")[Number(event.code.replace("Digit", "")) - 1];
  if (!button || document.activeElement !== last) return;
  event.preventDefault();
  replace(button.dataset.kind);
});

// Copying a rater's link. Without this script the address can still be marked and copied by hand.
for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Marked: press Ctrl+C";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 3000);
  });
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

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

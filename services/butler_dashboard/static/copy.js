// Copying a command: the buttons beside the commands of a page, which are hidden where no script runs.
"use strict";

async function copyCommand(button) {
  const code = button.parentElement.querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

function showCopying() {
  for (const button of document.querySelectorAll("button[data-copy][hidden]")) button.hidden = false;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-copy]");
  if (button) copyCommand(button);
});
showCopying();

// Of the versions in a history two can be ticked; the third tick takes the place of the oldest one.
(() => {
  "use strict";

  const ticked = [];
  function tick(box) {
    if (box.checked) ticked.push(box);
    const still = ticked.filter((each) => each.checked && each.isConnected);
    while (still.length > 2) still.shift().checked = false;
    ticked.splice(0, ticked.length, ...still);
    const numbers = still.map((each) => Number(each.dataset.seq)).sort((a, b) => a - b);
    const words = ["Compare two", "Compare with the newest", "Compare"][numbers.length];
    const button = document.querySelector("[data-compare]");
    button.lastElementChild.textContent =
      numbers.length === 2 ? `${words} v${numbers[0]} with v${numbers[1]}` : words;
    button.classList.toggle("btn--main", numbers.length > 0);
  }
  document.addEventListener("change", (event) => {
    const box = event.target.closest("[data-ticks] input[name=v]");
    if (box) tick(box);
  });
})();

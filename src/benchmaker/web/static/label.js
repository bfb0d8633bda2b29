// Labelling by keyboard: digits write the score, Enter stores it. Without script the form does.
const form = document.querySelector("#labelling"), score = document.querySelector("#score");
if (form && score && document.documentElement.dataset.keys !== "off") {
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input:not([type=checkbox]), select, textarea, summary")) return;
    if (/^[0-9.]$/.test(e.key)) { score.value += e.key; e.preventDefault(); }
    else if (e.key === "Backspace") { score.value = score.value.slice(0, -1); e.preventDefault(); }
    else if (e.key === "Enter" && score.value && !e.target.matches("a, button")) { e.preventDefault(); form.requestSubmit(); }
  });
}

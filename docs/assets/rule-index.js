// Filters of the rule index. They are made from its tables, which can be read without this; what is chosen is in the
// address (?framework=JAX&breaks=gradient).

const FILTERS = { framework: "frameworks", breaks: "breaks", level: "level", fix: "fix" };
const ORDER = ["PyTorch", "TensorFlow", "Keras", "JAX", "NumPy", "value", "gradient", "accuracy", "certain", "likely", "possible", "safe", "unsafe", "suggestion", "none"];

const tables = [...document.querySelectorAll(".md-content table")];
const rows = tables.flatMap((table) => {
  const names = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent.trim());
  return [...table.querySelectorAll("tbody tr")].map((row) => ({
    row,
    text: row.textContent.toLowerCase(),
    cells: Object.fromEntries([...row.cells].map((cell, at) => [names[at], cell.textContent.split(",").map((word) => word.trim())])),
  }));
});

function headingOf(table) {
  let at = table.closest(".md-typeset__scrollwrap") ?? table;
  while (at && at.tagName !== "H2") at = at.previousElementSibling;
  return at;
}

const form = document.createElement("form");
form.setAttribute("role", "search");
form.setAttribute("aria-label", "Filter the rules");
const words = labelled("text", Object.assign(document.createElement("input"), { type: "search", name: "q", placeholder: "nan softmax" }));
const choices = Object.entries(FILTERS).map(([name, column]) => {
  const select = Object.assign(document.createElement("select"), { name });
  const values = new Set(rows.flatMap(({ cells }) => cells[column]).filter(Boolean));
  select.append(new Option("any", ""), ...ORDER.filter((value) => values.has(value)).map((value) => new Option(value, value)));
  return labelled(name, select);
});
const clear = Object.assign(document.createElement("button"), { type: "reset", textContent: "Clear" });
const count = document.createElement("p");
count.setAttribute("role", "status");
form.append(words, ...choices, clear, count);

function labelled(text, control) {
  const label = document.createElement("label");
  label.append(text, " ", control);
  return label;
}

function apply() {
  const wanted = [...new FormData(form)].filter(([, value]) => value.trim());
  const fits = ({ text, cells }) =>
    wanted.every(([name, value]) =>
      name === "q" ? value.toLowerCase().trim().split(/\s+/).every((word) => text.includes(word)) : cells[FILTERS[name]].includes(value),
    );
  let shown = 0;
  for (const one of rows) {
    const fit = fits(one);
    one.row.hidden = !fit;
    shown += fit;
  }
  for (const table of tables) {
    const empty = ![...table.tBodies[0].rows].some((row) => !row.hidden);
    (table.closest(".md-typeset__scrollwrap") ?? table).hidden = empty;
    const heading = headingOf(table);
    if (heading) heading.hidden = empty;
  }
  count.textContent = `${shown} of ${rows.length} rules`;
  const query = new URLSearchParams(wanted).toString();
  history.replaceState(null, "", `${location.pathname}${query && `?${query}`}${location.hash}`);
}

for (const [name, value] of new URLSearchParams(location.search)) {
  const control = form.elements[name];
  if (control) control.value = value;
  // a value that no option has
  if (control && control.value !== value) control.value = "";
}
form.addEventListener("input", apply);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(apply));
document.getElementById("rule-filter").replaceWith(form);
form.id = "rule-filter";
apply();

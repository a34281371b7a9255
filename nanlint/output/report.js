// Filters of the report. What they are set to is in the fragment, so that a link shows the same findings.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const form = byId("filters");
  const findings = [...document.querySelectorAll(".finding")];
  if (!findings.length) return;
  const texts = new Map(findings.map((one) => [one, `${one.dataset.path}\n${one.textContent}`.toLowerCase()]));

  function state() {
    const set = new URLSearchParams();
    for (const name of ["rule", "level", "text"]) if (byId(name).value.trim()) set.set(name, byId(name).value.trim());
    if (byId("fix").checked) set.set("fix", "1");
    return set;
  }

  function show() {
    const set = state();
    const words = (set.get("text") || "").toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const one of findings) {
      const { rule, level, fix } = one.dataset;
      const shown = (!set.has("rule") || set.get("rule") === rule) && (!set.has("level") || set.get("level") === level)
        && (!set.has("fix") || fix === "1") && words.every((word) => texts.get(one).includes(word));
      one.hidden = !shown;
      count += shown ? 1 : 0;
    }
    for (const file of document.querySelectorAll(".file")) file.hidden = !file.querySelector(".finding:not([hidden])");
    byId("nothing").hidden = count > 0;
    byId("count").textContent = `${count} of ${findings.length} finding${findings.length === 1 ? "" : "s"}`;
  }

  function read() {
    const fragment = location.hash.slice(1);
    const target = fragment && document.getElementById(fragment);
    if (target) {
      // a link to a finding shows it, whatever the filters are
      if (target.hidden) { form.reset(); show(); target.scrollIntoView(); }
      return;
    }
    const set = new URLSearchParams(fragment);
    for (const name of ["rule", "level", "text"]) byId(name).value = set.get(name) || "";
    byId("fix").checked = set.get("fix") === "1";
    show();
  }

  function changed() {
    show();
    history.replaceState(null, "", `#${state()}`);
  }

  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(changed));
  window.addEventListener("hashchange", read);
  form.hidden = false;
  show();
  read();
})();

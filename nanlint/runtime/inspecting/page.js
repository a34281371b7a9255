// The page of a run. All that is shown comes from the JSON in #run, and is set as text: nothing in it becomes markup.
"use strict";
(() => {
  const run = JSON.parse(document.getElementById("run").textContent);
  const CLASSES = ["ninf", "neg", "zero", "pos", "pinf", "nan"];
  const WORDS = ["-inf", "negative", "zero", "positive", "+inf", "nan"];
  const byId = (id) => document.getElementById(id);
  const number = (x) => x.toLocaleString("en");
  const many = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

  // ── building elements ─────────────────────────────────────────────────────────────────────────────────────────────

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "onclick") element.addEventListener("click", value);
      else element.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat(Infinity)) {
      if (child !== null && child !== undefined && child !== false && child !== "") element.append(child);
    }
    return element;
  }
  const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  // ── breakdowns ────────────────────────────────────────────────────────────────────────────────────────────────────

  // counts: the six classes, then elements that are finite and of which no more is known
  const sizeOf = (tensor) => tensor.counts.reduce((sum, count) => sum + count, 0);
  const SLICES = [...CLASSES, "finite"];
  const SLICE_WORDS = [...WORDS, "finite"];

  function sixWay(tensor) {
    if (!sizeOf(tensor)) return null;
    const bar = h("div", { class: "six", role: "img", "aria-label": tensor.told });
    tensor.counts.forEach((count, i) => {
      if (!count) return;
      const part = h("i", { class: SLICES[i], title: `${number(count)} ${SLICE_WORDS[i]}` });
      part.style.flexGrow = count;
      bar.append(part);
    });
    return bar;
  }

  const short = (x) => (Math.abs(x) >= 1e-4 && Math.abs(x) < 1e6) || x === 0 ? String(+x.toPrecision(6)) : x.toExponential(3);
  const ranged = (tensor) => (tensor.low === null ? "" : `${short(tensor.low)} … ${short(tensor.high)}`);

  function tensorCard(index) {
    const tensor = run.tensors[index];
    const source = tensor.source === null ? null : run.nodes[tensor.source];
    return h("div", { class: "tensor" },
      h("div", {}, h("code", {}, tensor.label), h("div", { class: "soft" }, tensor.typed),
        source && h("div", { class: "soft" }, "from ", h("a", { href: `#node=${tensor.source}` }, source.name))),
      h("div", {}, sixWay(tensor),
        h("div", { class: tensor.bad ? "has-bad" : "" }, tensor.told),
        ranged(tensor) && h("div", { class: "soft" }, `finite: ${ranged(tensor)}`),
        values(tensor)));
  }

  function values(tensor) {
    if (!tensor.values.length) return null;
    const total = Math.max(sizeOf(tensor), tensor.values.length);
    const width = tensor.shape.length > 1 ? tensor.shape[tensor.shape.length - 1] : 0;
    const rows = [];
    for (let at = 0; at < tensor.values.length; at += width || tensor.values.length) {
      rows.push(tensor.values.slice(at, width ? at + width : undefined).join("  "));
    }
    const first = tensor.values.length < total ? `first ${tensor.values.length} of ${number(total)} elements` : many(total, "element");
    return h("details", {}, h("summary", { class: "soft" }, first), h("pre", { class: "values", tabindex: 0 }, rows.join("\n")));
  }

  // ── source, stack, findings ───────────────────────────────────────────────────────────────────────────────────────

  const shown = (path) => (run.files[path] ? run.files[path].shown : run.shown[path] || path);
  const lines = (path) => {
    const file = run.files[path];
    if (!file) return null;
    if (!file.lines) file.lines = file.text.split(/\r\n|\n|\r/);
    return file.lines;
  };
  const lineText = (path, row) => ((lines(path) || [])[row - 1] || "").trim();
  const placed = (frame) => `${shown(frame.path)}:${frame.line}`;

  function sourceOf(path, row) {
    const text = lines(path);
    if (!text) return h("p", { class: "soft" }, `the source of ${shown(path)} was not recorded`);
    const findings = run.findings.filter((finding) => finding.path === path);
    const near = [Math.max(0, row - 400), Math.min(text.length, row + 400)];
    const list = h("ol", {});
    let blamed = null;
    for (let i = near[0]; i < near[1]; i++) {
      const here = findings.filter((finding) => finding.row === i + 1);
      const item = h("li", { class: i + 1 === row ? "blamed" : null }, h("span", { class: "row" }, i + 1), marked(text[i], here));
      if (i + 1 === row) blamed = item;
      list.append(item);
      for (const finding of here) {
        list.append(h("li", { class: "remark" }, `${finding.code} ${finding.confidence}: ${finding.message} `, badge(finding)));
      }
      for (const finding of findings) {
        for (const cause of finding.causes) {
          if (cause.row === i + 1) list.append(h("li", { class: "remark cause" }, `${finding.code}: ${cause.message}`));
        }
      }
    }
    const box = h("div", { class: "source", tabindex: 0, role: "region", "aria-label": `Source of ${shown(path)}` }, list);
    requestAnimationFrame(() => {
      if (blamed) box.scrollTop = blamed.offsetTop - box.offsetTop - box.clientHeight / 2;
    });
    return [h("p", { class: "soft" }, h("span", { class: "code" }, shown(path)),
      run.files[path].current ? " (current version: the run did not record it)" : ""), box];
  }

  function marked(text, findings) {
    const finding = findings.find((one) => one.row === one.endRow) || findings[0];
    if (!finding) return h("span", {}, text || " ");
    // columns count characters (code points), as Python does
    const characters = Array.from(text);
    const start = finding.column - 1;
    const end = finding.row === finding.endRow ? finding.endColumn - 1 : characters.length;
    return h("span", {}, characters.slice(0, start).join(""), h("mark", {}, characters.slice(start, end).join("")),
      characters.slice(end).join(""));
  }

  function diffOf(diff) {
    const kinds = { "+": "added", "-": "removed", "@": "hunk" };
    return h("div", { class: "diff", tabindex: 0, role: "region", "aria-label": "The fix as a diff" },
      diff.replace(/\n$/, "").split("\n").map((line) => h("span", { class: kinds[line[0]] }, line || " ")));
  }

  const isBad = (incident) => incident.kind === "birth" || incident.kind === "confirmed";
  const badge = (finding) => h("span", { class: `badge ${finding.verdict.replace(" ", "-")}` }, finding.verdict);

  function findingBlock(finding) {
    return [
      h("p", {}, badge(finding), ` ${finding.code} ${finding.name} (${finding.confidence}): ${finding.message}`),
      h("p", { class: "soft" }, finding.told, finding.witness && h("span", {}, ` · witness: ${finding.witness}`)),
      finding.fix && h("p", {}, finding.applicability === "display" ? "Suggestion: " : `Fix (${finding.applicability}): `, h("code", {}, finding.fix)),
      finding.diff && diffOf(finding.diff),
    ];
  }

  function stackOf(frames, title) {
    if (!frames.length) return null;
    return [
      h("h3", {}, title),
      h("ol", { class: "stack" }, frames.slice().reverse().map((frame) =>
        h("li", {}, h("a", { href: `#line=${run.paths.indexOf(frame.path)}:${frame.line}` }, placed(frame)),
          frame.function && ` in ${frame.function}`, h("code", {}, frame.text || lineText(frame.path, frame.line))))),
    ];
  }

  // ── the graph around an op ────────────────────────────────────────────────────────────────────────────────────────

  const consumers = new Map();
  const ofNode = new Map();
  const pushTo = (map, key, value) => (map.get(key) || map.set(key, []).get(key)).push(value);
  run.nodes.forEach((node, i) => new Set(node.inputs).forEach((input) => pushTo(consumers, input, i)));
  run.tensors.forEach((tensor, i) => {
    if (tensor.node === null) return;
    pushTo(ofNode, tensor.node, i);
    if (tensor.source !== null && tensor.role === "input" && !run.nodes[tensor.node].inputs.includes(tensor.source)) {
      pushTo(consumers, tensor.source, tensor.node);
    }
  });
  // node -> the first step at which something bad was born there
  const badSince = new Map();
  run.incidents.forEach((one) => one.kind === "birth" && badSince.set(one.node, Math.min(one.step, badSince.has(one.node) ? badSince.get(one.node) : Infinity)));

  const at = (node, role) => (ofNode.get(node) || []).filter((i) => run.tensors[i].role === role);

  function producersOf(node) {
    const found = new Set(run.nodes[node].inputs);
    at(node, "input").forEach((i) => run.tensors[i].source !== null && found.add(run.tensors[i].source));
    return [...found];
  }

  /** The breakdown of what goes from one op to another, where a tensor tells. */
  function between(from, to) {
    const into = at(to, "input").find((i) => run.tensors[i].source === from);
    const out = into === undefined ? at(from, "output")[0] : into;
    return out === undefined ? null : run.tensors[out];
  }

  const MOST = 6;

  function graphOf(centre) {
    const columns = [[], [], [{ node: centre }], []];
    const edges = [];
    const known = producersOf(centre);
    known.slice(0, MOST).forEach((node) => {
      columns[1].push({ node });
      edges.push({ from: [1, columns[1].length - 1], to: [2, 0], tensor: between(node, centre) });
    });
    at(centre, "input").filter((i) => run.tensors[i].source === null).slice(0, MOST).forEach((i) => {
      columns[1].push({ tensor: i });
      edges.push({ from: [1, columns[1].length - 1], to: [2, 0], tensor: run.tensors[i] });
    });
    columns[1].forEach((one, i) => {
      if (one.node === undefined) return;
      producersOf(one.node).slice(0, 3).forEach((node) => {
        let j = columns[0].findIndex((other) => other.node === node);
        if (j < 0) j = columns[0].push({ node }) - 1;
        edges.push({ from: [0, j], to: [1, i], tensor: between(node, one.node) });
      });
    });
    const taking = (consumers.get(centre) || []).slice(0, MOST);
    taking.forEach((node) => {
      columns[3].push({ node });
      edges.push({ from: [2, 0], to: [3, columns[3].length - 1], tensor: between(centre, node) });
    });
    if (!taking.length) {
      at(centre, "output").slice(0, MOST).forEach((i) => {
        columns[3].push({ tensor: i });
        edges.push({ from: [2, 0], to: [3, columns[3].length - 1], tensor: run.tensors[i] });
      });
    }
    let note = null;
    if (!known.length && !taking.length) {
      const [before, after] = neighbours(centre);
      if (before !== null) edges.push({ from: [1, columns[1].push({ node: before }) - 1], to: [2, 0], loose: true });
      if (after !== null) edges.push({ from: [2, 0], to: [3, columns[3].push({ node: after }) - 1], loose: true });
      if (before !== null || after !== null) note = "Dashed: ops that ran before and after. The run did not record which op used which result.";
    }
    const drawn = columns.filter((column) => column.length);
    const picture = h("div", { class: "graph", tabindex: 0, role: "region", "aria-label": `Graph around ${run.nodes[centre].name}` },
      drawGraph(columns, drawn, edges, centre));
    requestAnimationFrame(() => {
      const middle = picture.querySelector(".centre rect");
      if (middle) picture.scrollLeft = Number(middle.getAttribute("x")) - (picture.clientWidth - Number(middle.getAttribute("width"))) / 2;
    });
    return [picture, note && h("p", { class: "soft" }, note)];
  }

  function neighbours(node) {
    for (const member of run.members) {
      for (const trace of member.traces) {
        const i = trace.indexOf(node);
        if (i >= 0) return [i > 0 ? trace[i - 1] : null, i + 1 < trace.length ? trace[i + 1] : null].map((n) => (n < 0 ? null : n));
      }
    }
    return [null, null];
  }

  const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

  function drawGraph(columns, drawn, edges, centre) {
    const [width, height, across, down] = [156, 44, 62, 16];
    const tallest = Math.max(...drawn.map((column) => column.length));
    const total = [drawn.length * width + (drawn.length - 1) * across + 4, tallest * (height + down) - down + 4];
    const place = ([column, row]) => {
      const x = 2 + drawn.indexOf(columns[column]) * (width + across);
      const free = total[1] - (columns[column].length * (height + down) - down);
      return [x, free / 2 + row * (height + down)];
    };
    const picture = svg("svg", { width: total[0], height: total[1], viewBox: `0 0 ${total[0]} ${total[1]}` });
    for (const edge of edges) {
      const [x0, y0] = place(edge.from);
      const [x1, y1] = place(edge.to);
      const [a, b, c, d] = [x0 + width, y0 + height / 2, x1, y1 + height / 2];
      const bad = edge.tensor && edge.tensor.bad;
      picture.append(svg("path", { class: `${bad ? "bad" : ""}${edge.loose ? " loose" : ""}`, d: `M${a},${b} C${a + 34},${b} ${c - 34},${d} ${c},${d}` }));
      if (edge.tensor && sizeOf(edge.tensor)) picture.append(miniature(edge.tensor, (a + c) / 2 - 18, (b + d) / 2 - 5));
    }
    columns.forEach((column, i) => column.forEach((one, j) => {
      const [x, y] = place([i, j]);
      picture.append(box(one, x, y, width, height, one.node === centre));
    }));
    return picture;
  }

  function miniature(tensor, x, y) {
    const group = svg("g", {}, svg("title", {}, tensor.told));
    const parts = tensor.counts.map((count) => (count ? Math.max(4, (36 * count) / sizeOf(tensor)) : 0));
    const scale = 36 / parts.reduce((sum, part) => sum + part, 0);
    let left = x;
    parts.forEach((part, i) => {
      if (!part) return;
      group.append(svg("rect", { class: `fill-${SLICES[i]}`, x: left, y, width: part * scale, height: 10 }));
      left += part * scale;
    });
    return group;
  }

  function box(one, x, y, width, height, isCentre) {
    const rect = svg("rect", { class: "box", x, y, width, height, rx: 5 });
    if (one.tensor !== undefined) {
      const tensor = run.tensors[one.tensor];
      return svg("g", { class: "leaf" }, rect, svg("text", { x: x + 9, y: y + 18 }, cut(tensor.label, 18)),
        svg("text", { class: "place", x: x + 9, y: y + 34 }, cut(tensor.typed, 20)));
    }
    const node = run.nodes[one.node];
    const place = node.path ? `${shown(node.path).split("/").pop()}:${node.line}` : "";
    const kind = `${isCentre ? "centre" : ""}${badSince.has(one.node) ? " gone-bad" : ""}`;
    return svg("a", { class: kind, href: `#node=${one.node}`, "aria-label": node.name }, svg("title", {}, node.name), rect,
      svg("text", { x: x + 9, y: y + 18 }, cut(`${node.op}${node.backward ? " ′" : ""}`, 18)),
      svg("text", { class: "place", x: x + 9, y: y + 34 }, cut(`${node.backward ? "backward " : ""}${place}`, 20)));
  }

  // ── the detail of what is chosen ──────────────────────────────────────────────────────────────────────────────────

  function incidentDetail(incident) {
    const blamed = incident.blamed;
    const member = run.members.length > 1 ? ` · ${run.members[incident.process].label}` : "";
    const often = incident.count > 1 ? ` · ${number(incident.count)} times, last at step ${number(incident.lastStep)}` : "";
    const finding = incident.finding === null ? null : run.findings[incident.finding];
    return [
      h("h2", {}, incident.title),
      h("p", { class: "soft" }, `${incident.framework || incident.kind} · step ${number(incident.step)}${often}`
        + `${incident.compiled ? ` · compiled by ${incident.compiled}` : ""}${member}`),
      blamed && h("p", {}, h("a", { href: `#line=${run.paths.indexOf(blamed.path)}:${blamed.line}` }, placed(blamed)), " ",
        h("code", {}, blamed.text || lineText(blamed.path, blamed.line))),
      incident.note && h("p", {}, incident.note),
      Object.keys(incident.details).length > 0 && h("dl", {}, Object.entries(incident.details).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
      incident.inputs.length > 0 && [h("h3", {}, "Inputs"), incident.inputs.map(tensorCard)],
      incident.outputs.length > 0 && [h("h3", {}, "Outputs"), incident.outputs.map(tensorCard)],
      incident.node !== null && [h("h3", {}, "Graph around the op"), graphOf(incident.node)],
      finding && [h("h3", {}, "Findings of the linter"), findingBlock(finding)],
      blamed && [h("h3", {}, "Source"), sourceOf(blamed.path, blamed.line)],
      incident.backward && incident.forward.length
        ? [stackOf(incident.forward, "Stack: where the op of this gradient was called"), stackOf(incident.frames, "Stack: where the gradient was requested")]
        : stackOf(incident.frames, "Stack"),
    ];
  }

  function nodeDetail(index) {
    const node = run.nodes[index];
    const incidents = run.incidents.map((one, i) => [one, i]).filter(([one]) => one.node === index);
    const cards = (role, title) => at(index, role).length > 0 && [h("h3", {}, title), at(index, role).map(tensorCard)];
    return [
      h("h2", {}, node.name),
      h("p", { class: "soft" }, `${node.framework || "flagged by the linter"} · ${node.backward ? "backward" : "forward"}`
        + (executionsOf(index) ? ` · executed ${many(executionsOf(index), "time")}` : "")),
      incidents.map(([one, i]) => h("p", {}, h("a", { href: `#alert=${i}` }, one.title), ` at step ${number(one.step)}`)),
      cards("input", "Inputs"), cards("output", "Outputs"), cards("gradient", "Gradients"),
      h("h3", {}, "Graph around the op"), graphOf(index),
      node.path && [h("h3", {}, "Source"), sourceOf(node.path, node.line)],
    ];
  }

  function executionsOf(node) {
    let total = 0;
    for (const member of run.members) {
      const often = member.traces.map((trace) => trace.reduce((sum, one) => sum + (one === node), 0));
      for (const trace of member.steps.trace) if (trace >= 0) total += often[trace];
    }
    return total;
  }

  function findingDetail(finding) {
    const node = run.nodes.findIndex((one) => !one.framework && one.op === finding.code && one.path === finding.path && one.line === finding.row);
    const seen = node < 0 ? [] : ofNode.get(node) || [];
    return [
      h("h2", {}, `${finding.code} ${finding.name}`),
      h("p", {}, h("a", { href: `#line=${run.paths.indexOf(finding.path)}:${finding.row}` }, `${shown(finding.path)}:${finding.row}:${finding.column}`)),
      findingBlock(finding),
      seen.length > 0 && [h("h3", {}, "Observed values"), seen.map(tensorCard)],
      h("h3", {}, "Source"), sourceOf(finding.path, finding.row),
    ];
  }

  function show() {
    const [, kind, value] = /^#(alert|node|finding|line)=([\d:]+)$/.exec(location.hash) || [null, "alert", "0"];
    const index = parseInt(value, 10);
    let content = null;
    timeline.chosen = { incident: null, node: null };
    if (kind === "alert" && run.incidents[index]) {
      content = incidentDetail(run.incidents[index]);
      timeline.chosen = { incident: index, node: run.incidents[index].node };
    } else if (kind === "node" && run.nodes[index]) {
      content = nodeDetail(index);
      timeline.chosen = { incident: null, node: index };
    } else if (kind === "finding" && run.findings[index]) content = findingDetail(run.findings[index]);
    else if (kind === "line" && run.paths[index]) {
      const row = parseInt(value.split(":")[1] || "1", 10);
      content = [h("h2", {}, `${shown(run.paths[index])}:${row}`), sourceOf(run.paths[index], row),
        run.findings.filter((one) => one.path === run.paths[index] && one.row === row).map(findingBlock)];
    }
    byId("detail").replaceChildren();
    fill(byId("detail"), {}, [content || [h("h2", {}, "No alerts"), h("p", { class: "soft" }, run.notes.length ? "No problem was found in this run, but its data is incomplete: see the notes above." : "No problem was seen: no value became nan or infinite.")]]);
    document.querySelectorAll("#alert-list a").forEach((link) => {
      if (link.getAttribute("href") === `#${kind}=${value}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
    timeline.draw();
  }

  // ── the timeline ──────────────────────────────────────────────────────────────────────────────────────────────────
  // x counts executions of ops ("by ops") or seconds ("by time"). Whatever the zoom, a column of pixels costs a few
  // binary searches: within a step in the sorted positions of each lane, across steps in sums over whole steps.

  const LANES = 12;
  const lowerBound = (sorted, x) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < x) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  class Timeline {
    constructor(canvas, status) {
      this.canvas = canvas;
      this.status = status;
      this.chosen = { incident: null, node: null };
      this.scale = "ops";
      this.markers = [];
      this.pending = false;
      this.listen();
    }

    load(index) {
      const member = run.members[index];
      const { steps, traces } = member;
      this.index = index;
      this.member = member;
      this.count = steps.number.length;
      this.length = (step) => (steps.trace[step] < 0 ? 0 : traces[steps.trace[step]].length);
      this.ops = new Float64Array(this.count + 1);
      this.times = [new Float64Array(this.count), new Float64Array(this.count)];
      for (let i = 0; i < this.count; i++) {
        this.ops[i + 1] = this.ops[i] + Math.max(this.length(i), 1);
        this.times[0][i] = steps.time[i] - steps.time[0];
        this.times[1][i] = this.times[0][i] + steps.seconds[i];
      }
      this.findLanes(traces, steps);
      this.series = Object.entries(steps.numbers).slice(0, 2).map(([name, texts]) => {
        const numbers = Float64Array.from(texts, (text) => (text === null ? NaN : Number(text.replace("inf", "Infinity"))));
        const finite = numbers.filter(Number.isFinite);
        return { name, texts, numbers, low: finite.reduce((a, b) => Math.min(a, b), Infinity), high: finite.reduce((a, b) => Math.max(a, b), -Infinity) };
      });
      this.incidents = run.incidents.map((one, i) => ({ one, i })).filter(({ one }) => one.process === index);
      byId("goto").max = this.count ? steps.number[this.count - 1] : 0;
      this.all();
    }

    findLanes(traces, steps) {
      const often = new Float64Array(traces.length);
      for (const trace of steps.trace) if (trace >= 0) often[trace]++;
      const laneKey = run.nodes.map((node) => `${node.backward ? "′" : ""}${node.op}`);
      const totals = new Map();
      const perNode = traces.map((trace) => {
        const counts = new Map();
        for (const node of trace) counts.set(node, (counts.get(node) || 0) + 1);
        return counts;
      });
      perNode.forEach((counts, i) => counts.forEach((count, node) => {
        const key = node < 0 ? "other" : laneKey[node];
        totals.set(key, (totals.get(key) || 0) + count * often[i]);
      }));
      const names = [...totals].filter(([key]) => key !== "other").sort((a, b) => b[1] - a[1]).map(([key]) => key);
      this.lanes = names.slice(0, names.length > LANES ? LANES - 1 : LANES).sort((a, b) => a.startsWith("′") - b.startsWith("′"));
      if (names.length > this.lanes.length || totals.has("other")) this.lanes.push("other");
      const laneOf = new Map(this.lanes.map((key, lane) => [key, lane]));
      const other = this.lanes.length - 1;
      this.laneOf = laneKey.map((key) => (laneOf.has(key) ? laneOf.get(key) : other));
      this.laneOf[-1] = other;
      this.positions = new Array(traces.length);
      // sums[lane][step]: executions in the steps before
      this.sums = this.lanes.map(() => new Float64Array(this.count + 1));
      const perLane = perNode.map((counts) => {
        const found = new Float64Array(this.lanes.length);
        counts.forEach((count, node) => { found[this.laneOf[node]] += count; });
        return found;
      });
      for (let step = 0; step < this.count; step++) {
        const trace = steps.trace[step];
        for (let lane = 0; lane < this.lanes.length; lane++) {
          this.sums[lane][step + 1] = this.sums[lane][step] + (trace < 0 ? 0 : perLane[trace][lane]);
        }
      }
    }

    /** For each lane, where in a trace its ops are. */
    positionsOf(trace) {
      if (!this.positions[trace]) {
        const found = this.lanes.map(() => []);
        this.member.traces[trace].forEach((node, i) => found[this.laneOf[node]].push(i));
        this.positions[trace] = found.map((list) => Uint32Array.from(list));
      }
      return this.positions[trace];
    }

    // ── coordinates ──

    start(step) { return this.scale === "ops" ? this.ops[step] : this.times[0][step]; }
    end(step) { return this.scale === "ops" ? this.ops[step + 1] : this.times[1][step]; }
    get total() { return this.count ? this.end(this.count - 1) || 1 : 1; }
    get least() { return this.scale === "ops" ? Math.min(6, this.total) : this.total / 1e7; }

    stepAt(x) {
      const starts = this.scale === "ops" ? this.ops.subarray(0, this.count) : this.times[0];
      return Math.max(0, Math.min(this.count - 1, lowerBound(starts, x + 1e-12) - 1));
    }

    /** How far into its step x is, in ops. */
    within(step, x) {
      const span = this.end(step) - this.start(step);
      return span > 0 ? Math.max(0, Math.min(1, (x - this.start(step)) / span)) * this.length(step) : 0;
    }

    xOfOp(step, op) {
      const length = this.length(step) || 1;
      return this.start(step) + (op / length) * (this.end(step) - this.start(step));
    }

    stepNumbered(wanted) {
      const numbers = this.member.steps.number;
      return Math.min(lowerBound(numbers, wanted), this.count - 1);
    }

    xOfIncident(incident) {
      const step = this.stepNumbered(incident.step);
      const trace = this.member.steps.trace[step];
      const op = trace < 0 || incident.node === null ? -1 : this.member.traces[trace].indexOf(incident.node);
      return op < 0 ? this.start(step) : this.xOfOp(step, op + 0.5);
    }

    // ── moving ──

    all() { this.look(0, this.total); }

    look(from, to) {
      const span = Math.max(this.least, Math.min(to - from, this.total));
      const middle = (from + to) / 2;
      this.from = Math.max(0, Math.min(middle - span / 2, this.total - span));
      this.to = this.from + span;
      this.draw();
    }

    zoom(factor, x = (this.from + this.to) / 2) {
      const span = Math.max(this.least, Math.min((this.to - this.from) * factor, this.total));
      const share = (x - this.from) / (this.to - this.from);
      const from = x - share * span;
      this.look(from, from + span);
    }

    pan(share) {
      const by = (this.to - this.from) * share;
      const clipped = Math.max(-this.from, Math.min(by, this.total - this.to));
      this.look(this.from + clipped, this.to + clipped);
    }

    toStep(wanted) {
      if (!this.count) return;
      const step = this.stepNumbered(wanted);
      const margin = (this.end(step) - this.start(step)) * 0.1;
      this.look(this.start(step) - margin, this.end(step) + margin);
      this.say(this.stepText(step));
    }

    toIncident(direction) {
      const places = this.incidents.map(({ one, i }) => [this.xOfIncident(one), i]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      if (!places.length) return;
      const now = places.findIndex(([, i]) => i === this.chosen.incident);
      const next = now < 0 ? 0 : (now + direction + places.length) % places.length;
      const [x, i] = places[next];
      const half = (this.to - this.from) / 2;
      this.look(x - half, x + half);
      location.hash = `#alert=${i}`;
    }

    // ── drawing ──

    draw() {
      if (this.pending || !this.member) return;
      this.pending = true;
      requestAnimationFrame(() => { this.pending = false; this.drawNow(); });
    }

    drawNow() {
      const began = performance.now();
      const style = getComputedStyle(document.documentElement);
      const colour = (name) => style.getPropertyValue(`--${name}`).trim();
      const width = this.canvas.clientWidth;
      const left = this.left = width < 600 ? 84 : 128;
      const rows = this.rows();
      const height = rows.height;
      const ratio = window.devicePixelRatio || 1;
      this.canvas.style.height = `${height}px`;
      if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
      }
      const context = this.canvas.getContext("2d");
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      context.font = "11px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
      context.textBaseline = "middle";
      this.paper = { context, colour, width, left, rows };
      this.perPixel = (this.to - this.from) / Math.max(1, width - left);
      if (this.count) {
        this.drawSteps();
        this.series.forEach((one, i) => this.drawSeries(one, rows.series[i]));
        this.drawLanes();
      } else {
        this.label("steps", rows.steps + 8);
      }
      this.drawIncidents();
      Object.assign(this.canvas.dataset, { from: this.from, to: this.to, total: this.total, milliseconds: (performance.now() - began).toFixed(1) });
    }

    rows() {
      const steps = 22;
      const series = [];
      let y = steps + 20;
      for (const _ of this.series) { series.push(y); y += 34; }
      const lanes = y;
      return { incidents: 2, steps, series, lanes, height: lanes + this.lanes.length * 15 + 4 };
    }

    px(x) { return this.left + (x - this.from) / this.perPixel; }
    xAt(px) { return this.from + (px - this.left) * this.perPixel; }

    label(text, y) {
      const { context, colour, left } = this.paper;
      context.fillStyle = colour("soft");
      context.textAlign = "right";
      context.fillText(cut(text, Math.floor((left - 12) / 6.7)), left - 8, y);
      context.textAlign = "left";
    }

    drawSteps() {
      const { context, colour, width, left, rows } = this.paper;
      this.label(this.scale === "ops" ? "steps" : "steps (time)", rows.steps + 8);
      const [first, last] = [this.stepAt(this.from), this.stepAt(this.to)];
      const every = Math.max(1, Math.ceil((last - first + 1) / ((width - left) / 3)));
      const labels = [];
      for (let step = first - (first % every); step <= last; step += every) {
        const x0 = Math.max(left, this.px(this.start(step)));
        const until = Math.min(this.count - 1, step + every - 1);
        const x1 = Math.min(width, this.px(this.end(until)));
        if (x1 <= left) continue;
        context.fillStyle = x1 - x0 < 5 || (step / every) % 2 ? colour("band") : colour("line");
        context.fillRect(x0, rows.steps, Math.max(1, x1 - x0 - (x1 - x0 > 6 ? 1 : 0)), 16);
        labels.push([number(this.member.steps.number[step]), x0 + 3]);
      }
      context.fillStyle = colour("ink");
      let free = left;
      for (const [text, x] of labels) {
        const until = x + text.length * 6.7;
        if (x < free || until > width) continue;
        context.fillText(text, x, rows.steps + 8);
        free = until + 40;
      }
    }

    drawSeries({ name, numbers, low, high }, y) {
      const { context, colour, width, left } = this.paper;
      this.label(name, y + 14);
      const height = 28;
      const level = (x) => (high > low ? y + height - 2 - ((x - low) / (high - low)) * (height - 4) : y + height / 2);
      const accent = colour("accent");
      const bad = colour("nan");
      const columns = new Map();
      const [first, last] = [this.stepAt(this.from), this.stepAt(this.to)];
      for (let step = first; step <= last; step++) {
        const px = Math.floor(this.px((this.start(step) + this.end(step)) / 2));
        if (px < left || px > width) continue;
        let column = columns.get(px);
        if (!column) columns.set(px, column = { low: Infinity, high: -Infinity, bad: false });
        const x = numbers[step];
        if (Number.isFinite(x)) { column.low = Math.min(column.low, x); column.high = Math.max(column.high, x); }
        else if (this.series.find((one) => one.numbers === numbers).texts[step] !== null) column.bad = true;
      }
      context.strokeStyle = accent;
      context.lineWidth = 1.3;
      context.beginPath();
      let drawing = false;
      for (const [px, column] of columns) {
        if (column.low > column.high) { drawing = false; continue; }
        if (drawing) context.lineTo(px, level(column.high));
        else context.moveTo(px, level(column.high));
        context.lineTo(px, level(column.low));
        drawing = true;
        if (columns.size < 80) context.rect(px - 1, level(column.low) - 1, 2, 2);
      }
      context.stroke();
      context.fillStyle = bad;
      for (const [px, column] of columns) if (column.bad) context.fillRect(px - 1, y, 2, height);
    }

    drawLanes() {
      const { context, colour, width, left, rows } = this.paper;
      this.lanes.forEach((lane, i) => this.label(lane.startsWith("′") ? `${lane.slice(1)} ′` : lane, rows.lanes + i * 15 + 7));
      const [first, last] = [this.stepAt(this.from), this.stepAt(this.to)];
      const visible = this.opsBefore(this.to) - this.opsBefore(this.from);
      const fills = this.lanes.map((lane) => colour(lane.startsWith("′") ? "backward" : lane === "other" ? "soft" : "forward"));
      if (visible < (width - left) / 3) this.drawOps(first, last, fills);
      else this.drawDensity(fills);
      context.globalAlpha = 1;
    }

    /** Each op as a box of its own. */
    drawOps(first, last, fills) {
      const { context, colour, width, left, rows } = this.paper;
      for (let step = first; step <= last; step++) {
        const trace = this.member.steps.trace[step];
        if (trace < 0) continue;
        const ops = this.member.traces[trace];
        const from = Math.floor(this.within(step, this.from));
        const until = Math.min(ops.length, Math.ceil(this.within(step, this.to)));
        for (let op = from; op < until; op++) {
          const lane = this.laneOf[ops[op]];
          const x0 = Math.max(left, this.px(this.xOfOp(step, op)));
          const x1 = Math.min(width, this.px(this.xOfOp(step, op + 1)));
          const y = rows.lanes + lane * 15;
          context.globalAlpha = 1;
          context.fillStyle = badSince.get(ops[op]) <= this.member.steps.number[step] ? colour("nan") : fills[lane];
          context.fillRect(x0, y, Math.max(1, x1 - x0 - 1), 13);
          if (ops[op] === this.chosen.node && x1 - x0 > 8) {
            context.strokeStyle = colour("ink");
            context.lineWidth = 2;
            context.strokeRect(x0 + 1, y + 1, Math.max(1, x1 - x0 - 3), 11);
          }
          if (x1 - x0 > 60 && ops[op] >= 0) {
            context.fillStyle = colour("panel");
            context.fillText(cut(run.nodes[ops[op]].name, Math.floor((x1 - x0 - 8) / 6.7)), x0 + 4, y + 7);
          }
        }
      }
    }

    /** Each column of pixels in the shade of how much of it is of the lane. */
    drawDensity(fills) {
      const { context, width, left, rows } = this.paper;
      let before = this.countsBefore(this.from);
      const columns = [];
      for (let px = left; px < width; px++) {
        const after = this.countsBefore(this.xAt(px + 1));
        const here = after.map((count, lane) => count - before[lane]);
        columns.push([px, here, here.reduce((sum, count) => sum + count, 0)]);
        before = after;
      }
      fills.forEach((fill, lane) => {
        context.fillStyle = fill;
        for (const [px, here, all] of columns) {
          if (!here[lane]) continue;
          context.globalAlpha = 0.12 + 0.88 * Math.sqrt(here[lane] / all);
          context.fillRect(px, rows.lanes + lane * 15, 1, 13);
        }
      });
    }

    /** For each lane, how many executions there are before x. */
    countsBefore(x) {
      const step = this.stepAt(x);
      const trace = this.member.steps.trace[step];
      const whole = this.sums.map((sums) => sums[step]);
      if (trace < 0) return whole;
      const within = this.within(step, x);
      const positions = this.positionsOf(trace);
      return whole.map((count, lane) => count + lowerBound(positions[lane], within));
    }

    opsBefore(x) { return this.countsBefore(x).reduce((sum, count) => sum + count, 0); }

    drawIncidents() {
      const { context, colour, width, left, rows } = this.paper;
      this.label("alerts", rows.incidents + 8);
      this.markers = [];
      for (const { one, i } of this.incidents) {
        const px = this.count ? this.px(this.xOfIncident(one)) : left + 8;
        if (px < left - 1 || px > width + 1) continue;
        const near = this.markers.find((marker) => Math.abs(marker.px - px) < 8);
        if (near) near.incidents.push(i);
        else this.markers.push({ px, incidents: [i] });
      }
      for (const { px, incidents } of this.markers) {
        const isBirth = incidents.some((i) => isBad(run.incidents[i]));
        const isChosen = incidents.includes(this.chosen.incident);
        context.fillStyle = colour(isBirth ? "bad" : "warn");
        if (isChosen) {
          context.globalAlpha = 0.5;
          context.fillRect(px - 0.5, rows.steps, 1, rows.height);
          context.globalAlpha = 1;
        }
        const size = isChosen ? 7 : 5;
        context.beginPath();
        context.moveTo(px - size, rows.incidents + 8 - size);
        context.lineTo(px + size, rows.incidents + 8 - size);
        context.lineTo(px, rows.incidents + 8 + size);
        context.fill();
        if (incidents.length > 1) context.fillText(String(incidents.length), px + 9, rows.incidents + 8);
      }
    }

    // ── hearing ──

    stepText(step) {
      const { number: numbers, seconds } = this.member.steps;
      const told = this.series.filter(({ texts }) => texts[step] !== null).map(({ name, texts }) => `, ${name} ${texts[step]}`).join("");
      return `step ${number(numbers[step])}: ${many(this.length(step), "op")}, ${short(seconds[step])} s${told}`;
    }

    whatIsAt(px, py) {
      const marker = this.markers.find((one) => Math.abs(one.px - px) < 8);
      if (marker && py < this.paper.rows.steps) return { incidents: marker.incidents, text: marker.incidents.map((i) => run.incidents[i].title).join("; ") };
      if (!this.count || px < this.left) return { text: "" };
      const x = this.xAt(px);
      const step = this.stepAt(x);
      const text = this.stepText(step);
      const trace = this.member.steps.trace[step];
      if (trace < 0 || py < this.paper.rows.lanes) return { step, text };
      const ops = this.member.traces[trace];
      const lane = Math.min(this.lanes.length - 1, Math.floor((py - this.paper.rows.lanes) / 15));
      const span = this.within(step, this.xAt(px + 1)) - this.within(step, x);
      let op = Math.min(ops.length - 1, Math.floor(this.within(step, x)));
      if (span > 0.4) {
        // several ops a pixel: the next of the lane that was pointed at
        const found = this.positionsOf(trace)[lane];
        const next = found[lowerBound(found, op)];
        if (next !== undefined && next <= op + span + 1) op = next;
      }
      const node = ops[op];
      const name = node < 0 ? "an op that was not recorded" : run.nodes[node].name;
      return { step, node: node < 0 ? null : node, text: `${text} · op ${number(op + 1)}: ${name}` };
    }

    say(text) { this.status.textContent = text; }

    summary() {
      if (!this.count) return "No steps of this process were recorded.";
      const ops = this.sums.reduce((sum, lane) => sum + lane[this.count], 0);
      const shownOps = this.opsBefore(this.to) - this.opsBefore(this.from);
      const told = ops ? `, ${many(ops, "op execution")}` : "";
      return `${many(this.count, "step")}${told}${shownOps < ops ? `, ${number(shownOps)} in view` : ""}. Scroll to zoom, drag to move, click to look closer.`;
    }

    listen() {
      const canvas = this.canvas;
      const local = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
      const pointers = new Map();
      let moved = 0;
      canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(event.deltaX / canvas.clientWidth);
        else this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), this.xAt(Math.max(this.left, local(event)[0])));
        this.say(this.summary());
      }, { passive: false });
      canvas.addEventListener("pointerdown", (event) => {
        pointers.set(event.pointerId, local(event));
        moved = 0;
        canvas.setPointerCapture(event.pointerId);
      });
      canvas.addEventListener("pointermove", (event) => {
        const now = local(event);
        const was = pointers.get(event.pointerId);
        if (!was) { if (this.paper) this.say(this.whatIsAt(...now).text || this.summary()); return; }
        if (pointers.size === 2) {
          const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
          const [before, after] = [Math.abs(was[0] - other[0]), Math.abs(now[0] - other[0])];
          if (before > 4 && after > 4) this.zoom(before / after, this.xAt((now[0] + other[0]) / 2));
        } else if (Math.abs(now[0] - was[0]) > 0) this.pan((was[0] - now[0]) / (canvas.clientWidth - this.left));
        moved += Math.abs(now[0] - was[0]);
        pointers.set(event.pointerId, now);
      });
      const leave = (event) => pointers.delete(event.pointerId);
      canvas.addEventListener("pointerup", (event) => {
        leave(event);
        if (moved > 4) return;
        const { incidents, node, step, text } = this.whatIsAt(...local(event));
        if (incidents) location.hash = `#alert=${incidents[0]}`;
        else if (node !== undefined && node !== null) location.hash = `#node=${node}`;
        else if (step !== undefined) this.toStep(this.member.steps.number[step]);
        if (text) this.say(text);
      });
      canvas.addEventListener("pointercancel", leave);
      canvas.addEventListener("keydown", (event) => {
        const keys = {
          ArrowLeft: () => this.pan(-0.15), ArrowRight: () => this.pan(0.15), ArrowUp: () => this.zoom(0.6), ArrowDown: () => this.zoom(1 / 0.6),
          "+": () => this.zoom(0.6), "=": () => this.zoom(0.6), "-": () => this.zoom(1 / 0.6), Home: () => this.all(),
          n: () => this.toIncident(1), p: () => this.toIncident(-1),
        };
        if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        keys[event.key]();
        this.say(this.summary());
      });
      new ResizeObserver(() => this.draw()).observe(canvas);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    }
  }

  // ── the rest of the page ──────────────────────────────────────────────────────────────────────────────────────────

  const timeline = new Timeline(byId("canvas"), byId("status"));

  function header() {
    byId("name").textContent = run.name;
    const births = run.incidents.filter((one) => one.kind === "birth").length;
    const confirmed = run.findings.filter((one) => one.verdict === "confirmed").length;
    const parts = [
      run.verdict, births ? many(births, "origin") : "no origins", many(run.incidents.filter((one) => !isBad(one)).length, "other alert"),
      run.findings.length && `${confirmed} of ${many(run.findings.length, "finding")} confirmed`, run.members[0].ended,
    ];
    byId("summary").textContent = parts.filter(Boolean).join(" · ");
    const about = [["kept in", run.origin], ["command", run.command], ["started in", run.directory], ["watch", run.watch], ["nanlint", run.nanlint]];
    run.members.forEach((member) => about.push([member.label, `Python ${member.python}; ${member.frameworks.join(", ") || "no framework"}; ${member.ended}`]));
    fill(byId("about"), {}, about.filter(([, value]) => value).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
    fill(byId("notes"), {}, run.notes.map((note) => h("li", {}, note)));
  }

  function alerts() {
    const items = run.incidents.map((one, i) => {
      const rank = run.members.length > 1 ? ` · ${run.members[one.process].who}` : "";
      const place = one.blamed ? placed(one.blamed) : "";
      const title = one.kind === "birth" ? one.title : `${one.kind}: ${one.title}`;
      return h("li", { class: isBad(one) ? "birth" : "other" }, h("a", { href: `#alert=${i}` }, h("b", {}, title),
        h("span", { class: "soft" }, `step ${number(one.step)}${rank}${one.count > 1 ? ` · × ${number(one.count)}` : ""} `, h("span", { class: "code" }, place))));
    });
    fill(byId("alert-list"), {}, items.length ? items : [h("li", { class: "soft" }, "none")]);
  }

  const HOLDS = {
    "": () => true,
    has_inf_or_nan: (tensor) => tensor.bad,
    all_zero: (tensor) => sizeOf(tensor) > 1 && tensor.counts[2] === sizeOf(tensor),
    saturated: (tensor) => {
      if (sizeOf(tensor) < 2 || tensor.low === null) return false;
      const flat = tensor.low === tensor.high;
      return flat && (Math.abs(tensor.high) === 1 || (tensor.counts[2] > 0 && tensor.counts[2] + tensor.counts[3] === sizeOf(tensor)));
    },
    range: (tensor) => tensor.low !== null && Math.max(Math.abs(tensor.low), Math.abs(tensor.high)) > Number(byId("tensor-range").value),
  };

  const PAGE = 200;
  let shownRows = PAGE;

  function named(text) {
    const pattern = /^\/(.*)\/?$/.exec(text);
    if (!pattern) return (name) => name.toLowerCase().includes(text.toLowerCase());
    try {
      const expression = new RegExp(pattern[1].replace(/\/$/, ""), "i");
      return (name) => expression.test(name);
    } catch {
      return () => false;
    }
  }

  function tensors() {
    const kind = byId("tensor-kind").value;
    byId("tensor-range-label").hidden = kind !== "range";
    const hasName = named(byId("tensor-name").value.trim());
    const holds = HOLDS[kind] || ((tensor) => tensor.filter === kind);
    const chosen = run.tensors.filter((tensor) => hasName(tensor.name) && holds(tensor));
    byId("tensor-count").textContent = `${number(chosen.length)} of ${many(run.tensors.length, "tensor")}`;
    const body = document.querySelector("#tensor-table tbody");
    body.replaceChildren(...chosen.slice(0, shownRows).map((tensor) => h("tr", {},
      h("td", { class: "name" }, tensor.node === null ? tensor.name : h("a", { href: `#node=${tensor.node}` }, tensor.name), values(tensor)),
      h("td", {}, tensor.role === "filtered" ? tensor.filter : tensor.role), h("td", {}, tensor.typed),
      h("td", { class: "wide" }, sixWay(tensor), h("span", { class: tensor.bad ? "has-bad" : "soft" }, tensor.told)),
      h("td", {}, ranged(tensor)), h("td", {}, number(tensor.step)))));
    byId("tensor-more").hidden = chosen.length <= shownRows;
    byId("tensor-more").textContent = `Show ${number(Math.min(PAGE, chosen.length - shownRows))} more`;
  }

  function verdicts() {
    const body = document.querySelector("#verdict-table tbody");
    body.replaceChildren(...run.findings.map((finding, i) => h("tr", {}, h("td", {}, badge(finding)),
      h("td", { class: "name" }, h("a", { href: `#finding=${i}` }, `${shown(finding.path)}:${finding.row}:${finding.column}`)),
      h("td", {}, finding.code), h("td", { class: "wide" }, finding.message), h("td", { class: "wide" }, finding.told))));
    if (!run.findings.length) byId("verdicts").replaceChildren(h("h2", { id: "verdicts-title" }, "Verdicts"), h("p", { class: "soft" }, "The linter found nothing in the files of this run."));
  }

  function controls() {
    const member = byId("member");
    run.members.forEach((one, i) => member.append(h("option", { value: i }, one.label)));
    byId("member-label").hidden = run.members.length < 2;
    member.addEventListener("change", () => { timeline.load(Number(member.value)); timeline.say(timeline.summary()); });
    byId("scale").addEventListener("change", (event) => { timeline.scale = event.target.value; timeline.all(); });
    byId("goto").addEventListener("change", (event) => timeline.toStep(Number(event.target.value)));
    byId("zoom-in").addEventListener("click", () => { timeline.zoom(0.5); timeline.say(timeline.summary()); });
    byId("zoom-out").addEventListener("click", () => { timeline.zoom(2); timeline.say(timeline.summary()); });
    byId("zoom-all").addEventListener("click", () => { timeline.all(); timeline.say(timeline.summary()); });
    const own = [...new Set(run.tensors.map((tensor) => tensor.filter).filter((name) => name && !HOLDS[name]))];
    own.forEach((name) => byId("tensor-kind").append(h("option", { value: name }, name)));
    const again = () => { shownRows = PAGE; tensors(); };
    byId("tensor-name").addEventListener("input", again);
    byId("tensor-range").addEventListener("input", again);
    byId("tensor-kind").addEventListener("change", again);
    byId("tensor-more").addEventListener("click", () => { shownRows += PAGE; tensors(); });
    document.querySelectorAll("form").forEach((form) => form.addEventListener("submit", (event) => event.preventDefault()));
    const colours = [["forward", "forward"], ["backward", "backward ′"], ["nan", "origin of nan or inf"]];
    fill(byId("timeline-legend"), {}, colours.map(([name, word]) => h("li", {}, h("i", { class: `swatch-${name}` }), word)));
    fill(byId("legend"), {}, WORDS.map((word, i) => h("li", {}, h("i", { class: CLASSES[i] }), word)));
    window.addEventListener("hashchange", () => { show(); if (innerWidth <= 760) byId("detail").scrollIntoView(); });
  }

  header();
  alerts();
  controls();
  const first = run.incidents.find(isBad);
  timeline.load(first ? first.process : 0);
  byId("member").value = String(timeline.index);
  tensors();
  verdicts();
  show();
  timeline.say(timeline.summary());
})();

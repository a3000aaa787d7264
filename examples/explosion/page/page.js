"use strict";
// Draws the charts of the page from the JSON in it, again whenever the width changes. Colours are CSS variables, so that light and dark need no redraw.
// Text that comes from data goes through Plot into text nodes.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const number = new Intl.NumberFormat("en-US");
  const percent = (share) => (share > 0 && share < 0.001 ? "< 0.1 %" : `${(100 * share).toFixed(1)} %`);
  const cut = (text, n) => ([...text].length > n ? [...text].slice(0, n - 1).join("") + "…" : text);
  // Keys differ at either end, so they are cut in the middle.
  const keyText = (key, width) => {
    const all = [...key], n = width < 560 ? 16 : 34, tail = Math.floor(n / 2) - 1;
    return all.length > n ? `${all.slice(0, n - 1 - tail).join("")}…${all.slice(-tail).join("")}` : key;
  };
  const day = (ms) => new Date(ms).toISOString().slice(0, 10);
  const style = { fontSize: "13px" };
  const context = document.createElement("canvas").getContext("2d");

  // margin is the room that the longest label needs.
  function margin(labels, weight = 400) {
    context.font = `${weight} 13px ${getComputedStyle(document.body).fontFamily}`;
    return 14 + Math.ceil(Math.max(...labels.map((l) => context.measureText(l).width)));
  }

  // Rows are known by their place: two keys may have one label once they are cut.
  function rows(list, width) {
    const labels = list.map((d) => keyText(d.key, width));
    return { domain: list.map((_, i) => i), tickFormat: (i) => labels[i], tickSize: 0, label: null, marginLeft: margin(labels) };
  }

  function growth(width) {
    const list = data.growth;
    const y = rows(list, width);
    const colour = { placeholder: "var(--alarm)", key: "var(--key)", rest: "var(--rest)" };
    const text = (d) => `${percent(d.share)} · ${number.format(d.extra)} rows`;
    const label = width < 560 ? (d) => percent(d.share) : text;
    const room = margin(list.map(label));
    return Plot.plot({
      width, style, marginLeft: y.marginLeft, marginRight: room, height: 26 * list.length + 64, marginBottom: 44,
      ariaLabel: "Share of growth by key", ariaDescription: list.map((d) => `${d.key}: ${text(d)}`).join("; "),
      x: { label: "share of the extra rows →", labelAnchor: "right", labelArrow: "none", grid: true, tickFormat: (share) => `${Math.round(100 * share)} %`, ticks: Math.max(1, Math.min(6, (width - room - y.marginLeft) / 90)), domain: [0, Math.max(...list.map((d) => d.share))], nice: true },
      y: { domain: y.domain, tickFormat: y.tickFormat, tickSize: 0, label: null, padding: 0.25 },
      marks: [
        Plot.barX(list, { x: "share", y: (_, i) => i, fill: (d) => colour[d.kind], rx: 2, ariaLabel: (d) => `${d.key}: ${text(d)}` }),
        Plot.text(list, { x: "share", y: (_, i) => i, text: label, textAnchor: "start", dx: 7, fill: "currentColor" }),
        Plot.ruleX([0]),
      ],
    });
  }

  function fan_out(width) {
    const list = data.fan_out;
    const y = rows(list, width);
    const text = (d) => `${number.format(d.left)} × ${number.format(d.right)} = ${number.format(d.rows)}`;
    const room = width < 560 ? 20 : margin([...list.map(text), "left × right = joined"]) + 8;
    const top = Math.max(1, Math.ceil(Math.log10(Math.max(...list.map((d) => Math.max(d.left, d.right))))));
    const powers = Array.from({ length: top + 1 }, (_, i) => 10 ** i).filter((_, i) => width >= 560 || i % Math.ceil(top / 3) === 0);
    const tip = (d) => `${data.names.on}: ${cut(d.key, 60)}${d.placeholder ? " (placeholder)" : ""}\n${number.format(d.left)} rows in ${data.names.left}\n${number.format(d.right)} rows in ${data.names.right}\n${number.format(d.rows)} rows joined`;
    const marks = [
      Plot.link(list, { x1: "left", x2: "right", y: (_, i) => i, stroke: "var(--line)", strokeWidth: 4, strokeLinecap: "round" }),
      Plot.dot(list, { x: "right", y: (_, i) => i, r: 6, symbol: "diamond", fill: "var(--right)" }),
      Plot.dot(list, { x: "left", y: (_, i) => i, r: 5, fill: "var(--left)" }),
    ];
    if (width >= 560) {
      marks.push(Plot.text(list, { frameAnchor: "right", y: (_, i) => i, text, textAnchor: "end", dx: room - 2, fill: (d) => (d.placeholder ? "var(--alarm)" : "currentColor"), fontVariant: "tabular-nums" }));
      marks.push(Plot.text(["left × right = joined"], { frameAnchor: "top-right", dx: room - 2, dy: -24, textAnchor: "end", fill: "var(--soft)" }));
    }
    marks.push(Plot.tip(list, Plot.pointerY({ x: (d) => Math.max(d.left, d.right), y: (_, i) => i, title: tip, lineHeight: 1.3 })));
    return Plot.plot({
      width, style, marginLeft: y.marginLeft, marginRight: room, height: 28 * list.length + 76, marginTop: 32, marginBottom: 44,
      ariaLabel: "Rows of the worst keys in both files", ariaDescription: list.map((d) => `${d.key}: ${text(d)}`).join("; "),
      x: { type: "log", domain: [1, 10 ** top], grid: true, ticks: powers, tickFormat: number.format, label: "rows of the key in a file, log scale →", labelAnchor: "right", labelArrow: "none" },
      y: { domain: y.domain, tickFormat: y.tickFormat, tickSize: 0, label: null, type: "point", padding: 0.6 },
      marks,
    });
  }

  function steps(width) {
    const list = data.steps;
    const text = (d) => `${number.format(d.left_join)} rows, ${d.growth} ×`;
    const room = margin(list.map(text), 600);
    return Plot.plot({
      width, style, marginLeft: 2, marginRight: room, marginTop: 16, marginBottom: 4, height: 48 * list.length + 20,
      ariaLabel: "Rows of the left join after each step", ariaDescription: list.map((d) => `${d.name}: ${text(d)}`).join("; "),
      x: { axis: null, domain: [0, Math.max(1, ...list.map((d) => d.left_join))] },
      y: { axis: null, domain: list.map((_, i) => i), paddingInner: 0.62, paddingOuter: 0.15 },
      marks: [
        Plot.barX(list, { x: "left_join", y: (_, i) => i, fill: (d, i) => (i === 0 && d.left_join > d.left_rows ? "var(--alarm)" : i === list.length - 1 ? "var(--good)" : "var(--key)"), rx: 2, insetLeft: 0 }),
        Plot.tickX(list, { x: "left_rows", y: (_, i) => i, stroke: "currentColor", strokeWidth: 1.5, insetTop: 0, insetBottom: -3 }),
        Plot.text(list, { x: "left_join", y: (_, i) => i, text, textAnchor: "start", dx: 9, fontWeight: 600, fill: "currentColor", fontVariant: "tabular-nums" }),
        Plot.text(list, { x: 0, y: (_, i) => i, text: (d, i) => cut(i === 0 ? d.name : `${i}. ${d.name}`, Math.floor(width / 8)), textAnchor: "start", dy: -20, fill: "currentColor" }),
      ],
    });
  }

  function versions(width) {
    const list = data.versions, lane = 20, between = 12;
    const bars = [], keys = [];
    const known = list.flatMap((k) => k.spans.flatMap((s) => (s.to == null ? [s.from] : [s.from, s.to])));
    const [min, max] = [Math.min(...known), Math.max(...known)];
    const open = max + Math.max(86400000, 0.06 * (max - min));
    const labels = list.map((k) => keyText(k.key, width));
    let y = 0;
    list.forEach((k, i) => {
      keys.push({ label: labels[i], y: y + lane / 2 - 1.5, line: y - between / 2 });
      k.spans.forEach((s, n) => {
        const title = `${data.names.on}: ${cut(k.key, 60)}\n${day(s.from)} to ${s.to == null ? "now: open" : day(s.to)}${s.shared ? "\nshares time with another version" : ""}`;
        const fill = s.shared ? "var(--shared)" : n % 2 ? "var(--version2)" : "var(--version)";
        bars.push({ y: y + s.lane * lane, from: new Date(s.from), to: new Date(s.to ?? open), open: s.to == null, fill, title });
      });
      y += k.lanes * lane + between;
    });
    const marginTop = 10, marginBottom = 34;
    return Plot.plot({
      width, style, marginLeft: margin(labels), marginRight: 26, marginTop, marginBottom, height: y + marginTop + marginBottom,
      ariaLabel: "Versions on a time line", ariaDescription: list.map((k) => `${k.key}: ${k.spans.length} versions`).join("; "),
      x: { type: "utc", domain: [new Date(min), new Date(open)], grid: true, label: null, ticks: Math.max(2, Math.min(8, width / 110)) },
      y: { axis: null, domain: [y - between / 2, -between / 2] },
      marks: [
        Plot.ruleY(keys.slice(1), { y: "line", stroke: "var(--line)" }),
        Plot.rect(bars, { x1: "from", x2: "to", y1: "y", y2: (d) => d.y + lane - 3, fill: "fill", rx: 2, insetRight: 1, title: "title", tip: { lineHeight: 1.3 } }),
        Plot.text(bars.filter((d) => d.open), { x: "to", y: (d) => d.y + lane / 2 - 1.5, text: () => "→", textAnchor: "start", dx: 4, fontWeight: 700, fill: "var(--soft)" }),
        Plot.text(keys, { frameAnchor: "left", y: "y", text: "label", textAnchor: "end", dx: -9, fill: "currentColor" }),
      ],
    });
  }

  const charts = { growth, fan_out, steps, versions };
  function draw() {
    for (const [id, chart] of Object.entries(charts)) {
      const at = document.getElementById(id);
      if (at && data[id]?.length) at.replaceChildren(chart(Math.max(280, at.clientWidth)));
    }
  }
  draw();
  let width = innerWidth, due = 0;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    cancelAnimationFrame(due);
    due = requestAnimationFrame(draw);
  });
})();

// What scripts add to pages that are complete without them: renewal in place, a chart with a cursor, ages that tick.
// Everything is asked of this origin; nothing is kept in the browser.
"use strict";

(() => {
  const parts = () => document.querySelectorAll("[data-part]");
  const clockSkew = Date.parse(document.documentElement.dataset.now) - Date.now();
  const zone = document.documentElement.dataset.zone || "UTC";

  // --- Ages: "12 s ago", as the server says them --------------------------------------------------------------------

  function span(seconds) {
    for (const [length, unit] of [[86400, "d"], [3600, "h"], [60, "min"]]) {
      if (seconds >= length) return `${Math.floor(seconds / length)} ${unit}`;
    }
    return `${Math.max(0, Math.floor(seconds))} s`;
  }

  function tick() {
    const now = Date.now() + clockSkew;
    for (const element of document.querySelectorAll("time[data-age]")) {
      const said = `${span((now - Date.parse(element.dateTime)) / 1000)} ago`;
      if (element.textContent !== said) element.textContent = said;
    }
  }

  // --- The volume chart -----------------------------------------------------------------------------------------------

  const plots = new Map();
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function stacked(rows) {
    const sums = rows.length ? new Array(rows[0].length).fill(0) : [];
    return rows.map((row) => row.map((value, i) => (sums[i] += value)));
  }

  function moment(seconds, daily) {
    const shape = daily
      ? { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" }
      : { weekday: "short", hour: "2-digit", minute: "2-digit", timeZone: zone };
    return new Intl.DateTimeFormat("en-GB", shape).format(new Date(seconds * 1000));
  }

  function counted(label, number) {
    const line = document.createElement("span");
    const value = document.createElement("span");
    value.textContent = number.toLocaleString("en-GB");
    line.append(label, value);
    return line;
  }

  function share(series, at, place) {
    const label = document.createElement("i");
    const name = document.createElement("span");
    name.textContent = series.name;
    label.append(name);
    label.className = `c${place + 1}`;
    return counted(label, series.values[at]);
  }

  function total(sum) {
    const line = counted("Total", sum);
    line.className = "total";
    return line;
  }

  function readout(box, chart, data) {
    const at = chart.cursor.idx;
    if (at === null || at === undefined || chart.cursor.left < 0) { box.hidden = true; return; }
    box.replaceChildren();
    const title = document.createElement("b");
    title.textContent = moment(data.times[at], data.daily);
    box.append(title);
    for (const place of [...data.series.keys()].reverse()) box.append(share(data.series[place], at, place));
    box.append(total(data.series.reduce((sum, series) => sum + series.values[at], 0)));
    box.hidden = false;
    const left = chart.bbox.left / devicePixelRatio + chart.cursor.left;
    const room = chart.width - box.offsetWidth;
    box.style.left = `${Math.max(0, left + 16 > room ? left - box.offsetWidth - 16 : left + 16)}px`;
  }

  // The server's rule for its own drawing: the topmost line has a label.
  function ceiling(highest) {
    for (let scale = 1; ; scale *= 10) {
      for (const step of [4, 6, 8, 10, 20, 30]) if (step * scale >= highest) return step * scale;
    }
  }

  function options(data, width, box) {
    const bars = uPlot.paths.bars({ size: [0.78, 48], align: 0, radius: 0.12 });
    const axis = {
      stroke: colour("--muted"), font: "500 11px Inter, sans-serif", grid: { stroke: colour("--line"), width: 1 },
      ticks: { show: false },
    };
    const series = [...data.series.keys()].reverse().map((at) => ({
      label: data.series[at].name, fill: colour(`--c${at + 1}`), width: 0, paths: bars, points: { show: false },
    }));
    return {
      width, height: 260, legend: { show: false }, padding: [12, 8, 0, 0],
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), data.daily ? "UTC" : zone),
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { x: { time: true, range: (u, low, high) => [low - data.step / 2, high + data.step / 2] },
        y: { range: (u, low, high) => [0, ceiling(high)] } },
      axes: [
        { ...axis, grid: { show: false }, space: 64, size: 28, values: axisTimes(data) },
        { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 1000000] },
      ],
      series: [{}, ...series],
      hooks: { setCursor: [(chart) => readout(box, chart, data)] },
    };
  }

  function axisTimes(data) {
    const short = new Intl.DateTimeFormat("en-GB", data.daily || data.days > 1
      ? { day: "numeric", month: "short", timeZone: data.daily ? "UTC" : zone }
      : { hour: "2-digit", minute: "2-digit", timeZone: zone });
    // A day is named once, where it begins.
    return (chart, splits) => {
      const said = splits.map((seconds) => short.format(new Date(seconds * 1000)));
      return said.map((word, at) => (word === said[at - 1] ? "" : word));
    };
  }

  function draw(figure) {
    const canvas = figure.querySelector(".chart-drawn");
    const drawn = plots.get(canvas);
    const text = figure.dataset.volume;
    if (drawn && drawn.text === text) return;
    if (drawn) drawn.plot.destroy();
    plots.delete(canvas);
    canvas.replaceChildren();
    const data = JSON.parse(text);
    const box = document.createElement("div");
    box.className = "readout";
    box.hidden = true;
    canvas.hidden = false;
    figure.querySelector(".chart-still").hidden = true;
    const columns = [data.times, ...stacked(data.series.map((one) => one.values)).reverse()];
    const plot = new uPlot(options(data, canvas.clientWidth, box), columns, canvas);
    canvas.append(box);
    plot.over.addEventListener("mouseleave", () => { box.hidden = true; });
    plots.set(canvas, { plot, text });
    canvas.dataset.drawn = "true";
  }

  function drawAll() {
    if (typeof uPlot === "undefined") return;
    for (const [canvas, { plot }] of plots) {
      if (!canvas.isConnected) { plot.destroy(); plots.delete(canvas); }
    }
    document.querySelectorAll("figure[data-volume]").forEach(draw);
  }

  function redraw() {
    for (const [, drawn] of plots) drawn.text = "";
    drawAll();
  }

  // --- Renewal in place -------------------------------------------------------------------------------------------------

  // What a person opened stays open, and what was drawn here stays drawn, whatever the server's copy says.
  Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) =>
    !((name === "open" && node.tagName === "DETAILS") || (name === "hidden" && node.closest(".chart")) || name === "data-drawn");
  const chosen = (select) => select.selectedIndex !== Math.max(0, [...select.options].findIndex((one) => one.defaultSelected));
  const typedIn = (form) => [...form.elements].some((one) =>
    (one.matches("input:not([type=hidden])") && one.value !== one.defaultValue) || (one.matches("select") && chosen(one)));
  Idiomorph.defaults.callbacks.beforeNodeMorphed = (node) =>
    !(node.classList && node.classList.contains("chart-drawn")) && !(node.matches?.("form[method=post]") && typedIn(node)) && !(node === document.activeElement && node.matches("input, select, textarea"));

  function enhance() {
    showCopying();
    drawAll();
    tick();
  }

  // A filter that is left open is not in the address.
  document.addEventListener("htmx:configRequest", (event) => {
    const { parameters } = event.detail;
    for (const name of Object.keys(parameters)) if (parameters[name] === "") delete parameters[name];
  });
  // htmx keeps the address of a part until it has settled: what is renewed just then is the view that was chosen.
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.elt.matches("[data-part]")) detail.path = detail.elt.getAttribute("hx-get");
  });
  // A part that settles forgets what it has asked for: what a choice did not call off is not shown over it.
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const { elt, path } = detail.requestConfig;
    if (elt.matches("[data-part]") && path !== elt.getAttribute("hx-get")) detail.shouldSwap = false;
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt, target } = event.detail;
    target.setAttribute("aria-busy", "true");
    if (elt !== target) target.dataset.loading = "true";
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    event.detail.target.removeAttribute("aria-busy");
    delete event.detail.target.dataset.loading;
    setTimeout(catchUp);
  });
  document.addEventListener("htmx:afterSettle", enhance);
  document.addEventListener("htmx:sendError", () => tell("away"));
  document.addEventListener("htmx:responseError", (event) => {
    // The session has ended: asked as a page, the server leads to the sign-in and back here.
    if (event.detail.xhr.status === 401) location.reload();
    else tell("away");
  });

  // --- Changes, told by the server --------------------------------------------------------------------------------------

  const words = { live: "Live", away: "Reconnecting", off: "Paused" };
  let source = null;
  let again = null;
  let silent = null;

  function tell(state) {
    for (const element of document.querySelectorAll(".live")) {
      element.hidden = false;
      element.dataset.state = state;
      element.textContent = words[state];
    }
  }

  // One renewal a second, and none beside what a person asked for: what changes meanwhile is asked for afterwards.
  let resting = null;
  let missed = false;

  function renew(topics) {
    const wanted = (part) => !topics || topics.some((topic) => (part.dataset.topics || "").split(" ").includes(topic));
    const concerned = [...parts()].filter(wanted);
    if (!concerned.length) return;
    missed = Boolean(resting || document.querySelector("[aria-busy]"));
    if (missed) return;
    resting = setTimeout(() => { resting = null; catchUp(); }, 1000);
    for (const part of concerned) htmx.trigger(part, "renew");
  }

  function catchUp() {
    if (missed) renew(null);
  }

  function listen() {
    clearTimeout(again);
    if (source || document.hidden || !parts().length) return;
    source = new EventSource("/events");
    source.addEventListener("hello", () => { tell("live"); renew(null); });
    source.addEventListener("change", (event) => renew(JSON.parse(event.data).topics));
    source.addEventListener("away", () => tell("away"));
    source.addEventListener("back", () => tell("live"));
    for (const kind of ["hello", "beat", "change", "away", "back"]) source.addEventListener(kind, heard);
    source.addEventListener("error", () => {
      tell("away");
      if (source.readyState !== EventSource.CLOSED) return;
      source = null;
      // Refused: too many listen, or nobody is signed in. Asking for the page itself tells which.
      renew(null);
      again = setTimeout(listen, 5000 + Math.random() * 5000);
    });
  }

  // A connection that died without a word is noticed by the beats that stay away.
  function heard() {
    clearTimeout(silent);
    silent = setTimeout(() => { pause(); listen(); }, 45000);
  }

  function pause() {
    clearTimeout(silent);
    if (source) source.close();
    source = null;
    tell("off");
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? pause() : listen()));
  addEventListener("pagehide", pause);
  addEventListener("pageshow", (event) => { if (event.persisted) listen(); });
  addEventListener("resize", () => { for (const [canvas, { plot }] of plots) plot.setSize({ width: canvas.clientWidth, height: 260 }); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

  // --- Shortcuts --------------------------------------------------------------------------------------------------------

  // Single keys work only where nothing is typed and nothing else has the focus (WCAG 2.1.4): "/" from the page itself
  // or a row, "j" and "k" from row to row.
  function step(rows, by) {
    const at = rows.indexOf(document.activeElement);
    const next = rows[at < 0 ? 0 : at + by];
    if (!next) return false;
    next.focus();
    return true;
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const rows = [...document.querySelectorAll("main a.row")];
    const free = [document.body, document.getElementById("main"), ...rows].includes(document.activeElement);
    if (!free) return;
    const search = document.querySelector("main input[type=search]");
    if (event.key === "/" && search) search.focus();
    else if (!(event.key === "j" && step(rows, 1)) && !(event.key === "k" && step(rows, -1))) return;
    event.preventDefault();
  });

  enhance();
  setInterval(tick, 1000);
  listen();
})();

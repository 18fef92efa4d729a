"use strict";
const root = document.documentElement;
const specs = JSON.parse(document.getElementById("charts").textContent);
const views = {};
window.reportCharts = views;

function colour(value) {
  return getComputedStyle(root).getPropertyValue("--" + value.slice(1)).trim();
}

// A string of a specification that names a variable of the style sheet becomes its value. Data stay as they are.
function painted(part, key) {
  if (key === "datasets" || key === "values") return part;
  if (typeof part === "string") return /^\$[a-z]+\d?$/.test(part) ? colour(part) : part;
  if (Array.isArray(part)) return part.map((one) => painted(one));
  if (part === null || typeof part !== "object") return part;
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, painted(one, name)]));
}

function config() {
  const ink = colour("$ink");
  const quiet = colour("$quiet");
  const line = colour("$line");
  const font = getComputedStyle(document.body).fontFamily;
  return {
    font, background: "transparent", view: { stroke: null }, padding: 4,
    axis: { labelColor: quiet, titleColor: quiet, gridColor: line, domainColor: line, tickColor: line,
      labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", titlePadding: 8 },
    legend: { labelColor: ink, titleColor: quiet, labelFontSize: 12 },
    text: { fontSize: 12 }, header: { labelColor: ink, titleColor: quiet },
  };
}

function go(view, event, item) {
  const at = item && item.datum && item.datum.at;
  if (at) location.hash = at;
}

async function draw(place) {
  const id = place.dataset.chart;
  const old = views[id];
  const options = { actions: false, renderer: "svg", ast: true, tooltip: false, defaultStyle: false, config: config() };
  const result = await window.vegaEmbed(place, painted(specs[id]), options);
  views[id] = result.view;
  result.view.addEventListener("click", (event, item) => go(result.view, event, item));
  if (old) old.finalize();
}

async function drawAll() {
  for (const place of document.querySelectorAll("[data-chart]")) await draw(place);
  root.dataset.drawn = "yes";
}

function theme(name) {
  root.dataset.theme = name;
  const button = document.getElementById("theme");
  button.textContent = name === "dark" ? "Light" : "Dark";
}

// The choice is kept where the browser lets a page keep anything.
function chosen() {
  try { return localStorage.getItem("agingbench-theme"); } catch { return null; }
}

function keep(name) {
  try { localStorage.setItem("agingbench-theme", name); } catch { return; }
}

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const system = () => (dark.matches ? "dark" : "light");
theme(["dark", "light"].includes(chosen()) ? chosen() : system());
dark.addEventListener("change", () => { if (!chosen()) { theme(system()); drawAll(); } });
document.getElementById("theme").addEventListener("click", () => {
  theme(root.dataset.theme === "dark" ? "light" : "dark");
  keep(root.dataset.theme);
  drawAll();
});

// Whatever an address names is opened and shown.
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let part = target; part; part = part.parentElement) {
    if (part.tagName === "DETAILS") part.open = true;
    part.classList.remove("hidden");
  }
  target.scrollIntoView();
}
window.addEventListener("hashchange", openTarget);

for (const button of document.querySelectorAll("[data-only]")) {
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    for (const one of document.querySelectorAll(button.dataset.only)) one.classList.toggle("hidden", on);
  });
}
for (const button of document.querySelectorAll("[data-open]")) {
  button.addEventListener("click", () => {
    const all = [...document.querySelectorAll(button.dataset.open)];
    const open = all.some((one) => !one.open);
    for (const one of all) one.open = open;
  });
}
let opened = [];
window.addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  for (const one of opened) one.open = true;
});
window.addEventListener("afterprint", () => { for (const one of opened) one.open = false; });

drawAll().then(openTarget);

"use strict";
// What is common to all pages of the viewer: saving charts, counting what is ticked, following what goes on.

function save(address, name) {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

function addSaves() {
  for (const place of document.querySelectorAll("[data-chart]")) {
    const id = place.dataset.chart;
    const row = document.createElement("div");
    row.className = "saves";
    for (const kind of ["png", "svg"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Save as " + kind.toUpperCase();
      button.addEventListener("click", async () => {
        const view = window.reportCharts[id];
        view.background(getComputedStyle(document.body).backgroundColor);
        save(await view.toImageURL(kind, 2), id + "." + kind);
      });
      row.append(button);
    }
    place.after(row);
  }
}
addSaves();

const form = document.getElementById("selection");
if (form) {
  const said = form.querySelector(".chosen");
  const count = () => {
    const n = form.querySelectorAll("input[type=checkbox]:checked").length;
    said.textContent = n ? n + " selected" : "Tick rows to compare them";
    for (const button of form.querySelectorAll("button")) button.disabled = n === 0;
  };
  form.addEventListener("change", count);
  window.addEventListener("pageshow", count);
  count();
}

async function ask(address) {
  const response = await fetch(address, { headers: { accept: "application/json" } });
  return response.json();
}

const progress = document.getElementById("progress");
if (progress) {
  const list = progress.querySelector("ul");
  const about = progress.querySelector("p");
  let finishedAtFirst = null;
  const follow = async () => {
    const state = await ask(progress.dataset.url);
    if (finishedAtFirst === null) finishedAtFirst = state.finished;
    progress.classList.toggle("hidden", state.lives.length === 0 && state.finished === finishedAtFirst);
    list.replaceChildren(...state.lives.slice(0, 12).map((life) => {
      const item = document.createElement("li");
      const name = document.createElement("span");
      name.textContent = life.system + ", " + life.about;
      const bar = document.createElement("progress");
      bar.max = life.sessions;
      bar.value = Math.min(life.done, life.sessions);
      bar.setAttribute("aria-label", "Sessions of " + life.system);
      const words = document.createElement("span");
      const at = Math.min(life.done, life.sessions);
      words.textContent = (life.running ? "session " : "stopped at ") + at + " of " + life.sessions;
      item.append(name, bar, words);
      return item;
    }));
    const running = state.lives.filter((life) => life.running).length;
    const fresh = state.finished - finishedAtFirst;
    about.textContent = state.finished + " finished, " + running + " running, " + (state.lives.length - running) + " stopped.";
    if (fresh > 0) {
      const link = document.createElement("a");
      link.href = location.href;
      link.textContent = " " + fresh + " more since this page was opened: show them";
      about.append(link);
    }
  };
  follow();
  setInterval(follow, 3000);
}

const verify = document.getElementById("verify");
if (verify && verify.dataset.state === "checking") {
  const bar = document.getElementById("verify-bar");
  const timer = setInterval(async () => {
    const state = await ask("/verify.json");
    verify.textContent = state.words;
    bar.max = state.entries || 1;
    bar.value = state.done;
    if (state.state !== "checking") {
      clearInterval(timer);
      location.href = "/verify";
    }
  }, 400);
}

"use strict";
// The entries of a trace, a window of them at a time: what is far from the screen is neither asked for nor kept.
const box = document.getElementById("entries");
const total = Number(box.dataset.total);
const said = document.getElementById("said");
const goto = document.getElementById("goto");
const field = document.getElementById("find");
const cursor = document.getElementById("cursor");
const strip = document.getElementById("strip");
const CHUNK = 60;
const KEPT = 300;
let first = 0;
let last = 0;
let busy = false;
let here = 0;

async function ask(path, asked) {
  const response = await fetch("/" + path + "?" + box.dataset.address + "&" + new URLSearchParams(asked));
  const answer = await response.json();
  if (answer && answer.error) throw new Error(answer.error);
  return answer;
}

function fill(pre, text) {
  const wanted = field.value.toLowerCase();
  pre.textContent = "";
  const lower = text.toLowerCase();
  let end = 0;
  if (wanted && lower.length === text.length) {
    for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, end)) {
      const mark = document.createElement("mark");
      mark.textContent = text.slice(at, at + wanted.length);
      pre.append(text.slice(end, at), mark);
      end = at + wanted.length;
    }
  }
  pre.append(text.slice(end));
}

function part(kind, className, text) {
  const one = document.createElement(kind);
  if (className) one.className = className;
  if (text !== undefined) one.textContent = text;
  return one;
}

function drawn(entry) {
  const row = part("div", "entry " + entry.role + (entry.error ? " error" : ""));
  row.id = "e-" + (entry.place + 1);
  row.dataset.place = entry.place;
  const at = part("a", "at", (entry.place + 1).toLocaleString("en"));
  at.href = "#" + row.id;
  const who = part("div", "who");
  who.append(part("strong", "", entry.role.replace("_", " ")));
  const session = /^\d+$/.test(entry.session) ? "session " + entry.session : entry.session;
  const place = [entry.step && "step " + entry.step, session].filter(Boolean).join(", ");
  const details = [entry.title, place, entry.tokens, entry.error && "error: " + entry.error].filter(Boolean);
  for (const detail of details) who.append(document.createElement("br"), detail);
  const pre = part("pre");
  pre.dir = "auto";
  pre.tabIndex = 0;
  fill(pre, entry.text.trim() ? entry.text : "(no text)");
  row.append(at, who, pre);
  if (entry.cut) {
    const more = part("button", "", "Show " + entry.cut.toLocaleString("en") + " more characters");
    more.type = "button";
    more.addEventListener("click", async () => {
      const whole = await ask("step", { place: entry.place });
      fill(pre, whole.text);
      more.remove();
    });
    pre.after(more);
  }
  return row;
}

async function show(place) {
  const start = Math.max(0, place - 10);
  const entries = await ask("steps", { start, count: CHUNK });
  box.replaceChildren(...entries.map(drawn));
  first = start;
  last = start + entries.length;
  mark(place);
  box.dataset.ready = String(place + 1);
}

function mark(place) {
  here = place;
  for (const row of box.querySelectorAll(".here")) row.classList.remove("here");
  const row = document.getElementById("e-" + (place + 1));
  if (!row) return;
  row.classList.add("here");
  box.scrollTop = Math.max(0, row.offsetTop - box.offsetTop - 60);
  goto.value = place + 1;
  history.replaceState(null, "", "#e-" + (place + 1));
  moved();
}

async function jump(place) {
  if (place >= first && place < last) mark(place);
  else await show(place);
}

async function extend(down) {
  if (busy || (down ? last >= total : first <= 0)) return;
  busy = true;
  try {
    const start = down ? last : Math.max(0, first - CHUNK);
    const count = down ? CHUNK : first - start;
    const rows = (await ask("steps", { start, count })).map(drawn);
    const height = box.scrollHeight;
    const top = box.scrollTop;
    if (down) {
      box.append(...rows);
      last += rows.length;
      const surplus = [...box.children].slice(0, Math.max(0, box.children.length - KEPT));
      const gone = surplus.reduce((sum, row) => sum + row.offsetHeight, 0);
      for (const row of surplus) row.remove();
      first += surplus.length;
      if (gone) box.scrollTop = top - gone;
    } else {
      box.prepend(...rows);
      first = start;
      box.scrollTop = top + box.scrollHeight - height;
      while (box.children.length > KEPT) { box.lastChild.remove(); last -= 1; }
    }
  } finally { busy = false; }
}

function moved() {
  const bins = strip.viewBox.baseVal.width;
  let place = here;
  for (const row of box.children) {
    if (row.offsetTop - box.offsetTop + row.offsetHeight > box.scrollTop) { place = Number(row.dataset.place); break; }
  }
  const x = total ? (bins * place) / total : 0;
  cursor.setAttribute("x1", x);
  cursor.setAttribute("x2", x);
  return place;
}

box.addEventListener("scroll", () => {
  moved();
  if (box.scrollTop + box.clientHeight > box.scrollHeight - 1500) extend(true);
  if (box.scrollTop < 800) extend(false);
});

async function seek(asked, back, none) {
  const answer = await ask("find", { ...asked, start: back ? Math.max(0, here - 1) : here + 1, back: back ? 1 : 0 });
  if (answer.place === null || (back && here === 0)) { said.textContent = none; return; }
  said.textContent = "entry " + (answer.place + 1).toLocaleString("en");
  await jump(answer.place);
  const pre = box.querySelector(".here pre");
  if (!pre) return;
  fill(pre, pre.textContent);
  const hit = pre.querySelector("mark");
  if (hit) pre.scrollTop = Math.max(0, hit.offsetTop - pre.offsetTop - 40);
}

document.getElementById("find-next").addEventListener("click", () => seek({ q: field.value }, false, "nothing further on"));
document.getElementById("find-back").addEventListener("click", () => seek({ q: field.value }, true, "nothing before"));
document.getElementById("error-next").addEventListener("click", () => seek({ errors: 1 }, false, "no error further on"));
document.getElementById("error-back").addEventListener("click", () => seek({ errors: 1 }, true, "no error before"));
field.addEventListener("keydown", (event) => { if (event.key === "Enter") seek({ q: field.value }, event.shiftKey, "nothing found"); });
goto.addEventListener("change", () => { const place = Number(goto.value) - 1; if (place >= 0 && place < total) jump(place); });
strip.parentElement.addEventListener("click", (event) => {
  const area = strip.getBoundingClientRect();
  jump(Math.min(total - 1, Math.floor(((event.clientX - area.left) / area.width) * total)));
});
window.addEventListener("hashchange", () => { const place = Number(location.hash.slice(3)) - 1; if (place >= 0 && place < total) jump(place); });

const asked = Number(location.hash.slice(3)) - 1;
if (total) show(asked >= 0 && asked < total ? asked : 0);
else box.dataset.ready = "0";

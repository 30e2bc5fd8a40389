"use strict";

// Sorting: by a click or a key on a heading; up, down, and back to the order the table came in. What is missing stays last.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const words = heading.classList.contains("words");
    const turns = words ? ["ascending", "descending", "none"] : ["descending", "ascending", "none"];
    heading.querySelector("button").addEventListener("click", () => {
      const turn = turns[(turns.indexOf(heading.ariaSort) + 1) % turns.length];
      headings.forEach((other) => (other.ariaSort = other === heading ? turn : "none"));
      body.append(...(turn === "none" ? rows : sorted(rows, column, words, turn === "ascending" ? 1 : -1)));
    });
  });
}

const natural = new Intl.Collator("en", { numeric: true });

function sorted(rows, column, words, sign) {
  const value = ({ cells }) => (words ? cells[column].textContent.trim() : cells[column].dataset.value);
  const compare = words ? natural.compare : (a, b) => a - b;
  const order = ([left], [right]) =>
    left === "" || right === "" ? (left === "") - (right === "") : sign * compare(left, right);
  return rows
    .map((row) => [value(row), row])
    .sort(order)
    .map(([, row]) => row);
}

// Plots. Colours are the page's variables, so that they need no redrawing when the page turns dark or is printed.
const font = "system-ui, sans-serif";
const config = {
  aria: false,
  background: null,
  font,
  axis: {
    domainColor: "var(--rule)",
    gridColor: "var(--grid)",
    tickColor: "var(--rule)",
    labelColor: "var(--text)",
    titleColor: "var(--muted)",
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: "normal",
    titlePadding: 8,
    labelPadding: 6,
  },
  axisBand: { ticks: false, grid: false },
  view: { stroke: null },
};
const options = {
  actions: false,
  ast: true, // expressions are interpreted: the page's policy has no place for eval
  config,
  defaultStyle: false,
  renderer: "svg",
  tooltip: { disableDefaultStyle: true },
};
const charts = JSON.parse(document.getElementById("charts").textContent);
for (const [anchor, chart] of Object.entries(charts)) draw(document.getElementById(anchor), chart);

async function draw(figure, chart) {
  const { view } = await vegaEmbed(figure.querySelector(".plot"), chart, options);
  const buttons = [...figure.querySelectorAll(".legend button")];
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const focused = button.ariaPressed !== "true";
      buttons.forEach((other) => (other.ariaPressed = String(focused && other === button)));
      view.signal("focus", focused ? button.value : null).runAsync();
    });
  }
}

// Light and dark: as the system has it, until the reader says otherwise.
const theme = document.getElementById("theme");
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme ?? (prefersDark.matches ? "dark" : "light")) === "dark";
const tell = () => (theme.ariaPressed = String(isDark()));
theme.hidden = false;
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  tell();
});
prefersDark.addEventListener("change", tell);
tell();

// Contents: where the reader is.
const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const watch = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const link = links.get(target.id);
      if (isIntersecting) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  },
  { rootMargin: "-20% 0px -70% 0px" },
);
document.querySelectorAll("main > section").forEach((section) => watch.observe(section));

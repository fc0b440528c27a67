// Every column of a table: search, narrow down, choose one to look at or many to change together.

export default function (component) {
  const state = stateOf(component, "deeds", built);
  const { data } = component;
  const before = state.data;
  state.data = data;
  if (!before) {
    state.search.value = data.search;
    state.shown = data.shown;
  }
  // What was picked here is right until somebody else changes it.
  if (!before || before.turn !== data.turn) state.picked = new Set(data.picked);
  draw(state);
  if (!before) reveal(state);
}

function built(root, self) {
  const search = made(root, "input", "search");
  search.type = "search";
  search.placeholder = "Search columns, such as q17_*";
  search.setAttribute("aria-label", "Search columns");
  const filters = made(root, "div", "filters");
  filters.setAttribute("role", "group");
  filters.setAttribute("aria-label", "Show");
  const head = made(root, "div", "head");
  const label = made(head, "label");
  const all = made(label, "input");
  all.type = "checkbox";
  const count = made(label, "span");
  count.setAttribute("aria-live", "polite");
  const list = made(root, "ul", "list");
  list.setAttribute("aria-label", "Columns");
  search.title = "Enter chooses all that are shown";
  search.addEventListener("input", () => draw(self()));
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && search.value.trim()) pickShown(self(), true);
  });
  all.addEventListener("change", () => pickShown(self(), all.checked));
  list.addEventListener("keydown", (event) => walk(self(), event));
  return {
    search, filters, all, count, list,
    rows: new Map(), data: null, shown: "all", picked: new Set(), last: null,
  };
}

function draw(state) {
  const { data, list, filters } = state;
  filters.replaceChildren(...data.filters.map((filter) => {
    const each = document.createElement("button");
    each.type = "button";
    each.className = "filter";
    if (SIGNS[filter.role]) signed(each, filter.role);
    each.append(`${filter.label} ${filter.count}`);
    each.setAttribute("aria-pressed", String(filter.name === state.shown));
    each.dataset.name = filter.name;
    each.addEventListener("click", () => {
      state.shown = filter.name;
      draw(state);
      [...filters.children].find((other) => other.dataset.name === filter.name).focus();
    });
    return each;
  }));
  const names = new Set(data.rows.map((row) => row.name));
  for (const [name, row] of state.rows) {
    if (!names.has(name)) { row.place.remove(); state.rows.delete(name); }
  }
  state.visible = data.rows.filter((row) => seen(state, row));
  const visible = new Set(state.visible.map((row) => row.name));
  let after = null;
  for (const row of data.rows) {
    const place = placed(state, row);
    place.hidden = !visible.has(row.name);
    place.style.display = place.hidden ? "none" : "";
    const next = after ? after.nextSibling : list.firstChild;
    if (next !== place) list.insertBefore(place, next);
    after = place;
  }
  list.classList.toggle("short", data.rows.length < 12);
  nothing(state);
  marked(state);
}

// The sign of a role, of another shape and colour for each; the word stands beside it.
const SIGNS = {
  identifier: "◆", whose: "●", weight: "▲", "other weight": "△", target: "★", geography: "⬢",
  derived: "✚", out: "○",
};
const ROLES = {
  identifier: "identifier", whose: "whose record", weight: "weight",
  "other weight": "weight not used", target: "target", geography: "geography",
  derived: "derived", out: "left out",
};

function signed(parent, role) {
  const sign = made(parent, "span", `sign ${role}`, SIGNS[role]);
  sign.setAttribute("aria-hidden", "true");
}

function nothing(state) {
  state.list.querySelector(".none")?.remove();
  if (!state.visible.length) {
    made(state.list, "li", "none", state.search.value
      ? "No column is called that here. Clear the search, or show all."
      : "There is no such column.");
  }
}

function seen(state, row) {
  const words = state.search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return (state.shown === "all" || row.groups.includes(state.shown)) &&
    words.every((word) => fits(word, row));
}

// A word with * or ? in it is a pattern of a whole name, such as q17_*.
function fits(word, row) {
  if (!/[*?]/.test(word)) return row.text.includes(word);
  const signs = word.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".");
  return new RegExp(`^${signs}$`, "s").test(row.name.toLowerCase());
}

function placed(state, row) {
  const drawn = JSON.stringify(row);
  let known = state.rows.get(row.name);
  if (!known) {
    const place = document.createElement("li");
    const box = made(place, "input");
    box.type = "checkbox";
    box.setAttribute("aria-label", `Choose ${row.name}`);
    box.addEventListener("click", (event) => pick(state, row.name, box.checked, event.shiftKey));
    const button = made(place, "button", "row");
    button.addEventListener("click", () => open(state, row.name));
    known = { place, box, button, drawn: "" };
    state.rows.set(row.name, known);
  }
  if (known.drawn !== drawn) {
    known.drawn = drawn;
    const { button } = known;
    button.replaceChildren();
    const name = made(button, "span", "name");
    if (SIGNS[row.role]) signed(name, row.role);
    name.append(row.name);
    if (row.title) made(name, "span", "title", ` · ${row.title}`);
    made(button, "span", row.strong ? "mark" : "mark note", row.mark);
    const says = made(button, "span", "says");
    if (SIGNS[row.role]) made(says, "span", "rolename", ROLES[row.role]);
    says.append(row.says);
    made(button, "span", "gone", row.missing);
    button.title = [row.name, row.title, ROLES[row.role], row.says, row.missing].filter(Boolean).join("\n");
    known.place.className = row.groups.includes("out") ? "out" : "";
    known.place.dataset.role = row.role;
  }
  return known.place;
}

// Which row is looked at, which are picked, and the one that Tab goes to.
function marked(state) {
  const { data, visible, picked, all, count } = state;
  const stop = visible.some((row) => row.name === data.chosen) ? data.chosen : visible[0]?.name;
  for (const [name, { place, box, button }] of state.rows) {
    const current = name === data.chosen && !picked.size;
    place.classList.toggle("current", current);
    if (current) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    box.checked = picked.has(name);
    box.tabIndex = button.tabIndex = name === stop ? 0 : -1;
  }
  const chosen = visible.filter((row) => picked.has(row.name)).length;
  all.checked = visible.length > 0 && chosen === visible.length;
  all.indeterminate = chosen > 0 && !all.checked;
  all.disabled = !visible.length;
  all.setAttribute("aria-label", "Choose all that are shown");
  const narrowed = visible.length < data.rows.length ? `${visible.length} of ` : "";
  count.textContent = `${narrowed}${data.rows.length} columns` +
    (picked.size ? `, ${picked.size} chosen` : "");
}

function reveal(state) {
  const known = state.rows.get(state.data.chosen);
  if (known) state.list.scrollTop = Math.max(0, known.place.offsetTop - state.list.offsetTop - 60);
}

function view(state) { return { search: state.search.value, shown: state.shown }; }

function open(state, name) {
  state.picked.clear();
  state.data = { ...state.data, chosen: name };
  marked(state);
  state.tell({ act: "open", name, ...view(state) });
}

function pick(state, name, on, range) {
  const names = state.visible.map((row) => row.name);
  const [from, to] = [names.indexOf(state.last), names.indexOf(name)].sort((a, b) => a - b);
  const several = range && from >= 0 ? names.slice(from, to + 1) : [name];
  several.forEach((each) => (on ? state.picked.add(each) : state.picked.delete(each)));
  state.last = name;
  tellPicks(state);
}

function pickShown(state, on) {
  state.visible.forEach(({ name }) => (on ? state.picked.add(name) : state.picked.delete(name)));
  tellPicks(state);
}

function tellPicks(state) {
  marked(state);
  const names = state.data.rows.map((row) => row.name).filter((name) => state.picked.has(name));
  state.tell({ act: "pick", names, ...view(state) });
}

// Up and down go from row to row, within the boxes or within the names.
function walk(state, event) {
  const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
  if (step === undefined) return;
  const focused = event.target;
  const part = focused.matches("input") ? "box" : "button";
  const names = state.visible.map((row) => row.name);
  const at = names.findIndex((name) => state.rows.get(name)[part] === focused);
  if (at < 0) return;
  event.preventDefault();
  const next = names[Math.min(Math.max(at + step, 0), names.length - 1)];
  state.rows.get(next)[part].focus();
}

// Cut points over a histogram. A cut is known by its place: how many values lie below it.
// What a person does is told as a deed to one cut, never as the whole list, so that it can be done
// to whatever the cuts are by then.

const WAIT = 350; // milliseconds after an arrow key before a move is told

export default function (component) {
  const state = stateOf(component, "deeds", built);
  take(state, component.data);
}

function built(root, self) {
  const plot = made(root, "div", "plot");
  plot.setAttribute("role", "group");
  const bands = made(plot, "div", "bands");
  const bars = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  bars.setAttribute("aria-hidden", "true");
  bars.setAttribute("preserveAspectRatio", "none");
  plot.append(bars);
  const handles = made(plot, "div", "handles");
  const axis = made(root, "div", "axis");
  const tools = made(root, "div", "tools");
  const add = made(tools, "button", "tool", "Add a cut");
  const remove = made(tools, "button", "tool", "Remove this cut");
  const hint = made(tools, "span", "quiet");
  const said = made(root, "span", "unseen");
  said.setAttribute("aria-live", "polite");
  add.addEventListener("click", () => {
    self().focus = "new";
    self().tell({ act: "split" });
  });
  remove.addEventListener("mousedown", (event) => event.preventDefault());
  remove.addEventListener("click", () => removeChosen(self()));
  plot.addEventListener("dblclick", (event) => {
    const state = self();
    if (event.target.closest(".handle") || !state.data.movable) return;
    state.focus = "new";
    state.tell({ act: "add", place: placeAt(state, event.clientX) });
  });
  new ResizeObserver(() => spaced(self())).observe(plot);
  return {
    plot, bands, bars, handles, axis, add, remove, hint, said,
    data: null, held: null, chosen: null, focus: null, timer: 0,
  };
}

function take(state, data) {
  const before = state.data;
  state.data = data;
  const { held } = state;
  // A cut in somebody's hand stays there; one that was let go waits for its own answer.
  const done = held && !held.dragging && held.number && data.answered >= held.number;
  if (done || (held && !data.cuts.includes(held.from))) {
    if (held.number && data.cuts.includes(held.to)) state.chosen = held.to;
    state.held = null;
  }
  if (state.focus === "new" && before) {
    const fresh = data.cuts.find((cut) => !before.cuts.includes(cut));
    if (fresh !== undefined) { state.chosen = fresh; state.focus = fresh; }
  }
  if (!cuts(state).includes(state.chosen)) state.chosen = null;
  draw(state);
}

// The cuts as they are to be seen: one of them may be in somebody's hand.
function cuts(state) {
  const { held, data } = state;
  return data.cuts.map((cut) => (held && cut === held.from ? held.to : cut));
}

function draw(state) {
  const { data, plot, hint, add, remove } = state;
  plot.setAttribute("aria-label", `Cut points of ${data.title}`);
  plot.classList.toggle("still", !data.movable);
  hint.textContent = data.movable
    ? "Drag a cut, or use the arrow keys. Double-click to add one, Delete to remove it."
    : data.still;
  add.disabled = !data.splittable;
  remove.disabled = !data.movable || state.chosen === null;
  drawBars(state);
  drawAxis(state);
  drawHandles(state);
}

function drawBars(state) {
  const { data, bars } = state;
  const drawn = `${data.bars.join()}/${data.per_bar}/${data.size}`;
  if (bars.dataset.drawn === drawn) return;
  bars.dataset.drawn = drawn;
  const most = Math.max(1, ...data.bars);
  bars.setAttribute("viewBox", `0 0 ${data.size} 100`);
  bars.replaceChildren(...data.bars.map((count, number) => {
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const wide = Math.min(data.per_bar, data.size - number * data.per_bar);
    const tall = (100 * count) / most;
    bar.setAttribute("class", "bar");
    bar.setAttribute("x", number * data.per_bar + 0.06 * wide);
    bar.setAttribute("width", 0.88 * wide);
    bar.setAttribute("y", 100 - tall);
    bar.setAttribute("height", tall);
    return bar;
  }));
}

function drawAxis(state) {
  const { data, axis } = state;
  const marks = [0, 0.25, 0.5, 0.75, 1].map((part) => Math.round(part * (data.size - 1)));
  axis.replaceChildren(...[...new Set(marks)].map((place) => {
    const mark = document.createElement("span");
    mark.textContent = text(data, place);
    return mark;
  }));
}

function drawHandles(state) {
  const { data, handles, bands } = state;
  const shown = cuts(state);
  const ends = [0, ...shown, data.size];
  bands.replaceChildren(...ends.slice(1).map((end, number) => {
    const band = document.createElement("div");
    band.className = number % 2 ? "band odd" : "band";
    band.style.left = `${(100 * ends[number]) / data.size}%`;
    band.style.width = `${(100 * (end - ends[number])) / data.size}%`;
    return band;
  }));
  const wanted = data.movable ? shown.length : 0;
  while (handles.children.length > wanted) handles.lastChild.remove();
  while (handles.children.length < wanted) handles.append(handle(state));
  [...handles.children].forEach((each, number) => {
    const place = shown[number];
    each.style.left = `${(100 * place) / data.size}%`;
    each.classList.toggle("chosen", place === state.chosen);
    each.querySelector(".tag").textContent = text(data, place);
    each.setAttribute("aria-label", `Cut ${number + 1} of ${wanted}`);
    each.setAttribute("aria-valuemin", ends[number] + 1);
    each.setAttribute("aria-valuemax", ends[number + 2] - 1);
    each.setAttribute("aria-valuenow", place);
    each.setAttribute("aria-valuetext",
      `${text(data, place)}. Below it ${range(data, ends[number], place)}, ` +
      `from it on ${range(data, place, ends[number + 2])}.`);
  });
  if (typeof state.focus === "number") {
    const number = shown.indexOf(state.focus);
    if (number >= 0) handles.children[number].focus({ preventScroll: true });
    state.focus = null;
  }
  spaced(state);
}

function handle(state) {
  const each = document.createElement("div");
  each.className = "handle";
  each.tabIndex = 0;
  each.setAttribute("role", "slider");
  each.setAttribute("aria-orientation", "horizontal");
  made(each, "span", "tag");
  made(each, "span", "knob");
  const own = () => cuts(state)[[...state.handles.children].indexOf(each)];
  each.addEventListener("focus", () => choose(state, own()));
  each.addEventListener("blur", () => settle(state));
  each.addEventListener("keydown", (event) => pressed(state, own(), event));
  each.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    settle(state);
    const place = own();
    each.setPointerCapture(event.pointerId);
    each.classList.add("held");
    const grip = event.clientX - edge(state, place);
    const bounds = limits(state, place);
    state.held = { from: place, to: place, dragging: true };
    choose(state, place);
    const move = (moved) => {
      state.held.to = within(placeAt(state, moved.clientX - grip), bounds);
      state.chosen = state.held.to;
      drawHandles(state);
    };
    const drop = () => {
      each.removeEventListener("pointermove", move);
      each.removeEventListener("pointerup", drop);
      each.removeEventListener("pointercancel", drop);
      each.classList.remove("held");
      state.held.dragging = false;
      settle(state);
    };
    each.addEventListener("pointermove", move);
    each.addEventListener("pointerup", drop);
    each.addEventListener("pointercancel", drop);
  });
  return each;
}

function pressed(state, place, event) {
  const far = Math.max(1, Math.round(state.data.size / 20));
  const [low, high] = limits(state, place);
  const to = {
    ArrowLeft: place - 1, ArrowDown: place - 1, ArrowRight: place + 1, ArrowUp: place + 1,
    PageDown: place - far, PageUp: place + far, Home: low, End: high,
  }[event.key];
  if (event.key === "Delete" || event.key === "Backspace") {
    event.preventDefault();
    removeChosen(state);
  } else if (to !== undefined) {
    event.preventDefault();
    event.stopPropagation();
    const from = state.held && !state.held.number ? state.held.from : place;
    if (state.held?.number) return; // the last move is still on its way
    state.held = { from, to: within(to, [low, high]) };
    state.chosen = state.held.to;
    drawHandles(state);
    clearTimeout(state.timer);
    state.timer = setTimeout(() => settle(state), WAIT);
  }
}

// Tell a move that is finished.
function settle(state) {
  clearTimeout(state.timer);
  const { held } = state;
  if (!held || held.number || held.dragging) return;
  if (held.from === held.to) { state.held = null; return; }
  held.number = state.tell({ act: "move", place: held.from, to: held.to });
  state.said.textContent = `Moved to ${text(state.data, held.to)}.`;
}

function removeChosen(state) {
  if (state.chosen === null || !state.data.movable) return;
  settle(state);
  const shown = cuts(state);
  const number = shown.indexOf(state.chosen);
  state.tell({ act: "remove", place: state.chosen });
  state.said.textContent = `Removed the cut at ${text(state.data, state.chosen)}.`;
  state.focus = shown[number + 1] ?? shown[number - 1] ?? null;
  state.chosen = state.focus;
}

function choose(state, place) {
  state.chosen = place;
  state.remove.disabled = false;
  [...state.handles.children].forEach((each, number) =>
    each.classList.toggle("chosen", cuts(state)[number] === place));
}

// How far a cut may go: not past, and not onto, its neighbours.
function limits(state, place) {
  const shown = cuts(state);
  const number = shown.indexOf(place);
  return [(shown[number - 1] ?? 0) + 1, (shown[number + 1] ?? state.data.size) - 1];
}

function within(place, [low, high]) { return Math.min(Math.max(place, low), high); }

function placeAt(state, x) {
  const box = state.plot.getBoundingClientRect();
  return within(Math.round(((x - box.left) / box.width) * state.data.size),
    [1, state.data.size - 1]);
}

function edge(state, place) {
  const box = state.plot.getBoundingClientRect();
  return box.left + (place / state.data.size) * box.width;
}

// All tags are seen where none hides another.
function spaced(state) {
  const { handles, plot, data } = state;
  if (!data) return; // nothing is drawn yet
  const wide = plot.clientWidth;
  const tags = [...handles.children].map((each, number) => {
    const half = each.querySelector(".tag").offsetWidth / 2 + 2;
    const middle = (cuts(state)[number] / data.size) * wide;
    return [middle - half, middle + half];
  });
  const roomy = tags.every(([low], number) => !number || tags[number - 1][1] <= low);
  plot.classList.toggle("roomy", roomy);
}

// The lowest and the highest number of a value; the same if it is no cell of several.
function text(data, place) { return data.lowest[place]; }
function last(data, place) { return (data.highest ?? data.lowest)[place]; }

function range(data, low, high) {
  const from = text(data, low), to = last(data, high - 1);
  return from === to ? from : `${from} to ${to}`;
}

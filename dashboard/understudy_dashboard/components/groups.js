// Categories as chips in groups: drag them, or choose some and say where they go. A category is
// known by its place in the list of the column.

const FAR = 6; // pixels a chip has to be carried before it counts as dragged

export default function (component) {
  const state = stateOf(component, "deeds", built);
  state.data = component.data;
  const known = new Set(state.data.values.map((_, place) => place));
  state.chosen = new Set([...state.chosen].filter((place) => known.has(place)));
  draw(state);
}

function built(root, self) {
  const groups = made(root, "div", "groups");
  const tools = made(root, "div", "tools");
  const label = made(tools, "label", "quiet");
  const count = made(label, "span");
  const where = made(label, "select", "tool");
  const move = made(tools, "button", "tool", "Move");
  const add = made(tools, "button", "tool", "New group");
  made(tools, "span", "quiet", "Drag a category, or choose some and move them.");
  const said = made(root, "span", "unseen");
  said.setAttribute("aria-live", "polite");
  move.addEventListener("click", () => send(self(), where.value));
  add.addEventListener("click", () => send(self(), "new"));
  return { root, groups, count, where, move, add, said, data: null, chosen: new Set() };
}

// Every box of the page: the groups, what is left of the categories, in this order.
function boxes(data) {
  const groups = data.groups.map((group, number) => ({
    to: String(number), kind: "group", label: group.label, members: group.members,
  }));
  const left = data.rest === null
    ? { to: "none", kind: "group loose", label: "In no group yet", members: data.left }
    : { to: "none", kind: "group rest", label: data.rest, members: data.left };
  return data.rest === null && !data.left.length ? groups : [...groups, left];
}

function draw(state) {
  const { data, groups, where } = state;
  const wanted = boxes(data);
  while (groups.children.length > wanted.length) groups.lastChild.remove();
  wanted.forEach((box, number) => {
    const there = groups.children[number];
    // A box of another kind is another box; the same kind is filled afresh and keeps its focus.
    const fits = there && there.dataset.kind === box.kind;
    const place = fits ? there : frame(state, box);
    if (!there) groups.append(place);
    else if (!fits) there.replaceWith(place);
    fill(state, place, box);
  });
  const before = where.value;
  where.replaceChildren(...[...wanted, { to: "new", label: "a new group" }].map((box) => {
    const option = document.createElement("option");
    option.value = box.to;
    option.textContent = box.label;
    return option;
  }));
  if ([...where.options].some((option) => option.value === before)) where.value = before;
  counted(state);
}

function frame(state, box) {
  const place = document.createElement("section");
  place.className = box.kind;
  place.dataset.kind = box.kind;
  const head = made(place, "div", "head");
  const name = made(head, box.kind === "group" ? "input" : "span", "name");
  if (box.kind === "group") {
    name.setAttribute("aria-label", "Name of the group");
    name.addEventListener("change", () =>
      state.tell({ act: "rename", group: Number(place.dataset.to), label: name.value }));
    const drop = made(head, "button", "drop", "×");
    drop.addEventListener("click", () =>
      state.tell({ act: "drop", group: Number(place.dataset.to) }));
  }
  made(place, "div", "chips").setAttribute("role", "group");
  return place;
}

function fill(state, place, box) {
  const { data } = state;
  place.dataset.to = box.to;
  place.setAttribute("aria-label", `Group ${box.label}`);
  const name = place.querySelector(".name");
  if (name.tagName === "INPUT") {
    // What is being typed stays until it is done.
    if (name.getRootNode().activeElement !== name) name.value = box.label;
    const drop = place.querySelector(".drop");
    drop.setAttribute("aria-label", `Remove the group ${box.label}`);
    drop.disabled = data.groups.length === 1;
  } else {
    name.textContent = box.label;
  }
  const chips = place.querySelector(".chips");
  chips.setAttribute("aria-label", `Categories in ${box.label}`);
  const there = [...chips.querySelectorAll(".chip")].map((chip) => Number(chip.dataset.place));
  const said = box.members.map((member) => data.values[member]).join("\n");
  if (String(there) !== String(box.members) || chips.dataset.said !== said) {
    chips.dataset.said = said;
    chips.replaceChildren(...box.members.map((member) => chip(state, member)));
    if (!box.members.length) {
      made(chips, "span", "empty", box.kind === "group" ? "Drop categories here." : "Nothing is left over.");
    }
  }
}

function chip(state, member) {
  const each = document.createElement("button");
  each.type = "button";
  each.className = "chip";
  each.dataset.place = member;
  each.textContent = state.data.values[member];
  each.setAttribute("aria-pressed", String(state.chosen.has(member)));
  each.addEventListener("click", () => {
    if (each.dataset.dragged) return;
    if (!state.chosen.delete(member)) state.chosen.add(member);
    counted(state);
  });
  each.addEventListener("pointerdown", (event) => carry(state, each, member, event));
  return each;
}

function carry(state, each, member, start) {
  if (start.button) return;
  delete each.dataset.dragged;
  let ghost = null;
  each.setPointerCapture(start.pointerId);
  const over = (event) =>
    each.getRootNode().elementsFromPoint(event.clientX, event.clientY)
      .map((found) => found.closest("section")).find((found) => found);
  const move = (event) => {
    const gone = Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY);
    if (!ghost && gone < FAR) return;
    if (!ghost) {
      if (!state.chosen.has(member)) { state.chosen = new Set([member]); counted(state); }
      const many = state.chosen.size > 1 ? ` and ${state.chosen.size - 1} more` : "";
      ghost = made(state.root, "div", "ghost", state.data.values[member] + many);
      each.dataset.dragged = "yes";
      each.classList.add("away");
    }
    ghost.style.left = `${event.clientX + 8}px`;
    ghost.style.top = `${event.clientY + 8}px`;
    const place = over(event);
    [...state.groups.children].forEach((box) => box.classList.toggle("over", box === place));
  };
  const end = (event) => {
    each.removeEventListener("pointermove", move);
    each.removeEventListener("pointerup", end);
    each.removeEventListener("pointercancel", end);
    each.classList.remove("away");
    [...state.groups.children].forEach((box) => box.classList.remove("over"));
    if (!ghost) return;
    ghost.remove();
    const place = event.type === "pointerup" ? over(event) : null;
    if (place) send(state, place.dataset.to);
  };
  each.addEventListener("pointermove", move);
  each.addEventListener("pointerup", end);
  each.addEventListener("pointercancel", end);
}

function send(state, to) {
  const values = [...state.chosen].sort((one, other) => one - other);
  if (!values.length && to !== "new") return;
  const name = to === "new" ? "a new group" : boxes(state.data).find((box) => box.to === to).label;
  state.said.textContent = values.length ? `${values.length} moved to ${name}.` : `Made ${name}.`;
  state.chosen.clear();
  state.tell({ act: "move", values, to });
  counted(state);
}

function counted(state) {
  state.root.querySelectorAll(".chip").forEach((each) =>
    each.setAttribute("aria-pressed", String(state.chosen.has(Number(each.dataset.place)))));
  state.count.textContent = `Move ${state.chosen.size} chosen to `;
  state.move.disabled = !state.chosen.size;
}

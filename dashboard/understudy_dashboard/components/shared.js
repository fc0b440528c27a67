// What the components share. It stands before each one's own script.

const states = new WeakMap();

// The state of a mounted component, made when it is first drawn, with its way to tell the server.
// Deeds are numbered and sent again until the server says it has them: several may be underway.
function stateOf(component, name, build) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".root");
  let state = states.get(root);
  if (!state) {
    root.replaceChildren();
    // From outside, a key pressed in a field of a component does not look like typing: the page
    // would take it for one of its shortcuts.
    root.addEventListener("keydown", (event) => {
      if (event.target.matches("input")) event.stopPropagation();
    });
    state = { number: 0, underway: [], ...build(root, () => state) };
    states.set(root, state);
  }
  state.number = Math.max(state.number, data.answered);
  state.underway = state.underway.filter((deed) => deed.number > data.answered);
  state.tell = (deed) => {
    state.number += 1;
    state.underway.push({ ...deed, number: state.number });
    setTriggerValue(name, state.underway);
    return state.number;
  };
  return state;
}

function made(parent, kind, name, says) {
  const child = document.createElement(kind);
  if (name) child.className = name;
  if (says) child.textContent = says;
  if (kind === "button") child.type = "button";
  parent.append(child);
  return child;
}

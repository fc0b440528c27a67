const MEANS = {
  ArrowRight: "next", ArrowDown: "next", PageDown: "next", " ": "next",
  ArrowLeft: "back", ArrowUp: "back", PageUp: "back",
  Home: "first", End: "last", Escape: "leave",
};
const TYPED_IN = "input, textarea, select, [contenteditable=true], [role=slider], [role=tab]";
const PRESSED = "button, a, summary, [role=switch], [role=checkbox]";

export default function ({ setTriggerValue }) {
  const hear = (event) => {
    const means = MEANS[event.key];
    if (!means || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const at = event.target instanceof Element ? event.target : document.body;
    // Where a key has a meaning of its own, it keeps it.
    if (at.closest(TYPED_IN) || (event.key === " " && at.closest(PRESSED))) return;
    event.preventDefault();
    setTriggerValue("pressed", means);
  };
  document.addEventListener("keydown", hear);
  return () => document.removeEventListener("keydown", hear);
}

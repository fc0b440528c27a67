const NAMELESS = "[role=dialog]:not([aria-label]):not([aria-labelledby])";

/** The words of the button that is open, without the names of its icons. */
function opened() {
  const button = document.querySelector("main button[aria-expanded=true], [data-testid=stMain] button[aria-expanded=true]");
  if (!button) return "";
  const said = [...button.querySelectorAll("p")].map((each) => {
    const copy = each.cloneNode(true);
    copy.querySelectorAll("[role=img], [translate=no]").forEach((icon) => icon.remove());
    return copy.textContent.trim();
  });
  return said.join(" ").trim() || button.getAttribute("aria-label") || button.title;
}

const page = () => document.querySelector("[data-testid=stApp]");

/** Popovers and dialogs stand outside the page, and so outside of the theme that was chosen for it. */
function themed() {
  const theme = page() && getComputedStyle(page()).colorScheme;
  if (theme && theme !== "normal") document.documentElement.style.colorScheme = theme;
}

function mend() {
  for (const each of document.querySelectorAll(NAMELESS)) {
    each.setAttribute("aria-label", opened() || "More");
  }
}

const PAUSE = 350;
let waiting = 0;

/** A number that is typed where a plan is decided counts at the next pause, as if Enter had been pressed. What would be
    written in another way by then, such as “1.0”, or begins a number, such as “0”, waits for the rest of it. */
function type(event) {
  const box = event.target;
  if (!(box instanceof HTMLInputElement) || box.dataset.testid !== "stNumberInputField") return;
  const decided = box.closest("[data-testid=stMain]")?.querySelector(".st-key-deciding");
  if (!decided || box.closest("[data-testid=stForm]")) return;
  clearTimeout(waiting);
  const typed = box.value;
  if (!Number(typed) || String(Number(typed)) !== typed) return;
  waiting = setTimeout(() => {
    if (!box.isConnected || box.value !== typed) return;
    box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  }, PAUSE);
}

export default function () {
  mend();
  themed();
  document.addEventListener("input", type);
  const watch = new MutationObserver(mend);
  watch.observe(document.body, { childList: true, subtree: true });
  // A page that takes on another theme takes on other classes.
  const turned = new MutationObserver(themed);
  if (page()) turned.observe(page(), { attributes: true, attributeFilter: ["class"] });
  return () => {
    document.removeEventListener("input", type);
    watch.disconnect();
    turned.disconnect();
  };
}

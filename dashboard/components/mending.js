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

export default function () {
  mend();
  themed();
  const watch = new MutationObserver(mend);
  watch.observe(document.body, { childList: true, subtree: true });
  // A page that takes on another theme takes on other classes.
  const turned = new MutationObserver(themed);
  if (page()) turned.observe(page(), { attributes: true, attributeFilter: ["class"] });
  return () => {
    watch.disconnect();
    turned.disconnect();
  };
}

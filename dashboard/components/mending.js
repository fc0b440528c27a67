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

function mend() {
  for (const each of document.querySelectorAll(NAMELESS)) {
    each.setAttribute("aria-label", opened() || "More");
  }
}

export default function () {
  mend();
  const watch = new MutationObserver(mend);
  watch.observe(document.body, { childList: true, subtree: true });
  return () => watch.disconnect();
}

"""When a page has come to rest: nothing under the pointer is about to move or to be replaced."""

from __future__ import annotations

from typing import Final

WATCHING: Final = """
(() => {
  const restless = () => { window.rested = 0; };
  restless();
  for (const kind of ['keydown', 'pointerdown', 'pointerup', 'input', 'change']) {
    addEventListener(kind, restless, true);
  }
  window.asked = -Infinity;
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (new Uint8Array(data.buffer ?? data, data.byteOffset, 1)[0] === (11 << 3 | 2)) {
      window.asked = performance.now();
    }
    return send.call(this, data);
  };
  new MutationObserver(() => { window.asked = -Infinity; restless(); })
    .observe(document, {subtree: true, attributeFilter: ['data-test-script-state']});
})();
"""
"""To be run before a page's own scripts. Notes what a page does not show: that somebody just did
something, on which it may act in a moment; and that it asked for a run that has not begun (field 11
of its messages, `rerun_script`)."""

RESTS: Final = """
() => {
  const app = document.querySelector('[data-testid=stApp]');
  const now = app?.dataset.testConnectionState === 'CONNECTED'
      && app.dataset.testScriptState === 'notRunning'
      && performance.now() - window.asked > 3000;
  window.rested = now ? window.rested + 1 : 0;
  return window.rested >= 3;
}
"""
"""Since anything happened, a page must rest for three looks: one run may lead to another. A run
that was asked for and is not seen to begin within three seconds is taken to have ended already."""

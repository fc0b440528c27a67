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
  const answered = () => { window.asked = -Infinity; restless(); };
  const finishes = message => {
    const bytes = new Uint8Array(message);
    let at = 0;
    const number = () => {
      let found = 0, shift = 0, byte;
      do { byte = bytes[at++]; found |= (byte & 127) << shift; shift += 7; } while (byte & 128);
      return found;
    };
    while (at < bytes.length) {
      const tag = number(), value = number();
      if (tag === (6 << 3)) return value !== 2;
      if ((tag & 7) === 2) at += value;
    }
    return false;
  };
  const heard = new WeakSet();
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (!heard.has(this)) {
      heard.add(this);
      this.addEventListener('message', ({data}) => { if (finishes(data)) answered(); });
    }
    if (new Uint8Array(data.buffer ?? data, data.byteOffset, 1)[0] === (11 << 3 | 2)) {
      window.asked = performance.now();
    }
    return send.call(this, data);
  };
  new MutationObserver(answered)
    .observe(document, {subtree: true, attributeFilter: ['data-test-script-state']});
})();
"""
"""To be run before a page's own scripts. Notes what a page does not show: that somebody just did
something, on which it may act in a moment; and that it asked for a run (field 11 of its messages,
`rerun_script`) that has neither begun nor ended (field 6 of the server's, `script_finished`, 2 of
which is that another begins): one that is over at once is never seen to be under way."""

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

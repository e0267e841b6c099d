// The keyboard's place on the page: when the focused element is removed, focus moves to what takes its place.
const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex='0']";
const PATIENCE_MS = 60;

/** Keep the focus on the page until the returned function is called. */
export function keepFocus(): () => void {
  let path: HTMLElement[] = [];
  const lost = () => document.activeElement === document.body && path[0] !== undefined && !path[0].isConnected;
  const remember = (event: FocusEvent) => {
    path = [];
    for (let node = event.target as HTMLElement | null; node && node !== document.body; node = node.parentElement)
      path.push(node);
  };
  // Whoever removed it may have a better place for the focus, and a dialog gives it back by itself.
  const look = () => lost() && setTimeout(() => lost() && nextTo(path).focus(), PATIENCE_MS);
  const observer = new MutationObserver((changes) => {
    // A button that is disabled while it works loses the focus, and gets it back when it can be pressed again.
    const wasDisabled = changes.some(({ target, oldValue }) => target === path[0] && oldValue !== null);
    if (wasDisabled && document.activeElement === document.body && path[0]?.isConnected) path[0].focus();
    else look();
  });
  const disabled = { attributeFilter: ["disabled"], attributeOldValue: true };
  observer.observe(document.body, { childList: true, subtree: true, ...disabled });
  document.addEventListener("focusin", remember);
  return () => {
    observer.disconnect();
    document.removeEventListener("focusin", remember);
  };
}

/** The row of a list that moved up to the place of the one that is gone, or else what is nearest; at last, the page. */
function nextTo(path: HTMLElement[]): HTMLElement {
  const main = document.getElementById("main") ?? document.body;
  const near = path.find((node) => node.isConnected) ?? main;
  const place = Number(path.find((node) => node.dataset.index)?.dataset.index ?? NaN);
  const row = [place, place - 1].map((at) => near.querySelector<HTMLElement>(`[data-index="${at}"]`)).find(Boolean);
  if (row) return row;
  return (main.contains(near) && near !== main && near.querySelector<HTMLElement>(FOCUSABLE)) || main;
}

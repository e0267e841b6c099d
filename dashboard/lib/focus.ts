// The keyboard's place on the page: when the focused element is removed, focus moves to what is next to it.
const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex='0']";
const PATIENCE_MS = 60;

/** Keep the focus on the page until the returned function is called. */
export function keepFocus(): () => void {
  let path: HTMLElement[] = [];
  const remember = (event: FocusEvent) => {
    path = [];
    for (let node = event.target as HTMLElement | null; node && node !== document.body; node = node.parentElement)
      path.push(node);
  };
  const look = () => {
    if (document.activeElement !== document.body || !path[0] || path[0].isConnected) return;
    // Whoever removed it may have a better place for the focus, and a dialog gives it back by itself.
    setTimeout(() => {
      if (document.activeElement !== document.body || !path[0] || path[0].isConnected) return;
      const left = path.find((node) => node.isConnected && node.tagName !== "HTML");
      const near = left?.querySelector<HTMLElement>(FOCUSABLE) ?? null;
      (left?.id === "main" || !near ? document.getElementById("main") : near)?.focus();
    }, PATIENCE_MS);
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true });
  document.addEventListener("focusin", remember);
  return () => {
    observer.disconnect();
    document.removeEventListener("focusin", remember);
  };
}

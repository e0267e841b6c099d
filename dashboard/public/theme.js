// Runs before the first paint, so that a dark page never flashes white. A file of its own: no inline scripts.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem("anamnesis-theme");
  } catch {
    // Storage may be forbidden; the system's choice will do.
  }
  var dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();

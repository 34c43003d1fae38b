// The theme: light, dark, or that of the system. A plain script in the head, so that the first paint has the right colours.
(() => {
  const KEY = "svc.theme";
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const read = () => {
    try { return localStorage.getItem(KEY) || "system"; } catch { return "system"; }
  };
  const apply = () => {
    const choice = read();
    const shown = choice === "system" ? (dark.matches ? "dark" : "light") : choice;
    document.documentElement.dataset.theme = shown;
    window.dispatchEvent(new CustomEvent("svc:theme", { detail: shown }));
  };
  const set = (choice) => {
    try { localStorage.setItem(KEY, choice); } catch { /* private mode: the choice lasts for this page */ }
    apply();
  };
  window.svcTheme = { read, set };
  dark.addEventListener("change", apply);
  window.addEventListener("storage", (event) => event.key === KEY && apply());
  apply();
})();

// Where the page begins: which address shows which view.
import { start } from "./shell.js";

const ROUTES = [
  [/^$|^projects$/, () => import("./projects.js"), "projects"],
  [/^p\/(?<project>[^/]+)$/, () => import("./chats.js"), "chats"],
  [/^p\/(?<project>[^/]+)\/files$/, () => import("./files.js"), "files"],
  [/^p\/(?<project>[^/]+)\/chat\/(?<session>[^/]+)$/, () => import("./chat.js"), "chat"],
  [/^p\/(?<project>[^/]+)\/chat\/(?<session>[^/]+)\/quality$/, () => import("./quality.js"), "chat"],
  [/^p\/(?<project>[^/]+)\/chat\/(?<session>[^/]+)\/usage$/, () => import("./usage.js"), "chat"],
  [/^p\/(?<project>[^/]+)\/chat\/(?<session>[^/]+)\/workers$/, () => import("./workers.js"), "chat"],
  [/^runs$/, () => import("./runs.js"), "runs"],
  [/^runs\/(?<run>[^/]+)$/, () => import("./run.js"), "runs"],
  [/^approvals$/, () => import("./approvals.js"), "approvals"],
  [/^editor$/, () => import("./editor.js"), "editor"],
  [/^settings$/, () => import("./settings.js"), "settings"],
];

start(ROUTES);

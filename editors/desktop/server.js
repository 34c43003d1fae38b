// A real `svc desktop` in a temporary folder, for the session and the screenshots.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** The value of an option of the command line, or of a variable of the environment, as a path. */
export function option(name, variable) {
  const at = process.argv.indexOf(`--${name}`);
  const given = at > 0 ? process.argv[at + 1] : process.env[variable];
  return given && resolve(given);
}

/** The binary: `--svc PATH`, or SVC, or else the folders where `cargo build` puts one, and PATH. */
function findSvc() {
  const given = option("svc", "SVC");
  if (given) return given;
  return [join(ROOT, "target/release"), join(ROOT, "target/debug"), process.env.PATH].join(delimiter);
}

export class Server {
  /** `more` are further arguments of `svc desktop`. */
  constructor(more = []) {
    this.svc = findSvc();
    this.more = more;
    this.folder = mkdtempSync(join(tmpdir(), "svc-desktop-"));
    // Ctrl-C ends the script by way of Chromium; the server must not stay.
    process.once("exit", () => this.child?.kill("SIGKILL"));
  }

  /** Starts it, and returns the address with the ticket, which is valid once. */
  async start() {
    // Only these variables: a key of a model in the environment would change the answers and send them away.
    const inPath = this.svc.includes(delimiter);
    const env = { PATH: inPath ? this.svc : process.env.PATH, HOME: this.folder, XDG_DATA_HOME: this.folder, XDG_CONFIG_HOME: this.folder, TMPDIR: this.folder };
    this.child = spawn(inPath ? "svc" : this.svc, ["desktop", "--no-browser", "--data", join(this.folder, "service"), "--store", join(this.folder, "runs.db"), ...this.more],
      { cwd: this.folder, env, stdio: ["ignore", "pipe", "pipe"] });
    const { child } = this;
    let said = "";
    const address = new Promise((done, fail) => {
      const read = (part) => {
        said += part;
        const found = /http:\/\/127\.0\.0\.1:\d+\/\?ticket=\w+/.exec(said);
        if (found) done(found[0]);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.on("error", (error) => fail(new Error(`cannot start ${this.svc} (${error.code}); --svc names another`)));
      child.on("exit", (code) => fail(new Error(`svc ended with ${code} before it listened:\n${said}`)));
      setTimeout(() => fail(new Error(`svc did not listen within 60 s:\n${said}`)), 60000).unref();
    });
    return address;
  }

  /** Ends it at once, as a crash would. */
  kill() {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode) return null;
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    return ended;
  }

  async remove() {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

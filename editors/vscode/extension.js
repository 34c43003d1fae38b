// Starts the language server and connects it to the editor.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** The one server of this window. */
let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("svc.server");
  const server = { command: settings.get("command"), args: settings.get("arguments") };
  const options = { documentSelector: [{ language: "svc" }] };
  client = new LanguageClient("svc", "svc", server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const why = error instanceof Error ? error.message : String(error);
    vscode.window.showErrorMessage(
      `Cannot start the language server \`${server.command}\`: ${why}. ` +
        "Install svc, or set its path in the setting svc.server.command."
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  const changed = vscode.workspace.onDidChangeConfiguration((it) =>
    it.affectsConfiguration("svc.server") ? restart() : undefined
  );
  const command = vscode.commands.registerCommand("svc.restartServer", restart);
  context.subscriptions.push(changed, command);
  await start();
}

module.exports = { activate, deactivate: stop };

// Starts the language server and connects it to the editor; runs, plans and tests scripts.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** The one server of this window. */
let client;

/** The commands of lenses; the server shows those that it is given. */
const LENSES = ["svc.run", "svc.plan", "svc.test"];

function settings() {
  return vscode.workspace.getConfiguration("svc.server");
}

async function start() {
  const server = { command: settings().get("command"), args: settings().get("arguments") };
  const options = {
    documentSelector: [{ language: "svc" }],
    initializationOptions: { commands: LENSES },
  };
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

/**
 * Runs `svc` in a terminal: with the arguments of a lens, or, from the command palette, for the
 * script in the active editor.
 */
async function inTerminal(word, lens) {
  const open = vscode.window.activeTextEditor?.document;
  const file = lens?.file ?? (open?.languageId === "svc" ? open.fileName : undefined);
  if (!file) {
    vscode.window.showErrorMessage(`Cannot ${word}: the active editor shows no script.`);
    return;
  }
  const script = vscode.workspace.textDocuments.find((it) => it.fileName === file);
  await script?.save();
  const words = lens?.arguments ?? [word, file];
  // Not a shell: no word needs quotes.
  const execution = new vscode.ProcessExecution(settings().get("command"), words);
  const scope = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file));
  const task = new vscode.Task(
    { type: "svc", word },
    scope ?? vscode.TaskScope.Workspace,
    word,
    "svc",
    execution
  );
  task.presentationOptions = { clear: true, panel: vscode.TaskPanelKind.Dedicated };
  return vscode.tasks.executeTask(task);
}

async function activate(context) {
  const changed = vscode.workspace.onDidChangeConfiguration((it) =>
    it.affectsConfiguration("svc.server") ? restart() : undefined
  );
  const command = vscode.commands.registerCommand("svc.restartServer", restart);
  const lenses = LENSES.map((name) => {
    const word = name.slice("svc.".length);
    return vscode.commands.registerCommand(name, (lens) => inTerminal(word, lens));
  });
  context.subscriptions.push(changed, command, ...lenses);
  await start();
}

module.exports = { activate, deactivate: stop };

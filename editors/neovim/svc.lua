-- svc in Neovim, from version 0.7 on. Copy this file to `plugin/svc.lua` in the folder of your
-- configuration, such as `~/.config/nvim`.
--
-- `vim.g.svc_command` names the program, if it is not `svc` on the path.

if vim.g.loaded_svc then return end
vim.g.loaded_svc = true

local group = vim.api.nvim_create_augroup("svc", {})
local function on(events, pattern, callback)
  vim.api.nvim_create_autocmd(events, { group = group, pattern = pattern, callback = callback })
end

local function program() return vim.g.svc_command or "svc" end

local function config()
  return {
    name = "svc",
    cmd = { program(), "lsp" },
    filetypes = { "svc" },
    root_markers = { ".git" },
    init_options = { commands = { "svc.run", "svc.plan", "svc.test" } },
  }
end

-- Runs the program in a terminal below, for a lens and for the commands :SvcRun, :SvcPlan, :SvcTest.
local function in_terminal(arguments)
  local words = vim.list_extend({ program() }, arguments)
  vim.cmd("botright 15new")
  if vim.fn.has("nvim-0.11") == 1 then
    vim.fn.jobstart(words, { term = true })
  else
    vim.fn.termopen(words)
  end
end

local function by_lens(command, context)
  if context and context.bufnr then
    vim.api.nvim_buf_call(context.bufnr, function() vim.cmd("silent update") end)
  end
  in_terminal(command.arguments[1].arguments)
end

for _, name in ipairs({ "svc.run", "svc.plan", "svc.test" }) do
  vim.lsp.commands[name] = by_lens
end

for name, word in pairs({ SvcRun = "run", SvcPlan = "plan", SvcTest = "test" }) do
  vim.api.nvim_create_user_command(name, function(given)
    vim.cmd("silent update")
    local arguments = { word, vim.fn.expand("%:p") }
    in_terminal(vim.list_extend(arguments, given.fargs))
  end, { nargs = "*", complete = "file" })
end

-- The folder of the nearest `.git`, or else that of the script.
local function root_of(buffer)
  local folder = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":p:h")
  local up = folder
  while vim.fn.isdirectory(up .. "/.git") == 0 and vim.fn.filereadable(up .. "/.git") == 0 do
    local above = vim.fn.fnamemodify(up, ":h")
    if above == up then return folder end
    up = above
  end
  return up
end

-- Before 0.8 there is no `vim.lsp.start`, which shares one client among the buffers of a folder.
local clients = {}
local function start_shared(buffer)
  local root = root_of(buffer)
  local id = clients[root]
  if not id or vim.lsp.client_is_stopped(id) then
    id = vim.lsp.start_client(vim.tbl_extend("force", config(), { root_dir = root }))
    clients[root] = id
  end
  vim.lsp.buf_attach_client(buffer, id)
end

local function start(buffer)
  if vim.fn.executable(program()) == 0 then
    local help = "install it, or set `vim.g.svc_command`"
    vim.notify_once("cannot start `" .. program() .. "`: " .. help, vim.log.levels.WARN)
  elseif vim.lsp.start then
    vim.lsp.start(vim.tbl_extend("force", config(), { root_dir = root_of(buffer) }), { bufnr = buffer })
  else
    start_shared(buffer)
  end
end

-- Before 0.9, Neovim does not show the colours of the server.
local function colour()
  vim.cmd([[
    syntax clear
    syntax keyword Keyword and as each else expect fallback flow group if let match mock not or
    syntax keyword Keyword parallel param race repeat rhai secret sort svc test type until use where within
    syntax keyword Type bool bytes date duration flow float int json map money size string time
    syntax keyword Constant true false null it
    syntax match Number "\<\d[0-9_.]*\w*\>"
    syntax match Operator ">>\|??\|->\|=>"
    syntax match Type "\<\u\w*\>"
    syntax region String start=+"+ skip=+\\.+ end=+"+
    syntax region String start=+'+ end=+'+
    syntax region String start=+"""+ end=+"""+
    syntax match Comment "#.*$"
  ]])
end

on({ "BufRead", "BufNewFile" }, "*.svc", function() vim.bo.filetype = "svc" end)

on("FileType", "svc", function(it)
  vim.bo[it.buf].commentstring = "# %s"
  vim.bo[it.buf].omnifunc = "v:lua.vim.lsp.omnifunc"
  if vim.fn.has("nvim-0.9") == 0 then colour() end
  start(it.buf)
end)

local function has_lenses(buffer)
  local list = vim.lsp.get_clients
  local all = list and list({ bufnr = buffer }) or vim.lsp.buf_get_clients(buffer)
  for _, client in pairs(all) do
    local can = client.server_capabilities
    if can and can.codeLensProvider then return true end
  end
  return false
end

-- Shows the lenses, as soon as the server is there.
local function refresh(buffer, tries)
  if not vim.api.nvim_buf_is_valid(buffer) or vim.api.nvim_get_current_buf() ~= buffer then return end
  if has_lenses(buffer) then
    vim.lsp.codelens.refresh()
  elseif tries > 0 then
    vim.defer_fn(function() refresh(buffer, tries - 1) end, 250)
  end
end

-- Lenses are run with `:lua vim.lsp.codelens.run()` on their line.
on({ "BufEnter", "InsertLeave", "BufWritePost" }, "*.svc", function(it) refresh(it.buf, 20) end)

if vim.fn.has("nvim-0.10") == 1 then
  on("LspAttach", "*.svc", function(it) vim.lsp.inlay_hint.enable(true, { bufnr = it.buf }) end)
end

-- Modules of the standard library and pages about components: changing them has no effect.
on("BufReadPost", "*/svc/editor/*", function()
  vim.bo.readonly = true
  vim.bo.modifiable = false
end)

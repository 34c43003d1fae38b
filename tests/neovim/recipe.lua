-- What the configuration in `editors/neovim` does, in headless Neovim: it starts the server, shows
-- problems and lenses, runs a lens in a terminal, and opens a module of the standard library. What
-- it saw is written as JSON to $SEEN.

local seen = {}

local function clients(buffer)
  local all = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = buffer })
    or vim.lsp.buf_get_clients(buffer)
  return vim.tbl_values(all)
end

local function waits(test) return vim.wait(20000, test, 20) end

local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
end

local function session()
  vim.cmd("edit script.svc")
  local buffer = vim.api.nvim_get_current_buf()
  seen.filetype = vim.bo.filetype
  seen.omnifunc = vim.bo.omnifunc
  seen.commentstring = vim.bo.commentstring
  seen.attached = waits(function() return #clients(buffer) == 1 and clients(buffer)[1].server_capabilities ~= nil end)
  seen.problem = waits(function() return #vim.diagnostic.get(buffer) == 1 end)
    and vim.diagnostic.get(buffer)[1].code
  seen.colours = vim.fn.has("nvim-0.9") == 1
    or vim.fn.synIDattr(vim.fn.synID(1, 1, 1), "name")

  -- Another script of the folder shares the server.
  vim.cmd("edit other.svc")
  local other = vim.api.nvim_get_current_buf()
  seen.shared = waits(function()
    return #clients(other) == 1 and clients(other)[1].id == clients(buffer)[1].id
  end)

  local lenses
  seen.lenses = waits(function()
    lenses = vim.lsp.codelens.get(other)
    return #lenses > 0
  end) and vim.tbl_map(function(it) return it.command.title end, lenses)
  if vim.lsp.inlay_hint then seen.hints = vim.lsp.inlay_hint.is_enabled({ bufnr = other }) end

  local run = lenses[1].command
  vim.lsp.commands[run.command](run, { bufnr = other })
  local terminal = vim.api.nvim_get_current_buf()
  seen.ran = waits(function() return text_of(terminal):find("SHOUTED") ~= nil end)
  vim.cmd("bwipeout!")

  vim.cmd("buffer " .. other)
  vim.fn.search("std:panel")
  vim.lsp.buf.definition()
  seen.opened = waits(function() return vim.fn.expand("%:t") == "panel.svc" end)
  seen.locked = waits(function() return vim.bo.readonly and not vim.bo.modifiable end)
  seen.module = text_of(0):sub(1, 20)
end

local ok, err = pcall(session)
if not ok then seen.error = tostring(err) end
vim.fn.writefile({ vim.json.encode(seen) }, vim.env.SEEN)
vim.cmd("qall!")

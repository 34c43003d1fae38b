-- What a person does in an editor, done by headless Neovim: open a wrong script, apply a
-- fix, complete, look something up, rename. What it saw is written as JSON to $SEEN.

local seen = {}
local client = vim.lsp.start_client({
  name = "svc",
  cmd = { vim.env.SVC, "lsp" },
  root_dir = vim.fn.getcwd(),
})

-- The unit of columns that the client and the server agreed on.
local function unit() return vim.lsp.get_client_by_id(client).offset_encoding end

local function codes(buffer)
  return vim.tbl_map(function(it) return it.code end, vim.diagnostic.get(buffer))
end

-- Waits until the script has these problems and no others.
local function settles(buffer, wanted)
  return vim.wait(20000, function() return vim.deep_equal(codes(buffer), wanted) end, 10)
end

local function ask(buffer, method, params)
  local answers, err = vim.lsp.buf_request_sync(buffer, method, params, 20000)
  if not answers then error(method .. ": " .. tostring(err)) end
  local answer = answers[client]
  if answer.err then error(method .. ": " .. answer.err.message) end
  return answer.result
end

-- The params of a request at the first place where some text ends.
local function after(buffer, text)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local _, ends = line:find(text, 1, true)
    if ends then
      return {
        textDocument = { uri = vim.uri_from_bufnr(buffer) },
        position = { line = row - 1, character = unit() == "utf-8" and ends or vim.str_utfindex(line, ends) },
      }
    end
  end
  error("there is no `" .. text .. "`")
end

local function session()
  vim.cmd("edit script.svc")
  local buffer = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(buffer, client)

  seen.wrong = settles(buffer, { "E201" })
  local problem = vim.diagnostic.get(buffer)[1]
  seen.word = vim.api.nvim_buf_get_text(
    buffer, problem.lnum, problem.col, problem.end_lnum, problem.end_col, {})[1]

  local place = { line = problem.lnum, character = 0 }
  local ends = { line = problem.lnum + 1, character = 0 }
  local actions = ask(buffer, "textDocument/codeAction", {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    range = { start = place, ["end"] = ends },
    context = { diagnostics = {}, only = { "quickfix" } },
  })
  seen.action = actions[1].title
  vim.lsp.util.apply_workspace_edit(actions[1].edit, unit())
  seen.repaired = settles(buffer, {})

  seen.hover = ask(buffer, "textDocument/hover", after(buffer, "lo")).contents.value

  vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { "  >> " })
  local last = vim.api.nvim_buf_line_count(buffer)
  vim.api.nvim_win_set_cursor(0, { last, 5 })
  local items = ask(buffer, "textDocument/completion", {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    position = { line = last - 1, character = 5 },
  })
  seen.offered = vim.tbl_map(function(it) return it.label end, items)
  vim.api.nvim_buf_set_lines(buffer, -2, -1, false, {})
  seen.settled = settles(buffer, {})

  local rename = after(buffer, "tit")
  rename.newName = "heading"
  vim.lsp.util.apply_workspace_edit(ask(buffer, "textDocument/rename", rename), unit())
  seen.renamed = settles(buffer, {})
  seen.text = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
end

local ok, err = pcall(session)
if not ok then seen.error = tostring(err) end
vim.fn.writefile({ vim.json.encode(seen) }, vim.env.SEEN)
vim.lsp.stop_client(client)
vim.wait(5000, function() return vim.lsp.client_is_stopped(client) end, 10)
vim.cmd("qall!")

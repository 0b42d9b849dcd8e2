-- Diagnostics, hover and rename of the language server in Neovim 0.7 or later:
-- CP2=target/release/cp2 nvim --headless -u NONE -n -c "luafile lsp/tests/neovim.lua"
-- The program `cp2` is one with the feature `lsp`. Prints what fails and ends with 1, else with 0.

local function test()
  local path = vim.fn.tempname() .. ".s"
  local text = {
    "        .kernel scale",
    "        seti    a0, 8",
    ".linear",
    "        .loop   g2",
    "        lwo     %x, (r0)",
    "        psmull  %x, %x, f0",
    "        swo     %x, (r0)+1",
    "        .endloop",
    ".endlinear",
    "        stopi   0",
  }
  vim.fn.writefile(text, path)
  vim.opt.runtimepath:append("editors/vim")
  vim.cmd("filetype on | syntax on | edit " .. path)
  assert(vim.bo.filetype == "cp2", "the type of the file is " .. vim.bo.filetype)
  local group = vim.fn.synIDattr(vim.fn.synID(3, 2, 1), "name")
  assert(group == "cp2Directive", "the word `.linear` is of the group " .. group)
  local client = vim.lsp.start_client({ name = "cp2", cmd = { vim.env.CP2, "lsp" } })
  assert(client, "the server does not start")
  vim.lsp.buf_attach_client(0, client)
  local function found(count)
    return function()
      return #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) == count
    end
  end
  assert(vim.wait(20000, found(1)), "the wrong operation is not told")
  local told = vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR })[1]
  assert(told.lnum == 5 and told.col == 8, "the place is " .. told.lnum .. ", " .. told.col)
  assert(told.message:find("did you mean `psmul`?", 1, true), told.message)
  vim.api.nvim_buf_set_text(0, 5, 13, 5, 14, { "" })
  assert(vim.wait(20000, found(0)), "the finding stays")

  local function ask(method, params)
    local answers = vim.lsp.buf_request_sync(0, method, params, 20000)
    local answer = assert(answers and answers[client], method .. " is not answered")
    assert(not answer.err, vim.inspect(answer.err))
    return answer.result
  end
  vim.api.nvim_win_set_cursor(0, { 6, 9 })
  local hover = ask("textDocument/hover", vim.lsp.util.make_position_params())
  assert(hover.contents.value:find("psmul", 1, true), hover.contents.value)
  vim.api.nvim_win_set_cursor(0, { 5, 17 })
  local params = vim.lsp.util.make_position_params()
  params.newName = "word"
  local edit = ask("textDocument/rename", params)
  vim.lsp.util.apply_workspace_edit(edit, vim.lsp.get_client_by_id(client).offset_encoding)
  local line = vim.api.nvim_buf_get_lines(0, 5, 6, true)[1]
  assert(line == "        psmul  %word, %word, f0", line)
  vim.lsp.stop_client(client)
  local function is_over()
    return vim.lsp.client_is_stopped(client)
  end
  assert(vim.wait(20000, is_over), "the server does not end")
end

local is_right, message = pcall(test)
if not is_right then
  io.stderr:write(tostring(message) .. "\n")
  vim.cmd("cquit 1")
end
vim.cmd("qall!")

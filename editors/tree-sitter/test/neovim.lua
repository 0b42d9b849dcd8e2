-- The grammar in Neovim, 0.7 or later: a source has a tree without errors and colours by the query.
-- CP2_PARSERS=FOLDER nvim --headless -u NONE -n -c "luafile editors/tree-sitter/test/neovim.lua"; FOLDER has parser/cp2.so and
-- queries/cp2/highlights.scm. Prints what fails and ends with 1, else with 0.

local function test()
  vim.opt.runtimepath:append(vim.env.CP2_PARSERS)
  vim.cmd("edit examples/axpy.s")
  local parser = vim.treesitter.get_parser(0, "cp2")
  local root = parser:parse()[1]:root()
  assert(not root:has_error(), "the tree has an error")
  local read = vim.treesitter.query and vim.treesitter.query.get or vim.treesitter.get_query
  local query = read("cp2", "highlights")
  local kinds = {}
  for id, node in query:iter_captures(root, 0, 0, -1) do
    local row, from, _, to = node:range()
    local line = vim.api.nvim_buf_get_lines(0, row, row + 1, false)[1]
    kinds[query.captures[id] .. " " .. line:sub(from + 1, to)] = true
  end
  for _, wanted in ipairs({ "function psmadd", "variable.builtin f0", "variable %x0", "keyword .loop", "number 4096" }) do
    assert(kinds[wanted], "no " .. wanted)
  end
end

local fine, message = pcall(test)
if not fine then
  io.stderr:write(message .. "\n")
end
vim.cmd(fine and "qall!" or "cquit 1")

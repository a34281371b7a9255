-- Opens a file in a Neovim with nothing but nanlint, in the words of the guide, and tells what a user would see.
local file, out = vim.env.NANLINT_FILE, vim.env.NANLINT_OUT
local told = {}

local function wait(condition, what)
  if not vim.wait(60000, condition, 20) then
    told.failure = what
    vim.fn.writefile({ vim.fn.json_encode(told) }, out)
    vim.cmd("cquit!")
  end
end

dofile(vim.env.NANLINT_CONFIGURATION)
vim.cmd("filetype on")
vim.cmd("edit " .. vim.fn.fnameescape(file))

local function count()
  return #vim.diagnostic.get(0)
end

wait(function() return count() > 0 end, "no diagnostic appeared")
local diagnostic = vim.diagnostic.get(0)[1]
told.namespace = vim.diagnostic.get_namespace(diagnostic.namespace).name
told.first = { code = diagnostic.code, row = diagnostic.lnum, column = diagnostic.col, message = diagnostic.message }

-- typing: the line with the finding goes, unsaved, and comes back
local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
vim.api.nvim_buf_set_lines(0, diagnostic.lnum, diagnostic.lnum + 1, false, { "    return target.sum()" })
wait(function() return count() == 0 end, "the diagnostic stayed after its line had gone")
vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
wait(function() return count() > 0 end, "the diagnostic did not come back")

vim.api.nvim_win_set_cursor(0, { diagnostic.lnum + 1, diagnostic.col })
vim.ui.select = function(items, options, chosen)
  told.offered = vim.tbl_map(function(item) return options.format_item(item) end, items)
  for index, item in ipairs(items) do
    if options.format_item(item):find(vim.env.NANLINT_ACTION, 1, true) then
      chosen(item, index)
      return
    end
  end
end
vim.lsp.buf.code_action()
wait(function() return vim.bo.modified and count() == 0 end, "the action changed nothing")
told.after = vim.api.nvim_buf_get_lines(0, 0, -1, false)
told.clients = #vim.lsp[vim.lsp.get_clients and "get_clients" or "buf_get_clients"]()
vim.fn.writefile({ vim.fn.json_encode(told) }, out)
vim.cmd("qall!")

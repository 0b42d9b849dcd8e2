" Sources of CP2: files `.s` with a line that begins with `.kernel`, `.linear`, `.lmem` or `.dmabank`, which other assemblers do not have.
autocmd BufNewFile,BufRead *.s if search('^\s*\.\(kernel\|linear\|lmem\|dmabank\)\>', 'nw') | setlocal filetype=cp2 | endif
" Programs of the STAR machine.
autocmd BufNewFile,BufRead *.star setlocal filetype=cp2star

" Sources of CP2: files `.s` that have a kernel or linear code, or an operation of CP2 alone.
autocmd BufNewFile,BufRead *.s if search('^\s*\.\(kernel\|linear\|lmem\|dmabank\)\>', 'nw') | setlocal filetype=cp2 | endif
" Programs of the STAR machine.
autocmd BufNewFile,BufRead *.star setlocal filetype=cp2star

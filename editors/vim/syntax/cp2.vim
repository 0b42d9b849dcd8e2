" Words of CP2's assembly. What an operation means is the language server's to say.
if exists("b:current_syntax")
  finish
endif

syntax case match
syntax match cp2Operation /\(^\|:\||\|)\)\@<=\s*\zs[A-Za-z_]\w*/
syntax match cp2Label /^\s*\zs[A-Za-z_]\w*\ze:/
syntax match cp2Directive /\.[a-z]\+\>/
syntax match cp2Predicate /\<if\ze(/
syntax match cp2Register /\<\(cc\|[fgirans]\|m\)\d\+\(\.\(hi\|lo\)\)\?\>/
syntax match cp2Virtual /%\w\+\(\.\(hi\|lo\)\)\?/
syntax match cp2Parameter /\\\w\+/
syntax match cp2Number /\<\(0[xX][0-9A-Fa-f_]\+\|0[bB][01_]\+\|\d[0-9_]*\(\.\d\+\)\?\([eE][-+]\?\d\+\)\?\)\>/
syntax region cp2Text start=/"/ end=/"/ oneline
syntax match cp2Comment /;.*$/ contains=@Spell
syntax match cp2Comment /\/\/.*$/ contains=@Spell
syntax match cp2Comment /^\s*#.*$/ contains=@Spell

highlight default link cp2Operation Function
highlight default link cp2Label Label
highlight default link cp2Directive PreProc
highlight default link cp2Predicate Conditional
highlight default link cp2Register Identifier
highlight default link cp2Virtual Identifier
highlight default link cp2Parameter Special
highlight default link cp2Number Number
highlight default link cp2Text String
highlight default link cp2Comment Comment

let b:current_syntax = "cp2"

# Lines that are no statements.

; case: two operations without a bar
 cadd f1, f2, f3 ldo f4, (r0)+2
; error: 18-21 C0101 expected `,`, `|` or the end of the line, found `ldo`
;   label: not understood from here on
;   help: `|` separates the two operations of a bundle

; case: operand missing after comma
 cadd f1, f2,
; error: 14 C0101 expected an operand, found the end of the line
;   label: not understood from here on

; case: open parenthesis
 addi f1, f2, (1 + 2
; error: 21 C0101 expected `)`, found the end of the line
;   label: not understood from here on

; case: bar inside parentheses
 addi f1, f2, (1 | 2)
; error: 18-19 C0101 `|` inside brackets
;   label: not understood from here on
;   help: `|` separates the slots; bitwise or is `or(a, b)`

; case: strange character
 cadd f1, f2, ü3
; error: 15-16 C0101 expected an expression, found `ü`
;   label: not understood from here on

; case: line begins with a digit
1: nop
; error: 1-2 C0101 expected an operation, found `1`
;   label: not understood from here on

; case: half that is neither
 recip f1.hi, f2.mid
; error: 18-21 C0101 expected `hi` or `lo`, found `mid`
;   label: not understood from here on

; case: open brace
 copy f{1, f2
; error: 10-11 C0101 expected `}`, found `,`
;   label: not understood from here on

; case: predicate of a register
 if(f3) nop
; error: 5-7 C0101 expected a condition code, `cc0` to `cc7`, found `f3`
;   label: not understood from here on

; case: predicate without parentheses
 if cc3 nop
; error: 5-8 C0101 expected `(ccN)` after `if`, found `cc3`
;   label: not understood from here on

; case: hexadecimal without digits
 addi f1, f2, 0x
; error: 15-17 C0102 `0x` is not a number
;   label: not a number
;   help: numbers are decimal, `0x` hexadecimal, `0b` binary, or floats such as `1.5e-3`; `_` may separate digits

; case: binary with a two
 addi f1, f2, 0b12
; error: 15-19 C0102 `0b12` is not a number
;   label: not a number
;   help: numbers are decimal, `0x` hexadecimal, `0b` binary, or floats such as `1.5e-3`; `_` may separate digits

; case: number glued to a name
 addi f1, f2, 12ab
; error: 15-19 C0102 `12ab` is not a number
;   label: not a number
;   help: numbers are decimal, `0x` hexadecimal, `0b` binary, or floats such as `1.5e-3`; `_` may separate digits

; case: number of 65 bits
.equ x, 0x1_0000_0000_0000_0000
; error: 9-32 C0102 `0x1_0000_0000_0000_0000` does not fit in 64 bits
;   label: not a number
 nop

; case: quote left open
.include "x
; error: 10-12 C0103 this quote is not closed on its line
;   label: not a file name in quotes
;   help: close it with `"`
 nop

; case: empty file name
.include ""
; error: 10-12 C0103 an empty file name
;   label: not a file name in quotes
 nop

; case: bar alone
 |
; error: 2-3 C0105 a bundle without an operation
;   label: no operation
;   help: write `nop` for a bundle that does nothing

; case: predicate alone
 if(cc1)
; error: 2-9 C0105 a bundle without an operation
;   label: no operation
;   help: write `nop` for a bundle that does nothing

; case: predicate behind the bar
 nop | if(cc1) psprmsgn f0, f2, 0, 1, 2, 3
; error: 8-10 C0106 `if(...)` in the middle of a bundle
;   label: belongs at the front of the bundle
;   help: write the predicate before both slots: `if(cc3) cadd ... | ldo ...`

; case: second bar
 nop | nop | nop
; error: 12-13 C0107 a second `|` in one bundle
;   label: one slot too many
;   help: a bundle has two slots: `arithmetic | exchange`

; case: backslash outside a macro
 copy f\x, f2
; error: 8-9 C0108 there is no parameter or repetition of this name here
;   label: unknown name
;   help: `\name` stands for a macro's parameter or the name of a repetition

; case: brackets too deep
.equ x, ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1
; error: 73-74 C0109 more than 64 brackets are open here
;   label: one bracket too many
 nop

; case: unknown annotation
 nop @expect(C0501)
; error: 6-7 C0110 the only annotation is `@allow(CODE, ...)`
;   label: not `@allow(...)`

; case: annotation without codes
 nop @allow
; error: 6-7 C0110 the only annotation is `@allow(CODE, ...)`
;   label: not `@allow(...)`

; case: columns count characters
; я
 nop ; я
.equ x, 1 ! 2
; error: 11-12 C0101 expected the end of the line, found `!`
;   label: not understood from here on

; case: several lines at once
 cadd f1
; error: 2-9 C0302 `cadd` takes 3 operands, 1 given
;   label: wrong number of operands
;   help: it is written `cadd fN, fN, fN`
 nop
 foo f1
; error: 2-5 C0301 there is no operation `foo`
;   label: no such operation
 addi f1, f2, 1 +
; error: 18 C0101 expected an expression, found the end of the line
;   label: not understood from here on
